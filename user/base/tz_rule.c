// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse and apply rules for time zones in POSIX syntax, with the limits of the C library. */
#include <ctype.h>
#include <string.h>

#include "tstamp.h"
#include "tz_rule.h"

#define DAY	86400

/*
 * Parse a number.  If it exceeds @most, it becomes @most if @limit is set, as in the C library;
 * otherwise it is an error.  Return the end of the number, or NULL on error.
 */
static const char *number(const char *s, int most, bool limit, int *out)
{
	int n = 0;

	if (!isdigit((unsigned char)*s))
		return NULL;
	for (; isdigit((unsigned char)*s); s++)
		n = n > most ? n : n * 10 + (*s - '0');
	*out = n > most ? most : n;
	return n > most && !limit ? NULL : s;
}

/* Parse [+-]hh[:mm[:ss]]. */
static const char *clock_time(const char *s, int hours, int32_t *out)
{
	int sign = *s == '-' ? -1 : 1, h, m = 0, sec = 0;

	if (*s == '-' || *s == '+')
		s++;
	s = number(s, hours, true, &h);
	if (s && *s == ':')
		s = number(s + 1, 59, true, &m);
	if (s && *s == ':')
		s = number(s + 1, 59, true, &sec);
	if (s)
		*out = sign * (h * 3600 + m * 60 + sec);
	return s;
}

static const char *zone_name(const char *s, char name[SHIM_TZ_NAME])
{
	bool quoted = *s == '<';
	size_t n = 0;

	s += quoted;
	while (quoted ? isalnum((unsigned char)s[n]) || s[n] == '+' || s[n] == '-' :
			isalpha((unsigned char)s[n]))
		n++;
	if (n < 3 || n >= SHIM_TZ_NAME || (quoted && s[n] != '>'))
		return NULL;
	memcpy(name, s, n);
	name[n] = '\0';
	return s + n + quoted;
}

/* Parse Mm.w.d, Jn or n, and /time. */
static const char *take_change(const char *s, struct shim_tz_change *c)
{
	c->time = 2 * 3600;
	if (*s == 'M') {
		c->form = DAY_OF_MONTH_WEEK;
		s = number(s + 1, 12, false, &c->month);
		s = s && *s == '.' ? number(s + 1, 5, false, &c->week) : NULL;
		s = s && *s == '.' ? number(s + 1, 6, false, &c->day) : NULL;
		if (!s || !c->month || !c->week)
			return NULL;
	} else {
		c->form = *s == 'J' ? DAY_BUT_LEAP : DAY_FROM_0;
		s = number(s + (*s == 'J'), 365, false, &c->day);
		if (!s || (c->form == DAY_BUT_LEAP && !c->day))
			return NULL;
	}
	return *s == '/' ? clock_time(s + 1, 167, &c->time) : s;
}

/**
 * shim_tz_rule__parse() - parse a rule such as "EST5EDT,M3.2.0,M11.1.0"
 * @s: the text.  If it contains no dates, those of the United States since 2007 apply.
 * @r: set to the rule, except for the pointers to the names
 *
 * Return: false if the text is not a rule.
 */
bool shim_tz_rule__parse(const char *s, struct shim_tz_rule *r)
{
	static const char usual[] = ",M3.2.0,M11.1.0";
	int32_t west;

	*r = (struct shim_tz_rule){ 0 };
	s = zone_name(s, r->names[0]);
	s = s ? clock_time(s, 24, &west) : NULL;
	if (!s)
		return false;
	r->kind[0].offset = -west;
	if (!*s)
		return true;
	s = zone_name(s, r->names[1]);
	if (!s)
		return false;
	west -= 3600;
	if (*s && *s != ',')
		s = clock_time(s, 24, &west);
	if (!s)
		return false;
	r->kind[1] = (struct shim_tz_kind){ .offset = -west, .dst = true };
	r->has_dst = true;
	if (!*s)
		s = usual;
	for (int i = 0; s && i < 2; i++)
		s = *s == ',' ? take_change(s + 1, &r->change[i]) : NULL;
	return s && !*s;
}

static bool is_leap(int64_t year)
{
	return year % 4 == 0 && (year % 100 || year % 400 == 0);
}

/*
 * Return the days from 1970 to January 1 of @year; 0 for earlier years, as in the C library's
 * rules.
 */
static int64_t days_before(int64_t year)
{
	int64_t y = year - 1;

	return year > 1970 ? y * 365 + y / 4 - y / 100 + y / 400 - 719162 : 0;
}

/* Return the seconds from 1970 to the change in @year, in the local time before it. */
static int64_t change_in(const struct shim_tz_change *c, int64_t year)
{
	static const int before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365 };
	int64_t first = days_before(year), day;
	int length, weekday;

	if (c->form == DAY_BUT_LEAP) {
		day = first + c->day - 1 + (is_leap(year) && c->day > 59);
	} else if (c->form == DAY_FROM_0) {
		day = first + c->day;
	} else {
		length = before[c->month] - before[c->month - 1] + (c->month == 2 && is_leap(year));
		day = first + before[c->month - 1] + (c->month > 2 && is_leap(year));
		/* 1970 began on a Thursday. */
		weekday = (int)(((day + 4) % 7 + 7) % 7);
		weekday = (c->day - weekday + 7) % 7 + (c->week - 1) * 7;
		day += weekday < length ? weekday : weekday - 7;
	}
	return day * DAY + c->time;
}

/** shim_tz_rule__kind() - return the kind of time that a rule applies at a time */
const struct shim_tz_kind *shim_tz_rule__kind(const struct shim_tz_rule *r, time_t t)
{
	int64_t from, to;
	struct tm utc;
	bool dst;

	if (!r->has_dst || !shim_civil__date(t, &utc))
		return &r->kind[0];
	from = change_in(&r->change[0], utc.tm_year + 1900ll) - r->kind[0].offset;
	to = change_in(&r->change[1], utc.tm_year + 1900ll) - r->kind[1].offset;
	dst = from > to ? !(t >= to && t < from) : t >= from && t < to;
	return &r->kind[dst];
}
