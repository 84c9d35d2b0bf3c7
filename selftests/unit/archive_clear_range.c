// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Insert ranges without marks in random order.  Lookups return exactly these ranges, merged into as
 * few as possible.
 */
#include <stdlib.h>
#include <string.h>

#include "archive/archive.h"

#include "kselftest_harness.h"

#define RECORDS		600
#define IN_A_VOLUME	100	/* number of records, of 10 bytes each */

struct model {
	int64_t time[RECORDS];
	bool mark[RECORDS];
	bool known[RECORDS];
};

static unsigned int seed = 3;

static unsigned int roll(unsigned int sides)
{
	return (unsigned int)rand_r(&seed) / 7 % sides;
}

/*
 * Return the position before the @i-th record.  Between two volumes this is the end of the first,
 * not the start of the second.
 */
static struct shim_position before(unsigned int i)
{
	if (!i)
		return (struct shim_position){ 0, 0 };
	return (struct shim_position){ (i - 1) / IN_A_VOLUME, ((i - 1) % IN_A_VOLUME + 1) * 10 };
}

static void model_make(struct model *m)
{
	int64_t at = -5;

	for (unsigned int i = 0; i < RECORDS; i++) {
		at += roll(3);
		if (!roll(40))
			at -= 30;
		m->time[i] = at;
		m->mark[i] = !roll(40);
		m->known[i] = false;
	}
}

/* Return whether records @i - 1 and @i belong to the same range, provided that both are known. */
static bool goes_on(const struct model *m, unsigned int i)
{
	return !m->mark[i - 1] && !m->mark[i] && m->time[i - 1] <= m->time[i];
}

/* Add the range that a traversal of several records covers. */
static void add_some(struct model *m, struct shim_clear_ranges *known)
{
	unsigned int i = roll(RECORDS), end = i + 1 + roll(30), first = i;

	if (m->mark[i])
		return;
	m->known[i] = true;
	while (i + 1 < end && i + 1 < RECORDS && goes_on(m, i + 1))
		m->known[++i] = true;
	shim_clear_ranges__add(known, &(struct shim_clear_range){
		.from = before(first), .to = before(i + 1),
		.first = m->time[first], .last = m->time[i],
	});
}

static bool found_right(const struct model *m, struct shim_clear_ranges *known, unsigned int i,
			bool back)
{
	struct shim_clear_range s;
	unsigned int first = i, last = i;

	if (!shim_clear_ranges__find(known, before(back ? i + 1 : i), back, &s))
		return !m->known[i];
	while (first && m->known[first - 1] && goes_on(m, first))
		first--;
	while (last + 1 < RECORDS && m->known[last + 1] && goes_on(m, last + 1))
		last++;
	return m->known[i] && !shim_position__cmp(s.from, before(first)) &&
	       !shim_position__cmp(s.to, before(last + 1)) && s.first == m->time[first] && s.last == m->time[last];
}

TEST(what_was_put_in)
{
	for (int round = 0; round < 200; round++) {
		struct shim_clear_ranges known;
		struct model m;

		model_make(&m);
		shim_clear_ranges__init(&known);
		for (unsigned int n = roll(120); n--;)
			add_some(&m, &known);
		for (unsigned int i = 0; i < RECORDS; i++) {
			ASSERT_TRUE(found_right(&m, &known, i, false)) {
				TH_LOG("round %d, record %u", round, i);
			}
			ASSERT_TRUE(found_right(&m, &known, i, true)) {
				TH_LOG("round %d, record %u, backwards", round, i);
			}
		}
		shim_clear_ranges__forget(&known);
		memset(m.known, 0, sizeof(m.known));
		EXPECT_TRUE(found_right(&m, &known, roll(RECORDS), false));
		shim_clear_ranges__fini(&known);
	}
}

/*
 * If the maximum number of ranges has been reached, new ranges are ignored, but existing ones can
 * still grow.
 */
TEST(not_too_many)
{
	struct shim_clear_range s = { .from = { 0, 0 } }, found;
	struct shim_clear_ranges known;

	shim_clear_ranges__init(&known);
	for (unsigned int i = 0; i < 2 * SHIM_CLEAR_RANGES_MAX; i++) {
		s.from.offset = i * 100;
		s.to.offset = i * 100 + 10;
		shim_clear_ranges__add(&known, &s);
	}
	EXPECT_EQ(SHIM_CLEAR_RANGES_MAX, known.n);
	EXPECT_FALSE(shim_clear_ranges__find(&known, s.from, false, &found));
	s.from.offset = 10;
	s.to.offset = 60;
	shim_clear_ranges__add(&known, &s);
	EXPECT_TRUE(shim_clear_ranges__find(&known, (struct shim_position){ 0, 5 }, false, &found));
	EXPECT_EQ(60, found.to.offset);
	EXPECT_EQ(SHIM_CLEAR_RANGES_MAX, known.n);
	shim_clear_ranges__fini(&known);
}

TEST_HARNESS_MAIN
