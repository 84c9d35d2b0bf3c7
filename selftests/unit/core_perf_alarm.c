// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the maximum rate at which the alarm of perf's multiplexed groups can interrupt a thread.  If
 * the interval between alarms were shorter than the time that an interrupt takes, the kernel could
 * do nothing else on this CPU.
 */
#include <stdarg.h>
#include <sys/ioctl.h>

#include "core_perf_multiplex.h"

#define ALARM	(MS / 4)	/* minimum interval between two alarms of one set */
#define SETS	8
#define GROUPS	3

static __u64 shortest;
static unsigned int alarms;

/* Replace the C library's ioctl(), with which the library sets the time of the next alarm. */
int ioctl(int fd, unsigned long request, ...)
{
	unsigned long arg;
	va_list args;

	va_start(args, request);
	arg = va_arg(args, unsigned long);
	va_end(args);
	if (request == PERF_EVENT_IOC_PERIOD) {
		__u64 period = *(const __u64 *)arg;

		alarms++;
		shortest = period < shortest ? period : shortest;
	}
	return syscall(SYS_ioctl, fd, request, arg);
}

static int bind_groups(FIXTURE_DATA(perf) *self, struct shim_counters **set)
{
	__u16 group[GROUPS] = { 0, 1, 2 };
	struct shim_terms terms = { .group = group, .slot = MS };
	struct vcpc_request reqs[GROUPS];
	int ret;

	for (int i = 0; i < GROUPS; i++)
		if (shim_event__parse("page-faults:u", &reqs[i]))
			abort();
	ret = shim_counters__create_on(self->session, reqs, GROUPS, 0, terms, &self->bad, set);
	return ret ? ret : shim_counters__bind(*set, 0, 0, &self->bad);
}

/* Sample repeatedly, to divide slots into small pieces. */
static int sample_for(struct shim_counters *set, __u64 ns)
{
	union {
		struct vcpc_sample head;
		char room[sizeof(struct vcpc_sample) + GROUPS * (sizeof(__u64) + sizeof(struct shim_group_sample))];
	} s;
	__u64 end = cpu_time() + ns;
	int ret = 0;

	while (!ret && cpu_time() < end)
		ret = shim_counters__sample(set, 0, &s.head, sizeof(s));
	return ret;
}

TEST_F(perf, the_rest_of_a_slot_is_not_too_short)
{
	NEED_PERF();
	shortest = ~0ull;
	alarms = 0;
	ASSERT_EQ(0, bind_groups(self, &self->set));
	ASSERT_EQ(0, sample_for(self->set, 100 * MS));
	EXPECT_LT(20, alarms);
	EXPECT_LE(ALARM, shortest);
}

/*
 * The more sets a thread has, the longer each set's interval is, so the total rate of interrupts
 * does not increase.
 */
TEST_F(perf, many_sets_share_the_interrupts)
{
	struct shim_counters *sets[SETS];
	sigset_t urgent;

	NEED_PERF();
	/* Block the signal, so no handler sets the alarms of bound sets. */
	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	pthread_sigmask(SIG_BLOCK, &urgent, NULL);
	for (int i = 0; i < SETS; i++) {
		shortest = ~0ull;
		ASSERT_EQ(0, bind_groups(self, &sets[i]));
		EXPECT_LE(ALARM * (i + 1), shortest);
	}
	pthread_sigmask(SIG_UNBLOCK, &urgent, NULL);
	ASSERT_EQ(0, sample_for(sets[0], 20 * MS));
	alarms = 0;
	shortest = ~0ull;
	ASSERT_EQ(0, sample_for(sets[0], 100 * MS));
	EXPECT_LT(5, alarms);
	EXPECT_LE(ALARM * SETS, shortest);
	for (int i = 0; i < SETS; i++)
		shim_counters__put(sets[i]);
}

TEST_HARNESS_MAIN
