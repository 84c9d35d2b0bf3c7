// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse real numbers independently of the program's locale.
 *
 * Threads: the first caller creates the "C" locale, which is never freed.
 */
#define _GNU_SOURCE
#include <locale.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

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

double shim_real__parse(const char *text, char **end)
{
	locale_t locale = c_locale();

	return locale ? strtod_l(text, end, locale) : strtod(text, end);
}

float shim_real__parse_float(const char *text, char **end)
{
	locale_t locale = c_locale();

	return locale ? strtof_l(text, end, locale) : strtof(text, end);
}
