// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace functions of a program without trace calls.  Each call is counted, or counted as lost. */
#include <setjmp.h>
#include <signal.h>
#include <time.h>

#include "bpf_test.h"
#include "probe_on.h"

#define CALLS	20000
#define DEEPEST	64	/* maximum number of open calls per thread */
#define NOBODY	65534

#define TRACED __attribute__((noipa))

static jmp_buf back;
static volatile int sink;

TRACED int work(int n);
TRACED int touch(int pages);
TRACED int recurse(int depth);
TRACED int jumps(int depth);
TRACED int sleeps(int ms);
TRACED void never_returns(void (*fn)(void));
TRACED void begin_here(void);
TRACED void end_here(void);
int ends_by_jump(int n);
int is_jumped_to(int n);

int work(int n)
{
	sink = n;
	return n;
}

/* Cause one page fault per page, by touching it for the first time. */
int touch(int pages)
{
	size_t size = (size_t)pages * sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return -1;
	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < size; at += sysconf(_SC_PAGESIZE))
		memory[at] = 1;
	return munmap(memory, size);
}

int recurse(int depth)
{
	sink = depth ? recurse(depth - 1) : 0;
	return sink + 1;
}

int jumps(int depth)
{
	if (sink >= 0 && !depth)
		longjmp(back, 1);
	sink = depth ? jumps(depth - 1) : 0;
	return sink + 1;
}

int sleeps(int ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000l };

	return nanosleep(&time, NULL);
}

void never_returns(void (*fn)(void))
{
	fn();
	sink++;
}

void begin_here(void)
{
	__asm__ volatile("nop");
}

void end_here(void)
{
	__asm__ volatile("nop; nop");
}

/* Write the tail call in assembly, because a compiler might not generate it. */
#ifdef __x86_64__
#define JUMP "jmp is_jumped_to"
#define RETURN "lea 1(%rdi), %eax; ret"
#else
#define JUMP "b is_jumped_to"
#define RETURN "add w0, w0, #1; ret"
#endif
__asm__(".text; .globl ends_by_jump, is_jumped_to; .type ends_by_jump, %function\n"
	".type is_jumped_to, %function\n"
	"ends_by_jump: nop; " JUMP "\n"
	"is_jumped_to: nop; " RETURN "\n");

FIXTURE(functions) {
	const char *missing;
	struct shim_trace_drops drops;
};

FIXTURE_SETUP(functions)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_PROCESSES, .ring_bytes = 65536,
	};
	struct shim_trace_probe probes[] = {
		PROBE(work), PROBE(recurse), PROBE(jumps), PROBE(sleeps), PROBE(never_returns),
		PROBE(ends_by_jump), PROBE(is_jumped_to), PROBE(begin_here), PROBE(end_here),
	};
	unsigned int bad;

	ASSERT_EQ(0, trace_place(0, &self->missing));
	if (!self->missing && access("/sys/kernel/btf/vmlinux", F_OK))
		self->missing = "this kernel has no BTF";
	if (self->missing)
		return;
	probes[7].what = SHIM_TRACE_PROBE_BEGIN;
	probes[8].what = SHIM_TRACE_PROBE_END;
	probes[7].tag = probes[8].tag = "a pair";
	TRACING_ON(&options);
	ASSERT_EQ(0, shim_trace_probe(probes, 9, &bad));
	ASSERT_EQ(9, bad);
}

FIXTURE_TEARDOWN(functions)
{
	shim_trace_off();
}

#define LOST(reason) ({ EXPECT_EQ(0, read_drops(&self->drops)); self->drops.reason; })
#define COUNT(tag) count_of(tag, SHIM_TRACE_TRANSACTION)

TEST_F(functions, each_call_is_counted)
{
	UNLESS_MISSING();
	for (int i = 0; i < CALLS; i++)
		work(i);
	EXPECT_EQ(CALLS, COUNT("work"));
	EXPECT_EQ(0, LOST(given_up));
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, self->drops.open_full);
	EXPECT_EQ(0, COUNT("recurse"));
}

static int see_sleep(void *arg, const struct shim_trace_event *event)
{
	*(int *)arg += !strcmp(event->name, "sleeps") && event->op == SHIM_TRACE_OP_END &&
		       event->ns - event->start_ns >= 50000000;
	return 0;
}

