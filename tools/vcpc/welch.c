// SPDX-License-Identifier: GPL-2.0-or-later
/* Compute means and their intervals by Student's and Welch's t. */
#include <math.h>

#include "welch.h"

#define STEPS	300	/* maximum number of steps; the continued fraction converges sooner */
#define CLOSE	1e-14

/* Sum the differences from the first value, so that the mean of equal values is exact. */
static double mean_of(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i] - v[0];
	return v[0] + sum / n;
}

/* Return the variance of the mean: the sample's variance divided by its size. */
static double variance_of_mean(const double *v, size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum / (n - 1) / n;
}

/* Evaluate the continued fraction of the incomplete beta function by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;

	for (int m = 1; m < STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / (1 + even * d);
		c = 1 + even / c;
		f *= c * d;
		d = 1 / (1 + odd * d);
		c = 1 + odd / c;
		step = c * d;
		f *= step;
		if (fabs(step - 1) < CLOSE)
			break;
	}
	return f;
}

/* Compute the regularized incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Return the one-sided probability that t is at least this large. */
static double tail(double t, double df)
{
	return beta(df / 2, 0.5, df / (df + t * t)) / 2;
}

double vcpc_t975(double df)
{
	double low = 1, high = 1e4;

	while (high - low > 1e-9 * high) {
		double t = (low + high) / 2;

		if (tail(t, df) > 0.025)
			low = t;
		else
			high = t;
	}
	return (low + high) / 2;
}

double vcpc_spread(const double *v, size_t n, double *mean)
{
	*mean = mean_of(v, n);
	if (n < 2)
		return NAN;
	return vcpc_t975(n - 1) * sqrt(variance_of_mean(v, n, *mean));
}

void vcpc_welch(const double *a, size_t na, const double *b, size_t nb, struct vcpc_difference *out)
{
	double va, vb, half = 0;

	*out = (struct vcpc_difference){ .a = mean_of(a, na), .b = mean_of(b, nb) };
	if (fabs(out->b - out->a) <= VCPC_ROUNDING * fmax(fabs(out->a), fabs(out->b)))
		out->b = out->a;
	out->known = na > 1 && nb > 1;
	out->least = out->most = out->b - out->a;
	if (!out->known)
		return;
	va = variance_of_mean(a, na, out->a);
	vb = variance_of_mean(b, nb, out->b);
	if (va + vb > 0) {
		double df = (va + vb) * (va + vb) / (va * va / (na - 1) + vb * vb / (nb - 1));

		half = vcpc_t975(df) * sqrt(va + vb);
	}
	out->least = out->b - out->a - half;
	out->most = out->b - out->a + half;
}

void vcpc_widen(struct vcpc_difference *d, double by)
{
	d->least -= by;
	d->most += by;
}
