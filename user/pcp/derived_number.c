// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arithmetic with numbers of any type, for derived metrics. */
#include "derived_number.h"

/* Conversions between arithmetic types, only to types at least as wide */

static double to_double(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_32:
		return v.l;
	case PM_TYPE_U32:
		return v.ul;
	case PM_TYPE_64:
		return (double)v.ll;
	case PM_TYPE_U64:
		return (double)v.ull;
	case PM_TYPE_FLOAT:
		return v.f;
	}
	return v.d;
}

float shim_number__to_float(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_32:
		return (float)v.l;
	case PM_TYPE_U32:
		return (float)v.ul;
	case PM_TYPE_64:
		return (float)v.ll;
	case PM_TYPE_U64:
		return (float)v.ull;
	case PM_TYPE_FLOAT:
		return v.f;
	}
	return (float)v.d;
}

static uint64_t to_64(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_32:
		return (uint64_t)(int64_t)v.l;
	case PM_TYPE_U32:
		return v.ul;
	}
	return v.ull;
}

pmAtomValue shim_number__promote(int to, int from, pmAtomValue v)
{
	pmAtomValue out = v;

	switch (to) {
	case PM_TYPE_64:
	case PM_TYPE_U64:
		out.ull = to_64(from, v);
		break;
	case PM_TYPE_FLOAT:
		out.f = shim_number__to_float(from, v);
		break;
	case PM_TYPE_DOUBLE:
		out.d = to_double(from, v);
		break;
	}
	return out;
}

pmAtomValue shim_number__from_bool(int type, bool is)
{
	pmAtomValue v = { 0 };

	switch (type) {
	case PM_TYPE_FLOAT:
		v.f = is;
		break;
	case PM_TYPE_DOUBLE:
		v.d = is;
		break;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		v.ull = is;
		break;
	default:
		v.ul = is;
	}
	return v;
}

bool shim_number__is_zero(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_FLOAT:
		return v.f == 0;
	case PM_TYPE_DOUBLE:
		return v.d == 0;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return v.ull == 0;
	}
	return v.ul == 0;
}

/* Returns -1, 0 or 1 for less, equal or greater; 2 if either operand is NaN. */
#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b) ? 1 : (a) == (b) ? 0 : 2)

int shim_number__compare(int type, pmAtomValue a, pmAtomValue b)
{
	switch (type) {
	case PM_TYPE_32:
		return COMPARE(a.l, b.l);
	case PM_TYPE_U32:
		return COMPARE(a.ul, b.ul);
	case PM_TYPE_64:
		return COMPARE(a.ll, b.ll);
	case PM_TYPE_U64:
		return COMPARE(a.ull, b.ull);
	case PM_TYPE_FLOAT:
		return COMPARE(a.f, b.f);
	}
	return COMPARE(a.d, b.d);
}

bool shim_number__holds(enum shim_node_kind kind, int order)
{
	switch (kind) {
	case SHIM_NODE_LT:
		return order == -1;
	case SHIM_NODE_LEQ:
		return order == -1 || order == 0;
	case SHIM_NODE_EQ:
		return order == 0;
	case SHIM_NODE_GEQ:
		return order == 0 || order == 1;
	case SHIM_NODE_GT:
		return order == 1;
	default:
		return order != 0;	/* NEQ */
	}
}

#define CALCULATE(kind, a, b)						\
	((kind) == SHIM_NODE_PLUS ? (a) + (b) : (kind) == SHIM_NODE_MINUS ? (a) - (b) : (a) * (b))

/*
 * Integers wrap around.  A quotient is always a double; 0 divided by any number, even by 0, is 0.
 */
pmAtomValue shim_number__calculate(enum shim_node_kind kind, int type, pmAtomValue a, pmAtomValue b)
{
	pmAtomValue v = { 0 };

	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		v.ul = CALCULATE(kind, a.ul, b.ul);
		break;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		v.ull = CALCULATE(kind, a.ull, b.ull);
		break;
	case PM_TYPE_FLOAT:
		v.f = CALCULATE(kind, a.f, b.f);
		break;
	default:
		if (kind == SHIM_NODE_SLASH)
			v.d = a.d == 0 ? 0 : a.d / b.d;
		else
			v.d = CALCULATE(kind, a.d, b.d);
	}
	return v;
}

/* The result has the type of delta(), which is signed and, if @type is unsigned, wider. */
pmAtomValue shim_number__difference(int type, pmAtomValue now, pmAtomValue last)
{
	pmAtomValue v = { 0 };

	switch (type) {
	case PM_TYPE_32:
		v.ul = now.ul - last.ul;
		break;
	case PM_TYPE_U32:
		v.ll = (int64_t)now.ul - (int64_t)last.ul;
		break;
	case PM_TYPE_64:
		v.ull = now.ull - last.ull;
		break;
	case PM_TYPE_U64:
		v.d = (double)now.ull - (double)last.ull;
		break;
	case PM_TYPE_FLOAT:
		v.f = now.f - last.f;
		break;
	default:
		v.d = now.d - last.d;
	}
	return v;
}

/* For rate(): negative if the value has decreased, also for an unsigned type */
double shim_number__increase(int type, pmAtomValue now, pmAtomValue last)
{
	switch (type) {
	case PM_TYPE_32:
		return (int32_t)(now.ul - last.ul);
	case PM_TYPE_U32:
		return (double)now.ul - (double)last.ul;
	case PM_TYPE_64:
		return (double)(int64_t)(now.ull - last.ull);
	case PM_TYPE_U64:
		return now.ull < last.ull ? -(double)(last.ull - now.ull) :
					    (double)(now.ull - last.ull);
	case PM_TYPE_FLOAT:
		return now.f - last.f;
	}
	return now.d - last.d;
}
