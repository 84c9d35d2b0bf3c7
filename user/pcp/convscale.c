// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert values between scales of their units.
 *
 * As in the original, all factors of a conversion are collected in a 64-bit multiplier and a 64-bit
 * divisor, so results are identical to the last bit.  If these would overflow, floating point is
 * used.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "units_extra.h"

/* The size of a scale in base units of its dimension (Mbyte, second, one), as a fraction */
struct fraction {
	int64_t times, per;
};

static const struct fraction space_scales[] = {
	[PM_SPACE_BYTE] = { 1, 1 << 20 },
	[PM_SPACE_KBYTE] = { 1, 1 << 10 },
	[PM_SPACE_MBYTE] = { 1, 1 },
	[PM_SPACE_GBYTE] = { 1 << 10, 1 },
	[PM_SPACE_TBYTE] = { 1 << 20, 1 },
	[PM_SPACE_PBYTE] = { 1 << 30, 1 },
	[PM_SPACE_EBYTE] = { 1ll << 40, 1 },
};

static const struct fraction time_scales[] = {
	[PM_TIME_NSEC] = { 1, 1000000000 },
	[PM_TIME_USEC] = { 1, 1000000 },
	[PM_TIME_MSEC] = { 1, 1000 },
	[PM_TIME_SEC] = { 1, 1 },
	[PM_TIME_MIN] = { 60, 1 },
	[PM_TIME_HOUR] = { 3600, 1 },
};

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* The product of all factors; @exact is valid only if @overflow is false. */
struct factor {
	struct fraction exact;
	double real;
	bool overflow;
};

static void apply_once(struct factor *f, struct fraction scale)
{
	f->real = f->real * (double)scale.times / (double)scale.per;
	f->overflow |= __builtin_mul_overflow(f->exact.times, scale.times, &f->exact.times);
	f->overflow |= __builtin_mul_overflow(f->exact.per, scale.per, &f->exact.per);
}

static void apply(struct factor *f, struct fraction scale, int dimension, bool out)
{
	struct fraction inverse = { scale.per, scale.times };
	bool inverted = (dimension < 0) != out;

	for (int i = dimension < 0 ? -dimension : dimension; i > 0; i--)
		apply_once(f, inverted ? inverse : scale);
}

static struct fraction count_scale(int scale)
{
	struct fraction f = { 1, 1 };

	for (; scale > 0; scale--)
		f.times *= 10;
	for (; scale < 0; scale++)
		f.per *= 10;
	return f;
}

/*
 * Multiply @f by the factor from these units to base units or, if @out, from base units to these.
 */
static int apply_units(struct factor *f, const pmUnits *u, bool out)
{
	bool none = !u->dimSpace && !u->dimTime && !u->dimCount;

	if ((u->dimSpace && u->scaleSpace >= LENGTH(space_scales)) ||
	    (u->dimTime && u->scaleTime >= LENGTH(time_scales)))
		return PM_ERR_UNIT;
	if (u->dimSpace)
		apply(f, space_scales[u->scaleSpace], u->dimSpace, out);
	if (u->dimTime)
		apply(f, time_scales[u->scaleTime], u->dimTime, out);
	apply(f, count_scale(u->scaleCount), none ? 1 : u->dimCount, out);
	return 0;
}

static bool same_dimension(const pmUnits *a, const pmUnits *b)
{
	bool none_a = !a->dimSpace && !a->dimTime && !a->dimCount && !a->extraUnit;
	bool none_b = !b->dimSpace && !b->dimTime && !b->dimCount && !b->extraUnit;

	return a->extraUnit == b->extraUnit && a->dimSpace == b->dimSpace && a->dimTime == b->dimTime &&
	       (none_a ? 1 : a->dimCount) == (none_b ? 1 : b->dimCount);
}

/*
 * A product wider than 64 bits loses its upper bits, like a C integer.  If the factor itself has
 * overflowed, the result is clamped instead.
 */
static uint64_t scale_integer(__int128 v, const struct factor *f)
{
	double real;

	if (!f->overflow)
		return (uint64_t)((v * f->exact.times + f->exact.per / 2) / f->exact.per);
	real = floor((double)v * f->real + 0.5);
	if (real >= 0x1p64)
		return UINT64_MAX;
	return real < -0x1p63 ? (uint64_t)INT64_MIN :
	       real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
}

