// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is told what of an overflow, where several things come together. */
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "cpu.h"
#include "overflow.h"

#define SIGNAL	SIGUSR1

static volatile sig_atomic_t told, times;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	told = info->si_errno;
	times++;
}

static long switches_so_far(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? -1 : usage.ru_nvcsw + usage.ru_nivcsw;
}

/* A switch before perf has the periods would delay both rings: without one meanwhile. */
static int bound_undisturbed(const struct vcpc_request *reqs, unsigned int nr)
{
	int set, ret, tries;
	long before;

	for (tries = 0; tries < 1000; tries++) {
		set = overflow_set(reqs, nr, 0, SIGNAL);
		if (set < 0)
			return set;
		before = switches_so_far();
		ret = set_bind(set, 0, 0);
		if (!ret && switches_so_far() == before)
			return set;
		close(set);
		if (ret)
			return ret;
	}
	return -EBUSY;
}

/* Off the CPU, and on it again */
static void switch_once(void)
{
	usleep(1000);
}

/*
 * Both ring at the same switch, one after the other.  The first stops the set, so that
 * only that one has overflowed, and that is the one to be told.
 */
TEST(of_two_that_ring_the_one_that_overflowed_is_told)
{
	static const struct vcpc_request switches = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
	};
	const struct vcpc_request reqs[] = { overflowing(&switches, 5), overflowing(&switches, 5) };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	int set, i;

	sigaction(SIGNAL, &sa, NULL);
	times = 0;
	set = bound_undisturbed(reqs, 2);
	ASSERT_LE(0, set);
	for (i = 0; i < 10; i++)
		switch_once();
	ASSERT_EQ(1, times);
	ASSERT_EQ(1, overflows_of(set, 0) + overflows_of(set, 1));
	EXPECT_EQ(1, overflows_of(set, told));
	close(set);
}

/* As many as CPU 0 takes, before those of any thread */
static void take_all_counters(int *fds, int nr)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};
	int i;

	for (i = 0; i < nr; i++)
		fds[i] = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* What woke it; 0 if that was the time, at which poll(2) looks again. */
static void *wait_for_it(void *arg)
{
	time_t begin = time(NULL);
	int *set = arg;
	short got = polled(*set, 20000);

	return (void *)(intptr_t)(time(NULL) - begin < 15 ? got : 0);
}

/* The only one who notices is the counter that overflows. */
static void lose_counters_and_overflow(struct __test_metadata *_metadata, __u32 flags)
{
	const struct vcpc_request reqs[] = { overflowing(&page_faults, 500), cycles };
	int set, fds[64], i, nr = 64;
	pthread_t thread;
	void *woken;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, run_on(0));
	set = overflow_set(reqs, 2, flags, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_it, &set));
	usleep(50000);
	take_all_counters(fds, nr);
	touch(600);
	pthread_join(thread, &woken);
	EXPECT_EQ(POLLERR, (intptr_t)woken);
	EXPECT_EQ(0, overflows(set));
	for (i = 0; i < nr; i++)
		close(fds[i]);
	close(set);
}

TEST(a_poller_wakes_when_it_is_found_invalid)
{
	lose_counters_and_overflow(_metadata, 0);
}

TEST(a_poller_wakes_when_it_is_found_invalid_counting)
{
	lose_counters_and_overflow(_metadata, VCPC_SET_F_COUNT_OVERFLOWS);
}

/* The thread finds it out by itself. */
TEST(a_poller_wakes_when_a_sample_says_so)
{
	int set, fds[64], i, nr = 64;
	pthread_t thread;
	struct room room;
	void *woken;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, run_on(0));
	set = set_of(&cycles, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_it, &set));
	usleep(50000);
	take_all_counters(fds, nr);
	EXPECT_EQ(-EAGAIN, set_sample(set, 0, &room));
	pthread_join(thread, &woken);
	EXPECT_EQ(POLLERR, (intptr_t)woken);
	for (i = 0; i < nr; i++)
		close(fds[i]);
	close(set);
}

TEST_HARNESS_MAIN
