/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The words and numbers that a date is made of. */
#ifndef SHIM_PCP_DATE_WORDS_H
#define SHIM_PCP_DATE_WORDS_H

enum shim_date_kind {
	DATE_END,
	DATE_NUMBER,
	DATE_SIGNED,	/* a number with a sign */
	DATE_HALF,	/* 0 for am, 12 for pm */
	DATE_MONTH,	/* 1 to 12 */
	DATE_DAY,	/* 0 to 6 */
	DATE_ZONE,	/* seconds to be added for UTC */
	DATE_SUMMER_ZONE,
	DATE_SUMMER,	/* "dst" behind a zone */
	DATE_MONTHS,	/* a unit, of so many months */
	DATE_SECONDS,	/* a unit, of so many seconds */
	DATE_DAYS,	/* "tomorrow" and the like: so many seconds, from the begin of today */
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

/* The token that is next; *@s moves behind it. */
struct shim_date_token shim_date_words__next(const char **s);

#endif /* SHIM_PCP_DATE_WORDS_H */