/* Return whether the function is also in the list of events and in the process's statistics. */
static int seen_elsewhere(void)
{
	struct shim_trace *trace;
	size_t n = 0;
	int seen = 0;

	if (shim_trace_open(&trace))
		return 0;
	shim_trace_events(trace, 0, see_sleep, &seen);
	shim_trace_processes_get(trace, &n);
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_process *process = shim_trace_process_at(trace, i);

		seen += process->pid == (uint32_t)getpid() && process->stat.count == 1;
	}
	shim_trace_close(trace);
	return seen;
}

TEST_F(functions, time_is_from_entry_to_return)
{
	struct shim_trace_stat stat;

	UNLESS_MISSING();
	sleeps(50);
	ASSERT_EQ(0, read_stat("sleeps", SHIM_TRACE_TRANSACTION, &stat));
	EXPECT_EQ(1, stat.count);
	EXPECT_GE(stat.sum_ns, 50000000);
	EXPECT_LT(stat.sum_ns, 30000000000);
	EXPECT_EQ(2, seen_elsewhere());
}

TEST_F(functions, recursive_calls_are_nested)
{
	UNLESS_MISSING();
	EXPECT_EQ(10, recurse(9));
	EXPECT_EQ(10, COUNT("recurse"));
	recurse(DEEPEST - 1);
	EXPECT_EQ(10 + DEEPEST, COUNT("recurse"));
	EXPECT_EQ(0, LOST(open_full));
	EXPECT_EQ(100, recurse(99));
	EXPECT_EQ(10 + 2 * DEEPEST, COUNT("recurse"));
	EXPECT_EQ(100 - DEEPEST, LOST(open_full));
	EXPECT_EQ(0, self->drops.given_up);
	EXPECT_EQ(0, self->drops.not_open);
}

/*
 * Abandon calls with longjmp().  The next entry, or a caller's return, shows that they have ended.
 */
static TRACED void jump_back(int depth)
{
	if (!setjmp(back))
		jumps(depth);
}

static void jump_back_inside(void)
{
	jump_back(2);
}

TEST_F(functions, calls_left_by_longjmp_are_lost)
{
	UNLESS_MISSING();
	for (int i = 0; i < 100; i++)
		jump_back(4);
	work(1);
	EXPECT_EQ(0, COUNT("jumps"));
	EXPECT_EQ(1, COUNT("work"));
	EXPECT_EQ(500, LOST(given_up));
	never_returns(jump_back_inside);
	EXPECT_EQ(1, COUNT("never_returns"));
	EXPECT_EQ(503, LOST(given_up));
	EXPECT_EQ(0, self->drops.not_open);
	EXPECT_EQ(0, self->drops.open_full);
}

TEST_F(functions, a_tail_call_ends_both)
{
	UNLESS_MISSING();
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(i + 1, ends_by_jump(i));
	EXPECT_EQ(100, COUNT("ends_by_jump"));
	EXPECT_EQ(100, COUNT("is_jumped_to"));
	EXPECT_EQ(0, LOST(given_up));
	EXPECT_EQ(0, self->drops.not_open);
}

static void end_thread(void)
{
	syscall(SYS_exit, 0);
}

static void *end_inside(void *arg)
{
	(void)arg;
	never_returns(end_thread);
	return NULL;
}

static void is_killed(void)
{
	raise(SIGKILL);
}

static void executes(void)
{
	execlp("true", "true", NULL);
}

static void dies_inside(void)
{
	never_returns(is_killed);
}

static void executes_inside(void)
{
	begin_here();
	never_returns(executes);
}

TEST_F(functions, what_ends_inside_is_lost)
{
	pthread_t thread;

	UNLESS_MISSING();
	ASSERT_EQ(0, pthread_create(&thread, NULL, end_inside, NULL));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	/* The kernel wakes the joining thread before the joined thread has exited completely. */
	for (int i = 0; i < 1000 && LOST(given_up) < 1; i++)
		usleep(1000);
	EXPECT_EQ(1, LOST(given_up));
	EXPECT_EQ(-1, in_child(dies_inside));
	EXPECT_EQ(2, LOST(given_up));
	EXPECT_EQ(0, in_child(executes_inside));
	EXPECT_EQ(4, LOST(given_up));
	EXPECT_EQ(0, COUNT("never_returns"));
	EXPECT_EQ(0, self->drops.not_open);
}

