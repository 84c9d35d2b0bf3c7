/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Extrapolate the counts of multiplexed events to the whole time, with a confidence interval. */
#ifndef VCPC_TURNS_H
#define VCPC_TURNS_H

#include <stdint.h>

#include <shim/shim.h>

/*
 * Sums over samples: of the number @n of events counted since the previous sample, of the time @t
 * spent counting them, and of their products
 */
struct vcpc_turn_sums {
	double n, t, nn, nt, tt;
	unsigned long looks;
};

/*
 * struct vcpc_turns - zero at first
 * @last: the last sample
 * @whole: the time to which each event's value is extrapolated
 * @of: for each event, sums over the samples in which it was counted
 */
struct vcpc_turns {
	struct shim_turns last;
	uint64_t whole[SHIM_SET_MAX];
	struct vcpc_turn_sums of[SHIM_SET_MAX];
};

/*
 * struct vcpc_estimate - an estimate of a count
 * @value: NAN if the event was never counted
 * @half: half the 95 % interval; 0 for an exact count, NAN if it is not known
 * @share: the part of the time during which the event was counted
 */
struct vcpc_estimate {
	double value, half, share;
};

void vcpc_turns_look(struct vcpc_turns *turns, const struct shim_turns *now,
		     const uint64_t whole[SHIM_SET_MAX]);
void vcpc_turns_estimate(const struct vcpc_turns *turns, unsigned int i, struct vcpc_estimate *out);

#endif /* VCPC_TURNS_H */
