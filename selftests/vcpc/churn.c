// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals over ten thousand short-lived threads and a thousand short-lived processes are exact, and
 * their memory is bounded.  Slow machines start only as many as fit in SECONDS.
 *
 * clone() creates the threads on an existing stack, so that each does the same work and nothing
 * else.
 */
#include <linux/futex.h>
#include <sched.h>
#include <time.h>

#include "accounts.h"
#include "inherited.h"
#include "vcpc_test.h"

#define THREADS		10000
#define PROCESSES	1000
#define AT_LEAST	300
#define SECONDS		40
#define TOUCHES		7
#define ROUNDS		2000
#define AT_A_TIME	4
#define STACK		(64 * 1024)
#define THREAD_FLAGS	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | \
			 CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID)

struct worker {
	volatile pid_t alive;	/* the kernel clears this when the thread ends */
	volatile char *page;
	char *stack;
};

FIXTURE(churn)
{
	struct worker workers[AT_A_TIME];
	int set;
};

/* Cause one page fault per page, without system calls, which could cause others. */
static int works(void *arg)
{
	struct worker *w = arg;
	int i;

	for (i = 0; i < TOUCHES; i++) {
		*w->page = i;
		madvise((void *)w->page, 4096, MADV_DONTNEED);
	}
	spin(ROUNDS);
	return 0;
}

static void *touched(size_t size)
{
	void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		abort();
	memset(map, 1, size);
	return map;
}

FIXTURE_SETUP(churn)
{
	int i;

	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	for (i = 0; i < AT_A_TIME; i++) {
		self->workers[i].stack = touched(STACK);
		self->workers[i].page = touched(4096);
		works(&self->workers[i]);
	}
}

FIXTURE_TEARDOWN(churn)
{
	close(self->set);
	/* Nothing remains charged. */
	EXPECT_TRUE(has_nothing_soon(0, 5000));
}

static void await(struct worker *w)
{
	pid_t alive;

	while ((alive = w->alive))
		syscall(SYS_futex, &w->alive, FUTEX_WAIT, alive, NULL, NULL, 0);
}

static bool enough(int nr, const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return nr >= AT_LEAST && now.tv_sec - since->tv_sec > SECONDS;
}

/* Run threads, at most AT_A_TIME at the same time.  Return their number, or -1 on error. */
static int run_threads(struct worker *workers, int most)
{
	struct timespec since;
	int i, nr;

	clock_gettime(CLOCK_MONOTONIC, &since);
	for (nr = 0; nr < most && !enough(nr, &since); nr++) {
		struct worker *w = &workers[nr % AT_A_TIME];

		await(w);
		w->alive = 1;
		if (clone(works, w->stack + STACK, THREAD_FLAGS, w, NULL, NULL, &w->alive) < 0)
			return -1;
	}
	for (i = 0; i < AT_A_TIME; i++)
		await(&workers[i]);
	return nr;
}

static int run_processes(struct worker *w, int most)
{
	struct timespec since;
	int nr, status;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &since);
	for (nr = 0; nr < most && !enough(nr, &since); nr++) {
		pid = clone(works, w->stack + STACK, CLONE_VM | SIGCHLD, w);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			return -1;
	}
	return nr;
}

/* Return the sum of the inherited instances' counts, without the caller's own. */
static __u64 heirs_value(int set, int value)
{
	struct room total, own;

	if (set_total(set, &total) || set_sample(set, 0, &own))
		return ~0ULL;
	return total.sample.values[value] - own.sample.values[value];
}

static void check_bounded(struct __test_metadata *_metadata, int set, unsigned int started)
{
	struct vcpc_instances_args args = set_count(set);

	EXPECT_EQ(0, args.lost);
	EXPECT_EQ(0, args.pending);
	EXPECT_EQ(started, args.folded + args.nr - 1);
	/*
	 * The module keeps 256 ended instances, and up to a quarter more until it searches for old
	 * ones.
	 */
	EXPECT_LT(args.nr, 256 + 256 / 4 + 64);
}

TEST_F_TIMEOUT(churn, threads, 1200)
{
	int nr;

	self->set = set_of(&page_faults, 0);
	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_INHERIT));
	nr = run_threads(self->workers, THREADS);
	ASSERT_LE(AT_LEAST, nr);
	EXPECT_EQ((__u64)nr * TOUCHES, heirs_value(self->set, 0));
	check_bounded(_metadata, self->set, nr);
	TH_LOG("%d threads", nr);
}

TEST_F_TIMEOUT(churn, processes, 1200)
{
	int nr;

	self->set = set_of(&page_faults, 0);
	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_TREE));
	nr = run_processes(&self->workers[0], PROCESSES);
	ASSERT_LE(AT_LEAST, nr);
	EXPECT_EQ((__u64)nr * TOUCHES, heirs_value(self->set, 0));
	check_bounded(_metadata, self->set, nr);
	TH_LOG("%d processes", nr);
}

/* Totals read while threads start and exit never decrease. */
TEST_F_TIMEOUT(churn, seen_while_it_goes, 1200)
{
	__u64 last = 0, now;
	int i;

	self->set = set_of(&page_faults, 0);
	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_INHERIT));
	for (i = 0; i < AT_LEAST; i++) {
		struct worker *w = &self->workers[i % AT_A_TIME];

		await(w);
		w->alive = 1;
		ASSERT_LE(0, clone(works, w->stack + STACK, THREAD_FLAGS, w, NULL, NULL,
				   &w->alive));
		now = first_total(self->set);
		ASSERT_GE(now, last);
		ASSERT_NE(~0ULL, now);
		last = now;
	}
	for (i = 0; i < AT_A_TIME; i++)
		await(&self->workers[i]);
	EXPECT_EQ((__u64)AT_LEAST * TOUCHES, heirs_value(self->set, 0));
}

/* Each thread executes 2 * ROUNDS instructions, and a few more before and after them. */
TEST_F_TIMEOUT(churn, hardware, 1200)
{
	const struct vcpc_request requests[] = { instructions, cycles };
	__u64 one, all;
	int device, nr;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	device = device_open();
	self->set = set_create(device, requests, 2, 0);
	close(device);
	if (self->set == -ENOENT || self->set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions");
	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, VCPC_BIND_F_INHERIT));
	ASSERT_EQ(1, run_threads(self->workers, 1));
	one = heirs_value(self->set, 0);
	EXPECT_GE(one, 2 * ROUNDS);
	EXPECT_LT(one, 2 * ROUNDS + 500);
	nr = 1 + run_threads(self->workers, THREADS / 10 - 1);
	ASSERT_LT(AT_LEAST, nr);
	all = heirs_value(self->set, 0);
	/* An emulated PMU can attribute an interrupt's first instructions to the thread. */
	EXPECT_GE(all, (__u64)nr * 2 * ROUNDS);
	EXPECT_LE(all, (__u64)nr * (one + 100));
	EXPECT_GE(heirs_value(self->set, 1), (__u64)nr * ROUNDS);
}

TEST_HARNESS_MAIN
