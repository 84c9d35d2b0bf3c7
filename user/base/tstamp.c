// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arithmetic with time stamps, and UTC dates.  Seconds saturate instead of wrapping. */
#include <limits.h>
#include <string.h>

#include "tstamp.h"

/* UTC dates, regardless of the process's time zone */

#define DAY		86400
#define ERA_DAYS	146097	/* days in 400 years */
#define ERA_YEARS	400
#define FROM_MARCH_0	719468	/* days from March 1 of the year 0 to 1970 */

/* Divide by a positive number, and round the quotient down. */
static int64_t divide(int64_t n, int64_t by, int64_t *rest)
{
	int64_t whole = n / by;

	*rest = n % by;
	if (*rest < 0) {
		*rest += by;
		whole--;
	}
	return whole;
}

/*
 * Return the days from 1970 to the first day of a month (0 to 11).  Years are counted from March,
 * so that a leap day is the last day of a year.
 */
static int64_t days_to(int64_t year, int64_t month)
{
	int64_t from_march = (month + 10) % 12, in_era, era;

	era = divide(month < 2 ? year - 1 : year, ERA_YEARS, &in_era);
	return era * ERA_DAYS + in_era * 365 + in_era / 4 - in_era / 100 +
	       (from_march * 153 + 2) / 5 - FROM_MARCH_0;
}

bool shim_civil__date(int64_t t, struct tm *out)
{
	int64_t second, day, days = divide(t, DAY, &second), year, month;
	int64_t era = divide(days + FROM_MARCH_0, ERA_DAYS, &day);

	/* The last days of 4, of 100 and of 400 years are leap days. */
	year = (day - day / 1460 + day / 36524 - day / (ERA_DAYS - 1)) / 365;
	day -= year * 365 + year / 4 - year / 100;
	month = (day * 5 + 2) / 153;
	day -= (month * 153 + 2) / 5;
	month = (month + 2) % 12;
	year += era * ERA_YEARS + (month < 2);
	if (year - 1900 > INT_MAX || year - 1900 < INT_MIN)
		return false;
	memset(out, 0, sizeof(*out));
	out->tm_year = (int)(year - 1900);
	out->tm_mon = (int)month;
	out->tm_mday = (int)day + 1;
	out->tm_hour = (int)(second / 3600);
	out->tm_min = (int)(second / 60 % 60);
	out->tm_sec = (int)(second % 60);
	out->tm_yday = (int)(days - days_to(year, 0));
	divide(days + 4, 7, &day);	/* 1970 began on a Thursday. */
	out->tm_wday = (int)day;
	out->tm_zone = "GMT";
	return true;
}

int64_t shim_civil__time(const struct tm *tm)
{
	int64_t month, year = INT64_C(1900) + tm->tm_year + divide(tm->tm_mon, 12, &month);

	return (days_to(year, month) + tm->tm_mday - 1) * DAY + tm->tm_hour * INT64_C(3600) +
	       tm->tm_min * INT64_C(60) + tm->tm_sec;
}

#define NSEC_PER_SEC	1000000000

static const struct shim_ts ts_min = { INT64_MIN, 0 };
static const struct shim_ts ts_max = { INT64_MAX, NSEC_PER_SEC - 1 };

/* Normalize nsec to 0 .. 999999999, then saturate sec to 64 bits. */
static struct shim_ts finish(__int128 sec, int64_t nsec)
{
	if (nsec < 0) {
		nsec += NSEC_PER_SEC;
		sec--;
	} else if (nsec >= NSEC_PER_SEC) {
		nsec -= NSEC_PER_SEC;
		sec++;
	}
	if (sec < INT64_MIN)
		return ts_min;
	if (sec > INT64_MAX)
		return ts_max;
	return (struct shim_ts){ (int64_t)sec, (int32_t)nsec };
}

struct shim_ts shim_ts__add(struct shim_ts a, struct shim_ts b)
{
	return finish((__int128)a.sec + b.sec, (int64_t)a.nsec + b.nsec);
}

struct shim_ts shim_ts__sub(struct shim_ts a, struct shim_ts b)
{
	return finish((__int128)a.sec - b.sec, (int64_t)a.nsec - b.nsec);
}

struct shim_ts shim_ts__from_ns(int64_t ns)
{
	return finish(ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

double shim_ts__seconds(struct shim_ts difference)
{
	return (double)difference.sec + difference.nsec / 1e9;
}
