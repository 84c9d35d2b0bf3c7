// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse lengths of time such as "1hour 30min", and the time window that a tool's options -S, -T, -A
 * and -O request.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/real.h"
#include "texts.h"
#include "date.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define LONGEST 0x1p63	/* seconds */
#define NSEC_PER_SEC 1000000000
#define COULD_NOT_ALIGN "alignment specified by -A switch could not be applied"

static const struct {
	const char *name;
	double per_second, seconds;	/* one of these is 1 */
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

/* Return whether the word is the name, alone or followed by one "s". */
static int is_unit(const char *word, size_t len, const char *name)
{
	size_t n = strlen(name);

	return !strncasecmp(word, name, n) &&
	       (len == n || (len == n + 1 && (word[n] == 's' || word[n] == 'S')));
}

/*
 * Convert a number to seconds according to the unit after it.  Return the end of the unit, or NULL
 * if it is unknown.
 */
static const char *apply_unit(const char *s, double *number)
{
	char first = (char)tolower((unsigned char)*s);
	size_t len = 0;

	while (isalpha((unsigned char)s[len]))
		len++;
	if (!len)
		return s;
	for (size_t i = 0; i < LENGTH(units); i++) {
		if (first != *units[i].name || !is_unit(s, len, units[i].name))
			continue;
		*number = *number * units[i].seconds / units[i].per_second;
		return s + len;
	}
	return NULL;
}

/*
 * Parse an interval.  Return NULL, or the position of the error in @s.  For a blank text, set
 * @seconds to 0.
 */
static const char *interval_scan(const char *s, double *seconds)
{
	double sum = 0;

	for (s = skip_blanks(s); *s; s = skip_blanks(s)) {
		const char *start = s;
		char *end;
		double number = shim_real__parse(s, &end);

		/* The condition also rejects NaN. */
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

/*
 * Return the fraction of a second, in units of 1 / @per_second.  It may be rounded up to
 * @per_second.  Compute it as a long double, because a double would already round the product.
 */
static long interval_fraction(double seconds, long per_second)
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
	wrong = interval_scan(text, seconds);
	if (!wrong)
		return 0;
	*errmsg = shim_caret__message(text, (size_t)(wrong - text), "unexpected value");
	return -1;
}

/**
 * pmParseInterval() - parse a length of time
 * @string: one or more numbers, each with a unit or in seconds
 * @rslt: the sum; its fraction may be rounded up to a whole second, without a carry
 * @errmsg: on error, a message with the reason and the position, to be freed by the caller
 *
 * Return: 0; -1, including if @string is NULL; or -EINVAL, without a message, if another
 * argument is NULL.
 */
SHIM_API int pmParseInterval(const char *string, struct timeval *rslt, char **errmsg)
{
	double seconds;

	if (!rslt || !errmsg)
		return -EINVAL;
	if (interval_parse(string, &seconds, errmsg))
		return -1;
	rslt->tv_sec = (time_t)seconds;
	rslt->tv_usec = interval_fraction(seconds, 1000000);
	return 0;
}

/**
 * pmParseHighResInterval() - parse a length of time
 * @string: one or more numbers, each with a unit or in seconds
 * @rslt: the sum; its fraction may be rounded up to a whole second, without a carry
 * @errmsg: on error, a message with the reason and the position, to be freed by the caller
 *
 * Return: 0; -1, including if @string is NULL; or -EINVAL, without a message, if another
 * argument is NULL.
 */
SHIM_API int pmParseHighResInterval(const char *string, struct timespec *rslt, char **errmsg)
{
	double seconds;

	if (!rslt || !errmsg)
		return -EINVAL;
	if (interval_parse(string, &seconds, errmsg))
		return -1;
	rslt->tv_sec = (time_t)seconds;
	rslt->tv_nsec = interval_fraction(seconds, 1000000000);
	return 0;
}

/* Nanoseconds since 1970. 64 bits would be too few for PM_MAX_TIME_T, an unknown end. */
typedef __int128 instant;

static instant from_timespec(const struct timespec *ts)
{
	return (instant)ts->tv_sec * NSEC_PER_SEC + ts->tv_nsec;
}

/* Clamp to the nearest valid time. */
static instant bounded(instant t)
{
	const instant least = (instant)INT64_MIN * NSEC_PER_SEC;
	const instant most = (instant)INT64_MAX * NSEC_PER_SEC + NSEC_PER_SEC - 1;

	return t < least ? least : t > most ? most : t;
}

static struct timespec to_timespec(instant t)
{
	int64_t near = (int64_t)t;
	struct timespec ts;

	t = bounded(t);
	if (near == t)	/* a division of 64 bits is faster */
		ts = (struct timespec){ near / NSEC_PER_SEC, near % NSEC_PER_SEC };
	else
		ts = (struct timespec){ (time_t)(t / NSEC_PER_SEC), (long)(t % NSEC_PER_SEC) };
	if (ts.tv_nsec < 0) {
		ts.tv_nsec += NSEC_PER_SEC;
		ts.tv_sec--;
	}
	return ts;
}

static instant from_seconds(double seconds)
{
	return (instant)(time_t)seconds * NSEC_PER_SEC +
	       interval_fraction(seconds, NSEC_PER_SEC);
}

/* Return whether a blank and a unit of relative times occur in a text. */
static bool has_unit(const char *text)
{
	static const char *const names[] = {
		"year", "month", "fortnight", "week", "day", "hour", "min", "sec",
	};

	for (text = strchr(text, ' '); text; text = strchr(text, ' ')) {
		char first = (char)tolower((unsigned char)*++text);

		for (size_t i = 0; i < LENGTH(names); i++)
			if (first == *names[i] && !strncasecmp(text, names[i], strlen(names[i])))
				return true;
	}
	return false;
}

/*
 * Return the base of a relative time: "2 weeks" counts from the window's start, "2 weeks ago" from
 * its end.
 */
static time_t base_of(const char *text, const struct timespec *start, const struct timespec *end)
{
	text = skip_blanks(text);
	if (!has_unit(text))
		return time(NULL);
	if (end->tv_sec == PM_MAX_TIME_T)
		return start->tv_sec;
	return *text == '-' || strcasestr(text, "ago") || strcasestr(text, "last") ?
	       end->tv_sec : start->tv_sec;
}

static int parse_free(const char *text, const struct timespec *start, const struct timespec *end,
		      instant *out)
{
	time_t t;
	int err = shim_date__free(text, base_of(text, start, end), &t);

	if (!err)
		*out = (instant)t * NSEC_PER_SEC;
	return err;
}

static int parse_date(const char *text, const struct timespec *start, const struct timespec *end,
		      instant *out, char **errmsg)
{
	struct timespec t;
	size_t at;
	const char *wrong = shim_date__fixed(text, start, &t, &at);

	if (!wrong)
		*out = from_timespec(&t);
	else if (parse_free(text, start, end, out)) {
		*errmsg = shim_caret__message(text, at, wrong);
		return -1;
	}
	return 0;
}

/* Parse a time, which may be relative to the window from @start to @end. */
static int parse_time(const char *text, const struct timespec *start, const struct timespec *end,
		      instant *out, char **errmsg)
{
	const char *wrong;
	double seconds;
	bool back;

	while (isspace((unsigned char)*text))
		text++;
	if (*text == '@')
		return parse_date(text + 1, start, end, out, errmsg);
	back = *text == '-' && end->tv_sec != PM_MAX_TIME_T;
	if (back || *text == '+')
		text++;
	wrong = *text ? interval_scan(text, &seconds) : text;
	if (!wrong) {
		*out = back ? from_timespec(end) - from_seconds(seconds) :
			      from_timespec(start) + from_seconds(seconds);
		return 0;
	}
	if (!parse_free(text, start, end, out))
		return 0;
	*errmsg = shim_caret__message(text, (size_t)(wrong - text), "unexpected value");
	return -1;
}

static instant round_up(instant t, instant step)
{
	bool near = (int64_t)t == t && (int64_t)step == step;
	instant rest = near ? (int64_t)t % (int64_t)step : t % step;

	return rest <= 0 ? t - rest : t - rest + step;
}

struct window {
	struct timespec log_start, log_end;
	instant start, end, offset, step;
	bool aligned;
};

static int parse_align(struct window *w, const char *text, char **errmsg)
{
	struct timespec step;

	if (pmParseHighResInterval(text, &step, errmsg))
		return -1;
	w->step = from_timespec(&step);
	if (w->step > 0)
		return 0;
	*errmsg = shim_caret__message(text, 0, COULD_NOT_ALIGN);
	return -1;
}

static void align_start(struct window *w)
{
	instant up;

	if (!w->step)
		return;
	up = round_up(w->start, w->step);
	w->aligned = up >= from_timespec(&w->log_start) && up <= from_timespec(&w->log_end);
	if (w->aligned)
		w->start = up;
}

static void clamp_offset(struct window *w)
{
	instant aligned;

	if (w->offset < w->start)
		w->offset = w->start;
	else if (w->offset > w->end)
		w->offset = w->end;
	if (!w->aligned)
		return;
	aligned = round_up(w->offset, w->step);
	if (aligned > w->end)
		aligned -= w->step;
	w->aligned = aligned >= w->start;
	if (w->aligned)
		w->offset = aligned;
}

static int parse_all(struct window *w, const char *S, const char *T, const char *A, const char *O,
		     char **errmsg)
{
	struct timespec start, end;

	w->start = from_timespec(&w->log_start);
	w->end = from_timespec(&w->log_end);
	if (S && parse_time(S, &w->log_start, &w->log_end, &w->start, errmsg))
		return -1;
	if (A && parse_align(w, A, errmsg))
		return -1;
	if (w->start < from_timespec(&w->log_start))
		w->start = from_timespec(&w->log_start);
	align_start(w);
	start = to_timespec(w->start);
	if (T && parse_time(T, &start, &w->log_end, &w->end, errmsg))
		return -1;
	if (w->end > from_timespec(&w->log_end))
		w->end = from_timespec(&w->log_end);
	end = to_timespec(w->end);
	w->offset = w->start;
	if (!O)
		return 0;
	if (parse_time(O, &start, &end, &w->offset, errmsg))
		return -1;
	clamp_offset(w);
	return 0;
}

/**
 * pmParseHighResTimeWindow() - compute the time window for the options -S, -T, -A and -O of PCP's
 * tools
 * @swStart: -S, or NULL
 * @swEnd: -T, or NULL
 * @swAlign: -A, or NULL
 * @swOffset: -O, or NULL
 * @logStart: the archive's start
 * @logEnd: the archive's end; tv_sec is PM_MAX_TIME_T if it is unknown
 * @rsltStart: the window's start
 * @rsltEnd: the window's end
 * @rsltOffset: the time in the window at which to begin
 * @errMsg: if the result is not 1, a message, to be freed by the caller
 *
 * Dates are in the reporting zone.
 *
 * Return: 1; 0 if the start could not be aligned, and is therefore unaligned; -1 if a text is
 * invalid.
 */
SHIM_API int pmParseHighResTimeWindow(const char *swStart, const char *swEnd, const char *swAlign,
				      const char *swOffset, const struct timespec *logStart,
				      const struct timespec *logEnd, struct timespec *rsltStart,
				      struct timespec *rsltEnd, struct timespec *rsltOffset,
				      char **errMsg)
{
	struct window w;

	if (!logStart || !logEnd || !rsltStart || !rsltEnd || !rsltOffset || !errMsg)
		return -EINVAL;
	w = (struct window){ .log_start = *logStart, .log_end = *logEnd };
	if (parse_all(&w, swStart, swEnd, swAlign, swOffset, errMsg))
		return -1;
	*rsltStart = to_timespec(w.start);
	*rsltEnd = to_timespec(w.end);
	*rsltOffset = to_timespec(w.offset);
	if (!swAlign || w.aligned)
		return 1;
	*errMsg = shim_caret__message(swAlign, 0, COULD_NOT_ALIGN);
	return 0;
}

static struct timespec timespec_of(const struct timeval *tv)
{
	return (struct timespec){ tv->tv_sec, tv->tv_usec * 1000 };
}

static struct timeval timeval_of(const struct timespec *ts)
{
	return (struct timeval){ ts->tv_sec, ts->tv_nsec / 1000 };
}

/**
 * pmParseTimeWindow() - compute the time window for the options -S, -T, -A and -O of PCP's tools
 * @swStart: -S, or NULL
 * @swEnd: -T, or NULL
 * @swAlign: -A, or NULL
 * @swOffset: -O, or NULL
 * @logStart: the archive's start
 * @logEnd: the archive's end; tv_sec is PM_MAX_TIME_T if it is unknown
 * @rsltStart: the window's start
 * @rsltEnd: the window's end
 * @rsltOffset: the time in the window at which to begin
 * @errMsg: if the result is not 1, a message, to be freed by the caller
 *
 * Return: 1; 0 if the start could not be aligned, and is therefore unaligned; -1 if a text is
 * invalid.
 */
SHIM_API int pmParseTimeWindow(const char *swStart, const char *swEnd, const char *swAlign,
			       const char *swOffset, const struct timeval *logStart,
			       const struct timeval *logEnd, struct timeval *rsltStart,
			       struct timeval *rsltEnd, struct timeval *rsltOffset, char **errMsg)
{
	struct timespec from, to, start, end, offset;
	int code;

	if (!logStart || !logEnd || !rsltStart || !rsltEnd || !rsltOffset)
		return -EINVAL;
	from = timespec_of(logStart);
	to = timespec_of(logEnd);
	code = pmParseHighResTimeWindow(swStart, swEnd, swAlign, swOffset, &from, &to, &start, &end,
					&offset, errMsg);
	if (code < 0)
		return code;
	*rsltStart = timeval_of(&start);
	*rsltEnd = timeval_of(&end);
	*rsltOffset = timeval_of(&offset);
	return code;
}
