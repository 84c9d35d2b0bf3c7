// SPDX-License-Identifier: LGPL-2.1-or-later
/* Split a date into words and numbers. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "date.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define HOUR 3600L
#define DAY (24 * HOUR)
#define WORD_MAX 20	/* longer than all known words */

struct word {
	const char *name;
	struct shim_date_token token;
};

static const struct word halves[] = {
	{ "am", { DATE_HALF, 0 } }, { "a.m.", { DATE_HALF, 0 } },
	{ "pm", { DATE_HALF, 12 } }, { "p.m.", { DATE_HALF, 12 } },
};

/* These words can be abbreviated to three letters; see find_short(). */
static const struct word months_and_days[] = {
	{ "january", { DATE_MONTH, 1 } }, { "february", { DATE_MONTH, 2 } },
	{ "march", { DATE_MONTH, 3 } }, { "april", { DATE_MONTH, 4 } },
	{ "may", { DATE_MONTH, 5 } }, { "june", { DATE_MONTH, 6 } },
	{ "july", { DATE_MONTH, 7 } }, { "august", { DATE_MONTH, 8 } },
	{ "september", { DATE_MONTH, 9 } }, { "sept", { DATE_MONTH, 9 } },
	{ "october", { DATE_MONTH, 10 } }, { "november", { DATE_MONTH, 11 } },
	{ "december", { DATE_MONTH, 12 } },
	{ "sunday", { DATE_DAY, 0 } }, { "monday", { DATE_DAY, 1 } },
	{ "tuesday", { DATE_DAY, 2 } }, { "tues", { DATE_DAY, 2 } },
	{ "wednesday", { DATE_DAY, 3 } }, { "wednes", { DATE_DAY, 3 } },
	{ "thursday", { DATE_DAY, 4 } }, { "thur", { DATE_DAY, 4 } },
	{ "thurs", { DATE_DAY, 4 } }, { "friday", { DATE_DAY, 5 } },
	{ "saturday", { DATE_DAY, 6 } },
};

#define WEST(name, hours)	{ name, { DATE_ZONE, (hours) * HOUR } }
#define WEST_SUMMER(name, hours) { name, { DATE_SUMMER_ZONE, (hours) * HOUR } }

static const struct word zones[] = {
	WEST("gmt", 0), WEST("ut", 0), WEST("utc", 0), WEST("wet", 0), WEST_SUMMER("bst", 0),
	WEST("wat", 1), WEST("at", 2), WEST("ast", 4), WEST_SUMMER("adt", 4), WEST("est", 5),
	WEST_SUMMER("edt", 5), WEST("cst", 6), WEST_SUMMER("cdt", 6), WEST("mst", 7),
	WEST_SUMMER("mdt", 7), WEST("pst", 8), WEST_SUMMER("pdt", 8), WEST("yst", 9),
	WEST_SUMMER("ydt", 9), WEST("hst", 10), WEST_SUMMER("hdt", 10), WEST("cat", 10),
	WEST("ahst", 10), WEST("nt", 11), WEST("idlw", 12), WEST("cet", -1), WEST("met", -1),
	WEST("mewt", -1), WEST_SUMMER("mest", -1), WEST("swt", -1), WEST_SUMMER("sst", -1),
	WEST("fwt", -1), WEST_SUMMER("fst", -1), WEST("eet", -2), WEST("bt", -3),
	WEST("wast", -7), WEST_SUMMER("wadt", -7), WEST("cct", -8), WEST("jst", -9),
	WEST("east", -10), WEST_SUMMER("eadt", -10), WEST("gst", -10), WEST("nzt", -12),
	WEST("nzst", -12), WEST_SUMMER("nzdt", -12), WEST("idle", -12),
	{ "dst", { DATE_SUMMER, 0 } },
};

/* These words can be followed by an "s". */
static const struct word units[] = {
	{ "year", { DATE_MONTHS, 12 } }, { "month", { DATE_MONTHS, 1 } },
	{ "fortnight", { DATE_SECONDS, 14 * DAY } }, { "week", { DATE_SECONDS, 7 * DAY } },
	{ "day", { DATE_SECONDS, DAY } }, { "hour", { DATE_SECONDS, HOUR } },
	{ "minute", { DATE_SECONDS, 60 } }, { "min", { DATE_SECONDS, 60 } },
	{ "second", { DATE_SECONDS, 1 } }, { "sec", { DATE_SECONDS, 1 } },
};

static const struct word others[] = {
	{ "tomorrow", { DATE_DAYS, DAY } }, { "yesterday", { DATE_DAYS, -DAY } },
	{ "today", { DATE_DAYS, 0 } }, { "now", { DATE_SECONDS, 0 } },
	{ "this", { DATE_SECONDS, 0 } }, { "last", { DATE_NUMBER, -1 } },
	{ "next", { DATE_NUMBER, 2 } }, { "first", { DATE_NUMBER, 1 } },
	{ "third", { DATE_NUMBER, 3 } }, { "fourth", { DATE_NUMBER, 4 } },
	{ "fifth", { DATE_NUMBER, 5 } }, { "sixth", { DATE_NUMBER, 6 } },
	{ "seventh", { DATE_NUMBER, 7 } }, { "eighth", { DATE_NUMBER, 8 } },
	{ "ninth", { DATE_NUMBER, 9 } }, { "tenth", { DATE_NUMBER, 10 } },
	{ "eleventh", { DATE_NUMBER, 11 } }, { "twelfth", { DATE_NUMBER, 12 } },
	{ "ago", { DATE_AGO, 1 } },
};

