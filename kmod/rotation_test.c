// SPDX-License-Identifier: GPL-2.0
/*
 * Groups that take turns, on a clock that a test sets: whose time is whose,
 * over stops, late turns, lost counts and unequal beginnings.
 */
#include <kunit/test.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "rotation.h"

#define GROUPS	8
#define SLOT	(100 * NSEC_PER_MSEC)

static struct vcpc_rotation *make(struct kunit *test, u32 nr, u32 first)
{
	struct vcpc_rotation *r;

	r = kunit_kzalloc(test, sizeof(*r) + vcpc_rotation_more(nr), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, r);
	vcpc_rotation_init(r, nr, first, SLOT);
	return r;
}

/* Count for some time with a timer that is never late and changes over in no time. */
static void count(struct vcpc_rotation *r, u64 ms)
{
	u64 rest = ms * NSEC_PER_MSEC, part;

	for (; rest; rest -= part) {
		part = min(rest, r->left);
		vcpc_rotation_spend(r, part, part, true);
		if (vcpc_rotation_due(r))
			vcpc_rotation_next(r);
	}
}

static void expect(struct kunit *test, const struct vcpc_rotation *r, u64 rounds, u64 t0, u64 t1,
		   u64 t2)
{
	KUNIT_EXPECT_EQ(test, rounds, r->rounds);
	KUNIT_EXPECT_EQ(test, t0 * NSEC_PER_MSEC, r->turn[0].tick);
	KUNIT_EXPECT_EQ(test, t1 * NSEC_PER_MSEC, r->turn[1].tick);
	KUNIT_EXPECT_EQ(test, t2 * NSEC_PER_MSEC, r->turn[2].tick);
}

/* Three groups, slots of 100 ms: count 1050 ms, stop, and go on little by little. */
static void worked_vector(struct kunit *test)
{
	struct vcpc_rotation *r = make(test, 3, 0);

	count(r, 1050);
	expect(test, r, 3, 400, 350, 300);
	KUNIT_EXPECT_EQ(test, 1U, r->now);
	KUNIT_EXPECT_EQ(test, 50 * NSEC_PER_MSEC, r->left);
	/* A stop changes nothing, so neither does the start after it. */
	count(r, 30);
	expect(test, r, 3, 400, 380, 300);
	count(r, 20);
	expect(test, r, 3, 400, 400, 300);
	KUNIT_EXPECT_EQ(test, 2U, r->now);
	count(r, 100);
	expect(test, r, 4, 400, 400, 400);

	vcpc_rotation_reset(r);
	count(r, 80);
	expect(test, r, 0, 80, 0, 0);
	KUNIT_EXPECT_EQ(test, 0U, r->now);
}

/* A program that counts 20 ms at a time visits all groups all the same. */
static void short_stretches(struct kunit *test)
{
	struct vcpc_rotation *r = make(test, 3, 0);
	int i;

	for (i = 0; i < 30; i++)
		count(r, 20);
	expect(test, r, 2, 200, 200, 200);
}

static void late_turns_are_longer(struct kunit *test)
{
	struct vcpc_rotation *r = make(test, 2, 0);

	vcpc_rotation_spend(r, 3 * SLOT, SLOT + 7, true);
	KUNIT_EXPECT_TRUE(test, vcpc_rotation_due(r));
	KUNIT_EXPECT_EQ(test, 0ULL, r->left);
	vcpc_rotation_next(r);
	KUNIT_EXPECT_EQ(test, SLOT, r->left);
	KUNIT_EXPECT_EQ(test, 3 * SLOT, r->turn[0].time);
	KUNIT_EXPECT_EQ(test, SLOT + 7, r->turn[0].tick);
	KUNIT_EXPECT_EQ(test, 0ULL, r->turn[1].tick);
}

/* The timer and the time differ a little; a turn is not prolonged for that. */
static void almost_over_is_over(struct kunit *test)
{
	struct vcpc_rotation *r = make(test, 2, 0);

	vcpc_rotation_spend(r, SLOT / 2, SLOT / 2, true);
	KUNIT_EXPECT_FALSE(test, vcpc_rotation_due(r));
	vcpc_rotation_spend(r, 0, SLOT / 2 - SLOT / 64 - 1, true);
	KUNIT_EXPECT_FALSE(test, vcpc_rotation_due(r));
	vcpc_rotation_spend(r, 0, 1, true);
	KUNIT_EXPECT_TRUE(test, vcpc_rotation_due(r));
}

