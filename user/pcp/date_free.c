// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Dates in any order, and relative dates: "Sep 14, 2020 10:00", "yesterday 10:00", "second monday",
 * "2 weeks ago".
 *
 * A date is a sequence of items: a time of day, a zone, a day of the week, a day, durations, and
 * plain numbers, which fill in a part that the date still lacks.  The first one or two tokens
 * determine the kind of an item; the item then includes as many of the following tokens as fit.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/tstamp.h"
#include "date.h"

#define MAX_TOKENS 64
#define DAY 86400L
#define NOT_GIVEN LONG_MIN

struct date {
	struct shim_date_token tokens[MAX_TOKENS + 1];
	const struct shim_date_token *at;
	int times, zones, days, dates, day_lengths, lengths;	/* number of items of each kind */
	long year, mon, mday;
	long hour, min, sec;
	int half;		/* 0 for am, 12 for pm, -1 for 24-hour time */
	long wday, ordinal;
	int zoned;
	long west;		/* seconds west of UTC, if @zoned */
	long months, seconds;	/* totals of all durations */
};

/* If the next token has this kind, consume it and get its value. */
static int date_take(struct date *d, enum shim_date_kind kind, long *value)
{
	if (d->at->kind != kind)
		return 0;
	if (value)
		*value = d->at->value;
	d->at++;
	return 1;
}

static void set_zone(struct date *d, long west)
{
	d->zones++;
	d->zoned = 1;
	d->west = west;
}

/* Set the offset from a signed hhmm after a time.  A zone that follows overrides it. */
static void set_offset(struct date *d, long value)
{
	d->zoned = 1;
	d->west = -(value % 100 + value / 100 * 60) * 60;
}

static void set_time(struct date *d, long hour, long min)
{
	d->times++;
	d->hour = hour;
	d->min = min;
	d->sec = 0;
	d->half = -1;
}

/* Parse the part after "hour:". */
static int take_time(struct date *d, long hour)
{
	long value;

	set_time(d, hour, 0);
	if (!date_take(d, DATE_NUMBER, &d->min))
		return -EINVAL;
	if (date_take(d, DATE_COLON, NULL) && !date_take(d, DATE_NUMBER, &d->sec))
		return -EINVAL;
	if (date_take(d, DATE_SIGNED, &value))
		set_offset(d, value);
	else if (date_take(d, DATE_HALF, &value))
		d->half = (int)value;
	return 0;
}

/* Parse the part after "first/": the date is month/day, month/day/year or year/month/day. */
static int take_slashed(struct date *d, long first)
{
	long second, third;

	d->dates++;
	if (!date_take(d, DATE_NUMBER, &second))
		return -EINVAL;
	d->mon = first;
	d->mday = second;
	if (!date_take(d, DATE_SLASH, NULL))
		return 0;
	if (!date_take(d, DATE_NUMBER, &third))
		return -EINVAL;
	if (first >= 1000) {
		d->year = first;
		d->mon = second;
		d->mday = third;
	} else {
		d->year = third;
	}
	return 0;
}

/*
 * Parse the part after "year-month".  The lexer reads the hyphens as signs, so month and day are
 * negative.
 */
static int take_hyphened(struct date *d, long year, long month)
{
	long day;

	d->dates++;
	if (!date_take(d, DATE_SIGNED, &day))
		return -EINVAL;
	d->year = year;
	d->mon = -month;
	d->mday = -day;
	return 0;
}

static int add_length(struct date *d, long n, const struct shim_date_token *unit)
{
	long *sum = unit->kind == DATE_MONTHS ? &d->months : &d->seconds, more;

	/* Reject LONG_MIN, which "ago" could not negate. */
	if (__builtin_mul_overflow(n, unit->value, &more) || __builtin_add_overflow(*sum, more, sum) ||
	    *sum == LONG_MIN)
		return -EINVAL;
	if (unit->kind == DATE_DAYS)
		d->day_lengths++;
	else
		d->lengths++;
	/* "ago" negates all durations so far: both of them in "1 day 5 min ago". */
	if (date_take(d, DATE_AGO, NULL)) {
		d->months = -d->months;
		d->seconds = -d->seconds;
	}
	return 0;
}

