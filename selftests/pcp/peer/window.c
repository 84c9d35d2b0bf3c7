// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parse time windows, dates and zones from random words, and print all results.  The program is
 * built with libshim and with PCP's own library, and runs with still_time.c preloaded.
 *
 * usage: window WHAT SEED TIMES
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "calls.h"

static const struct timespec from = { 1600000000, 500000000 };	/* Sun Sep 13 12:26:40 2020 */
static const struct timespec to = { 1600100000, 250000000 };	/* Mon Sep 14 16:13:20 2020 */

/* In this order of zones, a time without a zone is never ambiguous. */
static const char *const zones[] = { "UTC", "AEST-10", "EST", "PST8", "<+0330>-3:30" };

static const char *const intervals[] = {
	"10", "0", "5min", "1hour", "2 h", "0.75", "-5", "-1hour", "+20min", "+ 3", "-0", "1.25",
	"90sec", "- 1min", "7", "300msec", "1d", "-2days", "foo", "", " 5", "1000000",
	"0.3", "2min 30", "1e2",
};

static const char *const dates[] = {
	"@", "@Sep 14", "@ Sep 13 13:00", "@13:30", "@ 10:00", "@12:26:40.7", "@Mar", "@Aug 2021",
	"@14 10:00", "@Mon Sep 14 10:00:00 2020", "@24", "@31 10pm", "@13:00:00.25 2020",
	"2020-09-14", "2020-09-13 14:00", "2020-09-14 6pm", "14 Sep 2020 10:00", "9/14/2020",
	"2 hours ago", "1 hour", "last hour", "yesterday", "today", "now", "@10am", "@Mon",
	"20200914 10:00", "@-1 hour", "@ 90 min",
};

static const char *pick(void)
{
	unsigned int n = sizeof(intervals) / sizeof(intervals[0]);
	unsigned int all = n + sizeof(dates) / sizeof(dates[0]);
	unsigned int i = random_below(all + 8);

	return i >= all ? NULL : i < n ? intervals[i] : dates[i - n];
}

static void show_window(const char *S, const char *T, const char *A, const char *O,
			const struct timespec *end)
{
	struct timeval start_tv = { from.tv_sec, from.tv_nsec / 1000 }, v[3] = { { 7, 7 } };
	struct timeval end_tv = { end->tv_sec, end->tv_nsec / 1000 };
	struct timespec s[3];
	char *error = NULL;
	int code;

	s[0] = s[1] = s[2] = (struct timespec){ 7, 7 };
	code = pmParseHighResTimeWindow(S, T, A, O, &from, end, &s[0], &s[1], &s[2], &error);

	printf(" %d", code);
	/* The original can round up to 10^9 ns, so carry. */
	for (int i = 0; i < 3; i++)
		printf(" %lld.%09ld", (long long)s[i].tv_sec + s[i].tv_nsec / 1000000000,
		       s[i].tv_nsec % 1000000000);
	if (code < 0)
		show_text(error);
	/* Do not print the warning of code 1, which the original sometimes omits. */
	if (code != 1)
		free(error);
	code = pmParseTimeWindow(S, T, A, O, &start_tv, &end_tv, &v[0], &v[1], &v[2], &error);
	printf(" %d", code);
	for (int i = 0; i < 3 && code >= 0; i++)
		printf(" %lld.%06ld", (long long)v[i].tv_sec + v[i].tv_usec / 1000000,
		       (long)v[i].tv_usec % 1000000);
	if (code != 1)
		free(error);
}

/* Parse random values of all four options for the time window. */
static void window(void)
{
	static const char *const steps[] = {
		"1", "10", "60", "5min", "1hour", "7", "0.5", "0.25", "1day", "90", "foo", "", "0",
		"2 days", "100000",
	};
	const char *S = pick(), *T = pick(), *O = random_below(2) ? pick() : NULL;
	const char *A = random_below(3) ? NULL : steps[random_below(15)];

	pmUseZone((int)random_below(sizeof(zones) / sizeof(zones[0])));
	show_text(S);
	show_text(T);
	show_text(A);
	show_text(O);
	show_window(S, T, A, O, &to);
}

/* Parse options forwards, from a known start to an unknown end. */
static void live(void)
{
	static const struct timespec never = { PM_MAX_TIME_T, 0 };
	const char *S = intervals[random_below(4)], *T = random_below(2) ? intervals[0] : NULL;

	if (random_below(2))
		S = dates[random_below(19)];
	show_text(S);
	/* Use either -A or -O: if sums overflow, the original's origin is one step too early. */
	if (random_below(2))
		show_window(S, T, "60", NULL, &never);
	else
		show_window(S, T, NULL, random_below(2) ? "5min" : NULL, &never);
}

/* Return whether a text is ASCII; in the original, another byte ends the text. */
static int is_ascii(const char *s)
{
	for (; *s; s++)
		if (*s & 0x80)
			return 0;
	return 1;
}

/*
 * Return whether a text contains a year from 2100 on, for which the original counts leap days
 * wrongly.
 */
