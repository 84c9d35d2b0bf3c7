// SPDX-License-Identifier: GPL-2.0-or-later
/* Overflows that come too often for perf, which stops hardware counters then: what is frozen has nothing to lose. */
#include "overflow.h"
#include "vcpc_test.h"

#define RATE	"/proc/sys/kernel/perf_event_max_sample_rate"
#define OFTEN	200000	/* cycles; many times in one tick */
#define ROUNDS	100

FIXTURE(storm)
{
	unsigned int rate;
};

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

/* One a tick is all that perf lets through. */
FIXTURE_SETUP(storm)
{
	ASSERT_EQ(0, rate_set(100, &self->rate));
}

FIXTURE_TEARDOWN(storm)
{
	unsigned int used;

	rate_set(self->rate, &used);
}

/* Until it is frozen */
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

/* RESTART lets it count at once. */
TEST_F(storm, frozen_goes_on)
{
	const struct vcpc_request req = overflowing(&cycles, OFTEN);
	struct room room;
	int set, i;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = overflow_set(&req, 1, 0, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	for (i = 1; i <= ROUNDS; i++) {
		ASSERT_EQ(0, spin_to_the_end(set, &room));
		ASSERT_EQ(0, set_target(set, VCPC_IOC_RESTART, 0));
		spin(OFTEN / 8);
		ASSERT_EQ(0, set_sample(set, 0, &room));
		if (room.sample.state == VCPC_STATE_COUNTING)
			ASSERT_LT(-(__u64)OFTEN + OFTEN / 64, room.sample.values[0]);
	}
	close(set);
}

TEST_HARNESS_MAIN
