/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times and dates in the reporting zone: conversion and parsing */
#ifndef SHIM_PCP_DATE_H
#define SHIM_PCP_DATE_H

#include <stddef.h>
#include <time.h>

int shim_zone__local(time_t t, struct tm *out);
/*
 * Like mktime(), this normalizes @tm.  Return 0, or -EOVERFLOW, which leaves @tm and @out
 * unchanged.
 */
int shim_zone__make(struct tm *tm, time_t *out);

/*
 * Parse a date in the order of ctime(3).  Missing fields are derived from @start.  Return NULL on
 * success, or a message about the error at byte @at of the text.
 */
const char *shim_date__fixed(const char *text, const struct timespec *start,
			     struct timespec *out, size_t *at);

/* Parse a date in any order, or relative to @now, such as "2 weeks ago".  Return 0 or -EINVAL. */
int shim_date__free(const char *text, time_t now, time_t *out);

/* A word or number in a date */
enum shim_date_kind {
	DATE_END,
	DATE_NUMBER,
	DATE_SIGNED,	/* a number with a sign */
	DATE_HALF,	/* 0 for am, 12 for pm */
	DATE_MONTH,	/* 1 to 12 */
	DATE_DAY,	/* 0 to 6 */
	DATE_ZONE,	/* seconds to add to get UTC */
	DATE_SUMMER_ZONE,
	DATE_SUMMER,	/* "dst" after a zone */
	DATE_MONTHS,	/* a unit; the value is in months */
	DATE_SECONDS,	/* a unit; the value is in seconds */
	DATE_DAYS,	/* "tomorrow" etc.: seconds from the start of today */
	DATE_AGO,
	DATE_COLON,
	DATE_SLASH,
	DATE_COMMA,
	DATE_UNKNOWN,
};

struct shim_date_token {
	enum shim_date_kind kind;
	long value;
};

/* Get the next token, and move *@s past it. */
struct shim_date_token shim_date_words__next(const char **s);

#endif /* SHIM_PCP_DATE_H */