static int is_far(const char *s)
{
	for (size_t n; *s; s += n + !n) {
		n = strspn(s, "0123456789");
		if (n > 4 || (n == 4 && strncmp(s, "2099", 4) > 0))
			return 1;
	}
	return 0;
}

/*
 * Return whether a text mixes months or years with something else.  If months are combined with a
 * zone, a letter or an offset, the original confuses it with the reporting zone.  If they are
 * combined with other lengths, the interval can end at a 31st that does not exist.
 */
static int is_mixed(const char *s)
{
	static const char *const lengths[] = { "day", "week", "fortnight", "hour", "tomorrow" };
	int letters = 0, alone = strchr(s, ':') != NULL;

	if (!strcasestr(s, "month") && !strcasestr(s, "year"))
		return 0;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		alone |= strcasestr(s, lengths[i]) != NULL;
	for (; *s; s++) {
		letters = isalpha((unsigned char)*s) ? letters + 1 : 0;
		alone |= letters == 1 && !isalpha((unsigned char)s[1]);
	}
	return alone;
}

static void date_of(const char *text)
{
	if (!is_ascii(text) || strrchr(text, '@') > text || is_far(text) || is_mixed(text))
		return;
	pmUseZone((int)random_below(4));
	show_text(text);
	show_window(text, NULL, NULL, NULL, &to);
}

static void fixed_date(void)
{
	static const char *const words[] = {
		"Mon", "sun", "FRI", "Mon ", "Jan", "Sep ", "sep ", "Dec ", "Feb", "1", "12", "13 ",
		"14 ", "23", "24", "25", "31", "32", "10:", "10:00", "12:26", "12:26:40", "13:",
		"13:00", "23:59:61", ":", ":30", ":", "am", "pm", " PM", " ", "2020", " 2021", "2024",
		"1900", "1899", "10000", "61", "62", "0.25", ".5", "60", "59", "+5", "-5", "Monday",
		"foo", ",",
	};
	static char text[600];

	snprintf(text, sizeof(text), "@%s", RANDOM_TEXT(words, 7));
	/* PCP's library parses "nan" as seconds. */
	if (!strcasestr(text, "nan"))
		date_of(text);
}

static void free_date(void)
{
	static const char *const words[] = {
		"2020-09-14 ", "2021-1-2 ", "2020-02-30", "9/20/2020 ", "2021/10/1 ", "10/1 ",
		"13/1/2020", "20 Sep 2020 ", "sep 20, 2021 ", "september 20 ", "Oct. 5 ", "5-Oct-2020 ",
		"10:00 ", "10:00:15 ", "23:60", "24:00", "10am ", "12 pm ", "5 p.m. ",
		"13pm ", "0930 ", "5 ", "17 ", "monday ", "Tues ", "fri, ",
		"second mon ", "third tuesday ", "last sun ", "next week ", "last hour ", "3 fortnights ", "-1 week ", "+2 days ", "1 day ", "36 hours ",
		"90 minutes", "min ", "min. ", "sec", "sec.", "1 secs ", "ago ", "ago. ", "now. ", "sat. ", "week. ", " ago", "yesterday ", "today ",
		"tomorrow ", "now ", "(a (b) c) ", "foo ", ",", "/", ":", "-", "+", "week", "last ", "first ", "twelfth ",
		"2022 ", "1 ", "-2 ",
	};
	static const char *const months[] = { " this month ", " 1 year ", " 2 months ", "", "ago" };
	static const char *const places[] = {
		"10:00+0300 ", "10:00 -05", "est ", "est. ", "edt. ", "a. ", "PDT ", "utc ", "z ", "cet ", "met dst ", "dst ",
		"u.t.c. ", "t",
	};
	static char text[1800];
	size_t len;

	snprintf(text, sizeof(text), "%s%s", random_below(2) ? "@" : "", RANDOM_TEXT(words, 3));
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, " %s", random_below(2) ? RANDOM_TEXT(months, 2) :
		 RANDOM_TEXT(places, 2));
	len = strlen(text);
	snprintf(text + len, sizeof(text) - len, " %s", RANDOM_TEXT(words, 2));
	date_of(text);
}

static void zone(void)
{
	char *name = NULL, text[26];
	struct tm tm;
	time_t t = (time_t)random_below(1u << 31);
	struct timeval tv = { t, random_below(1000000) };
	struct timespec ts = { t, random_below(1000000000) };

	if (random_below(20) == 0)
		printf("%d", pmNewZone(zones[random_below(5)]));
	printf("%d %d", pmUseZone((int)random_below(8) - 1), pmWhichZone(&name));
	show_text(name);
	show_text(pmCtime(&t, text));
	pmLocaltime(&t, &tm);
	printf(" %d %d %ld ", tm.tm_mday, tm.tm_hour, tm.tm_gmtoff);
	pmPrintStamp(stdout, &tv);
	putchar(' ');
	pmPrintHighResStamp(stdout, &ts);
}

static const struct call calls[] = {
	{ "window", window },
	{ "live", live },
	{ "fixeddate", fixed_date },
	{ "freedate", free_date },
	{ "zone", zone },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(zones) / sizeof(zones[0]); i++)
		pmNewZone(zones[i]);
	return MAKE_CALLS(argc, argv, calls);
}
