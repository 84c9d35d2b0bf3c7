// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse real numbers independently of the program's locale.
 *
 * Threads: the first caller creates the "C" locale, which is never freed.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "digits.h"
#include "real.h"

static locale_t c_locale(void)
{
	static _Atomic(locale_t) made;
	locale_t locale = atomic_load(&made), none = NULL;

	if (locale)
		return locale;
	locale = newlocale(LC_ALL_MASK, "C", NULL);
	if (locale && !atomic_compare_exchange_strong(&made, &none, locale)) {
		freelocale(locale);
		locale = none;
	}
	return locale;
}

static double parse_any(const char *text, char **end)
{
	locale_t locale = c_locale();

	return locale ? strtod_l(text, end, locale) : strtod(text, end);
}

/*
 * Parse digits with an optional point.  If there are few, both the digits and the power of ten are
 * exact, so one division rounds correctly.  Return false for all other texts.
 */
static bool parse_short(const char *text, char **end, double *out)
{
	static const double powers[SHIM_DIGITS_SHORT + 1] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
	};
	const char *s = text, *point = NULL;
	int64_t n = 0;
	int digits;

	for (; shim_digits__is(*s) || (*s == '.' && !point); s++) {
		if (s - text > SHIM_DIGITS_SHORT)
			return false;
		if (*s == '.')
			point = s;
		else
			n = n * 10 + (*s - '0');
	}
	digits = (int)(s - text) - (point != NULL);
	/* An exponent or a hexadecimal number may follow. */
	if (!digits || digits > SHIM_DIGITS_SHORT || *s == 'e' || *s == 'E' || *s == 'x' || *s == 'X')
		return false;
	if (end)
		*end = (char *)s;
	*out = point ? (double)n / powers[s - point - 1] : (double)n;
	return true;
}

double shim_real__parse(const char *text, char **end)
{
	double number;

	if (parse_short(text, end, &number))
		return number;
	return parse_any(text, end);
}

float shim_real__parse_float(const char *text, char **end)
{
	locale_t locale = c_locale();

	return locale ? strtof_l(text, end, locale) : strtof(text, end);
}
