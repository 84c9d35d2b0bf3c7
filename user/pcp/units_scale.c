// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert values between scales of their units.
 *
 * As in the original, all factors of a conversion are collected in a 64-bit multiplier and a 64-bit
 * divisor, so that results are identical to the last bit.  If these would overflow, floating point
 * is used.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "units.h"

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

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

/*
 * struct factor - the product of all factors
 * @times, @per: valid only if @overflow is false
 * @real: the same product in floating point; valid only after an overflow
 */
struct factor {
	int64_t times, per;
	double real;
	bool overflow;
};

#define FACTOR_ONE	(struct factor){ .times = 1, .per = 1, .real = 1 }
/* Inlined, the exact product stays in registers and is computed without @real. */
#define INLINED		static inline __attribute__((always_inline))

INLINED void apply_once(struct factor *f, int64_t times, int64_t per, bool real)
{
	if (real)
		f->real = f->real * (double)times / (double)per;
	f->overflow |= __builtin_mul_overflow(f->times, times, &f->times);
	f->overflow |= __builtin_mul_overflow(f->per, per, &f->per);
}

/* Multiply by a scale as often as @exponent, or divide if @exponent is negative. */
INLINED void apply(struct factor *f, const struct fraction *scale, int exponent, bool real)
{
	if (scale->times == scale->per)
		return;		/* most scales are 1 */
	for (; exponent > 0; exponent--)
		apply_once(f, scale->times, scale->per, real);
	for (; exponent < 0; exponent++)
		apply_once(f, scale->per, scale->times, real);
}

static const struct fraction count_scales[] = {
	{ 1, 100000000 }, { 1, 10000000 }, { 1, 1000000 }, { 1, 100000 }, { 1, 10000 }, { 1, 1000 },
	{ 1, 100 }, { 1, 10 }, { 1, 1 }, { 10, 1 }, { 100, 1 }, { 1000, 1 }, { 10000, 1 },
	{ 100000, 1 }, { 1000000, 1 }, { 10000000, 1 },
};

/*
 * Multiply @f by the factor from these units to base units if @sign is 1, or divide by it if @sign
 * is -1.
 */
INLINED void apply_units(struct factor *f, const pmUnits *u, int sign, bool real)
{
	bool none = !u->dimSpace && !u->dimTime && !u->dimCount;

	if (u->dimSpace)
		apply(f, &space_scales[u->scaleSpace], u->dimSpace * sign, real);
	if (u->dimTime)
		apply(f, &time_scales[u->scaleTime], u->dimTime * sign, real);
	if (u->scaleCount)
		apply(f, &count_scales[u->scaleCount + 8], none ? sign : u->dimCount * sign, real);
}

static bool has_factor(const pmUnits *u)
{
	return (!u->dimSpace || u->scaleSpace < LENGTH(space_scales)) &&
	       (!u->dimTime || u->scaleTime < LENGTH(time_scales));
}

static __attribute__((noinline)) double real_factor(pmUnits from, pmUnits to)
{
	struct factor f = FACTOR_ONE;

	apply_units(&f, &from, 1, true);
	apply_units(&f, &to, -1, true);
	return f.real;
}

static uint32_t units_bits(const pmUnits *u)
{
	uint32_t bits;

	_Static_assert(sizeof(*u) == sizeof(bits), "units fit into 32 bits");
	memcpy(&bits, u, sizeof(bits));
	return bits;
}

/* Get the factor between scaled counts.  Return false for other units. */
INLINED bool set_count(const pmUnits *from, const pmUnits *to, struct factor *f)
{
	const struct fraction *above = &count_scales[from->scaleCount + 8];
	const struct fraction *below = &count_scales[to->scaleCount + 8];

	if (from->dimSpace || from->dimTime || from->dimCount != 1 || to->dimCount != 1 ||
	    from->extraUnit)
		return false;
	*f = (struct factor){ .times = above->times * below->per, .per = above->per * below->times };
	return true;
}

/*
 * Get the factor of most units: all exponents are -1, 0 or 1, and only counts alone have a scale.
 * It does not overflow, because a factor of space is a power of two.  Return false for other units.
 */
INLINED bool set_common(const pmUnits *from, const pmUnits *to, struct factor *f)
{
	static const pmUnits others = { .scaleCount = -1, .extraUnit = -1 };
	const pmUnits *above = from, *below = to;
	int shift;

	if ((units_bits(from) | units_bits(to)) & units_bits(&others))
		return set_count(from, to, f);
	*f = FACTOR_ONE;
	switch (from->dimTime) {
	case -1:
		above = to;
		below = from;
		/* fallthrough */
	case 1:
		if (above->scaleTime >= LENGTH(time_scales) || below->scaleTime >= LENGTH(time_scales))
			return false;
		f->times = time_scales[above->scaleTime].times * time_scales[below->scaleTime].per;
		f->per = time_scales[above->scaleTime].per * time_scales[below->scaleTime].times;
		/* fallthrough */
	case 0:
		break;
	default:
		return false;
	}
	if (!from->dimSpace)
		return true;
	if (from->scaleSpace >= LENGTH(space_scales) || to->scaleSpace >= LENGTH(space_scales) ||
	    from->dimSpace > 1 || from->dimSpace < -1)
		return false;
	shift = ((int)from->scaleSpace - (int)to->scaleSpace) * 10;
	/* The factor of a time has less than 42 bits. */
	if (from->dimTime && (shift > 20 || shift < -20))
		return false;
	if ((shift > 0) == (from->dimSpace > 0))
		f->times <<= abs(shift);
	else
		f->per <<= abs(shift);
	return true;
}

