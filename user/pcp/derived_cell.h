/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values of a derived metric's node that depend on one operand, or none.
 *
 * Each function fills cell->now and returns how many values there are, or a negative PMAPI error.
 */
#ifndef SHIM_PCP_DERIVED_CELL_H
#define SHIM_PCP_DERIVED_CELL_H

#include "derived.h"

/* Room for @n values: 0 or -ENOMEM */
int shim_cell__room(struct shim_derived_values *values, int n);
/* Room for a value per instance of the operand, for the caller to fill */
int shim_cell__like(struct shim_cell *cell, const struct shim_cell *operand);

/* The values of @cell->pmid in a fetch's result; @hint: 0 at first, for the next operand's look-up */
int shim_cell__operand(struct shim_cell *cell, const pmResult *result, int *hint);
int shim_cell__not(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__neg(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__rescale(const struct shim_node *node, const struct shim_cell *operand,
		       struct shim_cell *cell);
/* One value for all instances.  Without any, max() and min() have no value, sum() and avg() 0. */
int shim_cell__aggregate(const struct shim_node *node, const struct shim_cell *operand,
			 struct shim_cell *cell);
int shim_cell__count(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__scalar(const struct shim_cell *operand, struct shim_cell *cell);
int shim_cell__constant(const struct shim_node *node, struct shim_cell *cell);
int shim_cell__defined(const struct shim_cell *operand, struct shim_cell *cell);

#endif /* SHIM_PCP_DERIVED_CELL_H */
