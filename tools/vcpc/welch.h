/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compute the difference of two means, and its precision: Welch's t interval. */
#ifndef VCPC_WELCH_H
#define VCPC_WELCH_H

#include <stdbool.h>
#include <stddef.h>

/*
 * struct vcpc_difference - the difference of the means of two samples
 * @a, @b: the means
 * @known: both samples have two values or more, so that there is an interval
 * @least, @most: bounds of the 95 % interval of @b - @a; if it is not @known, both are the
 *   difference
 */
struct vcpc_difference {
	double a, b;
	bool known;
	double least, most;
};

/* Relative differences up to this size are rounding errors. */
#define VCPC_ROUNDING	1e-12

/**
 * vcpc_welch() - compare two samples of independent values
 * @a: values of one side
 * @na: number of values in @a, at least one
 * @b: values of the other side
 * @nb: number of values in @b, at least one
 * @out: the means, and Welch's t interval of 95 %, which does not assume equal variances
 *
 * If neither sample has any spread, the interval is the difference itself.
 */
void vcpc_welch(const double *a, size_t na, const double *b, size_t nb,
		struct vcpc_difference *out);

/* Widen the interval by the error that the resolution of the values causes in the mean. */
void vcpc_widen(struct vcpc_difference *d, double by);

/* Return the 97.5 % quantile of Student's t with @df degrees of freedom. */
double vcpc_t975(double df);

/*
 * Return half the 95 % interval of the mean of @n values, by Student's t, or NAN for fewer than two
 * values.
 */
double vcpc_spread(const double *v, size_t n, double *mean);

#endif /* VCPC_WELCH_H */
