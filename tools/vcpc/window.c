// SPDX-License-Identifier: GPL-2.0-or-later
/* The part of an archive's time that is asked for, as PCP's tools ask for it. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "vcpc.h"
#include "window.h"

#define LONGEST_NS	9e18

int64_t vcpc_ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * VCPC_NSEC_PER_SEC + t.tv_nsec;
}

struct timespec vcpc_of_ns(int64_t ns)
{
	struct timespec t = { ns / VCPC_NSEC_PER_SEC, ns % VCPC_NSEC_PER_SEC };

	if (t.tv_nsec < 0) {
		t.tv_nsec += VCPC_NSEC_PER_SEC;
		t.tv_sec--;
	}
	return t;
}

double vcpc_seconds(struct timespec t)
{
	return (double)t.tv_sec + t.tv_nsec / 1e9;
}

/* Nanoseconds of a unit, 0 if there is no such unit */
static double unit_ns(char *unit, size_t len)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "", 1e9 },	{ "s", 1e9 },	 { "sec", 1e9 },  { "second", 1e9 },
		{ "ms", 1e6 },	{ "msec", 1e6 }, { "millisecond", 1e6 },
		{ "us", 1e3 },	{ "usec", 1e3 }, { "microsecond", 1e3 },
		{ "ns", 1 },	{ "nsec", 1 },	 { "nanosecond", 1 },
		{ "m", 60e9 },	{ "min", 60e9 }, { "minute", 60e9 },
		{ "h", 3600e9 }, { "hr", 3600e9 }, { "hour", 3600e9 },
		{ "d", 86400e9 }, { "day", 86400e9 },
	};

	if (len > 2 && unit[len - 1] == 's')
		unit[len - 1] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcasecmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

int vcpc_parse_interval(const char *text, int64_t *ns)
{
	double sum = 0;

	while (*text) {
		char unit[16] = "";
		char *end;
		double factor, number = strtod(text, &end);
		size_t len;

		if (end == text || !(number >= 0))
			return -EINVAL;
		text = end + strspn(end, " \t");
		len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (len >= sizeof(unit))
			return -EINVAL;
		memcpy(unit, text, len);
		text += len + strspn(text + len, " \t");
		factor = unit_ns(unit, len);
		if (factor == 0)
			return -EINVAL;
		sum += number * factor;
	}
	if (!(sum >= 1 && sum < LONGEST_NS))
		return -EINVAL;
	*ns = llround(sum);
	return 0;
}

/* ".25" behind the seconds, if it is there and nothing else is */
static int parse_fraction(const char *text, int64_t *ns)
{
	double fraction = 0;
	char *end = (char *)text;

	if (*text == '.')
		fraction = strtod(text, &end);
	end += strspn(end, " ");
	*ns = llround(fraction * 1e9);
	return *end ? -EINVAL : 0;
}

/*
 * A date and time of day; what is left out is that of the archive's start, and
 * a time of day that was over by then is the next day's.
 */
static int parse_clock(const char *text, struct timespec near, int64_t *ns)
{
	static const struct {
		const char *format;
		bool day, year;
	} forms[] = {
		{ "%Y-%m-%d %H:%M:%S", true, true },	{ "%Y-%m-%dT%H:%M:%S", true, true },
		{ "%Y-%m-%d %H:%M", true, true },	{ "%Y-%m-%d", true, true },
		{ "%a %b %d %H:%M:%S %Y", true, true },	{ "%a %b %d %H:%M:%S", true, false },
		{ "%b %d %H:%M:%S", true, false },	{ "%b %d %H:%M", true, false },
		{ "%H:%M:%S", false, false },		{ "%H:%M", false, false },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		struct tm tm;
		const char *end;
		int64_t fraction;

		localtime_r(&near.tv_sec, &tm);
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_isdst = -1;
		end = strptime(text, forms[i].format, &tm);
		if (!end || parse_fraction(end, &fraction))
			continue;
		*ns = (int64_t)mktime(&tm) * VCPC_NSEC_PER_SEC + fraction;
		if (!forms[i].day && *ns < vcpc_ns_of(near)) {
			tm.tm_mday++;
			tm.tm_isdst = -1;
			*ns = (int64_t)mktime(&tm) * VCPC_NSEC_PER_SEC + fraction;
		}
		return 0;
	}
	return -EINVAL;
}

