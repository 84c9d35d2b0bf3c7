// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts can exceed the range of the hardware's counters, which are 32 bits wide on many machines.
 */
#include "vcpc_test.h"

#define STEP	(1ULL << 27)	/* instructions between two samples */
#define STEPS	36		/* the sum exceeds 2^31 several times, and 2^32 */
#define AROUND	4000		/* instructions of the calls and the checks */

FIXTURE(wide) {
	int set;
};

FIXTURE_SETUP(wide)
{
	struct vcpc_request requests[2] = { instructions, cycles };
	int device = device_open();

	/* Start before 2^64, so that the virtual counter also wraps there. */
	requests[0].preset = -(STEP * 3);
	self->set = set_create(device, requests, 2, 0);
	close(device);
}

FIXTURE_TEARDOWN(wide)
{
	close(self->set);
}

/* Set a long timeout, because an emulated machine on a busy host is slow. */
TEST_F_TIMEOUT(wide, exact_on_both_sides, 1200)
{
	struct room before, after;
	unsigned int i;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	if (self->set == -ENOENT || self->set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions");
	ASSERT_LE(0, self->set);
	ASSERT_EQ(0, set_bind(self->set, 0));
	ASSERT_EQ(0, set_sample(self->set, 0, &before));
	for (i = 0; i < STEPS; i++) {
		spin(STEP / 2);
		ASSERT_EQ(0, set_sample(self->set, 0, &after));
		ASSERT_LE(STEP, after.sample.values[0] - before.sample.values[0]);
		ASSERT_GE(STEP + AROUND, after.sample.values[0] - before.sample.values[0]);
		ASSERT_LT(before.sample.values[1], after.sample.values[1]);
		before = after;
	}
	EXPECT_LE(STEP * (STEPS - 3), after.sample.values[0]);
	EXPECT_GE(STEP * (STEPS - 3) + STEPS * AROUND, after.sample.values[0]);
	EXPECT_LT(1ULL << 32, after.sample.values[1]);
}

TEST_HARNESS_MAIN
