// SPDX-License-Identifier: GPL-2.0-or-later
/* Transactions have the right stacks if the option that records them is set, and none otherwise. */
#include <dlfcn.h>
#include <libgen.h>
#include <sys/personality.h>
#include <sys/prctl.h>

#include "programs.h"
#include "why_test.h"

TEST_F(parts, stacks)
{
	struct shim_why_parts parts;
	size_t at = ~0ul, n = 0;
	uint64_t asleep = 0, awake = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, pmtracebegin("stacks"));
	sleep_ms(25);
	spin_ms(50, CLOCK_THREAD_CPUTIME_ID);
	ASSERT_EQ(0, pmtraceend("stacks"));
	parts = parts_of(self->why, "stacks", &at);
	EXPECT_EQ(1, parts.count);
	ASSERT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *s = shim_why_stack_at(self->why, i);

		EXPECT_EQ((uint32_t)getpid(), s->pid);
		EXPECT_GT(s->nuser, 0);
		if (s->reason == SHIM_WHY_SAMPLED)
			awake += s->all_ns;
		else if (s->nkernel)
			asleep += s->all_ns;
	}
	if (!(variant->flags & SHIM_WHY_F_STACKS)) {
		EXPECT_EQ(0, n);
		return;
	}
	EXPECT_GE(asleep, 20 * MS);
	EXPECT_LE(asleep, parts.ns[SHIM_WHY_BLOCKED]);
	EXPECT_GT(shim_why_sampled_cpus(self->why), 0);
	/*
	 * If a busy host pauses a CPU, one sample represents all of that time, so the sum can be
	 * too large.
	 */
	EXPECT_GE(awake, 10 * MS);
	EXPECT_LE(awake, 2 * parts.ns[SHIM_WHY_ON_CPU]);
}

#define DEPTH	10	/* 2^10 different stacks */

static __attribute__((noinline, noclone)) int call_by_bits(unsigned int bits, unsigned int left)
{
	int bad;

	if (!left) {
		sleep_ms(1);
		return 0;
	}
	if (bits & 1)
		bad = call_by_bits(bits >> 1, left - 1);
	else
		bad = -call_by_bits(bits >> 1, left - 1);
	__asm__ volatile("" : "+r"(bad));
	return bad;
}

/* With 2^DEPTH different stacks, some have the same hash. */
TEST_F(parts, stacks_that_collide)
{
	size_t at = ~0ul, n = 0, known = 0, unknown = 0;
	uint64_t waits = 0;

	UNLESS_MISSING();
	for (unsigned int i = 0; i < 1u << DEPTH; i++) {
		ASSERT_EQ(0, pmtracebegin("collide"));
		call_by_bits(i, DEPTH);
		ASSERT_EQ(0, pmtraceend("collide"));
	}
	parts_of(self->why, "collide", &at);
	ASSERT_EQ(0, shim_why_reasons_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++)
		waits += shim_why_reason_at(self->why, i)->all_times;
	ASSERT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *s = shim_why_stack_at(self->why, i);

		if (s->reason == SHIM_WHY_SAMPLED)
			continue;
		known += s->nuser > 0;
		unknown += s->nuser ? 0 : s->all_times;
	}
	ASSERT_EQ(0, shim_why_drops_get(self->why, &self->drops));
	if (!(variant->flags & SHIM_WHY_F_STACKS)) {
		EXPECT_EQ(0, n + self->drops.stacks);
		EXPECT_GE(waits, (1u << DEPTH) * 9 / 10);
		return;
	}
	TH_LOG("%zu stacks, %zu waits without one, %llu waits, %llu lost", known, unknown,
	       (unsigned long long)waits, (unsigned long long)self->drops.stacks);
	EXPECT_LE(unknown, self->drops.stacks);
	/* On a busy machine, a short wait can end before the thread leaves its CPU. */
	EXPECT_GE(waits, (1u << DEPTH) * 9 / 10);
	EXPECT_GE(known + unknown, waits);
	EXPECT_LE(unknown, waits / 50);
}

/* Programs that would not be attached are not loaded, so the verifier does not check them. */
TEST_F(parts, programs_load_fast)
{
	unsigned int transport = variant->way == SHIM_TRACE_F_MODULE ? 3 : 2;
	unsigned int scheduler = 3, sampled = !!(variant->flags & SHIM_WHY_F_STACKS);
	unsigned int most;

	UNLESS_MISSING();
	EXPECT_EQ(transport + scheduler + sampled, loaded_programs(&most));
	TH_LOG("at most %u instructions checked", most);
	EXPECT_GT(CHECKED, most);
}

#define BATCHES	100
#define WAITS	100

static void sleep_shortly(void)
{
	const struct timespec ts = { .tv_nsec = 20000 };

	nanosleep(&ts, NULL);
}

