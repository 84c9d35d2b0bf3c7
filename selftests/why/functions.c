// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls to functions are explained as transactions are, in a program that makes no trace calls. */
#include <fcntl.h>
#include <setjmp.h>
#include <shim/why.h>
#include <sys/stat.h>
#include <time.h>

#include "../bpf/bpf_test.h"
#include "../bpf/probe_on.h"
#include "programs.h"

#define MS	1000000ull
#define ROUNDS	5
#define SLACK	(5 * MS)
#define DEPTH	4	/* maximum number of nested transactions of a thread */

#define TRACED __attribute__((noipa))

static jmp_buf back;
static volatile int sink;

TRACED int sleeps(int ms);
TRACED int spins(int ms);
TRACED int recurse(int depth);
TRACED int jumps(int depth);
TRACED int around(int (*fn)(int n), int n);
TRACED void begin_here(void);
TRACED void end_here(void);
TRACED int is_jumped_to(int n);
int ends_by_jump(int n);

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

int sleeps(int ms)
{
	const struct timespec time = { .tv_nsec = ms * MS };

	return nanosleep(&time, NULL);
}

int spins(int ms)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * MS;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		;
	return 0;
}

int recurse(int depth)
{
	sink = depth ? recurse(depth - 1) : sleeps(20);
	return sink + 1;
}

int jumps(int depth)
{
	if (sink >= 0 && !depth)
		longjmp(back, 1);
	sink = depth ? jumps(depth - 1) : 0;
	return sink + 1;
}

int around(int (*fn)(int n), int n)
{
	sink = fn(n);
	return sink + 1;
}

void begin_here(void)
{
	__asm__ volatile("nop");
}

void end_here(void)
{
	__asm__ volatile("nop; nop");
}

int is_jumped_to(int n)
{
	return sleeps(n) + 1;
}

/* A compiler might not generate this jump, so it is written in assembly. */
#ifdef __x86_64__
#define JUMP "jmp is_jumped_to"
#else
#define JUMP "b is_jumped_to"
#endif
__asm__(".text; .globl ends_by_jump; .type ends_by_jump, %function\n"
	"ends_by_jump: nop; " JUMP "\n");

FIXTURE(functions) {
	const char *missing;
	struct shim_why *why;
	struct shim_why_drops drops;
};

FIXTURE_VARIANT(functions) {
	uint32_t flags;
};

FIXTURE_VARIANT_ADD(functions, parts_only) { 0 };
FIXTURE_VARIANT_ADD(functions, stacks) { SHIM_WHY_F_STACKS };

/*
 * Return whether a test depends on stacks.  A brief run omits the variants of other tests with
 * stacks.
 */
static bool depends_on_stacks(const char *test)
{
	return !strcmp(test, "a_call_that_sleeps") || !strcmp(test, "programs_load_fast");
}

FIXTURE_SETUP(functions)
{
	struct shim_trace_options on = { .size = sizeof(on) };
	struct shim_why_options options = { .size = sizeof(options), .flags = variant->flags };
	struct shim_trace_probe probes[] = {
		PROBE(sleeps), PROBE(spins), PROBE(recurse), PROBE(jumps), PROBE(around),
		PROBE(ends_by_jump), PROBE(is_jumped_to), PROBE(begin_here), PROBE(end_here),
	};
	unsigned int bad;

	ASSERT_EQ(0, trace_place(0, &self->missing));
	if (!self->missing && access("/sys/kernel/btf/vmlinux", F_OK))
		self->missing = "this kernel has no BTF";
	if (getenv("BRIEF") && variant->flags && !depends_on_stacks(_metadata->name))
		self->missing = "a brief run has no stacks";
	if (self->missing)
		return;
	probes[7].what = SHIM_TRACE_PROBE_BEGIN;
	probes[8].what = SHIM_TRACE_PROBE_END;
	probes[7].tag = probes[8].tag = "a pair";
	TRACING_ON(&on);
	ASSERT_EQ(0, shim_trace_probe(probes, 9, &bad));
	ASSERT_EQ(0, shim_why_open(&options, &self->why));
}

FIXTURE_TEARDOWN(functions)
{
	shim_why_close(self->why);
	shim_trace_off();
}

static const struct shim_why_tag *tag_of(struct shim_why *why, const char *name, size_t *at)
{
	size_t n = 0;

	if (shim_why_tags_get(why, 99, &n))
		return NULL;
	for (*at = 0; *at < n; (*at)++)
		if (!strcmp(shim_why_tag_at(why, *at)->name, name))
			return shim_why_tag_at(why, *at);
	return NULL;
}

static struct shim_why_parts parts_of(struct shim_why *why, const char *name)
{
	struct shim_why_parts none = { 0 };
	size_t at;
	const struct shim_why_tag *tag = tag_of(why, name, &at);

	return tag ? tag->all : none;
}

#define LOST(reason) ({								\
	EXPECT_EQ(0, shim_why_drops_get(self->why, &self->drops));		\
	self->drops.reason;							\
})

