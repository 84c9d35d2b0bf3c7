// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse dates in the fixed order of ctime(3): day of the week, month, day, hour:min:sec, am or pm,
 * year.  Missing fields are derived from a reference time.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/real.h"
#include "date.h"

#define MAX_HOUR 23
#define MAX_DAY 31
#define MIN_YEAR 1900
#define MAX_YEAR 9999

static const char days[] = "sunmontuewedthufrisat";
static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";

/* The position in the text, and the fields found so far; -1 for a missing field */
struct reader {
	const char *at;
	int wday, mon, mday, hour, min, sec, year;
	long nsec;
};

static const char unexpected[] = "unexpected value";
static const char more[] = "more information expected";

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

/* Return the index of the next word in @names, which has three letters per name, or -1. */
static int take_name(struct reader *r, const char *names)
{
	char first;

	skip_blanks(r);
	first = (char)tolower((unsigned char)*r->at);
	for (int i = 0; names[3 * i]; i++) {
		if (first != names[3 * i] || strncasecmp(r->at, names + 3 * i, 3))
			continue;
		r->at += 3;
		return i;
	}
	return -1;
}

/*
 * Return the next number, or -1 if there is none up to @max.  Set *@end to the position after it.
 */
static long peek_number(const struct reader *r, long max, const char **end)
{
	char *stop;
	long n = shim_digits__parse(r->at, &stop);

	if (stop == r->at || n < 0 || n > max)
		return -1;
	*end = stop;
	return n;
}

static int before_colon(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return *s == ':';
}

/*
 * Return whether an hour follows.  Without a month, a number up to 23 is a day only in that case;
 * otherwise it is an hour.
 */
static int before_hour(const char *s)
{
	struct reader r = { .at = s };
	const char *end;

	skip_blanks(&r);
	return peek_number(&r, MAX_HOUR, &end) >= 0;
}

static void take_day(struct reader *r)
{
	const char *end;
	long n;

	skip_blanks(r);
	n = peek_number(r, MAX_DAY, &end);
	if (n < 0 || (n <= MAX_HOUR && before_colon(end)))
		return;
	if (r->mon < 0 && n <= MAX_HOUR && !before_hour(end))
		return;
	r->mday = n ? (int)n : -1;
	r->at = end;
}

/*
 * Leave an out-of-range number for take_year().  The fraction is truncated to nanoseconds, as in
 * PCP; as a double, the product could be rounded up first.
 */
static void take_seconds(struct reader *r)
{
	char *end;
	double sec;

	skip_blanks(r);
	sec = shim_real__parse(r->at, &end);
	if (end == r->at || !(sec >= 0 && sec <= 61))
		return;
	r->sec = (int)sec;
	r->nsec = (long)((long double)(sec - r->sec) * 1000000000);
	r->at = end;
}

static int take_colon(struct reader *r)
{
	skip_blanks(r);
	if (*r->at != ':')
		return 0;
	r->at++;
	skip_blanks(r);
	return 1;
}

static void take_minutes(struct reader *r)
{
	const char *end;
	long n;

	if (!take_colon(r))
		return;
	/* After a colon, a missing hour and missing minutes are 0. */
	r->hour = r->hour < 0 ? 0 : r->hour;
	r->min = 0;
	n = peek_number(r, 59, &end);
	if (n >= 0) {
		r->min = (int)n;
		r->at = end;
	}
	if (take_colon(r))
		take_seconds(r);
}

/* Read "am" or "pm" if it is next.  Return NULL, or a message about the error at r->at. */
static const char *take_half(struct reader *r)
{
	int pm;

	skip_blanks(r);
	pm = tolower((unsigned char)*r->at) == 'p';
	if (strncasecmp(r->at, pm ? "pm" : "am", 2) || isalpha((unsigned char)r->at[2]))
		return NULL;
	if (r->hour > 12)
		return unexpected;
	r->hour = r->hour % 12 + 12 * pm;
	r->at += 2;
	return NULL;
}

static const char *take_time(struct reader *r)
{
	const char *end;

	skip_blanks(r);
	r->hour = (int)peek_number(r, MAX_HOUR, &end);
	if (r->hour >= 0)
		r->at = end;
	take_minutes(r);
	return r->hour < 0 ? NULL : take_half(r);
}

static void take_year(struct reader *r)
{
	const char *end;
	long n;

	skip_blanks(r);
	n = peek_number(r, MAX_YEAR, &end);
	if (n < MIN_YEAR)
		return;
	r->year = (int)n;
	r->at = end;
}

/*
 * Return whether a time is ambiguous.  Without a month and a day, a time is ambiguous if it has a
 * day of the week, or an hour but neither minutes nor a year.
 */
static int is_vague(const struct reader *r)
{
	if (r->mon >= 0 || r->mday > 0)
		return 0;
	return r->wday >= 0 || (r->hour >= 0 && r->min < 0 && r->year < 0);
}

static const char *take_all(struct reader *r)
{
	const char *wrong;

	r->wday = take_name(r, days);
	r->mon = take_name(r, months);
	take_day(r);
	wrong = take_time(r);
	if (wrong)
		return wrong;
	take_year(r);
	skip_blanks(r);
	if (*r->at)
		return unexpected;
	return is_vague(r) ? more : NULL;
}

/*
 * Fields larger than the largest specified one are copied from @start.  If the largest specified
 * field is less than the same field of @start, the next larger field is increased by one, so that
 * the result is the next time with the specified fields.  Smaller fields that are not specified are
 * set to their minimum.
 */
static void fill_from(const struct reader *r, const struct tm *start, struct tm *tm)
{
	int mon = r->mon, mday = r->mday;

	*tm = *start;
	tm->tm_isdst = -1;
	tm->tm_hour = r->hour < 0 ? 0 : r->hour;
	tm->tm_min = r->min < 0 ? 0 : r->min;
	tm->tm_sec = r->sec < 0 ? 0 : r->sec;
	if (r->year >= 0) {
		tm->tm_year = r->year - 1900;
		tm->tm_mon = mon < 0 ? 0 : mon;
		tm->tm_mday = mday < 0 ? 1 : mday;
	} else if (mon >= 0) {
		tm->tm_year += mon < start->tm_mon;
		tm->tm_mon = mon;
		tm->tm_mday = mday < 0 ? 1 : mday;
	} else if (mday >= 0) {
		tm->tm_mon += mday < start->tm_mday;
		tm->tm_mday = mday;
	} else {
		tm->tm_mday += tm->tm_hour < start->tm_hour;
	}
}

static int says_nothing(const struct reader *r)
{
	return r->year < 0 && r->mon < 0 && r->mday < 0 && r->hour < 0;
}

const char *shim_date__fixed(const char *text, const struct timespec *start,
			     struct timespec *out, size_t *at)
{
	struct reader r = { text, -1, -1, -1, -1, -1, -1, -1, 0 };
	const char *wrong = take_all(&r);
	struct tm from, tm;

	*at = (size_t)(r.at - text);
	if (wrong)
		return wrong;
	if (says_nothing(&r)) {
		*out = *start;
		return NULL;
	}
	*at = 0;
	if (shim_zone__local(start->tv_sec, &from))
		return unexpected;
	fill_from(&r, &from, &tm);
	if (shim_zone__make(&tm, &out->tv_sec))
		return unexpected;
	out->tv_nsec = r.nsec;
	return NULL;
}
