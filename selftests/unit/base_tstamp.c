// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the order, sums, differences, and edge cases of time stamps. */
#include "base/tstamp.h"
#include "kselftest_harness.h"

static const struct row {
	int line;
	struct shim_ts a, b, sum, difference;
} rows[] = {
	{ __LINE__, { 1, 0 }, { 2, 0 }, { 3, 0 }, { -1, 0 } },
	{ __LINE__, { 1, 600000000 }, { 2, 500000000 }, { 4, 100000000 }, { -1, 100000000 } },
	{ __LINE__, { 0, 0 }, { 0, 1 }, { 0, 1 }, { -1, 999999999 } },
	{ __LINE__, { -1, 999999999 }, { 0, 1 }, { 0, 0 }, { -1, 999999998 } },
	{ __LINE__, { 5, 999999999 }, { 5, 999999999 }, { 11, 999999998 }, { 0, 0 } },
	{ __LINE__, { INT64_MAX, 999999999 }, { 0, 1 }, { INT64_MAX, 999999999 },
	  { INT64_MAX, 999999998 } },
	{ __LINE__, { INT64_MIN, 0 }, { 0, 1 }, { INT64_MIN, 1 }, { INT64_MIN, 0 } },
	{ __LINE__, { INT64_MAX, 0 }, { INT64_MIN, 0 }, { -1, 0 }, { INT64_MAX, 999999999 } },
	{ __LINE__, { INT64_MAX, 0 }, { -1, 999999999 }, { INT64_MAX - 1, 999999999 },
	  { INT64_MAX, 1 } },
};

TEST(sums_and_differences)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *r = &rows[i];

		EXPECT_EQ(0, shim_ts__cmp(r->sum, shim_ts__add(r->a, r->b))) {
			TH_LOG("sum, row at line %d", r->line);
		}
		EXPECT_EQ(0, shim_ts__cmp(r->difference, shim_ts__sub(r->a, r->b))) {
			TH_LOG("difference, row at line %d", r->line);
		}
	}
}

TEST(order)
{
	struct shim_ts a = { 1, 5 }, b = { 1, 6 }, c = { -2, 999999999 };

	EXPECT_EQ(-1, shim_ts__cmp(a, b));
	EXPECT_EQ(1, shim_ts__cmp(b, a));
	EXPECT_EQ(0, shim_ts__cmp(a, a));
	EXPECT_EQ(-1, shim_ts__cmp(c, a));
	EXPECT_EQ(1, shim_ts__cmp(a, c));
}

TEST(from_nanoseconds_and_to_seconds)
{
	EXPECT_EQ(0, shim_ts__cmp(((struct shim_ts){ -1, 999999999 }), shim_ts__from_ns(-1)));
	EXPECT_EQ(0, shim_ts__cmp(((struct shim_ts){ 1, 500000000 }),
				  shim_ts__from_ns(1500000000)));
	EXPECT_EQ(0, shim_ts__cmp(((struct shim_ts){ -9223372037, 145224192 }),
				  shim_ts__from_ns(INT64_MIN)));
	EXPECT_EQ(-1.5, shim_ts__seconds((struct shim_ts){ -2, 500000000 }));
}

TEST_HARNESS_MAIN
