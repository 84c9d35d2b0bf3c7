// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is told what of an overflow, where several things come together. */
#include <pthread.h>
#include <sys/resource.h>
#include <time.h>

#include "overflow.h"
#include "thief.h"
#include "vcpc_test.h"

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
	int set, fds[LOOT];
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
	take_all_counters(fds);
	touch(600);
	pthread_join(thread, &woken);
	EXPECT_EQ(POLLERR, (intptr_t)woken);
	EXPECT_EQ(0, overflows(set));
	give_counters_back(fds);
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

/* The thread finds it out by itself: @notices is how. */
static void lose_counters_and_notice(struct __test_metadata *_metadata, __u32 flags,
				     int (*notices)(int set, int device), int device)
{
	int set, fds[LOOT];
	pthread_t thread;
	void *woken;

	ASSERT_EQ(0, run_on(0));
	set = set_of(&cycles, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, flags, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, wait_for_it, &set));
	usleep(50000);
	take_all_counters(fds);
	EXPECT_EQ(0, notices(set, device));
	pthread_join(thread, &woken);
	EXPECT_EQ(POLLERR, (intptr_t)woken);
	give_counters_back(fds);
	close(set);
}

static int by_a_sample(int set, int device)
{
	struct room room;

	(void)device;
	return set_sample(set, 0, &room) == -EAGAIN ? 0 : -1;
}

TEST(a_poller_wakes_when_a_sample_says_so)
{
	if (!hw_slots())
		SKIP(return, "no hardware counters");
	lose_counters_and_notice(_metadata, 0, by_a_sample, -1);
}

/* The transaction is traced all the same. */
static int by_a_transaction(int set, int device)
{
	struct vcpc_trace_tag_args tag = {
		.size = sizeof(tag), .name = pointer("vcpc-test-told"), .name_len = 14,
	};
	struct vcpc_trace_write end = { .op = VCPC_TRACE_END };
	int ret = call(device, VCPC_IOC_TRACE_TAG, &tag);

	(void)set;
	end.handle = tag.handle;
	return ret ?: write(device, &end, sizeof(end)) == sizeof(end) ? 0 : -errno;
}

static int listen_to_ends(const char *on)
{
	int fd = open("/sys/kernel/tracing/events/vcpc/vcpc_end/enable", O_WRONLY | O_TRUNC);
	int ret = fd >= 0 && write(fd, on, 1) == 1 ? 0 : -1;

	close(fd);
	return ret;
}

TEST(a_poller_wakes_when_a_transaction_says_so)
{
	int device;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	if (listen_to_ends("1"))
		SKIP(return, "no tracefs at /sys/kernel/tracing/");
	device = device_open();
	lose_counters_and_notice(_metadata, VCPC_BIND_F_TRACE, by_a_transaction, device);
	close(device);
	listen_to_ends("0");
}

TEST_HARNESS_MAIN
