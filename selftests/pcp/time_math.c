// SPDX-License-Identifier: GPL-2.0-or-later
/* Times are added, subtracted, and converted from and to seconds, with correct carries. */
#include <kselftest_harness.h>
#include <pcp/pmapi.h>

TEST(timeval)
{
	struct timeval a = { 5, 999999 }, b = { 3, 2 }, c = a;

	EXPECT_EQ(5.999999, pmtimevalToReal(&a));
	EXPECT_EQ(2 + 0.999997, pmtimevalSub(&a, &b));
	EXPECT_EQ(8 + 1.000001, pmtimevalAdd(&a, &b));
	pmtimevalInc(&c, &b);
	EXPECT_EQ(9, c.tv_sec);
	EXPECT_EQ(1, c.tv_usec);
	pmtimevalDec(&b, &a);
	EXPECT_EQ(-3, b.tv_sec);
	EXPECT_EQ(3, b.tv_usec);
}

TEST(timespec)
{
	struct timespec a = { 1, 999999999 }, b = { 2, 1 }, c = a;

	EXPECT_EQ(1 + 0.999999999, pmtimespecToReal(&a));
	EXPECT_EQ(3 + 1.0, pmtimespecAdd(&a, &b));
	EXPECT_EQ((double)(1 - 0.999999998L), pmtimespecSub(&b, &a));
	pmtimespecInc(&c, &b);
	EXPECT_EQ(4, c.tv_sec);
	EXPECT_EQ(0, c.tv_nsec);
	pmtimespecDec(&b, &a);
	EXPECT_EQ(0, b.tv_sec);
	EXPECT_EQ(2, b.tv_nsec);
}

/*
 * As in PCP, seconds are truncated toward zero, and the fraction is rounded half up without a
 * carry.
 */
TEST(from_numbers)
{
	struct timeval a;
	struct timespec b;

	pmtimevalFromReal(1.9999996, &a);
	EXPECT_EQ(1, a.tv_sec);
	EXPECT_EQ(1000000, a.tv_usec);
	pmtimevalFromReal(-1.5, &a);
	EXPECT_EQ(-1, a.tv_sec);
	EXPECT_EQ(-499999, a.tv_usec);
	pmtimespecFromReal(2.25, &b);
	EXPECT_EQ(2, b.tv_sec);
	EXPECT_EQ(250000000, b.tv_nsec);
}

TEST(now)
{
	struct timespec before, now, after;
	struct timeval rough;

	clock_gettime(CLOCK_REALTIME, &before);
	EXPECT_EQ(0, pmtimespecNow(&now));
	pmtimevalNow(&rough);
	clock_gettime(CLOCK_REALTIME, &after);
	EXPECT_LE(0, pmtimespecSub(&now, &before));
	EXPECT_LE(0, pmtimespecSub(&after, &now));
	EXPECT_LE(now.tv_sec, rough.tv_sec);
	EXPECT_LE(rough.tv_sec, after.tv_sec);
}

TEST_HARNESS_MAIN
