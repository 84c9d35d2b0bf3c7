/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sum values over time in a limited number of steps for drawing. */
#ifndef VCPC_STEPS_H
#define VCPC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#define VCPC_STEPS	512	/* maximum number; at least half of it is used if there are enough
				 * records */

/*
 * struct vcpc_curve - one value over time
 * @counter: the curve shows a counter, whose increases are summed; otherwise values are summed
 * @sum: for each step, the counter's increase, or the sum of the values
 * @weight: for each step, the duration of that increase in seconds, or the number of values
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
 * @records: number of records per step; @filled: number in the last step so far
 * @broken: a mark was read, and no record since
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

/* Add a curve.  Return its index, or SIZE_MAX if out of memory. */
size_t vcpc_steps_add(struct vcpc_steps *s, bool counter);
void vcpc_steps_record(struct vcpc_steps *s, double at, bool mark);
/*
 * Add a counter's increase in @weight seconds, or a value with weight 1, to the current record's
 * step.
 */
void vcpc_steps_value(struct vcpc_steps *s, size_t curve, double sum, double weight);
/*
 * Call this at the end.  If the last step is shorter than half of the previous one, merge the two:
 * a recording's last interval is shorter because the command ended, and would look like a drop.
 */
void vcpc_steps_finish(struct vcpc_steps *s);
/* Return a step's rate or mean, or NAN if the step has no values. */
double vcpc_steps_get(const struct vcpc_steps *s, size_t curve, size_t step);
void vcpc_steps_free(struct vcpc_steps *s);

#endif /* VCPC_STEPS_H */
