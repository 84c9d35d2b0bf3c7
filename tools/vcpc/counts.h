/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collect and print the counts of a command's runs. */
#ifndef VCPC_COUNTS_H
#define VCPC_COUNTS_H

#include <stdbool.h>
#include <stdio.h>

#include <shim/shim.h>

#include "parts.h"
#include "turns.h"
#include "vcpc.h"

/*
 * struct vcpc_counts - the counts of @runs runs
 * @what: the counted target, for messages: "'make'", "process 12 (make)"
 * @part: the label of the printed part, or NULL if the counts are not printed in parts
 * @n: number of events, @names: their names
 * @lacking: events that cannot be counted here; their values are NAN, as in a run without counts
 * @values: for each event, one value per run
 * @elapsed, @cpu: for each run, its duration, and its CPU time while counting, in seconds
 * @user, @system: the command's CPU time in both modes, in seconds, if @has_usage
 * @groups: number of multiplexed groups; 0: not requested, 1: all events fit at once
 * @half: if @groups is not 0, half the 95 % interval of the last run; see struct vcpc_estimate
 * @share: if @groups is not 0, the part of the time that was counted, summed over all runs
 */
struct vcpc_counts {
	const char *what;
	const struct vcpc_part *part;
	unsigned int n;
	size_t runs;
	char *names[SHIM_SET_MAX];
	bool lacking[SHIM_SET_MAX];
	double *values[SHIM_SET_MAX];
	double *elapsed, *cpu;
	double *user, *system;
	bool has_usage;
	unsigned int groups;
	double half[SHIM_SET_MAX];
	double share[SHIM_SET_MAX];
};

/* Add a run; a NULL @sample means that nothing was counted.  Return 0 or -ENOMEM. */
int vcpc_counts_add(struct vcpc_counts *counts, const struct vcpc_event_rows *rows,
		    const struct shim_set *set, const struct shim_sample *sample, double elapsed);
/* Add a run with multiplexed events.  Return 0 or -ENOMEM. */
int vcpc_counts_add_turns(struct vcpc_counts *counts, const struct vcpc_event_rows *rows,
			  const struct shim_set *set, const struct vcpc_turns *turns, double elapsed);
/* Add the command's CPU time in the last run.  Return 0 or -ENOMEM. */
int vcpc_counts_add_usage(struct vcpc_counts *counts, double user, double system);
void vcpc_counts_free(struct vcpc_counts *counts);

/* Print @n parts as text. */
void vcpc_counts_text(FILE *out, const struct vcpc_counts *counts, unsigned int n);
void vcpc_counts_json(FILE *out, const struct vcpc_counts *counts);
/* Print a line per event with the fields of perf stat -x. */
void vcpc_counts_separated(FILE *out, const struct vcpc_counts *counts, const char *separator);
/*
 * Print the counts of an interval that ended @seconds after the start.  @separator is as for
 * vcpc_counts_separated(), or NULL.
 */
void vcpc_counts_interval(FILE *out, const struct vcpc_counts *counts, double seconds,
			  const char *separator);

/* Format "1,234,567" with @decimals digits after the point. */
void vcpc_grouped(char *buf, size_t size, double v, int decimals);
/*
 * Format the ratio of an event's mean to another's, such as "1.90 insn per cycle" or "2.10% of all
 * branches"; "" if there is none.
 */
void vcpc_ratio(char *buf, size_t size, const struct vcpc_counts *counts, const double *means,
		unsigned int i);

#endif /* VCPC_COUNTS_H */
