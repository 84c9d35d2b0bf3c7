/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words and numbers in a date. */
#ifndef SHIM_PCP_DATE_WORDS_H
#define SHIM_PCP_DATE_WORDS_H

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
	DATE_MONTHS,	/* a unit; its number of months */
	DATE_SECONDS,	/* a unit; its number of seconds */
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

/* Get the next token; *@s is moved past it. */
struct shim_date_token shim_date_words__next(const char **s);

#endif /* SHIM_PCP_DATE_WORDS_H */
