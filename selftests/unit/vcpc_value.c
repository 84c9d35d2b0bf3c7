// SPDX-License-Identifier: GPL-2.0-or-later
/* A value is printed with its unit, and zero without a sign. */
#include "../../tools/vcpc/value.c"

#include "kselftest_harness.h"

static const char *time_of(double v)
{
	static char text[32];

	vcpc_value_text(text, sizeof(text), v, true, 3);
	return text;
}

static const char *zero(const char *number)
{
	static char text[32];

	snprintf(text, sizeof(text), "%s", number);
	vcpc_value_zero(text);
	return text;
}

TEST(times_have_the_unit_that_fits)
{
	EXPECT_STREQ("20.5 us", time_of(2.05e-05));
	EXPECT_STREQ("999 us", time_of(999.4e-6));
	EXPECT_STREQ("1 ms", time_of(999.6e-6));
	EXPECT_STREQ("-1 s", time_of(-0.9996));
	EXPECT_STREQ("123456 s", time_of(123456));
	EXPECT_STREQ("0 s", time_of(-0.0));
	EXPECT_STREQ("-", time_of(NAN));
}

TEST(only_zero_loses_its_sign)
{
	EXPECT_STREQ("0.000", zero("-0.000"));
	EXPECT_STREQ("0", zero("-0"));
	EXPECT_STREQ("-0.001", zero("-0.001"));
	EXPECT_STREQ("-1e-05", zero("-1e-05"));
	EXPECT_STREQ("0.000", zero("0.000"));
	EXPECT_STREQ("-", zero("-"));
	EXPECT_STREQ("", zero(""));
}

TEST_HARNESS_MAIN
