/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares two sides, A and B, each of one or several runs, quantity by quantity. */
#ifndef VCPC_COMPARISON_H
#define VCPC_COMPARISON_H

#include <stdio.h>

#include "run.h"
#include "welch.h"

#define VCPC_SIDES	2

/*
 * struct vcpc_pair - a quantity on both sides
 * @values: for each side, @n values, of the runs that have the quantity
 * @resolution: for each side, the sum of those of its values
 * @difference: valid if both sides have values
 * @order: number of its scope; @came: number of the pair, in the order in which they were added
 */
struct vcpc_pair {
	const char *scope, *what;
	bool seconds;
	double *values[VCPC_SIDES];
	double resolution[VCPC_SIDES];
	size_t n[VCPC_SIDES];
	struct vcpc_difference difference;
	long order;
	size_t came;
};

/* @runs: @nruns runs for each side; the pairs' names point into them */
struct vcpc_comparison {
	struct vcpc_run *runs[VCPC_SIDES];
	size_t nruns[VCPC_SIDES];
	struct vcpc_pair *pairs;
	size_t npairs;
};

/* A word: "same", "higher", "lower", "unclear", "one run", "only in A" or "only in B" */
const char *vcpc_verdict(const struct vcpc_pair *pair);

/* Make the pairs from @runs, which the caller has filled: 0 or -ENOMEM */
int vcpc_comparison_make(struct vcpc_comparison *c);
void vcpc_comparison_free(struct vcpc_comparison *c);

void vcpc_comparison_table(FILE *out, const struct vcpc_comparison *c);
void vcpc_comparison_json(FILE *out, const struct vcpc_comparison *c);

#endif /* VCPC_COMPARISON_H */
