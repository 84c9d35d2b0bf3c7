// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interpolation of a counter between two observations.
 *
 * The operations have the same order and the same types as in PCP, so results agree to the last
 * bit.  On every machine, conversions to integers give the results of x86-64, even where C leaves
 * them undefined.
 */
#include "lerp.h"

#define TWO_63 9223372036854775808.0

/* Out-of-range values and NaN give INT32_MIN. */
static int32_t to_i32(double v)
{
	return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN;
}

static int64_t to_i64(double v)
{
	return v >= -TWO_63 && v < TWO_63 ? (int64_t)v : INT64_MIN;
}

static uint32_t to_u32(double v)
{
	return (uint32_t)to_i64(v);
}

/* Values of 2^63 and above are converted in two steps, negative ones as signed numbers. */
static uint64_t to_u64(double v)
{
	return v >= TWO_63 ? (uint64_t)to_i64(v - TWO_63) ^ 1ull << 63 : (uint64_t)to_i64(v);
}

/* The part of a difference between the observations that is reached at the requested time */
static double part(const struct shim_span *s, double difference)
{
	return (s->t - s->p) * difference / (s->n - s->p);
}

static int32_t lerp_32(const struct shim_span *s, int32_t a, int32_t b)
{
	int32_t d = (int32_t)((uint32_t)b - (uint32_t)a);

	if (b < a && s->wrap)
		return (int32_t)((uint32_t)a + (uint32_t)to_i32(0.5 + part(s, d)));
	return to_i32(0.5 + a + part(s, d));
}

static uint32_t lerp_u32(const struct shim_span *s, uint32_t a, uint32_t b)
{
	if (b >= a)
		return to_u32(0.5 + a + part(s, b - a));
	if (s->wrap)
		return a + to_u32(0.5 + part(s, b - a));	/* modulo 2^32: it wrapped */
	return to_u32(0.5 + a - part(s, a - b));
}

static int64_t lerp_64(const struct shim_span *s, int64_t a, int64_t b)
{
	int64_t d = (int64_t)((uint64_t)b - (uint64_t)a);

	return to_i64(0.5 + (double)a + part(s, (double)d));
}

/*
 * Uses signed arithmetic: if the top bit is set, the result is correct modulo 2^64 and to 53 bits.
 */
static uint64_t lerp_u64(const struct shim_span *s, uint64_t a, uint64_t b)
{
	double base = (double)(int64_t)a, v;

	if (b < a && s->wrap) {
		v = 0.5 + base + part(s, (double)(b - a));
		return to_u64(v >= 2 * TWO_63 ? v - 2 * TWO_63 : v);
	}
	if ((int64_t)b >= (int64_t)a || s->wrap)
		return to_u64(0.5 + base + part(s, (double)(int64_t)(b - a)));
	return to_u64(0.5 + base - part(s, (double)(int64_t)(a - b)));
}

static float lerp_float(const struct shim_span *s, float a, float b)
{
	float d = b - a;

	return (float)((double)a + part(s, (double)d));
}

/**
 * shim_lerp__can() - whether values of a type can be interpolated
 * @type: enum shim_type
 *
 * Return: true for the numeric types.
 */
bool shim_lerp__can(int32_t type)
{
	return type >= SHIM_TYPE_32 && type <= SHIM_TYPE_DOUBLE;
}

struct shim_value shim_lerp__value(const struct shim_span *span, const struct shim_value *a,
				   const struct shim_value *b)
{
	struct shim_value v = *a;

	if (!(span->n > span->p))
		return v;	/* the two times are equal when converted to double */
	switch (a->type) {
	case SHIM_TYPE_32:
		v.l = lerp_32(span, a->l, b->l);
		break;
	case SHIM_TYPE_U32:
		v.ul = lerp_u32(span, a->ul, b->ul);
		break;
	case SHIM_TYPE_64:
		v.ll = lerp_64(span, a->ll, b->ll);
		break;
	case SHIM_TYPE_U64:
		v.ull = lerp_u64(span, a->ull, b->ull);
		break;
	case SHIM_TYPE_FLOAT:
		v.f = lerp_float(span, a->f, b->f);
		break;
	case SHIM_TYPE_DOUBLE:
		v.d = a->d + part(span, b->d - a->d);
		break;
	}
	return v;
}

double shim_lerp__seconds(struct shim_ts ts, struct shim_ts start)
{
	long double sec = (__int128)ts.sec - start.sec;

	return (double)(sec + (ts.nsec - start.nsec) / (long double)1e9);
}
