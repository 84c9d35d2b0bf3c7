/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Print the output of vcpc why: the table, the sentence and the stacks, as text, JSON or folded
 * stacks.
 */
#ifndef VCPC_WHY_H
#define VCPC_WHY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <shim/why.h>

#include "symbols.h"

/**
 * struct why_view - the data and options of the output
 * @why: the handle, after shim_why_tags_get()
 * @symbols: the resolver that names the frames, or NULL without stacks
 * @ntags: number of tags
 * @at: index of the tag to explain
 * @above: the percentile above which transactions are slow, as the user wrote it but without "p"
 * @json: print JSON
 * @folded: print folded stacks
 * @differential: print folded stacks with two times
 */
struct why_view {
	struct shim_why *why;
	struct symbols *symbols;
	size_t ntags;
	size_t at;
	const char *above;
	bool json;
	bool folded;
	bool differential;
};

#define WHY_LABEL	272	/* enough for the label of any tag */

const char *why_label(const struct why_view *view, size_t i, char *label, size_t size);
const char *why_duration(double ns, char *text, size_t size);
int why_print(const struct why_view *view);
int why_print_json(const struct why_view *view);
int why_print_folded(const struct why_view *view);
int why_fold(const struct why_view *view, FILE *out);
int why_fail_open(int err);
int why_print_drops(const struct why_view *view, FILE *out);
void why_print_nameless(struct symbols *symbols, FILE *out);
int why_json_stacks(const struct why_view *view, size_t tag);
int why_print_stacks(const struct why_view *view);
double why_stack_difference(const struct shim_why_tag *tag, const struct shim_why_stack *stack);
void why_frame(const struct why_view *view, const struct shim_why_stack *stack, unsigned int i,
	       struct symbol *symbol);
int why_learn(const struct why_view *view);

#endif /* VCPC_WHY_H */
