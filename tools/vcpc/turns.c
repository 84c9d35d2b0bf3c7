// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimates of events that take turns.
 *
 * An event is taken to be in proportion to time.  What the parts in which it was counted differ
 * by from that, each weighted by its length, gives the estimate's standard error, that of a
 * ratio of two means.  All of the variance is left, whatever part of the time was seen: the turns
 * of a round may differ from each other where rounds do not.
 */
#include <math.h>

#include "turns.h"
#include "welch.h"

#define LEAST_LOOKS	3

static double gained(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

/**
 * vcpc_turns_look() - take in what was counted since the last look
 * @turns: the sums
 * @now: of shim_set_turns()
 */
void vcpc_turns_look(struct vcpc_turns *turns, const struct shim_turns *now)
{
	for (unsigned int i = 0; i < now->nr; i++) {
		struct vcpc_turn_sums *s = &turns->of[i];
		double n = gained(now->values[i], turns->last.values[i]);
		double t = gained(now->ticks[i], turns->last.ticks[i]);

		if (!(t > 0))
			continue;
		s->n += n;
		s->t += t;
		s->nn += n * n;
		s->nt += n * t;
		s->tt += t * t;
		s->looks++;
	}
	turns->last = *now;
}

/* Half the interval of what @time would have had */
static double half_of(const struct vcpc_turn_sums *s, double time)
{
	double rate = s->n / s->t;
	double squares = fmax(0, s->nn - 2 * rate * s->nt + rate * rate * s->tt);

	if (s->looks < LEAST_LOOKS)
		return NAN;
	/* A count is a whole number, of the part that was seen. */
	return time / s->t * (1 + vcpc_t975(s->looks - 1) *
			      sqrt(squares * s->looks / (s->looks - 1)));
}

/**
 * vcpc_turns_estimate() - what an event would have counted all the time
 * @turns: with at least one look
 * @i: which event
 * @out: filled
 */
void vcpc_turns_estimate(const struct vcpc_turns *turns, unsigned int i, struct vcpc_estimate *out)
{
	const struct shim_turns *last = &turns->last;
	const struct vcpc_turn_sums *s = &turns->of[i];
	/* What was lost in turns without a counter is in no turn's time, but the target ran. */
	double time = last->voids ? last->tick : last->counted;

	if (last->exact >> i & 1) {
		*out = (struct vcpc_estimate){ last->values[i], 0, 1 };
		return;
	}
	*out = (struct vcpc_estimate){ NAN, NAN, 0 };
	if (!(s->t > 0) || !(time > 0))
		return;
	out->value = s->n * time / s->t;
	out->half = half_of(s, time);
	out->share = fmin(1, s->t / time);
}