/* The stacks of only a few short waits are kept.  They represent all short waits. */
TEST_F(parts, stacks_of_short_waits)
{
	uint64_t ns = 0, times = 0;
	struct shim_why_reason all;
	size_t at = ~0ul, n = 0;

	UNLESS_MISSING();
	if (!(variant->flags & SHIM_WHY_F_STACKS))
		return;
	/* The default timer slack would make each wait 50 us longer. */
	ASSERT_EQ(0, prctl(PR_SET_TIMERSLACK, 1));
	for (int batch = 0; batch < BATCHES; batch++) {
		ASSERT_EQ(0, pmtracebegin("short"));
		for (int i = 0; i < WAITS; i++)
			sleep_shortly();
		ASSERT_EQ(0, pmtraceend("short"));
	}
	parts_of(self->why, "short", &at);
	ASSERT_EQ(0, shim_why_reasons_get(self->why, at, &n));
	ASSERT_LE(1, n);
	all = *shim_why_reason_at(self->why, 0);
	ASSERT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *s = shim_why_stack_at(self->why, i);

		if (s->reason != all.reason)
			continue;
		EXPECT_LT(0, s->nuser);
		EXPECT_LT(0, s->nkernel);
		ns += s->all_ns;
		times += s->all_times;
	}
	TH_LOG("%llu waits of %llu ns; by their stacks %llu of %llu ns",
	       (unsigned long long)all.all_times, (unsigned long long)(all.all_ns / all.all_times),
	       (unsigned long long)times, (unsigned long long)(times ? ns / times : 0));
	/* On a busy machine, some sleeps end before the thread leaves its CPU. */
	EXPECT_LE(BATCHES * WAITS / 2, all.all_times);
	/* If one of five waits is kept, the tolerance is more than five standard deviations. */
	EXPECT_LT(all.all_ns * 4 / 5, ns);
	EXPECT_GT(all.all_ns * 6 / 5, ns);
	EXPECT_LT(all.all_times * 4 / 5, times);
	EXPECT_GT(all.all_times * 6 / 5, times);
}

#define PROGRAM		"/tmp/vcpc-why-stacks-"
#define PROGRAMS	2

/* The start of the note with the build ID: sizes of the name and of the ID, type, name */
static const unsigned char note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };

/* Run as a copy of this program: wait in a transaction, then execute the next copy. */
static void __attribute__((constructor)) be_a_program(void)
{
	const char *number = getenv("WHY_STACKS_PROGRAM");
	char file[] = PROGRAM "0", next[] = "0";

	if (!number)
		return;
	if (pmtracebegin("programs"))
		_exit(1);
	call_by_bits(0, DEPTH);
	if (pmtraceend("programs"))
		_exit(1);
	next[0] = *number + 1;
	if (next[0] == '0' + PROGRAMS)
		_exit(0);
	file[sizeof(file) - 2] = next[0];
	setenv("WHY_STACKS_PROGRAM", next, 1);
	execl(file, file, NULL);
	_exit(1);
}

/*
 * Copy this program, and set the first byte of its build ID to @first, '0' or '1'.  Return 0, or
 * -1.
 */
static int copy_with_build_id(char first)
{
	const int in = open("/proc/self/exe", O_RDONLY);
	const off_t size = lseek(in, 0, SEEK_END);
	char file[] = PROGRAM "0";
	unsigned char *data, *id;
	int out, err;

	file[sizeof(file) - 2] = first;
	out = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, in, 0);
	id = data == MAP_FAILED ? NULL : memmem(data, size, note, sizeof(note));
	if (id)
		id[sizeof(note)] = first;
	err = !id || write(out, data, size) != size;
	close(in);
	return close(out) || err ? -1 : 0;
}

/*
 * Execute the copies.  Set the path of the library, because they are in another directory, where a
 * relative path does not lead to the library.
 */
static void run_programs(void)
{
	char file[200] = "";
	Dl_info library;

	if (dladdr((void *)pmtracebegin, &library))
		snprintf(file, sizeof(file), "%s", library.dli_fname);
	setenv("LD_LIBRARY_PATH", dirname(file), 1);
	personality(ADDR_NO_RANDOMIZE);
	setenv("WHY_STACKS_PROGRAM", "0", 1);
	execl(PROGRAM "0", PROGRAM "0", NULL);
	_exit(1);
}

/*
 * If two programs of a process have the same addresses in a stack, the second one's stack does not
 * have the build ID of the first one.  It can have none, because the kernel searches for the build
 * IDs of only one stack per switch.
 */
TEST_F(parts, build_ids_of_each_program)
{
	size_t at = ~0ul, n = 0, stacks[PROGRAMS] = { 0 };
	char file[] = PROGRAM "0";

	UNLESS_MISSING();
	if (!(variant->flags & SHIM_WHY_F_STACKS))
		return;
	for (char i = 0; i < PROGRAMS; i++)
		ASSERT_EQ(0, copy_with_build_id('0' + i));
	ASSERT_EQ(0, in_child(run_programs));
	EXPECT_EQ(PROGRAMS, parts_of(self->why, "programs", &at).count);
	ASSERT_EQ(0, shim_why_stacks_get(self->why, at, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_stack *s = shim_why_stack_at(self->why, i);
		size_t ids = 0;

		for (uint32_t j = 0; j < s->nuser; j++)
			ids += s->user[j].has_build_id && s->user[j].build_id[0] == '0';
		if (s->reason != SHIM_WHY_SAMPLED && s->nuser > DEPTH)
			stacks[ids < DEPTH]++;
	}
	EXPECT_EQ(1, stacks[0]);
	EXPECT_EQ(1, stacks[1]);
	for (char i = 0; i < PROGRAMS; i++) {
		file[sizeof(file) - 2] = '0' + i;
		unlink(file);
	}
}

TEST_HARNESS_MAIN