static int is_length(const struct shim_date_token *t)
{
	return t->kind == DATE_MONTHS || t->kind == DATE_SECONDS || t->kind == DATE_DAYS;
}

static void set_day(struct date *d, long ordinal, long wday)
{
	d->days++;
	d->ordinal = ordinal;
	d->wday = wday;
}

/*
 * A plain number is the year if it follows a date and a time without durations.  Otherwise, it is
 * yyyymmdd if it is above 10000, and a time of day, hh or hhmm, if not.
 */
static void take_alone(struct date *d, long n)
{
	if (d->times && d->dates && !d->lengths && !d->day_lengths) {
		d->year = n;
	} else if (n > 10000) {
		d->dates++;
		d->mday = n % 100;
		d->mon = n / 100 % 100;
		d->year = n / 10000;
	} else {
		set_time(d, n < 100 ? n : n / 100, n < 100 ? 0 : n % 100);
	}
}

static int take_day_month(struct date *d, long day)
{
	long year;

	d->dates++;
	d->mday = day;
	if (date_take(d, DATE_NUMBER, &year))
		d->year = year;
	else if (date_take(d, DATE_SIGNED, &year))
		d->year = -year;
	return 0;
}

static int take_number_item(struct date *d, long n)
{
	long value;

	if (date_take(d, DATE_COLON, NULL))
		return take_time(d, n);
	if (date_take(d, DATE_SLASH, NULL))
		return take_slashed(d, n);
	if (date_take(d, DATE_SIGNED, &value))
		return take_hyphened(d, n, value);
	if (date_take(d, DATE_MONTH, &d->mon))
		return take_day_month(d, n);
	if (date_take(d, DATE_HALF, &value)) {
		set_time(d, n, 0);
		d->half = (int)value;
	} else if (date_take(d, DATE_DAY, &value)) {
		set_day(d, n, value);
	} else if (is_length(d->at)) {
		const struct shim_date_token *unit = d->at++;

		return add_length(d, n, unit);
	} else {
		take_alone(d, n);
	}
	return 0;
}

static int take_month_day(struct date *d)
{
	d->dates++;
	if (!date_take(d, DATE_NUMBER, &d->mday))
		return -EINVAL;
	if (date_take(d, DATE_COMMA, NULL) && !date_take(d, DATE_NUMBER, &d->year))
		return -EINVAL;
	return 0;
}

static int take_item(struct date *d)
{
	const struct shim_date_token *t = d->at++;

	switch (t->kind) {
	case DATE_NUMBER:
		return take_number_item(d, t->value);
	case DATE_SIGNED:
		if (!is_length(d->at))
			return -EINVAL;
		d->at++;
		return add_length(d, t->value, d->at - 1);
	case DATE_MONTH:
		d->mon = t->value;
		return take_month_day(d);
	case DATE_DAY:
		set_day(d, 1, t->value);
		date_take(d, DATE_COMMA, NULL);
		return 0;
	case DATE_ZONE:
		set_zone(d, t->value - 3600 * date_take(d, DATE_SUMMER, NULL));
		return 0;
	case DATE_SUMMER_ZONE:
		set_zone(d, t->value - 3600);
		return 0;
	default:
		if (!is_length(t))
			return -EINVAL;
		return add_length(d, 1, t);
	}
}

static int take_tokens(struct date *d, const char *text)
{
	int n = 0;

	do {
		if (n > MAX_TOKENS)
			return -EINVAL;
		d->tokens[n] = shim_date_words__next(&text);
	} while (d->tokens[n++].kind != DATE_END);
	d->at = d->tokens;
	while (d->at->kind != DATE_END)
		if (take_item(d))
			return -EINVAL;
	return d->times > 1 || d->zones > 1 || d->days > 1 || d->dates > 1 || d->day_lengths > 1 ?
	       -EINVAL : 0;
}

static int days_in(long mon, long year)
{
	static const char days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[mon - 1] + (mon == 2 && leap);
}

static int is_date(const struct date *d)
{
	return d->year >= 1970 && d->year <= 100000 && d->mon >= 1 && d->mon <= 12 &&
	       d->mday >= 1 && d->mday <= days_in(d->mon, d->year);
}