/* Behind @start, before @end, or a time of its own that is not before @near's */
static int parse_time(const char *text, int64_t start, int64_t end, struct timespec near,
		      int64_t *ns)
{
	int64_t interval;
	int err;

	text += strspn(text, " ");
	if (*text == '@')
		return parse_clock(text + 1 + strspn(text + 1, " "), near, ns);
	err = vcpc_parse_interval(text + (*text == '-' || *text == '+'), &interval);
	/* none at all is one, too */
	if (err && strspn(text, "+-0") == strlen(text) && *text) {
		interval = 0;
		err = 0;
	}
	if (!err)
		*ns = *text == '-' ? end - interval : start + interval;
	else if (!parse_clock(text, near, ns))
		err = 0;
	return err;
}

static int64_t clamp(int64_t ns, int64_t low, int64_t high)
{
	return ns < low ? low : ns > high ? high : ns;
}

/* The next multiple since 1970 that is not after @high; otherwise it stays */
static int64_t align(int64_t ns, int64_t step, int64_t high)
{
	int64_t rest = ns % step;
	int64_t up = rest ? ns - rest + step : ns;

	return up > high ? ns : up;
}

static int compute(struct vcpc_window *w)
{
	int64_t first = vcpc_ns_of(w->label.start), last = vcpc_ns_of(w->end), step = 0;
	int64_t from = first, to = last, origin;

	if (w->align && vcpc_parse_interval(w->align, &step))
		return vcpc_usage("'%s' is no interval; 500ms or 2sec are", w->align);
	if (w->start && parse_time(w->start, first, last, w->label.start, &from))
		return vcpc_usage("'%s' is no time; 10s, -5min or @14:30 are", w->start);
	from = from < first ? first : from;
	if (step)
		from = align(from, step, last);
	if (w->finish && parse_time(w->finish, from, last, vcpc_of_ns(from), &to))
		return vcpc_usage("'%s' is no time; 10s, -5min or @14:30 are", w->finish);
	to = to > last ? last : to;
	if (from > last || to < from)
		return vcpc_fail(0, "the archive has nothing in that time");
	origin = from;
	if (w->offset && parse_time(w->offset, from, to, vcpc_of_ns(from), &origin))
		return vcpc_usage("'%s' is no time; 10s, -5min or @14:30 are", w->offset);
	origin = clamp(origin, from, to);
	if (step && w->offset)
		origin = align(origin, step, to);
	w->from = vcpc_of_ns(from);
	w->to = vcpc_of_ns(to);
	w->origin = vcpc_of_ns(origin);
	return 0;
}

bool vcpc_window_option(struct vcpc_window *w, int c, const char *arg)
{
	switch (c) {
	case 'S':
		w->start = arg;
		return true;
	case 'T':
		w->finish = arg;
		return true;
	case 'A':
		w->align = arg;
		return true;
	case 'O':
		w->offset = arg;
		return true;
	case 'Z':
		w->zone = arg;
		return true;
	case 'z':
		w->host_zone = true;
		return true;
	default:
		return false;
	}
}

int vcpc_window_set(struct vcpc_window *w, const char *archive)
{
	int err = pmGetHighResArchiveLabel(&w->label);

	if (!err)
		err = pmGetHighResArchiveEnd(&w->end);
	if (err)
		return vcpc_fail_pm(err, archive);
	if (w->zone && w->host_zone)
		return vcpc_usage("-Z and -z are two zones");
	if (w->zone || w->host_zone) {
		setenv("TZ", w->zone ? w->zone : w->label.timezone, 1);
		tzset();
	}
	return compute(w);
}
