/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse short decimal numbers, which are most of the numbers in texts, without the C library. */
#ifndef SHIM_BASE_DIGITS_H
#define SHIM_BASE_DIGITS_H

#include <stdlib.h>

#define SHIM_DIGITS_SHORT 15	/* any number of 15 digits fits into a double and a long */

static inline int shim_digits__is(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Like strtol(3) with base 10. */
static inline long shim_digits__parse(const char *s, char **end)
{
	const char *at = s;
	long n = 0;

	for (; shim_digits__is(*at); at++) {
		if (at - s == SHIM_DIGITS_SHORT)
			return strtol(s, end, 10);
		n = n * 10 + (*at - '0');
	}
	if (at == s)
		return strtol(s, end, 10);
	*end = (char *)at;
	return n;
}

#endif /* SHIM_BASE_DIGITS_H */