static int word_find(const struct word *words, size_t n, const char *s, size_t letters,
		     struct shim_date_token *token)
{
	for (size_t i = 0; i < n; i++) {
		if (*s != *words[i].name || strncmp(s, words[i].name, letters))
			continue;
		*token = words[i].token;
		return 1;
	}
	return 0;
}

#define FIND(words, s, token) word_find(words, LENGTH(words), s, WORD_MAX, token)

static int find_short(const char *s, struct shim_date_token *token)
{
	return strlen(s) == 3 && word_find(months_and_days, LENGTH(months_and_days), s, 3, token);
}

static int find_plural(const char *s, struct shim_date_token *token)
{
	char one[WORD_MAX];
	size_t len = strlen(s);

	if (len < 2 || s[len - 1] != 's')
		return 0;
	memcpy(one, s, len - 1);
	one[len - 1] = '\0';
	return FIND(units, one, token);
}

/* One-letter zones, in hours: A to M (without J) are west of UTC, N to Y are east of UTC. */
static int find_letter(const char *s, struct shim_date_token *token)
{
	char c = s[0];
	long west;

	if (!c || s[1] || !islower((unsigned char)c) || c == 'j')
		return 0;
	west = c == 'z' ? 0 : c >= 'n' ? 'm' - c : c > 'j' ? c - 'a' : c - 'a' + 1;
	*token = (struct shim_date_token){ DATE_ZONE, west * HOUR };
	return 1;
}

static int find_dotted(const char *s, struct shim_date_token *token)
{
	char plain[WORD_MAX];
	size_t len = 0;

	if (!strchr(s, '.'))
		return 0;
	for (; *s; s++)
		if (*s != '.')
			plain[len++] = *s;
	plain[len] = '\0';
	return FIND(zones, plain, token) && token->kind != DATE_SUMMER;
}

/* Remove the dot after a three-letter word in @s ("min."). */
static struct shim_date_token word_token(char *s)
{
	struct shim_date_token token = { DATE_UNKNOWN, 0 };

	if (FIND(halves, s, &token))
		return token;
	if (strlen(s) == 4 && s[3] == '.')
		s[3] = '\0';
	if (find_short(s, &token) ||
	    FIND(months_and_days, s, &token) || FIND(zones, s, &token) ||
	    FIND(units, s, &token) || find_plural(s, &token) || FIND(others, s, &token) ||
	    find_letter(s, &token) || find_dotted(s, &token))
		return token;
	return token;
}

static struct shim_date_token take_word(const char **s)
{
	char word[WORD_MAX];
	size_t len = 0;

	for (; isalpha((unsigned char)**s) || **s == '.'; (*s)++)
		if (len < sizeof(word) - 1)
			word[len++] = (char)tolower((unsigned char)**s);
	word[len] = '\0';
	return word_token(word);
}

static struct shim_date_token take_number(const char **s)
{
	struct shim_date_token token = { DATE_NUMBER, 0 };
	char *end;

	if (**s == '-' || **s == '+')
		token.kind = DATE_SIGNED;
	errno = 0;
	token.value = shim_digits__parse(*s, &end);
	/*
	 * The limit exceeds any number in a date, and is small enough that multiplying by a unit
	 * cannot overflow.
	 */
	if (errno || labs(token.value) > 1000000000000)
		token.kind = DATE_UNKNOWN;
	*s = end;
	return token;
}

/* Comments are enclosed in parentheses and can be nested. */
static void skip_comment(const char **s)
{
	int depth = 0;

	do {
		if (!**s)
			return;
		depth += (**s == '(') - (**s == ')');
		(*s)++;
	} while (depth > 0);
}

struct shim_date_token shim_date_words__next(const char **s)
{
	for (;;) {
		unsigned char c = (unsigned char)**s;
		int sign = c == '-' || c == '+';

		if (isdigit(c) || (sign && isdigit((unsigned char)(*s)[1])))
			return take_number(s);
		if (isalpha(c))
			return take_word(s);
		if (c == '(')
			skip_comment(s);
		else if (isspace(c) || sign)
			(*s)++;
		else
			break;
	}
	if (!**s)
		return (struct shim_date_token){ DATE_END, 0 };
	switch (*(*s)++) {
	case ':':
		return (struct shim_date_token){ DATE_COLON, 0 };
	case '/':
		return (struct shim_date_token){ DATE_SLASH, 0 };
	case ',':
		return (struct shim_date_token){ DATE_COMMA, 0 };
	}
	return (struct shim_date_token){ DATE_UNKNOWN, 0 };
}
