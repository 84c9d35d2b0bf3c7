/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values over time, added up in few enough steps to be drawn. */
#ifndef VCPC_STEPS_H
#define VCPC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#define VCPC_STEPS	512	/* at most; at least half of it, if there are that many records */

/*
 * struct vcpc_curve - one value over time
 * @counter: it is a counter: what it gained is added up; otherwise its values are
 * @sum: for each step, what the counter gained, or the sum of the values
 * @weight: for each step, the seconds in which it gained that, or the number of values
 */
struct vcpc_curve {
	bool counter;
	double sum[VCPC_STEPS], weight[VCPC_STEPS];
};

/*
 * struct vcpc_steps - steps of the same number of records each
 * @n: number of steps; the last one may have fewer records
 * @times: for each step, the time of its last record
 * @gap: for each step, whether a mark came before one of its records
 * @curves: @ncurves of them
 * @records: how many records a step has; @filled: how many the last one has so far
 * @broken: a mark came, and no record since
 */
struct vcpc_steps {
	size_t n;
	double times[VCPC_STEPS];
	bool gap[VCPC_STEPS];
	struct vcpc_curve **curves;
	size_t ncurves, room;
	unsigned long records, filled;
	bool broken;
};

/* Add a curve: its index, or SIZE_MAX if there is no memory */
size_t vcpc_steps_add(struct vcpc_steps *s, bool counter);
void vcpc_steps_record(struct vcpc_steps *s, double at, bool mark);
/*
 * Add to the present record's step: what a counter gained in @weight seconds, or a value with
 * weight 1
 */
void vcpc_steps_value(struct vcpc_steps *s, size_t curve, double sum, double weight);
/*
 * To be called at the end: merge a last step that is shorter than half of the one before into that one.  A
 * recording's last interval is cut when the command ends, and would look like a drop.
 */
void vcpc_steps_finish(struct vcpc_steps *s);
/* A step's rate or mean, NAN if it has none */
double vcpc_steps_get(const struct vcpc_steps *s, size_t curve, size_t step);
void vcpc_steps_free(struct vcpc_steps *s);

#endif /* VCPC_STEPS_H */