/* Return how long calls of @tag were blocked in the system call @call. */
static uint64_t blocked_in(struct shim_why *why, const char *tag, const char *call)
{
	uint64_t ns = 0;
	size_t at, n = 0;
	char name[64];

	if (!tag_of(why, tag, &at) || shim_why_reasons_get(why, at, &n))
		return 0;
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_reason *r = shim_why_reason_at(why, i);

		if (!shim_why_reason_name(r->reason, name, sizeof(name)) && strstr(name, call))
			ns += r->all_ns;
	}
	return ns;
}

TEST_F(functions, a_call_that_sleeps)
{
	size_t at, n = 0, waits = 0;
	struct shim_why_parts parts;

	UNLESS_MISSING();
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_EQ(0, sleeps(25));
	parts = parts_of(self->why, "sleeps");
	EXPECT_EQ(ROUNDS, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], ROUNDS * 20 * MS);
	EXPECT_LT(parts.ns[SHIM_WHY_ON_CPU], parts.ns[SHIM_WHY_BLOCKED]);
	EXPECT_EQ(parts.ns[SHIM_WHY_BLOCKED], blocked_in(self->why, "sleeps", "nanosleep"));
	EXPECT_EQ(0, LOST(not_seen) + self->drops.moved + self->drops.broken + self->drops.died);
	if (!variant->flags)
		return;
	ASSERT_TRUE(tag_of(self->why, "sleeps", &at));
	EXPECT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (at = 0; at < n; at++)
		waits += shim_why_stack_at(self->why, at)->reason != SHIM_WHY_SAMPLED &&
			 shim_why_stack_at(self->why, at)->nkernel;
	EXPECT_GE(waits, 1);
}

TEST_F(functions, a_call_on_a_cpu)
{
	struct shim_why_parts parts;
	uint64_t used = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	UNLESS_MISSING();
	for (int i = 0; i < ROUNDS; i++)
		spins(20);
	used = clock_ns(CLOCK_THREAD_CPUTIME_ID) - used;
	parts = parts_of(self->why, "spins");
	EXPECT_EQ(ROUNDS, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_ON_CPU], ROUNDS * 19 * MS);
	EXPECT_LE(parts.ns[SHIM_WHY_ON_CPU], used + used / 10 + SLACK);
}

/* Four nested calls of a thread are kept.  Deeper calls are only counted. */
TEST_F(functions, recursive_calls)
{
	struct shim_why_parts parts;

	UNLESS_MISSING();
	recurse(2);
	parts = parts_of(self->why, "recurse");
	EXPECT_EQ(3, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], 3 * 15 * MS);
	EXPECT_EQ(1, parts_of(self->why, "sleeps").count);
	EXPECT_EQ(0, LOST(deep));
	recurse(9);
	EXPECT_EQ(3 + DEPTH, parts_of(self->why, "recurse").count);
	EXPECT_EQ(1, parts_of(self->why, "sleeps").count);
	EXPECT_EQ(10 - DEPTH + 1, LOST(deep));
	EXPECT_EQ(0, self->drops.not_seen + self->drops.moved + self->drops.died);
	recurse(0);
	EXPECT_EQ(3 + DEPTH + 1, parts_of(self->why, "recurse").count);
	EXPECT_EQ(10 - DEPTH + 1, LOST(deep));
}

static TRACED int sleep_and_spin(int ms)
{
	const struct timespec time = { .tv_nsec = ms * MS };

	nanosleep(&time, NULL);
	return spins(1);
}

/* A wait is attributed to the call in which it happened, not to a later one. */
TEST_F(functions, a_wait_before_an_inner_call)
{
	UNLESS_MISSING();
	around(sleep_and_spin, 25);
	EXPECT_EQ(1, parts_of(self->why, "around").count);
	EXPECT_EQ(1, parts_of(self->why, "spins").count);
	EXPECT_EQ(0, blocked_in(self->why, "spins", "nanosleep"));
	EXPECT_LT(0, blocked_in(self->why, "around", "nanosleep"));
	EXPECT_EQ(parts_of(self->why, "around").ns[SHIM_WHY_BLOCKED],
		  blocked_in(self->why, "around", "nanosleep"));
}

static TRACED void jump_back(int depth)
{
	if (!setjmp(back))
		jumps(depth);
}

static TRACED int jump_back_inside(int depth)
{
	jump_back(depth);
	return depth;
}

/*
 * The loss of a call that ends by longjmp() is detected at the next entry, or when a caller
 * returns.
 */
TEST_F(functions, calls_left_by_longjmp)
{
	UNLESS_MISSING();
	for (int i = 0; i < 10; i++)
		jump_back(2);
	sleeps(1);
	EXPECT_EQ(30, LOST(died));
	EXPECT_EQ(1, parts_of(self->why, "sleeps").count);
	around(jump_back_inside, 1);
	EXPECT_EQ(32, LOST(died));
	EXPECT_EQ(1, parts_of(self->why, "around").count);
	EXPECT_EQ(0, parts_of(self->why, "jumps").count);
	EXPECT_EQ(0, self->drops.not_seen + self->drops.deep);
}

