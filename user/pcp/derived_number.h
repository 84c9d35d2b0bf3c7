/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arithmetic for derived metrics: types are PM_TYPE_32 to PM_TYPE_DOUBLE. */
#ifndef SHIM_PCP_DERIVED_NUMBER_H
#define SHIM_PCP_DERIVED_NUMBER_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "derived_expr.h"

float shim_number__to_float(int type, pmAtomValue v);
/* Convert to a type at least as wide. */
pmAtomValue shim_number__promote(int to, int from, pmAtomValue v);
pmAtomValue shim_number__from_bool(int type, bool is);
bool shim_number__is_zero(int type, pmAtomValue v);
/* -1, 0 or 1; 2 if either operand is NaN */
int shim_number__compare(int type, pmAtomValue a, pmAtomValue b);
/* Whether a relational operator holds for a result of shim_number__compare() */
bool shim_number__holds(enum shim_node_kind kind, int order);
/* PLUS, MINUS or STAR of one type; SLASH of doubles */
pmAtomValue shim_number__calculate(enum shim_node_kind kind, int type, pmAtomValue a,
				   pmAtomValue b);
/* @now minus @last: for delta(), in its type; for rate() */
pmAtomValue shim_number__difference(int type, pmAtomValue now, pmAtomValue last);
double shim_number__increase(int type, pmAtomValue now, pmAtomValue last);

#endif /* SHIM_PCP_DERIVED_NUMBER_H */
