// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse units such as "2 Mbytes / sec".
 *
 * A text has one or two parts, separated by a slash.  A part contains numbers and at most one unit
 * of each dimension, in any order.  One part may have an extra unit, such as "power (mW)".
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/real.h"
#include "units.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))
#define MAX_EXPONENT	15	/* -8 to 15 are accepted; -8 to 7 fit into the result */
#define MIN_DIMENSION	(-8)
#define MAX_DIMENSION	7

struct word {
	const char *text;
	int scale;
};

/* A longer word precedes its prefixes, so that it is matched first. */
static const struct word space_words[] = {
	{ "bytes", 0 }, { "byte", 0 },
	{ "kilobytes", 1 }, { "kilobyte", 1 }, { "kibibytes", 1 }, { "kibibyte", 1 },
	{ "kbytes", 1 }, { "kbyte", 1 }, { "kib", 1 }, { "kb", 1 },
	{ "megabytes", 2 }, { "megabyte", 2 }, { "mebibytes", 2 }, { "mebibyte", 2 },
	{ "mbytes", 2 }, { "mbyte", 2 }, { "mib", 2 }, { "mb", 2 },
	{ "gigabytes", 3 }, { "gigabyte", 3 }, { "gibibytes", 3 }, { "gibibyte", 3 },
	{ "gbytes", 3 }, { "gbyte", 3 }, { "gib", 3 }, { "gb", 3 },
	{ "terabytes", 4 }, { "terabyte", 4 }, { "tebibytes", 4 }, { "tebibyte", 4 },
	{ "tbytes", 4 }, { "tbyte", 4 }, { "tib", 4 }, { "tb", 4 },
	{ "petabytes", 5 }, { "petabyte", 5 }, { "pebibytes", 5 }, { "pebibyte", 5 },
	{ "pbytes", 5 }, { "pbyte", 5 }, { "pib", 5 }, { "pb", 5 },
	{ "exabytes", 6 }, { "exabyte", 6 }, { "exbibytes", 6 }, { "exbibyte", 6 },
	{ "ebytes", 6 }, { "ebyte", 6 }, { "eib", 6 }, { "eb", 6 },
	{ "zettabytes", 7 }, { "zettabyte", 7 }, { "zebibytes", 7 }, { "zebibyte", 7 },
	{ "zbytes", 7 }, { "zbyte", 7 }, { "zib", 7 }, { "zb", 7 },
	{ "yottabytes", 8 }, { "yottabyte", 8 }, { "yobibytes", 8 }, { "yobibyte", 8 },
	{ "ybytes", 8 }, { "ybyte", 8 }, { "yib", 8 }, { "yb", 8 },
	/* pmUnitsStr()'s names of unnamed scales */
	{ "space-10", 10 }, { "space-11", 11 }, { "space-12", 12 }, { "space-13", 13 },
	{ "space-14", 14 }, { "space-15", 15 },
	{ "space-0", 0 }, { "space-1", 1 }, { "space-2", 2 }, { "space-3", 3 }, { "space-4", 4 },
	{ "space-5", 5 }, { "space-6", 6 }, { "space-7", 7 }, { "space-8", 8 }, { "space-9", 9 },
};

static const struct word time_words[] = {
	{ "nanoseconds", 0 }, { "nanosecond", 0 }, { "nanosec", 0 }, { "ns", 0 },
	{ "microseconds", 1 }, { "microsecond", 1 }, { "microsec", 1 }, { "us", 1 },
	{ "milliseconds", 2 }, { "millisecond", 2 }, { "millisec", 2 }, { "ms", 2 },
	{ "seconds", 3 }, { "second", 3 }, { "sec", 3 }, { "s", 3 },
	{ "minutes", 4 }, { "minute", 4 }, { "min", 4 },
	{ "hours", 5 }, { "hour", 5 }, { "hr", 5 }, { "h", 5 },
	{ "time-10", 10 }, { "time-11", 11 }, { "time-12", 12 }, { "time-13", 13 },
	{ "time-14", 14 }, { "time-15", 15 },
	{ "time-0", 0 }, { "time-1", 1 }, { "time-2", 2 }, { "time-3", 3 }, { "time-4", 4 },
	{ "time-5", 5 }, { "time-6", 6 }, { "time-7", 7 }, { "time-8", 8 }, { "time-9", 9 },
};

