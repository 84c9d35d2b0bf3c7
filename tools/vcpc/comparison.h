/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compare two sides, A and B, each of one or several runs, quantity by quantity. */
#ifndef VCPC_COMPARISON_H
#define VCPC_COMPARISON_H

#include <stdio.h>

#include "archives.h"
#include "run.h"
#include "welch.h"

#define VCPC_SIDES	2

/*
 * struct vcpc_pair - a quantity on both sides
 * @values: for each side, @n values from the runs that have the quantity
 * @resolution: for each side, the sum of the resolutions of its values
 * @difference: valid if both sides have values
 * @order: number of its scope; @came: number of the pair, in order of addition
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

/* Return a word: "same", "higher", "lower", "unclear", "one run", "only in A" or "only in B" */
const char *vcpc_verdict(const struct vcpc_pair *pair);

/*
 * Get the archives of a side.  Return 0, or an exit status after printing a message
 * (comparison_read.c).
 */
int vcpc_comparison_archives(struct vcpc_archives *archives, const char *side);
/*
 * Read the runs of both sides: each of @sides is an archive, a list of archives or a directory.
 * @names: as for vcpc_run_read().  @c->runs must already contain the first @c->nruns runs of both
 * sides.  Return 0, or an exit status after printing a message (comparison_read.c).
 */
int vcpc_comparison_read(struct vcpc_comparison *c, const struct vcpc_window *options, char **sides, char **names);
/* Build the pairs from @runs, which the caller has filled.  Return 0 or -ENOMEM. */
int vcpc_comparison_make(struct vcpc_comparison *c);
void vcpc_comparison_free(struct vcpc_comparison *c);

/*
 * A pair as text: each side's mean, the change in percent and its interval; "-" for missing values
 */
struct vcpc_pair_text {
	char a[24], b[24], change[24], interval[64];
};

void vcpc_pair_text(const struct vcpc_pair *pair, struct vcpc_pair_text *text);
/* Print a line with the number of runs, and how intervals are computed. */
void vcpc_comparison_sides(FILE *out, const struct vcpc_comparison *c);
/*
 * Return whether a scope has a nonzero number on either side.  @i is the index of its first pair,
 * and is advanced to the next scope.
 */
bool vcpc_comparison_used(const struct vcpc_comparison *c, size_t *i);

void vcpc_comparison_table(FILE *out, const struct vcpc_comparison *c);
void vcpc_comparison_json(FILE *out, const struct vcpc_comparison *c);

#endif /* VCPC_COMPARISON_H */
