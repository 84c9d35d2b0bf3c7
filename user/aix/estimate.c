// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Estimates of the whole from turns, and their standard errors.  Pure.
 *
 * A set is seen in a sample of the time.  Its events are taken to be in
 * proportion to time, or to an anchor that is counted all the time, or to be a
 * sum of two such parts; the last is exact for every load of two phases that the
 * anchor tells apart.  What the turns differ by from that says how far off the
 * estimate may be, of which the part that was seen is no error.
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
 * struct model - events are @by_time for each nanosecond and @by_anchor for each
 * of the anchor's; @used numbers were taken from the data
 */
struct model {
	double by_time, by_anchor;
	int used;
};

/*
 * The part of the variance that an estimate has.  What was seen is no error where
 * turns differ by chance; but in each round one turn is seen, and if those of a
 * round differ from each other and rounds do not, as under a load in step with
 * them, all of the variance is left.  An anchor takes away what is common to a
 * round's turns, and what remains is chance; time does not.
 */
static double share(const struct model *m, double unseen)
{
	if (unseen < 1e-6)
		return 0;
	return m->by_anchor ? unseen : 1;
}

/* The estimate's standard error by what the turns differ from the model */
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

/* 97.5 % of Student's distribution is below; the usual expansion in 1 / freedom */
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

/* Least squares, turns weighted by one over their time; false if the anchor is like time */
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
 * shim_pmx__estimate() - what a counter would have counted all the time
 * @turns: what was seen
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
	/* A count is a whole number, of the part that was seen. */
	reach = student(s.turns - best.used) * best.error + time / s.t;
	out->low = out->value > reach ? out->value - reach : 0;
	out->high = out->value + reach;
}
