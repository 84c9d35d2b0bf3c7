// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads inherit sets with overflows and their parent's presets, and get their own signals. */
#include <pthread.h>

#include "overflow.h"
#include "vcpc_test.h"

#define SIGNAL	SIGUSR1
#define MAX	8

static struct vcpc_request reqs[2];
static int set;

/* What the handlers record, in the order of their calls */
static struct seen {
	pid_t tid;
	int request;
	bool in_thread;
	int ret;
	struct room at;
} seen[MAX];

static volatile sig_atomic_t times;
static __thread volatile sig_atomic_t in_thread;
static __u64 next_preset;	/* the preset that the handler sets, or 0 for none */

static void handler(int sig, siginfo_t *info, void *context)
{
	struct vcpc_preset_args args = { .size = sizeof(args), .preset = next_preset };
	struct seen *now = &seen[times++ % MAX];

	(void)sig;
	(void)context;
	now->tid = own_tid();
	now->request = info->si_errno;
	now->in_thread = in_thread;
	now->ret = set_sample(set, 0, &now->at);
	if (next_preset)
		now->ret |= call(set, VCPC_IOC_PRESET, &args);
	now->ret |= set_own(set, VCPC_IOC_RESTART);
}

FIXTURE(inherited) {
	int unused;
};

/* The caller does not overflow for a long time, so that only its threads overflow. */
FIXTURE_SETUP(inherited)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	(void)self;
	reqs[0] = overflowing(&page_faults, 1000000);
	reqs[1] = page_faults;
	reqs[1].preset = 7;
	times = 0;
	next_preset = 0;
	sigaction(SIGNAL, &sa, NULL);
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
}

FIXTURE_TEARDOWN(inherited)
{
	(void)self;
	close(set);
}

struct work {
	int pages;
	pid_t tid;
	struct room first;	/* the thread's first sample, taken before any other work */
	int ret;
};

static void *thread(void *arg)
{
	struct work *work = arg;

	in_thread = 1;
	work->tid = own_tid();
	work->ret = set_sample(set, 0, &work->first);
	touch(work->pages);
	return NULL;
}

static void run(struct work *work)
{
	pthread_t id;

	if (pthread_create(&id, NULL, thread, work) || pthread_join(id, NULL))
		abort();
}

TEST_F(inherited, the_first_signal_comes_before_anything)
{
	struct work work = { .pages = 100 };

	set = overflow_set(reqs, 2, 0, SIGNAL);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	EXPECT_EQ(0, times);
	run(&work);
	ASSERT_EQ(1, times);
	EXPECT_EQ(work.tid, seen[0].tid);
	EXPECT_FALSE(seen[0].in_thread);
	EXPECT_EQ(0, seen[0].request);
	EXPECT_EQ(0, seen[0].ret);
	EXPECT_EQ(~0ULL, seen[0].at.sample.values[0]);
	EXPECT_EQ(7, seen[0].at.sample.values[1]);
	EXPECT_EQ(VCPC_STATE_FROZEN, seen[0].at.sample.state);
	/* The handler has restarted the instance. */
	EXPECT_EQ(0, work.ret);
	EXPECT_EQ(VCPC_STATE_COUNTING, work.first.sample.state);
	EXPECT_GT(-999000ULL, work.first.sample.values[0]);
}

TEST_F(inherited, the_parent_goes_on)
{
	struct work work = { .pages = 1 };
	struct room room;

	set = overflow_set(reqs, 2, 0, SIGNAL);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	run(&work);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_EQ(-1000000ULL, room.sample.values[0] - (room.sample.values[1] - 7));
	EXPECT_EQ(1, times);
}

/* An inherited instance can change its own preset, and receives a signal for its own overflow. */
TEST_F(inherited, each_has_signals_of_its_own)
{
	struct work work = { .pages = 300 };

	next_preset = -200ULL;
	set = overflow_set(reqs, 2, 0, SIGNAL);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	run(&work);
	ASSERT_EQ(2, times);
	EXPECT_EQ(work.tid, seen[0].tid);
	EXPECT_EQ(work.tid, seen[1].tid);
	EXPECT_TRUE(seen[1].in_thread);
	EXPECT_EQ(0, seen[1].at.sample.values[0]);
}

TEST_F(inherited, a_blocked_signal_leaves_it_stopped)
{
	struct work work = { .pages = 50 };
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGNAL);
	pthread_sigmask(SIG_BLOCK, &block, NULL);
	set = overflow_set(reqs, 2, 0, SIGNAL);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	run(&work);
	EXPECT_EQ(0, times);
	EXPECT_EQ(VCPC_STATE_FROZEN, work.first.sample.state);
	EXPECT_EQ(~0ULL, first_value(set, work.tid));
	pthread_sigmask(SIG_UNBLOCK, &block, NULL);
	EXPECT_EQ(0, times);
}

static void *starts_another(void *arg)
{
	run(arg);
	return NULL;
}

/*
 * A thread inherits the presets that its parent has changed, even if the parent does not count from
 * them yet.  The threads that it starts also inherit them.
 */
TEST_F(inherited, changed_presets_are_inherited)
{
	struct work work = { .pages = 1 }, below = { .pages = 1 };
	pthread_t id;

	set = overflow_set(reqs, 2, 0, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	run(&work);
	EXPECT_LE(7, work.first.sample.values[1]);
	EXPECT_GT(500, work.first.sample.values[1]);
	ASSERT_EQ(0, set_preset(set, 1, 1000000));
	run(&work);
	EXPECT_EQ(0, times);
	EXPECT_EQ(0, work.ret);
	EXPECT_LE(1000000, work.first.sample.values[1]);
	EXPECT_GT(1000500, work.first.sample.values[1]);
	EXPECT_EQ(VCPC_STATE_COUNTING, work.first.sample.state);
	ASSERT_EQ(0, pthread_create(&id, NULL, starts_another, &below));
	pthread_join(id, NULL);
	EXPECT_LE(1000000, below.first.sample.values[1]);
	EXPECT_GT(1000500, below.first.sample.values[1]);
	EXPECT_GT(500000, first_value(set, 0) - reqs[0].preset);
}

/* A counter that cannot overflow also starts from its preset, and RESTART resets all counters. */
TEST_F(inherited, presets_go_with_the_signal)
{
	struct work work = { .pages = 1 };

	set = overflow_set(reqs, 2, 0, SIGNAL);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	ASSERT_EQ(0, set_preset(set, 0, -2000000ULL));
	ASSERT_EQ(0, set_preset(set, 1, 1000000));
	run(&work);
	ASSERT_EQ(1, times);
	EXPECT_EQ(~0ULL, seen[0].at.sample.values[0]);
	EXPECT_EQ(1000000, seen[0].at.sample.values[1]);
	EXPECT_EQ(-2000000ULL, work.first.sample.values[0] - (work.first.sample.values[1] - 1000000));
}

TEST_HARNESS_MAIN
