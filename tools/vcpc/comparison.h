/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sides of runs, quantity by quantity. */
#ifndef VCPC_COMPARISON_H
#define VCPC_COMPARISON_H

#include <stdio.h>

#include "run.h"
#include "welch.h"

#define VCPC_SIDES	2

/*
 * struct vcpc_pair - a quantity on both sides
 * @values: @n of them, of the runs that have it
 * @difference: if both sides have any
 * @order: number of its scope, @came: of the pair
 */
struct vcpc_pair {
	const char *scope, *what;
	bool seconds;
	double *values[VCPC_SIDES];
	size_t n[VCPC_SIDES];
	struct vcpc_difference difference;
	long order;
	size_t came;
};

/* @runs: @nruns a side, which the pairs' names are of */
struct vcpc_comparison {
	struct vcpc_run *runs[VCPC_SIDES];
	size_t nruns[VCPC_SIDES];
	struct vcpc_pair *pairs;
	size_t npairs;
};

/* What a difference is called: "same", "higher", "lower", "unclear", "one run", "only in A" */
const char *vcpc_verdict(const struct vcpc_pair *pair);

/* Of the runs, which are there: 0 or -ENOMEM */
int vcpc_comparison_make(struct vcpc_comparison *c);
void vcpc_comparison_free(struct vcpc_comparison *c);

void vcpc_comparison_table(FILE *out, const struct vcpc_comparison *c);
void vcpc_comparison_json(FILE *out, const struct vcpc_comparison *c);

#endif /* VCPC_COMPARISON_H */
