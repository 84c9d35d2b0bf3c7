// SPDX-License-Identifier: LGPL-2.1-or-later
/* A fetch group's values: extract them, and convert them to rates, other units and types */
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "fetchgroup.h"

#define TWO_31	2147483648.0
#define TWO_32	4294967296.0
#define TWO_63	9223372036854775808.0
#define TWO_64	18446744073709551616.0
#define SHORTEST 0.000000001	/* minimum number of seconds between two fetches */

static bool is_simple(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_STRING;
}

/* Return the number of seconds in a unit of time, or 0 for an unknown unit. */
static double per_second(unsigned int scale)
{
	static const double factors[] = {
		[PM_TIME_NSEC] = 1e-9, [PM_TIME_USEC] = 1e-6, [PM_TIME_MSEC] = 1e-3,
		[PM_TIME_SEC] = 1, [PM_TIME_MIN] = 60, [PM_TIME_HOUR] = 3600,
	};

	return scale < sizeof(factors) / sizeof(factors[0]) ? factors[scale] : 0;
}

/*
 * Multiply by the seconds of a time unit.  Below a second, divide as the original does, so that
 * results agree to the last bit.
 */
static double rescaled(double multiplier, unsigned int scale)
{
	double factor = per_second(scale);

	return factor < 1 ? multiplier / round(1 / factor) : multiplier * factor;
}

static int parse_units(struct shim_conversion *conv, const pmDesc *desc, const char *scale)
{
	const pmUnits *from = &desc->units;
	pmUnits *to = &conv->units;
	char *message = NULL;
	int err = pmParseUnitsStr(scale, to, &conv->multiplier, &message);

	if (err < 0) {
		free(message);
		return err;
	}
	if (from->dimSpace != to->dimSpace || from->dimCount != to->dimCount ||
	    from->extraUnit != to->extraUnit)
		return PM_ERR_CONV;
	conv->scale = true;
	if (from->dimTime == to->dimTime)
		return 0;
	if (from->dimTime != to->dimTime + 1 || per_second(to->scaleTime) == 0)
		return PM_ERR_CONV;
	conv->multiplier = rescaled(conv->multiplier, to->scaleTime);
	to->dimTime++;
	conv->rate = true;
	return 0;
}

int shim_conversion__parse(struct shim_conversion *conv, const pmDesc *desc, const char *scale,
			   int type)
{
	*conv = (struct shim_conversion){ 0 };
	if (!is_simple(desc->type) || !is_simple(type))
		return PM_ERR_TYPE;
	if (!scale)
		conv->rate = desc->sem == PM_SEM_COUNTER;
	else if (!strcmp(scale, "rate"))
		conv->rate = true;
	else if (strcmp(scale, "instant"))
		return parse_units(conv, desc, scale);
	return 0;
}

/* Return whether the text is a hexadecimal integer, which is not a valid FLOAT or DOUBLE. */
static bool is_hex(const char *text)
{
	text += strspn(text, " \t\n\v\f\r");
	text += *text == '-' || *text == '+';
	if (text[0] != '0' || (text[1] != 'x' && text[1] != 'X') || !text[2])
		return false;
	return !text[2 + strspn(text + 2, "0123456789abcdefABCDEF")];
}

static int from_string(const char *text, pmAtomValue *out, int type)
{
	bool hex = is_hex(text), real = type == PM_TYPE_FLOAT || type == PM_TYPE_DOUBLE;
	char *end = (char *)text;
	unsigned long narrow;
	int base = hex ? 16 : 10;
	long n;

	if (hex && real)
		return PM_ERR_TYPE;
	errno = 0;
	switch (type) {
	case PM_TYPE_32:
		n = strtol(text, &end, base);
		out->l = (int32_t)n;
		if (out->l != n)
			errno = ERANGE;
		break;
	case PM_TYPE_U32:
		narrow = strtoul(text, &end, base);	/* "-1" has more than 32 bits */
		out->ul = (uint32_t)narrow;
		if (out->ul != narrow)
			errno = ERANGE;
		break;
	case PM_TYPE_64:
		out->ll = strtoll(text, &end, base);
		break;
	case PM_TYPE_U64:
		out->ull = strtoull(text, &end, base);
		break;
	case PM_TYPE_FLOAT:
		out->f = shim_real__parse_float(text, &end);
		break;
	default:
		out->d = shim_real__parse(text, &end);
	}
	if (*end)
		return PM_ERR_TYPE;
	return errno == ERANGE ? -ERANGE : 0;
}

static int to_string(const pmAtomValue *v, int type, pmAtomValue *out)
{
	char buf[40];

	switch (type) {
	case PM_TYPE_32:
		snprintf(buf, sizeof(buf), "%d", v->l);
		break;
	case PM_TYPE_U32:
		snprintf(buf, sizeof(buf), "%u", v->ul);
		break;
	case PM_TYPE_64:
		snprintf(buf, sizeof(buf), "%lld", (long long)v->ll);
		break;
	case PM_TYPE_U64:
		snprintf(buf, sizeof(buf), "%llu", (unsigned long long)v->ull);
		break;
	case PM_TYPE_FLOAT:
		snprintf(buf, sizeof(buf), "%.9e", v->f);
		break;
	default:
		snprintf(buf, sizeof(buf), "%.17e", v->d);
	}
	out->cp = strdup(buf);
	return out->cp ? 0 : -ENOMEM;
}