static const struct word count_words[] = {
	{ "count x 10^-8", -8 }, { "count x 10^-7", -7 }, { "count x 10^-6", -6 },
	{ "count x 10^-5", -5 }, { "count x 10^-4", -4 }, { "count x 10^-3", -3 },
	{ "count x 10^-2", -2 }, { "count x 10^-1", -1 }, { "count x 10^2", 2 },
	{ "count x 10^3", 3 }, { "count x 10^4", 4 }, { "count x 10^5", 5 },
	{ "count x 10^6", 6 }, { "count x 10^7", 7 }, { "count x 10", 1 },
	{ "counts", 0 }, { "count", 0 },
};

enum { SPACE, TIME, COUNT, DIMENSIONS };

static const struct {
	const struct word *words;
	size_t n;
	char *error;
} dimensions[DIMENSIONS] = {
	[SPACE] = { space_words, LENGTH(space_words), "space dimension out of bounds" },
	[TIME] = { time_words, LENGTH(time_words), "time dimension out of bounds" },
	[COUNT] = { count_words, LENGTH(count_words), "count dimension out of bounds" },
};

static const double seconds[] = {
	[PM_TIME_NSEC] = 0.000000001, [PM_TIME_USEC] = 0.000001, [PM_TIME_MSEC] = 0.001,
	[PM_TIME_SEC] = 1, [PM_TIME_MIN] = 60, [PM_TIME_HOUR] = 3600,
};

struct term {
	int dimension, scale;
};

struct part {
	double factor;
	struct term terms[DIMENSIONS];
	int extra_unit;
	unsigned int extra_scale;
};

static int at_word_end(const char *s)
{
	return !*s || isspace((unsigned char)*s);
}

/*
 * Parse "^-8" to "^15", without leading zeros.  Return the end, or NULL if it is not an exponent.
 */
static const char *parse_exponent(const char *s, int *exponent)
{
	int negative = s[1] == '-', value;
	char *end;

	if (*s != '^' || !isdigit((unsigned char)s[1 + negative]))
		return NULL;
	if (s[1 + negative] == '0' && (negative || isdigit((unsigned char)s[2])))
		return NULL;
	value = (int)strtol(s + 1, &end, 10);
	if (end - s > 4 || value < MIN_DIMENSION || value > MAX_EXPONENT)
		return NULL;
	*exponent = value;
	return end;
}

/* Parse a unit of this dimension with its exponent, up to a blank.  Return the end, or NULL. */
static const char *parse_term(const char *s, int dimension, struct term *term)
{
	const struct word *w = dimensions[dimension].words, *last = w + dimensions[dimension].n;
	char first = (char)tolower((unsigned char)*s);

	for (; w < last; w++) {
		const char *end;
		int exponent = 1;

		if (first != w->text[0] || strncasecmp(s, w->text, strlen(w->text)))
			continue;
		end = s + strlen(w->text);
		if (*end == '^')
			end = parse_exponent(end, &exponent);
		if (!end || !at_word_end(end))
			continue;
		term->dimension = exponent;
		term->scale = w->scale;
		return end;
	}
	return NULL;
}

static const char *parse_unit(const char *s, struct part *part)
{
	for (int d = 0; d < DIMENSIONS; d++) {
		struct term term;
		const char *end = parse_term(s, d, &term);

		if (!end)
			continue;
		if (part->terms[d].dimension)
			return NULL;
		part->terms[d] = term;
		return end;
	}
	return NULL;
}

/*
 * Parse an extra unit, up to a blank.  Return its end, or NULL if there is none or @error is set.
 */
static const char *parse_extra(const char *s, struct part *part, char **error)
{
	int had = part->extra_unit;
	const char *end = shim_extra__parse(s, &part->extra_unit, &part->extra_scale);

	if (!end || !at_word_end(end))
		return NULL;
	if (!had)
		return end;
	*error = "multiple extra units not allowed";
	return NULL;
}