static void fork_and_return(void)
{
	pid_t pid = fork();

	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* A forked child returns from a function that it has not entered. */
TEST_F(functions, a_forked_child_is_not_in_it)
{
	pid_t pid = getpid();

	UNLESS_MISSING();
	never_returns(fork_and_return);
	if (getpid() != pid)
		_exit(0);
	EXPECT_EQ(1, COUNT("never_returns"));
	EXPECT_EQ(1, LOST(not_open));
	EXPECT_EQ(0, self->drops.given_up);
}

TEST_F(functions, pairs)
{
	UNLESS_MISSING();
	for (int i = 0; i < 100; i++) {
		begin_here();
		end_here();
	}
	EXPECT_EQ(100, COUNT("a pair"));
	begin_here();
	begin_here();
	EXPECT_EQ(1, LOST(given_up));
	end_here();
	end_here();
	EXPECT_EQ(1, LOST(not_open));
	EXPECT_EQ(101, COUNT("a pair"));
}

static void works_as_nobody(void)
{
	if (setuid(NOBODY))
		_exit(1);
	work(1);
}

/* Each user that calls the function has a separate tag. */
TEST_F(functions, of_each_user)
{
	struct shim_trace *trace;
	unsigned int seen = 0;
	size_t n;

	UNLESS_MISSING();
	work(1);
	ASSERT_EQ(0, in_child(works_as_nobody));
	ASSERT_EQ(0, shim_trace_open(&trace));
	ASSERT_EQ(0, shim_trace_stats_get(trace, &n));
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_stat *stat = shim_trace_stat_at(trace, i);

		if (strcmp(stat->name, "work"))
			continue;
		EXPECT_EQ(1, stat->count);
		seen |= stat->user == NOBODY ? 1 : stat->user == 0 ? 2 : 4;
	}
	EXPECT_EQ(3, seen);
	shim_trace_close(trace);
}

static void *work_in_thread(void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		work(i);
	return NULL;
}

TEST_F(functions, in_threads)
{
	pthread_t thread[8];
	int n = 2000;

	UNLESS_MISSING();
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, work_in_thread, &n));
	for (int i = 0; i < 8; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_EQ(8 * n, COUNT("work") + self->drops.given_up + self->drops.open_full);
	/*
	 * Before Linux 6.10, if a thread is preempted in a BPF program, another thread's program is
	 * skipped.
	 */
	EXPECT_LE(8 * n - 8, COUNT("work"));
}

static int see(void *arg, const struct shim_trace_probe *probe)
{
	*(unsigned int *)arg += !strcmp(probe->file, "/proc/self/exe") && *probe->tag;
	return 0;
}

TEST_F(functions, are_listed_and_go)
{
	struct shim_trace_probe again = PROBE(work);
	unsigned int n = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_probes(see, &n));
	EXPECT_EQ(9, n);
	EXPECT_EQ(-EEXIST, shim_trace_probe(&again, 1, NULL));
	ASSERT_EQ(0, shim_trace_off());
	EXPECT_EQ(-ENOENT, shim_trace_probe(&again, 1, NULL));
	EXPECT_EQ(-ENOENT, shim_trace_probes(see, &n));
	work(1);
}

FIXTURE(session) {
	const char *missing;
};

FIXTURE_SETUP(session)
{
	ASSERT_EQ(0, trace_place(0, &self->missing));
	if (!self->missing && access("/sys/kernel/btf/vmlinux", F_OK))
		self->missing = "this kernel has no BTF";
	if (!self->missing)
		TRACING_ON(NULL);
}

FIXTURE_TEARDOWN(session)
{
	shim_trace_off();
}

static void works(void)
{
	work(1);
}

TEST_F(session, of_one_process)
{
	struct shim_trace_probe probe = PROBE(work);
	unsigned int n = 0;

	UNLESS_MISSING();
	EXPECT_EQ(0, shim_trace_probes(see, &n));
	EXPECT_EQ(0, n);
	probe.pid = getpid();
	ASSERT_EQ(0, shim_trace_probe(&probe, 1, NULL));
	EXPECT_EQ(0, in_child(works));
	EXPECT_EQ(0, COUNT("work"));
	work(1);
	EXPECT_EQ(1, COUNT("work"));
}