/* Like pmExtractValue(), but also converts between strings and numbers. */
static int extract(int format, const pmValue *value, int from, pmAtomValue *out, int to)
{
	pmAtomValue v;
	int err;

	if ((from == PM_TYPE_STRING) == (to == PM_TYPE_STRING))
		return pmExtractValue(format, value, from, out, to);
	err = pmExtractValue(format, value, from, &v, from);
	if (err < 0)
		return err;
	if (to == PM_TYPE_STRING)
		return to_string(&v, from, out);
	err = from_string(v.cp, out, to);
	free(v.cp);
	return err;
}

static int value_find(const pmDesc *desc, int inst, const struct shim_fetched *sample,
		      pmAtomValue *out, int type)
{
	for (int i = sample->first; i < sample->n; i++) {
		const pmValueSet *set = sample->sets[i];
		int j = sample->guess;

		if (set->pmid != desc->pmid)
			continue;
		if (set->numval < 0)
			return set->numval;
		if (j >= set->numval || set->vlist[j].inst != inst)
			j = 0;
		for (; j < set->numval; j++)
			if (desc->indom == PM_INDOM_NULL || set->vlist[j].inst == inst)
				return extract(set->valfmt, &set->vlist[j], desc->type, out, type);
	}
	return PM_ERR_VALUE;
}

/*
 * Handle a counter that has decreased: if counters wrap, correct it, otherwise return PM_ERR_VALUE.
 */
static int unwrap(const struct __pmFetchGroup *fg, int type, double *change)
{
	if (*change >= 0)
		return 0;
	if (!fg->wraps)
		return PM_ERR_VALUE;
	if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		*change += TWO_32;
	else if (type == PM_TYPE_64 || type == PM_TYPE_U64)
		*change += TWO_64;
	return 0;
}

static int as_rate(const struct __pmFetchGroup *fg, const pmDesc *desc, int inst,
		   const struct shim_fetched *sample, double *value)
{
	struct shim_fetched last = *sample;
	pmAtomValue before;
	double elapsed;
	int err;

	if (!fg->last)
		return PM_ERR_AGAIN;
	last.sets = fg->last->vset;
	last.n = fg->last->numpmid;
	last.stamp = fg->last->timestamp;
	elapsed = pmtimespecSub(&sample->stamp, &last.stamp);
	err = value_find(desc, inst, &last, &before, PM_TYPE_DOUBLE);
	if (err)
		return err;
	*value -= before.d;
	err = unwrap(fg, desc->type, value);
	*value /= elapsed < SHORTEST ? SHORTEST : elapsed;
	return err;
}

static int scale(const pmDesc *desc, const struct shim_conversion *conv, double *value)
{
	pmAtomValue in = { .d = *value }, out;
	int err = pmConvScale(PM_TYPE_DOUBLE, &in, &desc->units, &out, &conv->units);

	if (!err)
		*value = out.d * conv->multiplier;
	return err;
}

/* Do not store a number that is too large or has the wrong sign. */
static int value_store(double value, pmAtomValue *out, int type)
{
	bool is_signed = type == PM_TYPE_32 || type == PM_TYPE_64;

	switch (type) {
	case PM_TYPE_FLOAT:
		if (fabs(value) > FLT_MAX)
			return PM_ERR_TRUNC;
		out->f = (float)value;
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = value;
		return 0;
	case PM_TYPE_STRING: {
		pmAtomValue v = { .d = value };

		return to_string(&v, PM_TYPE_DOUBLE, out);
	}
	}
	if (isnan(value))
		return PM_ERR_TRUNC;
	if (!is_signed && value < 0)
		return PM_ERR_SIGN;
	switch (type) {
	case PM_TYPE_32:
		if (value > INT_MAX || value < INT_MIN)
			return PM_ERR_TRUNC;
		out->l = (int32_t)value;
		return 0;
	case PM_TYPE_U32:
		if (value > UINT_MAX)
			return PM_ERR_TRUNC;
		out->ul = (uint32_t)value;
		return 0;
	case PM_TYPE_64:
		if (value >= TWO_63 || value < -TWO_63)
			return PM_ERR_TRUNC;
		out->ll = (int64_t)value;
		return 0;
	}
	if (value >= TWO_64)
		return PM_ERR_TRUNC;
	out->ull = (uint64_t)value;
	return 0;
}

int shim_fetchgroup__value(const struct __pmFetchGroup *fg, const pmDesc *desc, int inst,
			   const struct shim_conversion *conv, const struct shim_fetched *sample,
			   pmAtomValue *out, int type)
{
	pmAtomValue v;
	int err;

	if (!conv->rate && !conv->scale)
		return value_find(desc, inst, sample, out, type);
	err = value_find(desc, inst, sample, &v, PM_TYPE_DOUBLE);
	if (!err && conv->rate)
		err = as_rate(fg, desc, inst, sample, &v.d);
	if (!err && conv->scale)
		err = scale(desc, conv, &v.d);
	return err ? err : value_store(v.d, out, type);
}

void shim_wanted__clear_value(pmAtomValue *value, int type)
{
	switch (type) {
	case PM_TYPE_FLOAT:
		value->f = 0.0f / 0.0f;	/* NaN with the machine's sign, which printf() prints */
		break;
	case PM_TYPE_DOUBLE:
		value->d = 0.0 / 0.0;
		break;
	case PM_TYPE_STRING:
		free(value->cp);
		value->cp = NULL;
		break;
	default:
		memset(value, -1, sizeof(*value));
	}
}