TEST_F(functions, a_tail_call_is_part_of_its_caller)
{
	UNLESS_MISSING();
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_EQ(1, ends_by_jump(10));
	EXPECT_EQ(ROUNDS, parts_of(self->why, "ends_by_jump").count);
	EXPECT_EQ(ROUNDS, parts_of(self->why, "is_jumped_to").count);
	EXPECT_GE(parts_of(self->why, "ends_by_jump").ns[SHIM_WHY_BLOCKED], ROUNDS * 8 * MS);
	EXPECT_EQ(0, LOST(died) + self->drops.not_seen);
}

TEST_F(functions, a_pair_of_places)
{
	struct shim_why_parts parts;

	UNLESS_MISSING();
	for (int i = 0; i < ROUNDS; i++) {
		begin_here();
		sleeps(20);
		end_here();
	}
	parts = parts_of(self->why, "a pair");
	EXPECT_EQ(ROUNDS, parts.count);
	EXPECT_GE(parts.ns[SHIM_WHY_BLOCKED], ROUNDS * 15 * MS);
	end_here();
	EXPECT_EQ(1, LOST(not_seen));
	begin_here();
	begin_here();
	EXPECT_EQ(1, LOST(moved));
	end_here();
	EXPECT_EQ(ROUNDS + 1, parts_of(self->why, "a pair").count);
}

/*
 * Four additional programs are loaded for the probes: for entries, for returns, and for both ends
 * of a pair.
 */
TEST_F(functions, programs_load_fast)
{
	unsigned int others = (HAS_MODULE ? 3 : 2) + 3 + !!variant->flags;
	unsigned int most;

	UNLESS_MISSING();
	EXPECT_EQ(others + 4, loaded_programs(&most));
	TH_LOG("at most %u instructions checked", most);
	EXPECT_GT(CHECKED, most);
}

static int exits(int n)
{
	if (!fork())
		syscall(SYS_exit_group, 0);
	return wait(NULL) < 0 ? -1 : n;
}

/* A child starts without open calls, so only the parent's return ends a call. */
TEST_F(functions, a_child)
{
	UNLESS_MISSING();
	EXPECT_EQ(2, around(exits, 1));
	EXPECT_EQ(1, parts_of(self->why, "around").count);
	EXPECT_EQ(0, LOST(died) + self->drops.not_seen);
}

/* If a function and the library's calls are traced, both are explained. */
TEST_F(functions, beside_trace_calls)
{
	UNLESS_MISSING();
	ASSERT_EQ(0, pmtracebegin("called"));
	sleeps(20);
	ASSERT_EQ(0, pmtraceend("called"));
	EXPECT_EQ(1, parts_of(self->why, "called").count);
	EXPECT_EQ(1, parts_of(self->why, "sleeps").count);
	EXPECT_GE(parts_of(self->why, "called").ns[SHIM_WHY_BLOCKED], 15 * MS);
}

TEST(a_replaced_file_is_refused)
{
	static char path[] = "/tmp/vcpc-why-XXXXXX";
	static const struct timespec long_ago[2];
	struct shim_trace_options on = { .size = sizeof(on) };
	struct shim_trace_probe probe = PROBE(sleeps);
	struct shim_why *why = NULL;
	const char *missing;
	char command[128];
	unsigned int bad;

	ASSERT_EQ(0, trace_place(0, &missing));
	if (missing || access("/sys/kernel/btf/vmlinux", F_OK))
		SKIP(return, "%s", missing ? missing : "this kernel has no BTF");
	ASSERT_GE(mkstemp(path), 0);
	snprintf(command, sizeof(command), "cat /proc/%d/exe >%s", getpid(), path);
	ASSERT_EQ(0, system(command));
	probe.file = path;
	TRACING_ON(&on);
	ASSERT_EQ(0, shim_trace_probe(&probe, 1, &bad));
	EXPECT_EQ(0, shim_why_open(NULL, &why));
	shim_why_close(why);
	/* Replace the file with another one that has the same name and time. */
	snprintf(command, sizeof(command), "cp -p %s %s.2 && mv %s.2 %s", path, path, path, path);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(-ESTALE, shim_why_open(NULL, &why));
	/* Change the time of the same file, as a write does. */
	TRACING_ON(&on);
	ASSERT_EQ(0, shim_trace_probe(&probe, 1, &bad));
	ASSERT_EQ(0, utimensat(AT_FDCWD, path, long_ago, 0));
	EXPECT_EQ(-ESTALE, shim_why_open(NULL, &why));
	unlink(path);
	EXPECT_EQ(-ESTALE, shim_why_open(NULL, &why));
	shim_trace_off();
}

TEST_HARNESS_MAIN
