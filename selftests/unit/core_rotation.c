// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the arithmetic of multiplexed groups on a clock that the test controls. */
#include <string.h>

#include "core/perf_multiplex.h"
#include "kselftest_harness.h"

#define GROUPS	8
#define MS	1000000ULL
#define SLOT	(100 * MS)

struct room {
	struct shim_rotation r;
	struct shim_group_sample turns[GROUPS];
	__u16 order[GROUPS];
};

static struct shim_rotation *make(struct room *room, unsigned int nr)
{
	memset(room, 0, sizeof(*room));
	room->r.nr = nr;
	room->r.turns = room->turns;
	room->r.order = room->order;
	shim_rotation__init(&room->r, SLOT);
	return &room->r;
}

/* Count for some time with an alarm that is never late. */
static void count(struct shim_rotation *r, __u64 ms)
{
	__u64 rest = ms * MS, part;

	for (; rest; rest -= part) {
		part = rest < r->left ? rest : r->left;
		shim_rotation__spend(r, part, part);
		if (shim_rotation__is_due(r))
			shim_rotation__next(r);
	}
}

#define EXPECT_TURNS(r, n, a, b, c)						\
	do {									\
		EXPECT_EQ(n, (r)->rounds);					\
		EXPECT_EQ(a * MS, (r)->turns[0].tick);				\
		EXPECT_EQ(b * MS, (r)->turns[1].tick);				\
		EXPECT_EQ(c * MS, (r)->turns[2].tick);				\
	} while (0)

TEST(worked_vector)
{
	struct room room;
	struct shim_rotation *r = make(&room, 3);

	count(r, 1050);
	EXPECT_TURNS(r, 3, 400, 350, 300);
	EXPECT_EQ(1, r->now);
	EXPECT_EQ(50 * MS, r->left);
	count(r, 30);
	EXPECT_TURNS(r, 3, 400, 380, 300);
	count(r, 20);
	EXPECT_TURNS(r, 3, 400, 400, 300);
	EXPECT_EQ(2, r->now);
	count(r, 100);
	EXPECT_TURNS(r, 4, 400, 400, 400);
}

TEST(late_slots_are_longer)
{
	struct room room;
	struct shim_rotation *r = make(&room, 2);

	shim_rotation__spend(r, 3 * SLOT, SLOT + 7);
	EXPECT_TRUE(shim_rotation__is_due(r));
	EXPECT_EQ(0, r->left);
	shim_rotation__next(r);
	EXPECT_EQ(SLOT, r->left);
	EXPECT_EQ(3 * SLOT, r->turns[0].time);
	EXPECT_EQ(SLOT + 7, r->turns[0].tick);
	EXPECT_EQ(0, r->turns[1].tick);
}

TEST(almost_over_is_over)
{
	struct room room;
	struct shim_rotation *r = make(&room, 2);

	shim_rotation__spend(r, SLOT, SLOT - SLOT / 64 - 1);
	EXPECT_FALSE(shim_rotation__is_due(r));
	shim_rotation__spend(r, 0, 1);
	EXPECT_TRUE(shim_rotation__is_due(r));
}

/*
 * Two losses in one slot count as one discarded slot, and a round with a discarded slot counts as a
 * round.
 */
TEST(discarded_slots)
{
	struct shim_group_sample sums[2] = { { .voids = 5 } };
	struct room room;
	struct shim_rotation *r = make(&room, 2);

	shim_rotation__spend(r, 10, 10);
	shim_rotation__spoil(r);
	shim_rotation__spoil(r);
	EXPECT_EQ(1, r->turns[0].voids);
	EXPECT_EQ(10, r->turns[0].tick);
	shim_rotation__next(r);
	shim_rotation__spend(r, SLOT, SLOT);
	shim_rotation__next(r);
	EXPECT_EQ(1, r->rounds);
	shim_rotation__spoil(r);
	EXPECT_EQ(2, r->turns[0].voids);
	shim_rotation__add_up(r, sums);
	EXPECT_EQ(7, sums[0].voids);
	EXPECT_EQ(10, sums[0].tick);
	EXPECT_EQ(SLOT, sums[1].time);
	EXPECT_EQ(1, sums[1].rounds);
}

TEST(shuffled)
{
	struct room room, again;

	for (unsigned int nr = 1; nr <= GROUPS; nr++)
		for (unsigned int seed = 0; seed < 5; seed++) {
			struct shim_rotation *r = make(&room, nr), *same = make(&again, nr);

			shim_rotation__shuffle(r, seed);
			shim_rotation__shuffle(same, seed);
			for (unsigned int round = 0; round < 20; round++) {
				unsigned int seen = 0;

				EXPECT_EQ(round, r->rounds);
				for (unsigned int i = 0; i < nr; i++) {
					seen |= 1U << r->now;
					EXPECT_EQ(r->now, same->now);
					EXPECT_EQ(r->left, same->left);
					EXPECT_LE(SLOT * 9 / 10, r->left);
					EXPECT_GE(SLOT * 11 / 10, r->left);
					shim_rotation__next(r);
					shim_rotation__next(same);
				}
				EXPECT_EQ((1U << nr) - 1, seen);
			}
		}
}

/* With a given seed, groups are shuffled in the same order as in the module. */
TEST(the_modules_order)
{
	static const struct {
		unsigned int now;
		__u64 left;
	} rows[] = {
		{ 0, 100000000 }, { 1, 91308593 }, { 2, 101064453 }, { 3, 90458984 },
		{ 0, 103847656 }, { 2, 107451171 }, { 1, 100312500 }, { 3, 98125000 },
		{ 1, 108593750 }, { 0, 96865234 }, { 3, 91005859 }, { 2, 95830078 },
		{ 2, 90410156 }, { 3, 92275390 }, { 1, 109589843 }, { 0, 100830078 },
	};
	struct room room;
	struct shim_rotation *r = make(&room, 4);

	shim_rotation__shuffle(r, 77ULL << 32);
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(rows[i].now, r->now);
		EXPECT_EQ(rows[i].left, r->left);
		shim_rotation__next(r);
	}
}

TEST_HARNESS_MAIN
