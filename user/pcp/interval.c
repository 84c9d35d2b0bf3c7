// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse lengths of time such as "1hour 30min". */
#include <errno.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/real.h"
#include "caret.h"
#include "interval.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define LONGEST 0x1p63	/* seconds */

static const struct {
	const char *name;
	double per_second, seconds;	/* one of the two is 1 */
} units[] = {
	{ "nanosecond", 1e9, 1 }, { "nsec", 1e9, 1 },
	{ "microsecond", 1e6, 1 }, { "usec", 1e6, 1 },
	{ "millisecond", 1e3, 1 }, { "msec", 1e3, 1 },
	{ "second", 1, 1 }, { "sec", 1, 1 }, { "s", 1, 1 },
	{ "minute", 1, 60 }, { "min", 1, 60 }, { "m", 1, 60 },
	{ "hour", 1, 3600 }, { "hr", 1, 3600 }, { "h", 1, 3600 },
	{ "day", 1, 86400 }, { "d", 1, 86400 },
};

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* The name alone, or followed by one "s" */
static int is_unit(const char *word, size_t len, const char *name)
{
	size_t n = strlen(name);

	return !strncasecmp(word, name, n) &&
	       (len == n || (len == n + 1 && (word[n] == 's' || word[n] == 'S')));
}

/*
 * Convert a number to seconds according to the unit after it.  Returns the end of the unit, or NULL
 * if it is unknown.
 */
static const char *apply_unit(const char *s, double *number)
{
	size_t len = 0;

	while (isalpha((unsigned char)s[len]))
		len++;
	if (!len)
		return s;
	for (size_t i = 0; i < LENGTH(units); i++) {
		if (!is_unit(s, len, units[i].name))
			continue;
		*number = *number * units[i].seconds / units[i].per_second;
		return s + len;
	}
	return NULL;
}

/* Returns NULL, or the position of the error in @s. */
const char *shim_interval__parse(const char *s, double *seconds)
{
	double sum = 0;

	for (s = skip_blanks(s); *s; s = skip_blanks(s)) {
		const char *start = s;
		char *end;
		double number = shim_real__parse(s, &end);

		/* written so that NaN is also rejected */
		if (end == s || !(number >= 0 && number < LONGEST))
			return start;
		s = skip_blanks(end);
		end = (char *)apply_unit(s, &number);
		if (!end)
			return s;
		s = end;
		sum += number;
		if (!(sum < LONGEST))
			return start;
	}
	*seconds = sum;
	return NULL;
}

/* Use long double, because the product would already be rounded as a double. */
long shim_interval__fraction(double seconds, long per_second)
{
	return (long)((long double)(seconds - (double)(time_t)seconds) * per_second + 0.5L);
}

static int interval_parse(const char *text, double *seconds, char **errmsg)
{
	const char *wrong;

	if (!text || !*text) {
		*errmsg = shim_caret__message("", 0, "Null or empty specification");
		return -1;
	}
	wrong = shim_interval__parse(text, seconds);
	if (!wrong)
		return 0;
	*errmsg = shim_caret__message(text, (size_t)(wrong - text), "unexpected value");
	return -1;
}

/**
 * pmParseInterval() - parse a length of time
 * @string: one or more numbers, each with a unit or in seconds
 * @rslt: their sum; a fraction may be rounded up to a whole second, without a carry
 * @errmsg: on error, a message with the reason and the position, to be freed by the caller
 *
 * Return: 0; -1, also if @string is NULL; or -EINVAL, without a message, if another argument is
 * NULL.
 */
SHIM_API int pmParseInterval(const char *string, struct timeval *rslt, char **errmsg)
{
	double seconds;

	if (!rslt || !errmsg)
		return -EINVAL;
	if (interval_parse(string, &seconds, errmsg))
		return -1;
	rslt->tv_sec = (time_t)seconds;
	rslt->tv_usec = shim_interval__fraction(seconds, 1000000);
	return 0;
}

/**
 * pmParseHighResInterval() - parse a length of time
 * @string: one or more numbers, each with a unit or in seconds
 * @rslt: their sum; a fraction may be rounded up to a whole second, without a carry
 * @errmsg: on error, a message with the reason and the position, to be freed by the caller
 *
 * Return: 0; -1, also if @string is NULL; or -EINVAL, without a message, if another argument is
 * NULL.
 */
SHIM_API int pmParseHighResInterval(const char *string, struct timespec *rslt, char **errmsg)
{
	double seconds;

	if (!rslt || !errmsg)
		return -EINVAL;
	if (interval_parse(string, &seconds, errmsg))
		return -1;
	rslt->tv_sec = (time_t)seconds;
	rslt->tv_nsec = shim_interval__fraction(seconds, 1000000000);
	return 0;
}