/* Return NULL or an error message. */
static char *parse_part(const char *s, struct part *part)
{
	part->factor = 1;
	while (*s) {
		char *end;

		if (isspace((unsigned char)*s)) {
			s++;
		} else if (*s == '-' || *s == '.' || isdigit((unsigned char)*s)) {
			errno = 0;
			part->factor *= shim_real__parse(s, &end);
			if (errno || end == s)
				return "invalid floating point literal";
			s = end;
		} else {
			char *error = "unrecognized or duplicate base unit";
			const char *after = parse_extra(s, part, &error);

			s = after ? after : parse_unit(s, part);
			if (!s)
				return error;
		}
	}
	return NULL;
}

static double base_units(int dimension, int scale, int exponent)
{
	switch (dimension) {
	case SPACE:
		return pow(1024, scale * exponent);
	case TIME:
		return pow(seconds[scale], exponent);
	}
	return pow(10, scale * exponent);
}

/*
 * Divide one dimension.  If both parts have it, it is converted to base units, and @factor is
 * multiplied accordingly.
 */
static char *divide_term(int d, const struct term *a, const struct term *b, struct term *out,
			 double *factor)
{
	out->dimension = a->dimension - b->dimension;
	if (out->dimension < MIN_DIMENSION || out->dimension > MAX_DIMENSION)
		return dimensions[d].error;
	if (!a->dimension || !b->dimension) {
		out->scale = a->dimension ? a->scale : b->dimension ? b->scale : 0;
		return NULL;
	}
	if (d == TIME && (a->scale > PM_TIME_HOUR || b->scale > PM_TIME_HOUR))
		return "time scale has no length";
	*factor *= base_units(d, a->scale, -a->dimension);
	*factor *= base_units(d, b->scale, b->dimension);
	out->scale = d == TIME ? PM_TIME_SEC : 0;
	if (!out->dimension)
		out->scale = 0;
	return NULL;
}

static char *divide(const struct part *a, const struct part *b, pmUnits *out, double *factor)
{
	struct term terms[DIMENSIONS];
	double f = b->factor / a->factor;

	for (int d = 0; d < DIMENSIONS; d++) {
		char *error = divide_term(d, &a->terms[d], &b->terms[d], &terms[d], &f);

		if (error)
			return error;
	}
	if (a->extra_unit && b->extra_unit)
		return "extra units cannot appear in both dividend and divisor";
	*out = (pmUnits){
		.dimSpace = terms[SPACE].dimension,
		.scaleSpace = terms[SPACE].scale,
		.dimTime = terms[TIME].dimension,
		.scaleTime = terms[TIME].scale,
		.dimCount = terms[COUNT].dimension,
		.scaleCount = terms[COUNT].scale,
		.extraUnit = a->extra_unit ? a->extra_unit : -b->extra_unit,
		.extraScale = a->extra_unit ? a->extra_scale : b->extra_scale,
	};
	*factor = f;
	return NULL;
}

/* Parse the two parts; the slash in @text is overwritten. */
static char *units_parse(char *text, pmUnits *out, double *factor)
{
	struct part above = { 0 }, below = { .factor = 1 };
	char *slash = strchr(text, '/'), *error;

	if (slash)
		*slash = '\0';
	error = parse_part(text, &above);
	if (!error && slash)
		error = parse_part(slash + 1, &below);
	return error ? error : divide(&above, &below, out, factor);
}

/**
 * pmParseUnitsStr() - parse units
 * @str: units as formatted by pmUnitsStr(); may also contain numbers and other names of units
 * @out: the units; all zero on error
 * @outmult: the factor that converts a value in units @out to the text's units, including its
 *	numbers: 1 / 2 for "2 sec"; 1 on error
 * @errmsg: on error, a message, to be freed by the caller
 *
 * Return: 0, PM_ERR_CONV, or -ENOMEM (without a message).
 */
SHIM_API int pmParseUnitsStr(const char *str, pmUnits *out, double *outmult, char **errmsg)
{
	char *text, *error;

	if (!str || !out || !outmult || !errmsg)
		return -EINVAL;
	text = strdup(str);
	*out = (pmUnits){ 0 };
	*outmult = 1;
	*errmsg = NULL;
	if (!text)
		return -ENOMEM;
	error = units_parse(text, out, outmult);
	free(text);
	if (!error)
		return 0;
	*errmsg = strdup(error);
	return PM_ERR_CONV;
}
