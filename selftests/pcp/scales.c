// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pmConvScale() between all scales of space and time: each result is the product of the factors,
 * also if the factors do not fit into 64 bits, where PCP's results are arbitrary.
 */
#include <math.h>

#include <pcp/pmapi.h>

#include "kselftest_harness.h"

static const double bytes[] = { 0x1p0, 0x1p10, 0x1p20, 0x1p30, 0x1p40, 0x1p50, 0x1p60 };
static const double seconds[] = { 1e-9, 1e-6, 1e-3, 1, 60, 3600 };

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))

static double base_of(const pmUnits *u)
{
	return pow(bytes[u->scaleSpace], u->dimSpace) * pow(seconds[u->scaleTime], u->dimTime);
}

static int is_right(pmUnits from, pmUnits to)
{
	double expected = 3 * base_of(&from) / base_of(&to);
	pmAtomValue in = { .d = 3 }, out = { .d = 0 };

	return !pmConvScale(PM_TYPE_DOUBLE, &in, &from, &out, &to) &&
	       fabs(out.d / expected - 1) < 1e-12;
}

/* Count the wrong conversions between all scales of values with this dimension. */
static int wrong(int space, int time)
{
	pmUnits from = { .dimSpace = space, .dimTime = time }, to = from;
	unsigned int n = LENGTH(bytes), m = LENGTH(seconds);
	int bad = 0;

	for (unsigned int i = 0; i < n * n * m * m; i++) {
		from.scaleSpace = i % n;
		to.scaleSpace = i / n % n;
		from.scaleTime = i / n / n % m;
		to.scaleTime = i / n / n / m;
		bad += !is_right(from, to);
	}
	return bad;
}

TEST(all_scales)
{
	for (int space = -2; space <= 2; space++)
		for (int time = -2; time <= 2; time++)
			ASSERT_EQ(0, wrong(space, time));
}

TEST_HARNESS_MAIN
