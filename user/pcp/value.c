// SPDX-License-Identifier: LGPL-2.1-or-later
/* Extract values from a result, with conversion to another type if necessary. */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"

#define TWO_63 9223372036854775808.0
#define TWO_64 18446744073709551616.0

static int from_signed(int64_t v, int otype, pmAtomValue *o)
{
	if (v < 0 && (otype == PM_TYPE_U32 || otype == PM_TYPE_U64))
		return PM_ERR_SIGN;
	switch (otype) {
	case PM_TYPE_32:
		o->l = (int32_t)v;
		return v > INT32_MAX ? PM_ERR_TRUNC : 0;
	case PM_TYPE_U32:
		o->ul = (uint32_t)v;
		return v > UINT32_MAX ? PM_ERR_TRUNC : 0;
	case PM_TYPE_64:
		o->ll = v;
		return 0;
	case PM_TYPE_U64:
		o->ull = (uint64_t)v;
		return 0;
	case PM_TYPE_FLOAT:
		o->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		o->d = (double)v;
		return 0;
	}
	return PM_ERR_CONV;
}

static int from_unsigned(uint64_t v, int otype, pmAtomValue *o)
{
	switch (otype) {
	case PM_TYPE_32:
		o->l = (int32_t)v;
		return v > INT32_MAX ? PM_ERR_TRUNC : 0;
	case PM_TYPE_U32:
		o->ul = (uint32_t)v;
		return v > UINT32_MAX ? PM_ERR_TRUNC : 0;
	case PM_TYPE_64:
		o->ll = (int64_t)v;
		return v > INT64_MAX ? PM_ERR_TRUNC : 0;
	case PM_TYPE_U64:
		o->ull = v;
		return 0;
	case PM_TYPE_FLOAT:
		o->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		o->d = (double)v;
		return 0;
	}
	return PM_ERR_CONV;
}

/*
 * Converting NaN to an integer is not an error: on all machines, the result is the same as on
 * x86-64.
 */
static int from_nan(double v, int otype, pmAtomValue *o)
{
	switch (otype) {
	case PM_TYPE_32:
		o->l = INT32_MIN;
		return 0;
	case PM_TYPE_U32:
		o->ul = 0;
		return 0;
	case PM_TYPE_64:
		o->ll = INT64_MIN;
		return 0;
	case PM_TYPE_U64:
		o->ull = 1ull << 63;
		return 0;
	case PM_TYPE_FLOAT:
		o->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		o->d = v;
		return 0;
	}
	return PM_ERR_CONV;
}

/*
 * Convert a real number.  Limits are rounded to the value's precision, because a float cannot
 * represent 2^31 - 1.
 */
static int from_real(double v, int single, int otype, pmAtomValue *o)
{
	double max31 = single ? (double)(float)INT32_MAX : INT32_MAX;
	double max32 = single ? (double)(float)UINT32_MAX : UINT32_MAX;

	if (isnan(v))
		return from_nan(v, otype, o);
	if (v < 0 && (otype == PM_TYPE_U32 || otype == PM_TYPE_U64))
		return PM_ERR_SIGN;
	switch (otype) {
	case PM_TYPE_32:
		if (!(fabs(v) < max31))
			return PM_ERR_TRUNC;
		o->l = (int32_t)v;
		return 0;
	case PM_TYPE_U32:
		if (!(v < max32))
			return PM_ERR_TRUNC;
		o->ul = (uint32_t)v;
		return 0;
	case PM_TYPE_64:
		if (!(v < TWO_63))
			return PM_ERR_TRUNC;
		o->ll = v >= -TWO_63 ? (int64_t)v : INT64_MIN;
		return 0;
	case PM_TYPE_U64:
		if (!(v < TWO_64))
			return PM_ERR_TRUNC;
		o->ull = (uint64_t)v;
		return 0;
	case PM_TYPE_FLOAT:
		o->f = (float)v;
		return 0;
	case PM_TYPE_DOUBLE:
		o->d = v;
		return 0;
	}
	return PM_ERR_CONV;
}

static int from_insitu(int32_t word, int itype, int otype, pmAtomValue *o)
{
	float f;

	switch (itype) {
	case PM_TYPE_32:
	case PM_TYPE_UNKNOWN:
		return from_signed(word, otype, o);
	case PM_TYPE_U32:
		return from_unsigned((uint32_t)word, otype, o);
	case PM_TYPE_FLOAT:
		memcpy(&f, &word, sizeof(f));
		return from_real(f, 1, otype, o);
	}
	return PM_ERR_CONV;
}

static int copy_string(const char *s, size_t len, pmAtomValue *o)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, s, len);
	copy[len] = '\0';
	o->cp = copy;
	return 0;
}

static int copy_block(const pmValueBlock *block, pmAtomValue *o)
{
	pmValueBlock *copy = malloc(block->vlen);

	if (!copy)
		return -ENOMEM;
	memcpy(copy, block, block->vlen);
	o->vbp = copy;
	return 0;
}

static int from_block(const pmValueBlock *block, int itype, int otype, pmAtomValue *o)
{
	size_t len = block->vlen - PM_VAL_HDR_SIZE;
	pmAtomValue v;

	if (block->vlen < PM_VAL_HDR_SIZE || (block->vtype && block->vtype != (unsigned int)itype))
		return PM_ERR_CONV;
	switch (itype) {
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		if (len != sizeof(v.ull))
			return PM_ERR_CONV;
		memcpy(&v, block->vbuf, len);
		return itype == PM_TYPE_64 ? from_signed(v.ll, otype, o) :
		       itype == PM_TYPE_U64 ? from_unsigned(v.ull, otype, o) :
		       from_real(v.d, 0, otype, o);
	case PM_TYPE_FLOAT:
		if (len != sizeof(v.f))
			return PM_ERR_CONV;
		memcpy(&v, block->vbuf, len);
		return from_real(v.f, 1, otype, o);
	case PM_TYPE_STRING:
		return otype == itype ? copy_string(block->vbuf, len, o) : PM_ERR_CONV;
	case PM_TYPE_AGGREGATE:
		return otype == itype ? copy_block(block, o) : PM_ERR_CONV;
	}
	return PM_ERR_CONV;
}

/**
 * pmExtractValue() - extract a value from a result and convert it
 * @valfmt: format of the value set
 * @ival: the value
 * @itype: type of the metric
 * @oval: zeroed, then written; the caller frees a string or aggregate
 * @otype: the requested type
 *
 * Return: 0, PM_ERR_CONV if there is no such conversion, PM_ERR_SIGN for a negative value and an
 * unsigned type, PM_ERR_TRUNC if the value is too large, -ENOMEM.
 */
SHIM_API int pmExtractValue(int valfmt, const pmValue *ival, int itype, pmAtomValue *oval,
			    int otype)
{
	if (!oval)
		return -EINVAL;
	memset(oval, 0, sizeof(*oval));
	if (!ival)
		return -EINVAL;
	switch (valfmt) {
	case PM_VAL_INSITU:
		return from_insitu(ival->value.lval, itype, otype, oval);
	case PM_VAL_DPTR:
	case PM_VAL_SPTR:
		return ival->value.pval ? from_block(ival->value.pval, itype, otype, oval) :
		       PM_ERR_CONV;
	}
	return PM_ERR_CONV;
}
