// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interpolation between two values is correct for every type, sign, and wrap, and at the ends of
 * each range.
 */
#include <kselftest_harness.h>

#include "archive/interp_metric.h"

#define AT_40(kind, member, from, to, wrapped, want) do { \
	struct shim_value a_ = { .type = kind, .member = from }; \
	struct shim_value b_ = { .type = kind, .member = to }; \
	struct shim_span s_ = { .t = 4, .p = 0, .n = 10, .wrap = wrapped }; \
	shim_lerp__value(&s_, &a_, &b_); \
	EXPECT_EQ(a_.member, want); \
} while (0)

/* AT_40 interpolates at 40 % of the interval. */
TEST(signed_32)
{
	AT_40(SHIM_TYPE_32, l, 0, 10, false, 4);
	AT_40(SHIM_TYPE_32, l, 10, 0, false, 6);
	/* The result is truncated toward zero after 1/2 has been added. */
	AT_40(SHIM_TYPE_32, l, -1000, -667, false, -866);
	AT_40(SHIM_TYPE_32, l, INT32_MIN, INT32_MAX, false, INT32_MIN + 1);
	AT_40(SHIM_TYPE_32, l, 0x7ffffff0, INT32_MIN + 16, true, 0x7ffffffd);
}

TEST(unsigned_32)
{
	AT_40(SHIM_TYPE_U32, ul, 0, 13, false, 5);
	AT_40(SHIM_TYPE_U32, ul, 55, 41, false, 49);
	AT_40(SHIM_TYPE_U32, ul, 0, UINT32_MAX, false, 1717986918);
	AT_40(SHIM_TYPE_U32, ul, 0xfffffff0u, 0x10, true, 0xfffffffdu);
	AT_40(SHIM_TYPE_U32, ul, 0xfffffff6u, 10, true, 0xfffffffeu);
}

TEST(signed_64)
{
	AT_40(SHIM_TYPE_64, ll, -1000, -667, false, -866);
	AT_40(SHIM_TYPE_64, ll, INT64_MIN, INT64_MIN, false, INT64_MIN);
	AT_40(SHIM_TYPE_64, ll, 1ll << 40, 1ll << 41, false, 1539316278886);
}

TEST(unsigned_64)
{
	AT_40(SHIM_TYPE_U64, ull, 5, (1ull << 33) + 5, false, 3435973842ull);
	AT_40(SHIM_TYPE_U64, ull, 100, 50, false, 80ull);
	/* These are unsigned values whose difference also fits in a signed number. */
	AT_40(SHIM_TYPE_U64, ull, 0x7ffffffffffffffaull, 0xfffffffffffffff8ull, false,
	      0xb333333333333000ull);
}

TEST(reals)
{
	AT_40(SHIM_TYPE_FLOAT, f, 0.0f, 0.1f, false, (float)(4 * (double)0.1f / 10));
	AT_40(SHIM_TYPE_DOUBLE, d, 1.0, 2.0, false, 1.4);
	AT_40(SHIM_TYPE_DOUBLE, d, 2.0, 1.0, true, 1.6);
}

/* Two time stamps can be so far from the start that they are equal in double precision. */
TEST(no_distance)
{
	struct shim_value a = { .type = SHIM_TYPE_U32, .ul = 7 }, b = { .type = SHIM_TYPE_U32, .ul = 9 };
	struct shim_span s = { .t = 1e9, .p = 1e9, .n = 1e9 };

	shim_lerp__value(&s, &a, &b);
	EXPECT_EQ(a.ul, 7);
}

TEST(types)
{
	for (int type = SHIM_TYPE_NOSUPPORT; type <= SHIM_TYPE_HIGHRES_EVENT; type++)
		EXPECT_EQ(shim_lerp__can(type), type >= SHIM_TYPE_32 && type <= SHIM_TYPE_DOUBLE);
}

TEST(seconds)
{
	struct shim_ts start = { 1000000000, 500000000 }, t = { 1000000001, 200000000 };

	EXPECT_EQ(shim_lerp__seconds(t, start), 0.7);
	EXPECT_EQ(shim_lerp__seconds(start, t), -0.7);
	EXPECT_EQ(shim_lerp__seconds(start, start), 0.0);
}

TEST_HARNESS_MAIN