static void void_turns(struct kunit *test)
{
	struct vcpc_rotation *r = make(test, 2, 0);

	vcpc_rotation_spend(r, 10, 10, true);
	/* Twice in one turn is one void turn, and it uses the turn up. */
	vcpc_rotation_spend(r, SLOT / 2, SLOT / 2, false);
	vcpc_rotation_spend(r, SLOT, SLOT, false);
	KUNIT_EXPECT_TRUE(test, vcpc_rotation_due(r));
	KUNIT_EXPECT_EQ(test, 1ULL, r->turn[0].voids);
	KUNIT_EXPECT_EQ(test, 10ULL, r->turn[0].tick);
	KUNIT_EXPECT_EQ(test, 10ULL, r->turn[0].time);

	vcpc_rotation_next(r);
	vcpc_rotation_spend(r, SLOT, SLOT, true);
	vcpc_rotation_next(r);
	KUNIT_EXPECT_EQ(test, 0ULL, r->turn[1].voids);
	KUNIT_EXPECT_EQ(test, SLOT, r->turn[1].tick);
	/* It was a round, though one turn was void. */
	KUNIT_EXPECT_EQ(test, 1ULL, r->rounds);
	vcpc_rotation_spend(r, SLOT, SLOT, false);
	KUNIT_EXPECT_EQ(test, 2ULL, r->turn[0].voids);
}

/* A round ends where it began, and visits all; wherever that is, however many. */
static void every_beginning(struct kunit *test)
{
	u32 nr, first, i;

	for (nr = 1; nr <= GROUPS; nr++) {
		for (first = 0; first < nr; first++) {
			struct vcpc_rotation *r = make(test, nr, first);

			KUNIT_EXPECT_EQ(test, first, r->now);
			count(r, 5ULL * nr * 100);
			KUNIT_EXPECT_EQ(test, 5ULL, r->rounds);
			KUNIT_EXPECT_EQ(test, first, r->now);
			for (i = 0; i < nr; i++)
				KUNIT_EXPECT_EQ(test, 5 * SLOT, r->turn[i].tick);
			vcpc_rotation_spend(r, SLOT, SLOT, true);
			vcpc_rotation_next(r);
			KUNIT_EXPECT_EQ(test, (first + 1) % nr, r->now);
			KUNIT_EXPECT_EQ(test, nr == 1 ? 6ULL : 5ULL, r->rounds);
		}
	}
}

/* Whatever the order: each round visits all, and no turn is more than a tenth off. */
static void shuffled(struct kunit *test)
{
	u32 nr, seed, round, i, seen, changed = 0;

	for (nr = 1; nr <= GROUPS; nr++) {
		for (seed = 0; seed < 5; seed++) {
			struct vcpc_rotation *r = make(test, nr, 0);
			struct vcpc_rotation *same = make(test, nr, 0);

			vcpc_rotation_shuffle(r, seed);
			vcpc_rotation_shuffle(same, seed);
			for (round = 0; round < 20; round++) {
				KUNIT_EXPECT_EQ(test, (u64)round, r->rounds);
				for (i = seen = 0; i < nr; i++) {
					seen |= BIT(r->now);
					changed += r->now != i;
					KUNIT_EXPECT_EQ(test, r->now, same->now);
					KUNIT_EXPECT_EQ(test, r->left, same->left);
					KUNIT_EXPECT_GE(test, r->left, SLOT * 9 / 10);
					KUNIT_EXPECT_LE(test, r->left, SLOT * 11 / 10);
					vcpc_rotation_next(r);
					vcpc_rotation_next(same);
				}
				KUNIT_EXPECT_EQ(test, GENMASK(nr - 1, 0), seen);
			}
		}
	}
	KUNIT_EXPECT_GT(test, changed, 1000U);
}

/* More groups than a byte can number: a round in order, then each once in the orders drawn. */
static void many_groups(struct kunit *test)
{
	const u32 nr = 300;
	struct vcpc_rotation *r = make(test, nr, 7);
	u8 *seen = kunit_kzalloc(test, nr, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, seen);
	vcpc_rotation_shuffle(r, 1);
	for (i = 0; i < nr; i++) {
		KUNIT_EXPECT_EQ(test, (7 + i) % nr, r->now);
		vcpc_rotation_next(r);
	}
	KUNIT_EXPECT_EQ(test, 1ULL, r->rounds);
	for (i = 0; i < nr; i++) {
		KUNIT_ASSERT_LT(test, r->now, nr);
		seen[r->now]++;
		vcpc_rotation_next(r);
	}
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, 1, seen[i]);
	KUNIT_EXPECT_EQ(test, 2ULL, r->rounds);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(worked_vector),
	KUNIT_CASE(short_stretches),
	KUNIT_CASE(late_turns_are_longer),
	KUNIT_CASE(almost_over_is_over),
	KUNIT_CASE(void_turns),
	KUNIT_CASE(every_beginning),
	KUNIT_CASE(shuffled),
	KUNIT_CASE(many_groups),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_rotation",
	.test_cases = cases,
};

kunit_test_suite(suite);
