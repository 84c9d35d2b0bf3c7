// SPDX-License-Identifier: GPL-2.0-or-later
/* Check which overflow is signaled, and in which thread, if several events coincide. */
#include <sys/resource.h>

#include "inherited.h"
#include "overflow.h"
#include "thief.h"
#include "vcpc_test.h"

#define SIGNAL	SIGUSR1

static volatile sig_atomic_t signaled, times;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	signaled = info->si_errno;
	times++;
}

static long switches_so_far(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? -1 : usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Bind a set without a context switch.  A switch before perf has set the periods would delay both
 * interrupts, so bind the set again after a switch.
 */
static int bound_undisturbed(const struct vcpc_request *reqs, unsigned int nr)
{
	int set, ret, tries;
	long before;

	for (tries = 0; tries < 1000; tries++) {
		set = overflow_set(reqs, nr, 0, SIGNAL);
		if (set < 0)
			return set;
		before = switches_so_far();
		ret = set_bind(set, 0);
		if (!ret && switches_so_far() == before)
			return set;
		close(set);
		if (ret)
			return ret;
	}
	return -EBUSY;
}

/* Cause one context switch. */
static void switch_once(void)
{
	usleep(1000);
}

/*
 * If both counters overflow at the same context switch, one after the other, the thread receives
 * one signal, for one of them.  The other counter may or may not have counted the same event.
 */
TEST(of_two_overflows_one_is_signaled)
{
	static const struct vcpc_request switches = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
	};
	const struct vcpc_request reqs[] = { overflowing(&switches, 5), overflowing(&switches, 5) };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct room room;
	int set, i;

	sigaction(SIGNAL, &sa, NULL);
	times = 0;
	set = bound_undisturbed(reqs, 2);
	ASSERT_LE(0, set);
	for (i = 0; i < 10; i++)
		switch_once();
	ASSERT_EQ(1, times);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(VCPC_STATE_FROZEN, room.sample.state);
	EXPECT_GT(5, room.sample.values[signaled]);
	/* The counters differ by at most one context switch. */
	EXPECT_GE(1, room.sample.values[signaled] - room.sample.values[!signaled]);
	close(set);
}

static __u32 listed_state(int set)
{
	struct vcpc_instances_args args;
	struct vcpc_instance_info info;

	return set_instances(set, &info, 1, &args) || args.nr != 1 ? 0 : info.state;
}

/*
 * A set that has lost counters does not overflow, because its values at the time of the overflow
 * are unknown.
 */
TEST(no_overflow_without_all_counters)
{
	const struct vcpc_request reqs[] = { overflowing(&page_faults, 500), cycles };
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	int set, fds[LOOT];
	struct room room;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	sigaction(SIGNAL, &sa, NULL);
	times = 0;
	ASSERT_EQ(0, run_on(0));
	set = overflow_set(reqs, 2, 0, SIGNAL);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0));
	take_all_counters(fds);
	touch(600);
	EXPECT_EQ(0, times);
	EXPECT_EQ(-EAGAIN, set_sample(set, 0, &room));
	EXPECT_EQ(VCPC_STATE_INVALID, listed_state(set) & VCPC_STATE_INVALID);
	give_counters_back(fds);
	touch(600);
	EXPECT_EQ(0, times);
	EXPECT_EQ(-EAGAIN, set_sample(set, 0, &room));
	close(set);
}

/* End the transaction, to check that it is still traced. */
static int end_transaction(int device)
{
	struct vcpc_trace_tag_args tag = {
		.size = sizeof(tag), .name = pointer("vcpc-test-told"), .name_len = 14,
	};
	struct vcpc_trace_write end = { .op = VCPC_TRACE_END | VCPC_TRACE_F_COUNTS };
	int ret = call(device, VCPC_IOC_TRACE_TAG, &tag);

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

TEST(lost_counters_are_noticed_by_a_transaction)
{
	int set, device, fds[LOOT];

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	if (listen_to_ends("1"))
		SKIP(return, "no tracefs at /sys/kernel/tracing/");
	device = device_open();
	ASSERT_EQ(0, run_on(0));
	set = set_of(&cycles, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_TRACE));
	take_all_counters(fds);
	EXPECT_EQ(0, end_transaction(device));
	EXPECT_EQ(VCPC_STATE_INVALID, listed_state(set) & VCPC_STATE_INVALID);
	give_counters_back(fds);
	close(set);
	close(device);
	listen_to_ends("0");
}

TEST_HARNESS_MAIN
