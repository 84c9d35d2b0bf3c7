// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Estimate the counts of multiplexed events.
 *
 * An event is assumed to occur in proportion to time.  The standard error of the estimate is the
 * standard error of a ratio of two means.  It is computed from the samples in which the event was
 * counted: from their deviations from that proportion, each weighted by the sample's length.  The
 * variance is not reduced for the counted part of the time (no finite population correction): the
 * slots of a round may differ from each other even if the rounds do not.
 */
#include <math.h>
#include <string.h>

#include "turns.h"
#include "welch.h"

#define LEAST_LOOKS	3

static double gained(uint64_t now, uint64_t before)
{
	return now > before ? (double)(now - before) : 0;
}

/**
 * vcpc_turns_look() - add the counts since the previous sample
 * @turns: the sums
 * @now: a sample of shim_set_turns_whole()
 * @whole: the times from the same call
 */
void vcpc_turns_look(struct vcpc_turns *turns, const struct shim_turns *now,
		     const uint64_t whole[SHIM_SET_MAX])
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
	memcpy(turns->whole, whole, sizeof(turns->whole));
}

/*
 * Return half the 95 % interval of the estimate for all of @time, or NAN if there are too few
 * samples.
 */
static double half_of(const struct vcpc_turn_sums *s, double time)
{
	double rate = s->n / s->t;
	double squares = fmax(0, s->nn - 2 * rate * s->nt + rate * rate * s->tt);

	if (s->looks < LEAST_LOOKS)
		return NAN;
	/*
	 * Add 1 because counts are whole numbers, so the counted part may be off by up to one
	 * event.
	 */
	return time / s->t * (1 + vcpc_t975(s->looks - 1) *
			      sqrt(squares * s->looks / (s->looks - 1)));
}

/**
 * vcpc_turns_estimate() - extrapolate an event's count to the whole time
 * @turns: the sums, with at least one sample
 * @i: index of the event
 * @out: written
 */
void vcpc_turns_estimate(const struct vcpc_turns *turns, unsigned int i, struct vcpc_estimate *out)
{
	const struct shim_turns *last = &turns->last;
	const struct vcpc_turn_sums *s = &turns->of[i];
	double time = turns->whole[i];

	if (last->exact >> i & 1) {
		*out = (struct vcpc_estimate){ last->values[i], 0, 1 };
		return;
	}
	/* The target never ran on a core that counts the event. */
	if (!turns->whole[i] && last->tick) {
		*out = (struct vcpc_estimate){ 0, 0, 1 };
		return;
	}
	*out = (struct vcpc_estimate){ NAN, NAN, 0 };
	if (!(s->t > 0) || !(time > 0))
		return;
	out->value = s->n * time / s->t;
	out->half = half_of(s, time);
	out->share = fmin(1, s->t / time);
}
