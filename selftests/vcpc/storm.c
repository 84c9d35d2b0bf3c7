// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If overflows are so frequent that perf throttles hardware counters, a set loses no counts when an
 * overflow stops it.
 */
#include "overflow.h"
#include "vcpc_test.h"

#define RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define OFTEN	200000	/* number of cycles per overflow, for several overflows per tick */
#define ROUNDS	100

static int rate_set(unsigned int rate, unsigned int *old)
{
	FILE *f = fopen(RATE, "r+");
	int ret = -1;

	if (!f)
		return -1;
	if (fscanf(f, "%u", old) == 1) {
		rewind(f);
		ret = fprintf(f, "%u\n", rate) < 0 ? -1 : 0;
	}
	return fclose(f) ? -1 : ret;
}

static struct {
	int set;
	unsigned long restarts;
} attacker;

static void restarts(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	attacker.restarts += !set_own(attacker.set, VCPC_IOC_RESTART);
}

#define SECONDS		2

/* Use a set of the maximum size.  At each overflow of the first counter, restart all of them. */
static int restarts_all(void *arg)
{
	struct sigaction sa = { .sa_sigaction = restarts, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct vcpc_request requests[2048];
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device = device_open();
	unsigned int i, nr;
	time_t end;

	if (*(bool *)arg && become_nobody())
		return 1;
	if (call(device, VCPC_IOC_INFO, &info) || sigaction(SIGUSR1, &sa, NULL))
		return 2;
	nr = info.max_requests < 1000 ? info.max_requests : 1000;
	for (i = 0; i < nr; i++)
		requests[i] = page_faults;
	requests[0] = overflowing(&cycles, 20000);
	attacker.set = overflow_set(requests, nr, 0, SIGUSR1);
	if (attacker.set < 0 || set_bind(attacker.set, 0))
		return 3;
	for (end = time(NULL) + SECONDS; time(NULL) <= end;)
		spin(100000);
	fprintf(stderr, "# %u counters, %lu restarts\n", nr, attacker.restarts);
	return attacker.restarts > 10 ? 0 : 4;
}

static unsigned int rate_now(void)
{
	FILE *f = fopen(RATE, "r");
	unsigned int rate = 0;

	if (!f || fscanf(f, "%u", &rate) != 1)
		abort();
	fclose(f);
	return rate;
}

/* The kernel does not lower the sample rate, because PMU interrupts do not read a set. */
FIXTURE(rate)
{
	unsigned int before;
};

FIXTURE_VARIANT(rate) {
	bool nobody;
};

FIXTURE_VARIANT_ADD(rate, nobody) { .nobody = true };
FIXTURE_VARIANT_ADD(rate, root) { .nobody = false };

FIXTURE_SETUP(rate)
{
	self->before = rate_now();
}

FIXTURE_TEARDOWN(rate)
{
	unsigned int used;

	rate_set(self->before, &used);
}

TEST_F(rate, stays_as_it_is)
{
	bool nobody = variant->nobody;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	EXPECT_EQ(0, in_child(restarts_all, &nobody));
	EXPECT_EQ(self->before, rate_now());
}

FIXTURE(storm)
{
	unsigned int rate;
};

/* Set perf's limit to one interrupt per tick. */
FIXTURE_SETUP(storm)
{
	ASSERT_EQ(0, rate_set(100, &self->rate));
}

FIXTURE_TEARDOWN(storm)
{
	unsigned int used;

	rate_set(self->rate, &used);
}

/* Spin until an overflow stops the set. */
static int spin_to_the_end(int set, struct room *room)
{
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		spin(OFTEN / 8);
		if (set_sample(set, 0, room))
			return -1;
		if (room->sample.state == VCPC_STATE_FROZEN)
			return 0;
	}
	return -1;
}

/* A set that was stopped by an overflow counts immediately after RESTART. */
TEST_F(storm, frozen_goes_on)
{
	const struct vcpc_request req = overflowing(&cycles, OFTEN);
	struct room room;
	int set, i;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = overflow_set(&req, 1, 0, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 1; i <= ROUNDS; i++) {
		ASSERT_EQ(0, spin_to_the_end(set, &room));
		ASSERT_EQ(0, set_own(set, VCPC_IOC_RESTART));
		spin(OFTEN / 8);
		ASSERT_EQ(0, set_sample(set, 0, &room));
		if (room.sample.state == VCPC_STATE_COUNTING)
			ASSERT_LT(-(__u64)OFTEN + OFTEN / 64, room.sample.values[0]);
	}
	close(set);
}

TEST_HARNESS_MAIN