static void set_any(const pmUnits *from, const pmUnits *to, struct factor *f)
{
	*f = FACTOR_ONE;
	apply_units(f, from, 1, false);
	apply_units(f, to, -1, false);
	if (f->overflow)
		f->real = real_factor(*from, *to);
}

INLINED void reduce(struct factor *f)
{
	if (f->per > 1 && f->times >= f->per && f->times % f->per == 0) {
		f->times /= f->per;
		f->per = 1;
	}
}

/* Return whether both units have the same dimension.  A dimensionless value is a count. */
INLINED bool same_dimension(const pmUnits *a, const pmUnits *b)
{
	static const pmUnits all = { .dimSpace = -1, .dimTime = -1, .dimCount = -1, .extraUnit = -1 };
	static const pmUnits count = { .dimCount = 1 };
	uint32_t mask = units_bits(&all), counts = units_bits(&count);
	uint32_t dim_a = units_bits(a) & mask, dim_b = units_bits(b) & mask;

	return dim_a == dim_b || ((dim_a ^ dim_b) == counts && (!dim_a || !dim_b));
}

/*
 * A product wider than 64 bits loses its upper bits, like a C integer.  If the factor itself has
 * overflowed, the result is clamped instead.
 */
static __attribute__((noinline)) uint64_t scale_wide(__int128 v, struct factor f)
{
	double real;

	if (!f.overflow)
		return (uint64_t)((v * f.times + f.per / 2) / f.per);
	real = floor((double)v * f.real + 0.5);
	if (real >= 0x1p64)
		return UINT64_MAX;
	return real < -0x1p63 ? (uint64_t)INT64_MIN :
	       real < 0 ? (uint64_t)(int64_t)real : (uint64_t)real;
}

/* Return the same as scale_wide(), but faster. */
INLINED uint64_t scale_integer(int64_t v, const struct factor *f)
{
	int64_t scaled;

	if (f->overflow || __builtin_mul_overflow(v, f->times, &scaled) ||
	    __builtin_add_overflow(scaled, f->per / 2, &scaled))
		return scale_wide(v, *f);
	return (uint64_t)(f->per == 1 ? scaled : scaled / f->per);
}

INLINED int scale_value(int type, const pmAtomValue *in, const struct factor *f, pmAtomValue *out)
{
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
		out->ull = in->ull <= INT64_MAX ? scale_integer((int64_t)in->ull, f) :
						  scale_wide(in->ull, *f);
		return 0;
	case PM_TYPE_FLOAT:
		out->f = in->f * (f->overflow ? (float)f->real : (float)f->times / (float)f->per);
		return 0;
	case PM_TYPE_DOUBLE:
		out->d = in->d * (f->overflow ? f->real : (double)f->times / (double)f->per);
		return 0;
	}
	return PM_ERR_CONV;
}

/* Truncate the fraction, and clamp to the range of 64 bits. */
static int64_t value_truncate(double v)
{
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : v != v ? 0 : (int64_t)v;
}

static uint64_t cut_unsigned(double v)
{
	return v >= 0x1p64 ? UINT64_MAX : v >= 0x1p63 ? (uint64_t)v : (uint64_t)value_truncate(v);
}

/*
 * Convert between scales of an extra unit, in floating point.  As in the original, integers are
 * truncated rather than rounded: 1500 mW are 1 W.
 */
static void scale_extra(int type, pmAtomValue *v, const pmUnits *from, const pmUnits *to)
{
	switch (type) {
	case PM_TYPE_32:
		v->l = (int32_t)value_truncate(shim_extra__convert(v->l, from, to));
		break;
	case PM_TYPE_U32:
		v->ul = (uint32_t)value_truncate(shim_extra__convert(v->ul, from, to));
		break;
	case PM_TYPE_64:
		v->ll = value_truncate(shim_extra__convert((double)v->ll, from, to));
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

static __attribute__((noinline)) int convert(int type, const pmAtomValue *in, const pmUnits *from,
						pmAtomValue *out, const pmUnits *to)
{
	struct factor f;
	int err;

	if (!has_factor(from) || !has_factor(to))
		return PM_ERR_UNIT;
	set_any(from, to, &f);
	if (!f.overflow)
		reduce(&f);
	if (!shim_extra__convertible(from, to))
		return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE ? PM_ERR_UNIT : PM_ERR_CONV;
	err = scale_value(type, in, &f, out);
	if (!err && from->extraUnit && from->extraScale != to->extraScale)
		scale_extra(type, out, from, to);
	return err;
}

/**
 * pmConvScale() - convert a value to another scale
 * @type: numeric type of both values
 * @ival: the value
 * @iunit: the value's units
 * @oval: the same value in @ounit, written only on success; may be @ival
 * @ounit: units of the same dimension and extra unit; a dimensionless value is treated as a count
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
	struct factor f;

	if (!ival || !iunit || !oval || !ounit)
		return -EINVAL;
	if (!same_dimension(iunit, ounit))
		return PM_ERR_CONV;
	if (!set_common(iunit, ounit, &f))
		return convert(type, ival, iunit, oval, ounit);
	reduce(&f);
	return scale_value(type, ival, &f, oval);
}