static int is_time(const struct date *d)
{
	if (d->half >= 0 && (d->hour < 1 || d->hour > 12))
		return 0;
	return d->hour >= 0 && d->hour <= 23 && d->min >= 0 && d->min <= 59 && d->sec >= 0 &&
	       d->sec <= 59;
}

/* Two-digit years mean 1969 to 2068. */
static long full_year(long year)
{
	year = year < 0 ? -year : year;
	return year + (year < 69 ? 2000 : year < 100 ? 1900 : 0);
}

/* Convert the date and the time of day to a time_t. */
static int base_time(struct date *d, time_t *out)
{
	struct tm tm = { 0 };

	d->year = full_year(d->year);
	if (!is_date(d) || !is_time(d))
		return -EINVAL;
	tm.tm_year = (int)d->year - 1900;
	tm.tm_mon = (int)d->mon - 1;
	tm.tm_mday = (int)d->mday;
	tm.tm_hour = (int)(d->half < 0 ? d->hour : d->hour % 12 + d->half);
	tm.tm_min = (int)d->min;
	tm.tm_sec = (int)d->sec;
	tm.tm_isdst = -1;
	if (!d->zoned)
		return shim_zone__make(&tm, out);
	*out = shim_civil__time(&tm) + d->west;
	return 0;
}

/* Move by whole days and months, keeping the time of day. */
static int date_move(time_t *t, long days, long months)
{
	struct tm tm;
	long months_now;

	if (shim_zone__local(*t, &tm))
		return -EINVAL;
	months_now = tm.tm_year * 12L + tm.tm_mon + months;
	if (days > 1000000000 || days < -1000000000 || months_now > 1000000000 ||
	    months_now < -1000000000)
		return -EINVAL;
	tm.tm_year = (int)(months_now / 12);
	tm.tm_mon = (int)(months_now % 12);
	tm.tm_mday += (int)days;
	tm.tm_isdst = -1;
	return shim_zone__make(&tm, t);
}

/*
 * Move to the next day with that name, which may be the same day, and by weeks for an ordinal: 1 is
 * that day, 2 ("next") a week later, -1 ("last") a week earlier.
 */
static int move_to_wday(const struct date *d, time_t *t)
{
	struct tm tm;

	if (shim_zone__local(*t, &tm))
		return -EINVAL;
	return date_move(t, (d->wday - tm.tm_wday + 7) % 7 +
			 7 * (d->ordinal <= 0 ? d->ordinal : d->ordinal - 1), 0);
}

/* Set the missing parts of the date to those of @now. */
static int fill_date(struct date *d, time_t now)
{
	struct tm tm;

	if (d->year != NOT_GIVEN && d->mon != NOT_GIVEN && d->mday != NOT_GIVEN)
		return 0;	/* the conversion takes long */
	if (shim_zone__local(now, &tm))
		return -EINVAL;
	if (d->year == NOT_GIVEN)
		d->year = tm.tm_year + 1900L;
	if (d->mon == NOT_GIVEN)
		d->mon = tm.tm_mon + 1;
	if (d->mday == NOT_GIVEN)
		d->mday = tm.tm_mday;
	return 0;
}

static int to_midnight(time_t *t)
{
	struct tm tm;

	if (shim_zone__local(*t, &tm))
		return -EINVAL;
	*t -= tm.tm_hour * 3600L + tm.tm_min * 60L + tm.tm_sec;
	return 0;
}

int shim_date__free(const char *text, time_t now, time_t *out)
{
	struct date d = { .half = -1, .year = NOT_GIVEN, .mon = NOT_GIVEN, .mday = NOT_GIVEN };
	time_t t = now;

	if (take_tokens(&d, text))
		return -EINVAL;
	/*
	 * Durations alone are added to the current time, everything else to the specified time of
	 * day or midnight.
	 */
	if (d.dates || d.times || d.days || d.day_lengths) {
		if (fill_date(&d, now) || base_time(&d, &t) || t < 0)
			return -EINVAL;
	} else if (!d.lengths && to_midnight(&t)) {
		return -EINVAL;
	}
	if (__builtin_add_overflow(t, d.seconds, &t) || (d.months && date_move(&t, 0, d.months)) ||
	    (d.days && !d.dates && move_to_wday(&d, &t)))
		return -EINVAL;
	*out = t;
	return 0;
}