static void *touch_in_thread(void *arg)
{
	touch(*(int *)arg);
	return NULL;
}

/* Read the counts of a tag's transactions. Return 0, or -1 if there are none. */
static int read_count(const char *tag, uint64_t *transactions, uint64_t *sum)
{
	struct shim_trace *trace;
	size_t n = 0;
	int err = -1;

	if (shim_trace_open(&trace))
		return -1;
	shim_trace_counts_get(trace, &n);
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(trace, i);

		if (strcmp(count->name, tag))
			continue;
		*transactions = count->transactions;
		*sum = count->sum;
		err = 0;
	}
	shim_trace_close(trace);
	return err;
}

TEST_F(session, calls_count_in_one_process)
{
	static const char *const events[] = { "page-faults" };
	struct shim_trace_probe probe = PROBE(touch);
	uint64_t transactions = 0, sum = 0, before;
	pthread_t thread;
	int pages = 10;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_count(events, 1, NULL));
	probe.pid = getpid();
	ASSERT_EQ(0, shim_trace_probe(&probe, 1, NULL));
	touch(pages);
	ASSERT_EQ(0, read_count("touch", &transactions, &before));
	for (int i = 0; i < 100; i++)
		EXPECT_EQ(0, touch(pages));
	ASSERT_EQ(0, read_count("touch", &transactions, &sum));
	EXPECT_EQ(101, transactions);
	EXPECT_EQ(100 * pages, sum - before);
	/* The session does not count a thread that starts later, and the statistics show this. */
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_in_thread, &pages));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(102, COUNT("touch"));
	ASSERT_EQ(0, read_count("touch", &transactions, &sum));
	EXPECT_EQ(101, transactions);
}

/* Two functions can share a tag. */
TEST_F(session, tags_are_shared)
{
	struct shim_trace_probe probes[] = { PROBE(is_jumped_to), PROBE(ends_by_jump), PROBE(work) };

	UNLESS_MISSING();
	for (int i = 0; i < 3; i++)
		probes[i].tag = "together";
	ASSERT_EQ(0, shim_trace_probe(probes, 3, NULL));
	work(ends_by_jump(1));
	EXPECT_EQ(3, COUNT("together"));
}

TEST_F(session, bad_probes)
{
	const struct shim_trace_probe good = PROBE(work);
	static char longest[257];
	struct shim_trace_probe probe = good, two[2] = { good, good };
	unsigned int bad = 7;

	UNLESS_MISSING();
	memset(longest, 'x', 256);
#define REFUSED(err, change) do {						\
	probe = good;								\
	probe.change;								\
	EXPECT_EQ(err, shim_trace_probe(&probe, 1, &bad));			\
	EXPECT_EQ(0, bad);							\
} while (0)
	REFUSED(-EINVAL, size--);
	REFUSED(-EINVAL, reserved = 1);
	REFUSED(-EINVAL, what = 0);
	REFUSED(-EINVAL, what = 4);
	REFUSED(-EINVAL, tag = NULL);
	REFUSED(-EINVAL, tag = "");
	REFUSED(-EINVAL, file = NULL);
	REFUSED(-EINVAL, pid = -1);
	REFUSED(-ENAMETOOLONG, tag = longest);
	REFUSED(-ENAMETOOLONG, file = longest);
	REFUSED(-ENOENT, path = "/no/such/file");
	REFUSED(-EINVAL, offset = 1ull << 60);
	two[1].path = "/no/such/file";
	EXPECT_EQ(-ENOENT, shim_trace_probe(two, 2, &bad));
	EXPECT_EQ(1, bad);
	EXPECT_EQ(-EINVAL, shim_trace_probe(NULL, 1, &bad));
	EXPECT_EQ(-EINVAL, shim_trace_probe(&good, 0, &bad));
	EXPECT_EQ(-E2BIG, shim_trace_probe(&good, 257, &bad));
	EXPECT_EQ(-EINVAL, shim_trace_probes(NULL, NULL));
	/* After a failure nothing remains attached. */
	work(1);
	EXPECT_EQ(0, shim_trace_probe(&good, 1, &bad));
	EXPECT_EQ(1, bad);
	work(1);
	EXPECT_EQ(1, COUNT("work"));
}

TEST_HARNESS_MAIN
