/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the parts of 'vcpc report' */
#ifndef VCPC_REPORT_H
#define VCPC_REPORT_H

#include <stdio.h>

#include "comparison.h"
#include "drawing.h"

#define REPORT_NAME	160	/* maximum number of bytes of a name to show */

/* @n lines of folded stacks, in descending order of their time */
struct report_stacks {
	char **lines;
	size_t n, room;
};

/*
 * struct report_side - an archive of the page
 * @context: PMAPI context, or -1
 * @drawing: the data read from the archive
 * @run: the archive's quantities
 * @stacks: the stacks of its transactions, if they were recorded
 */
struct report_side {
	const char *archive;
	const char *folded;	/* the file of --folded, or NULL */
	int context;
	struct vcpc_drawing drawing;
	struct vcpc_run run;
	struct report_stacks stacks;
};

/*
 * struct report - a page
 * @sides: @n archives: one, or the two that are compared
 * @comparison: the comparison of two sides
 */
struct report {
	struct report_side sides[VCPC_SIDES];
	size_t n;
	struct vcpc_comparison comparison;
};

/* Make a side's context current, because its metadata is read through it. */
void report_use(const struct report_side *side);
/*
 * Write the data that the page's scripts draw as one JSON object.  Return 0 or -ENOMEM
 * (report_data.c).
 */
int report_data(FILE *out, struct report *r);
/* Write the page.  Return 0, or an exit status after printing a message (report_page.c). */
int report_page(FILE *out, struct report *r);
/*
 * Read folded stacks with two numbers, as written by 'vcpc why --folded-diff'.  Return 0, or an
 * exit status after a message (report_stacks.c).
 */
int report_stacks_read(struct report_stacks *stacks, const char *path);
void report_stacks(FILE *out, const struct report_stacks *stacks);
void report_stacks_free(struct report_stacks *stacks);
/*
 * Write the facts about a run: command, host, CPU, kernel, time.  Return 0, or an exit status after
 * a message (report_facts.c).
 */
int report_facts(FILE *out, const struct report_side *side, const char *name);
/*
 * Write a sentence about the costliest transaction, and a table of all transactions.  Return 0 or
 * -ENOMEM (report_transactions.c).
 */
int report_transactions(FILE *out, struct report_side *side);
/* Write the differences of two sides, with intervals and verdicts (report_differences.c). */
void report_differences(FILE *out, const struct vcpc_comparison *c);

/* Files of the directory report/, embedded in the program (report_assets.c) */
extern const char report_css[], report_js[], report_plot_css[], report_plot_js[], report_plot_license[];
extern const char report_flame_css[], report_flame_js[], report_flame_license[];
extern const char report_select_js[], report_select_license[];

#endif /* VCPC_REPORT_H */
