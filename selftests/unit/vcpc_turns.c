// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimates of vcpc stat --multiplex are correct, or marked as unknown, and the right share of
 * intervals contains the true value.
 */
#include <math.h>
#include <stdlib.h>

#include "../../tools/vcpc/turns.c"
#include "../../tools/vcpc/welch.c"
#include "kselftest_harness.h"

#define MS	1000000ULL

/*
 * Update the estimates as on a machine with one kind of core, where values are extrapolated to the
 * whole time.
 */
static void look(struct vcpc_turns *turns, const struct shim_turns *now)
{
	uint64_t whole[SHIM_SET_MAX];

	for (unsigned int i = 0; i < SHIM_SET_MAX; i++)
		whole[i] = now->voids ? now->tick : now->counted;
	vcpc_turns_look(turns, now, whole);
}

/* Set the samples so far: event 0 had @value in @ticks, and event 1 was always counted. */
static void see(struct vcpc_turns *turns, struct shim_turns *now, uint64_t value, uint64_t ticks,
		uint64_t time)
{
	now->nr = 2;
	now->groups = 2;
	now->exact = 2;
	now->values[0] += value;
	now->values[1] += 7;
	now->ticks[0] += ticks;
	now->tick = now->counted = now->ticks[1] = now->counted + time;
	look(turns, now);
}

/*
 * If rates are 1, 2 and 3 per ms, each measured for 1 of 4 ms, the estimate is 2 per ms with a
 * standard error of sqrt(2 * 3 / 2).
 */
TEST(an_example)
{
	struct vcpc_turns turns = { .last.nr = 0 };
	struct shim_turns now = { .nr = 0 };
	struct vcpc_estimate e;

	for (unsigned int i = 1; i <= 3; i++)
		see(&turns, &now, i, MS, 4 * MS);
	vcpc_turns_estimate(&turns, 0, &e);
	EXPECT_GT(1e-9, fabs(e.value - 24));
	EXPECT_GT(1e-9, fabs(e.share - 0.25));
	EXPECT_GT(1e-4, fabs(e.half - 4 * (1 + 4.30265 * sqrt(3))));
	vcpc_turns_estimate(&turns, 1, &e);
	EXPECT_EQ(21, e.value);
	EXPECT_EQ(0, e.half);
	EXPECT_EQ(1, e.share);
}

TEST(what_is_not_known)
{
	struct vcpc_turns turns = { .last.nr = 0 };
	struct shim_turns now = { .nr = 0 };
	struct vcpc_estimate e;

	see(&turns, &now, 0, 0, 4 * MS);
	vcpc_turns_estimate(&turns, 0, &e);
	EXPECT_TRUE(isnan(e.value) && isnan(e.half) && !e.share);
	see(&turns, &now, 10, MS, 4 * MS);
	see(&turns, &now, 10, MS, 4 * MS);
	vcpc_turns_estimate(&turns, 0, &e);
	EXPECT_EQ(120, e.value);
	EXPECT_TRUE(isnan(e.half));
	see(&turns, &now, 10, MS, 4 * MS);
	vcpc_turns_estimate(&turns, 0, &e);
	EXPECT_TRUE(isfinite(e.half));
}

/* Lost multiplex slots are included in the target's time, but not in any event's. */
TEST(lost_turns)
{
	struct vcpc_turns turns = { .last.nr = 0 };
	struct shim_turns now = { .nr = 0 };
	struct vcpc_estimate e;

	see(&turns, &now, 10, MS, 4 * MS);
	now.voids = 1;
	now.tick += 6 * MS;
	look(&turns, &now);
	vcpc_turns_estimate(&turns, 0, &e);
	EXPECT_EQ(100, e.value);
}

/*
 * An event of one kind of core is extrapolated to the time on that kind. Its count is 0 if the
 * target never ran there.
 */
TEST(one_kind_of_core)
{
	uint64_t whole[SHIM_SET_MAX] = { 20 * MS, 0 };
	struct vcpc_turns turns = { .last.nr = 0 };
	struct shim_turns now = {
		.nr = 2, .groups = 2, .tick = 100 * MS, .counted = 100 * MS,
		.values = { 50 }, .ticks = { 10 * MS },
	};
	struct vcpc_estimate e;

	vcpc_turns_look(&turns, &now, whole);
	vcpc_turns_estimate(&turns, 0, &e);
	EXPECT_EQ(100, e.value);
	EXPECT_EQ(0.5, e.share);
	vcpc_turns_estimate(&turns, 1, &e);
	EXPECT_EQ(0, e.value);
	EXPECT_EQ(0, e.half);
}

/*
 * If a load changes at random, and is measured for one of every four ms, 95 % of the intervals
 * contain the true value.
 */
TEST(intervals_hold)
{
	unsigned int held = 0, tries = 2000;

	srand(1);
	for (unsigned int i = 0; i < tries; i++) {
		struct vcpc_turns turns = { .last.nr = 0 };
		struct shim_turns now = { .nr = 0 };
		struct vcpc_estimate e;
		double truth = 0;

		for (unsigned int look = 0; look < 40; look++) {
			unsigned int mine = rand() % 4;

			for (unsigned int part = 0; part < 4; part++) {
				uint64_t n = 1000 + rand() % 1000;

				truth += n;
				see(&turns, &now, part == mine ? n : 0, part == mine ? MS : 0, MS);
			}
		}
		vcpc_turns_estimate(&turns, 0, &e);
		held += fabs(e.value - truth) <= e.half;
	}
	/*
	 * The share is more than 95 %, because the error also includes the measured part, which has
	 * no error.
	 */
	EXPECT_LE(0.94 * tries, held);
	EXPECT_GE(0.995 * tries, held);
}

TEST_HARNESS_MAIN
