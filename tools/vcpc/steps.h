/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values over time, added up in so few steps that they can be drawn. */
#ifndef VCPC_STEPS_H
#define VCPC_STEPS_H

#include <stdbool.h>
#include <stddef.h>

#define VCPC_STEPS	512	/* most; there are half as many at least, if there are so many records */

/*
 * struct vcpc_curve - one value over time
 * @counter: of which differences are added up, otherwise values
 * @sum: of each step what the counter gained, or the sum of the values
 * @weight: of each step the seconds in which it gained that, or the number of values
 */
struct vcpc_curve {
	bool counter;
	double sum[VCPC_STEPS], weight[VCPC_STEPS];
};

/*
 * struct vcpc_steps - each step is as many records
 * @n: steps; the last one may have fewer records
 * @times: of each the time of its last record
 * @gap: what is before it did not go on to it
 * @curves: @ncurves of them
 * @records: of a step, @filled: of the last one
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

/* A new curve's index, or SIZE_MAX if there is no memory */
size_t vcpc_steps_add(struct vcpc_steps *s, bool counter);
void vcpc_steps_record(struct vcpc_steps *s, double at, bool mark);
/* To the record's step: what a counter gained in @weight seconds, or a value, with the weight 1 */
void vcpc_steps_value(struct vcpc_steps *s, size_t curve, double sum, double weight);
/* A rate or a mean, NAN if there is none */
double vcpc_steps_get(const struct vcpc_steps *s, size_t curve, size_t step);
void vcpc_steps_free(struct vcpc_steps *s);

#endif /* VCPC_STEPS_H */
