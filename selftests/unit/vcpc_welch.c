// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Confidence intervals of vcpc compare and vcpc stat -r match tables, and the right share of them
 * contains the true value.
 */
#include <math.h>
#include <stdlib.h>

#include "../../tools/vcpc/welch.c"
#include "kselftest_harness.h"

/* Quantiles of Student's t from tables */
static const struct {
	int line;
	double df, t;
} quantiles[] = {
	{ __LINE__, 1, 12.7062 }, { __LINE__, 2, 4.30265 },  { __LINE__, 3, 3.18245 },
	{ __LINE__, 4, 2.77645 }, { __LINE__, 5, 2.57058 },  { __LINE__, 10, 2.22814 },
	{ __LINE__, 30, 2.04227 }, { __LINE__, 120, 1.97993 }, { __LINE__, 1e6, 1.95997 },
};

TEST(as_in_tables)
{
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		EXPECT_GT(1e-4, fabs(vcpc_t975(quantiles[i].df) - quantiles[i].t))
			TH_LOG("line %d", quantiles[i].line);
	}
}

/* Means of 2 and 4, and variances of the means of 1/3 and 4/3, have 2.94 degrees of freedom. */
TEST(an_example)
{
	const double a[] = { 1, 2, 3 }, b[] = { 2, 4, 6 };
	const double df = 25.0 / 9 / (1.0 / 18 + 16.0 / 18);
	struct vcpc_difference d;
	double mean;

	vcpc_welch(a, 3, b, 3, &d);
	EXPECT_TRUE(d.known);
	EXPECT_EQ(2, d.a);
	EXPECT_EQ(4, d.b);
	EXPECT_GT(1e-6, fabs(d.least - (2 - vcpc_t975(df) * sqrt(5.0 / 3))));
	EXPECT_GT(1e-6, fabs(d.most - (2 + vcpc_t975(df) * sqrt(5.0 / 3))));
	EXPECT_GT(1e-4, fabs(vcpc_spread(a, 3, &mean) - 4.30265 / sqrt(3)));
	EXPECT_EQ(2, mean);
}

TEST(no_spread_and_too_few)
{
	const double same[] = { 5, 5 }, more[] = { 6, 6, 6 }, tenth[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	struct vcpc_difference d;
	double mean;

	vcpc_welch(same, 2, more, 3, &d);
	EXPECT_TRUE(d.known);
	EXPECT_EQ(1, d.least);
	EXPECT_EQ(1, d.most);
	vcpc_welch(tenth, 3, tenth, 6, &d);
	EXPECT_EQ(0, d.least);
	EXPECT_EQ(0, d.most);
	vcpc_welch(same, 1, more, 3, &d);
	EXPECT_FALSE(d.known);
	EXPECT_TRUE(isnan(vcpc_spread(same, 1, &mean)));
}

TEST(resolution_and_rounding)
{
	const double a[] = { 0.1 + 0.2, 0.3 }, b[] = { 0.3, 0.3 };
	struct vcpc_difference d;

	vcpc_welch(a, 1, b, 1, &d);
	EXPECT_EQ(d.a, d.b);
	EXPECT_EQ(0, d.least);
	vcpc_widen(&d, 0.5);
	EXPECT_EQ(-0.5, d.least);
	EXPECT_EQ(0.5, d.most);
	EXPECT_FALSE(d.known);
}

static double normal(void)
{
	double u = (random() + 1.0) / (RAND_MAX + 2.0), v = random() / (RAND_MAX + 1.0);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* 95 of 100 intervals contain the true difference, even if the variances differ. */
TEST(holds_as_often_as_it_says)
{
	const int rounds = 20000;
	int held = 0;

	srandom(7);
	for (int i = 0; i < rounds; i++) {
		double a[5], b[4];
		struct vcpc_difference d;

		for (size_t j = 0; j < ARRAY_SIZE(a); j++)
			a[j] = 100 + normal();
		for (size_t j = 0; j < ARRAY_SIZE(b); j++)
			b[j] = 103 + 4 * normal();
		vcpc_welch(a, ARRAY_SIZE(a), b, ARRAY_SIZE(b), &d);
		held += d.least <= 3 && 3 <= d.most;
	}
	EXPECT_LT(0.94 * rounds, held);
	EXPECT_GT(0.965 * rounds, held);
}

TEST_HARNESS_MAIN
