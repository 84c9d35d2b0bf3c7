// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Estimates a multiplexed event's count over the whole time, and the estimate's
 * standard error, from the turns of its set.  Pure.
 *
 * A set counts only a sample of the time.  Its events are modeled as proportional
 * to time, to an anchor event that is counted all the time, or to a sum of both
 * (regression); the last is exact for any load of two phases in which the anchor
 * has different rates.  The residuals of the turns give the standard error, less
 * the share of the time that was measured, which has no error.
 */
#include <math.h>
#include <stddef.h>

#include "pmx.h"

struct sums {
	double n, t, a;
	double tt, ta, aa, nt, na;	/* each divided by the turn's time */
	size_t turns;
};

static struct sums add_up(const struct shim_pmx_turn *turns, size_t nturns)
{
	struct sums s = { .turns = 0 };

	for (size_t i = 0; i < nturns; i++) {
		const struct shim_pmx_turn *x = &turns[i];

		if (x->t <= 0)
			continue;
		s.n += x->n;
		s.t += x->t;
		s.a += x->a;
		s.tt += x->t;
		s.ta += x->a;
		s.aa += x->a * x->a / x->t;
		s.nt += x->n;
		s.na += x->n * x->a / x->t;
		s.turns++;
	}
	return s;
}

/*
 * struct model - a linear model: @by_time events for each nanosecond, plus
 * @by_anchor for each event of the anchor; @used parameters are fitted to the data
 */
struct model {
	double by_time, by_anchor;
	int used;
};

/*
 * The share of the variance that an estimate keeps: a finite population correction.
 * If turns differ by chance, only the part of the time that was not measured (@unseen)
 * has an error.  But a set has only one turn in each round: under a load in step with
 * the rounds, the turns within a round differ and the rounds do not, and then all of
 * the variance remains.  An anchor removes what is common to a round's turns, so that
 * the rest is chance; time does not.
 */
static double share(const struct model *m, double unseen)
{
	if (unseen < 1e-6)
		return 0;
	return m->by_anchor ? unseen : 1;
}

/* The estimate's standard error from the turns' residuals; -1 if there are too few turns */
static double error_of(const struct model *m, const struct shim_pmx_turn *turns, size_t nturns,
		       const struct sums *s, double time)
{
	double sum = 0;

	if (s->turns < (size_t)m->used + 2)
		return -1;
	for (size_t i = 0; i < nturns; i++) {
		const struct shim_pmx_turn *x = &turns[i];
		double e = x->n - m->by_time * x->t - m->by_anchor * x->a;

		if (x->t > 0)
			sum += e * e;
	}
	return time / s->t * sqrt(sum * s->turns / (s->turns - m->used) *
				      share(m, 1 - s->t / time));
}

/* The 97.5 % quantile of Student's t distribution, by the usual expansion in 1 / @freedom */
static double student(double freedom)
{
	const double z = 1.959964;

	if (freedom < 2)
		return 12.7062;
	if (freedom < 3)
		return 4.3027;
	return z + (pow(z, 3) + z) / (4 * freedom) +
	       (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * freedom * freedom) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) /
	       (384 * pow(freedom, 3));
}

struct best {
	double error;
	int used;
};

static void consider(const struct model *m, const struct shim_pmx_turn *turns, size_t nturns,
		     const struct sums *s, const double whole[2], struct best *best,
		     pmx_estimate_t *out, double *value, double *error)
{
	*value = m->by_time * whole[0] + m->by_anchor * whole[1];
	*error = error_of(m, turns, nturns, s, whole[0]);
	if (*error < 0 || (best->error >= 0 && *error >= best->error))
		return;
	best->error = *error;
	best->used = m->used;
	out->value = *value;
}

/*
 * Least squares, with each turn's weight 1 / its time.  False if there are fewer than 4 turns, or
 * if the anchor is proportional to time, which makes the equations singular.
 */
static bool regress(const struct sums *s, struct model *m)
{
	double det = s->tt * s->aa - s->ta * s->ta;

	if (s->turns < 4 || det <= 1e-9 * s->tt * s->aa)
		return false;
	m->by_time = (s->nt * s->aa - s->na * s->ta) / det;
	m->by_anchor = (s->na * s->tt - s->nt * s->ta) / det;
	m->used = 2;
	return true;
}

/**
 * shim_pmx__estimate() - estimate what a counter would have counted all the time
 * @turns: the turns of its set
 * @nturns: how many
 * @time: the whole time
 * @anchor: the anchor's count in it, 0 if there is none
 * @out: filled
 */
void shim_pmx__estimate(const struct shim_pmx_turn *turns, size_t nturns, double time,
			double anchor, pmx_estimate_t *out)
{
	struct sums s = add_up(turns, nturns);
	double whole[2] = { time, anchor }, reach;
	struct best best = { .error = -1, .used = 1 };
	struct model m;

	*out = (pmx_estimate_t) { .value = -1, .low = -1, .high = -1, .plain = -1,
				  .plain_error = -1, .ratio = -1, .ratio_error = -1,
				  .regression = -1, .regression_error = -1, .turns = s.turns };
	if (s.t <= 0 || time <= 0)
		return;
	m = (struct model) { .by_time = s.n / s.t, .used = 1 };
	out->value = m.by_time * time;
	consider(&m, turns, nturns, &s, whole, &best, out, &out->plain, &out->plain_error);
	if (anchor > 0 && s.a > 0) {
		m = (struct model) { .by_anchor = s.n / s.a, .used = 1 };
		consider(&m, turns, nturns, &s, whole, &best, out, &out->ratio, &out->ratio_error);
		if (regress(&s, &m))
			consider(&m, turns, nturns, &s, whole, &best, out, &out->regression,
				 &out->regression_error);
	}
	if (best.error < 0)
		return;
	/* Counts are integers: allow for one event of the measured time, scaled to the whole. */
	reach = student(s.turns - best.used) * best.error + time / s.t;
	out->low = out->value > reach ? out->value - reach : 0;
	out->high = out->value + reach;
}