static int scale_value(int type, const pmAtomValue *in, const struct factor *f, pmAtomValue *out)
{
	const struct fraction *x = &f->exact;

	switch (type) {
	case PM_TYPE_32:
		out->l = (int32_t)scale_integer(in->l, f);
		return 0;
	case PM_TYPE_U32:
		out->ul = (uint32_t)scale_integer(in->ul, f);
		return 0;
	case PM_TYPE_64:
		out->ll = (int64_t)scale_integer(in->ll, f);
		return 0;
	case PM_TYPE_U64:
		out->ull = scale_integer(in->ull, f);
		return 0;
	case PM_TYPE_FLOAT:
		out->f = in->f * (f->overflow ? (float)f->real : (float)x->times / (float)x->per);
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = in->d * (f->overflow ? f->real : (double)x->times / (double)x->per);
		return 0;
	}
	return PM_ERR_CONV;
}

/* Truncate the fraction, and clamp to the range of 64 bits. */
static int64_t cut(double v)
{
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : v != v ? 0 : (int64_t)v;
}

static uint64_t cut_unsigned(double v)
{
	return v >= 0x1p64 ? UINT64_MAX : v >= 0x1p63 ? (uint64_t)v : (uint64_t)cut(v);
}

/*
 * Convert between scales of an extra unit, in floating point.  As in the original, integers are
 * truncated rather than rounded: 1500 mW are 1 W.
 */
static void scale_extra(int type, pmAtomValue *v, const pmUnits *from, const pmUnits *to)
{
	switch (type) {
	case PM_TYPE_32:
		v->l = (int32_t)cut(shim_extra__convert(v->l, from, to));
		break;
	case PM_TYPE_U32:
		v->ul = (uint32_t)cut(shim_extra__convert(v->ul, from, to));
		break;
	case PM_TYPE_64:
		v->ll = cut(shim_extra__convert((double)v->ll, from, to));
		break;
	case PM_TYPE_U64:
		v->ull = cut_unsigned(shim_extra__convert((double)v->ull, from, to));
		break;
	case PM_TYPE_FLOAT:
		v->f = (float)shim_extra__convert(v->f, from, to);
		break;
	default:
		v->d = shim_extra__convert(v->d, from, to);
		break;
	}
}

/**
 * pmConvScale() - convert a value to another scale
 * @type: type of both values, a numeric one
 * @ival: the value
 * @iunit: its units
 * @oval: the same value in @ounit, written only on success; may be @ival
 * @ounit: units of the same dimension and extra unit; no dimension counts as the dimension of a
 *	count
 *
 * Integers are rounded, but truncated after the conversion of an extra unit.  A result too large
 * for its type loses its upper bits.
 *
 * Return: 0, PM_ERR_CONV if dimensions differ or the type is not numeric, PM_ERR_UNIT for a scale
 * that cannot be converted: Zbyte, Ybyte, unknown, or another scale of an extra unit that is
 * unknown or divides.
 */
SHIM_API int pmConvScale(int type, const pmAtomValue *ival, const pmUnits *iunit,
			 pmAtomValue *oval, const pmUnits *ounit)
{
	struct factor f = { .exact = { 1, 1 }, .real = 1 };
	int err;

	if (!ival || !iunit || !oval || !ounit)
		return -EINVAL;
	if (!same_dimension(iunit, ounit))
		return PM_ERR_CONV;
	err = apply_units(&f, iunit, false);
	if (!err)
		err = apply_units(&f, ounit, true);
	if (err)
		return err;
	if (!f.overflow && f.exact.times % f.exact.per == 0) {
		f.exact.times /= f.exact.per;
		f.exact.per = 1;
	}
	if (!shim_extra__convertible(iunit, ounit))
		return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE ? PM_ERR_UNIT : PM_ERR_CONV;
	err = scale_value(type, ival, &f, oval);
	if (!err && iunit->extraUnit && iunit->extraScale != ounit->extraScale)
		scale_extra(type, oval, iunit, ounit);
	return err;
}
