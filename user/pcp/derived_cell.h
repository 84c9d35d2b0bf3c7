/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The values of a node of a derived metric, and arithmetic with them.
 *
 * Each function of a cell fills in cell->now, and returns the number of values or a negative PMAPI
 * error.  Types of numbers are PM_TYPE_32 to PM_TYPE_DOUBLE.
 */
#ifndef SHIM_PCP_DERIVED_CELL_H
#define SHIM_PCP_DERIVED_CELL_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "derived.h"
#include "derived_expr.h"

/* Convert to a type that is at least as wide. */
pmAtomValue shim_number__promote(int to, int from, pmAtomValue v);
pmAtomValue shim_number__from_bool(int type, bool is);
bool shim_number__is_zero(int type, pmAtomValue v);
/* Return -1, 0 or 1; 2 if either operand is NaN. */
int shim_number__compare(int type, pmAtomValue a, pmAtomValue b);
/* Return whether a relational operator holds for a result of shim_number__compare(). */
bool shim_number__holds(enum shim_node_kind kind, int order);
/* Compute PLUS, MINUS or STAR with numbers of @type, or SLASH with doubles. */
pmAtomValue shim_number__calculate(enum shim_node_kind kind, int type, pmAtomValue a,
				   pmAtomValue b);
/* Compute @now minus @last: for delta() in its result type, for rate() as a double. */
pmAtomValue shim_number__difference(int type, pmAtomValue now, pmAtomValue last);
double shim_number__increase(int type, pmAtomValue now, pmAtomValue last);

/*
 * The number of values of a metric whose source reported -ENOMEM.  In an evaluation -ENOMEM means
 * that this process ran out of memory, and that the fetch is repeated with the same values.
 */
#define SHIM_CELL_SOURCE_NOMEM	(-0x40000000)

/* Allocate space for @n values.  Return 0 or -ENOMEM. */
int shim_cell__room(struct shim_derived_values *values, int n);
/* Allocate a value for each instance of the operand.  The caller sets the values. */
int shim_cell__like(struct shim_cell *cell, const struct shim_cell *operand);

/* Get the values of @cell->pmid from a fetch's result. */
int shim_cell__operand(struct shim_cell *cell, const pmResult *result);
int shim_cell__not(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__neg(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__rescale(const struct shim_node *node, const struct shim_cell *operand,
		       struct shim_cell *cell);
/*
 * Compute one value from all instances.  Without instances, max() and min() have no value, and
 * sum() and avg() are 0.
 */
int shim_cell__aggregate(const struct shim_node *node, const struct shim_cell *operand,
			 struct shim_cell *cell);
int shim_cell__count(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__scalar(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__constant(const struct shim_node *node, struct shim_cell *cell);
int shim_cell__defined(const struct shim_cell *operand, struct shim_cell *cell);

#endif /* SHIM_PCP_DERIVED_CELL_H */
