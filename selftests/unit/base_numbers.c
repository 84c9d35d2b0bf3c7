// SPDX-License-Identifier: GPL-2.0-or-later
/* Integers are formatted, and numbers are parsed, as by the C library. */
#include <errno.h>
#include <fenv.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/digits.h"
#include "base/real.h"
#include "kselftest_harness.h"

#define TIMES 200000

static uint64_t random_state = 1;

static uint64_t random_bits(void)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return random_state ^ random_state >> 29;
}

static int same_integers(void)
{
	char ours[SHIM_DECIMAL_ROOM], libc[64];

	for (int i = 0; i < TIMES; i++) {
		uint64_t v = i < 4 ? (uint64_t)INT64_MAX + (uint64_t)i - 1 :
				     random_bits() >> random_bits() % 64;

		snprintf(libc, sizeof(libc), "%" PRIu64, v);
		if (shim_decimal__unsigned(ours, v) != strlen(libc) || strcmp(ours, libc))
			return 0;
		snprintf(libc, sizeof(libc), "%" PRId64, (int64_t)-v);
		if (shim_decimal__signed(ours, (int64_t)-v) != strlen(libc) || strcmp(ours, libc))
			return 0;
	}
	return 1;
}

/* Make a text from characters that occur in numbers. */
static void random_number(char text[24])
{
	static const char chars[] = "0123456789012345678901234567890123456789.+-eExXpinfa, ";
	size_t len = random_bits() >> 33 & 15;

	if (random_bits() >> 60 == 0)
		len += 8;
	for (size_t i = 0; i < len; i++)
		text[i] = chars[(random_bits() >> 33) % (sizeof(chars) - 1)];
	text[len] = '\0';
}

static int same_parsed(void)
{
	for (int i = 0; i < TIMES; i++) {
		char text[24], *ours, *libc;
		double a, b;

		random_number(text);
		a = shim_real__parse(text, &ours);
		b = strtod(text, &libc);
		if (ours != libc || (memcmp(&a, &b, sizeof(a)) && !isnan(a))) {
			printf("# '%s' is %a instead of %a\n", text, a, b);
			return 0;
		}
		if (shim_digits__parse(text, &ours) != strtol(text, &libc, 10) || ours != libc) {
			printf("# '%s' is another integer\n", text);
			return 0;
		}
	}
	return 1;
}

TEST(random_integers)
{
	ASSERT_TRUE(same_integers());
}

TEST(random_texts)
{
	ASSERT_EQ(1.5, shim_real__parse("1.5", NULL));
	ASSERT_TRUE(same_parsed());
}

TEST(another_rounding_mode)
{
	ASSERT_EQ(0, fesetround(FE_UPWARD));
	ASSERT_TRUE(same_parsed());
}

TEST_HARNESS_MAIN
