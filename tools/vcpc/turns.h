/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What events that take turns would have counted all the time, and how well that is known. */
#ifndef VCPC_TURNS_H
#define VCPC_TURNS_H

#include <stdint.h>

#include <shim/shim.h>

/* Sums over what was counted between two looks, in time @t events @n */
struct vcpc_turn_sums {
	double n, t, nn, nt, tt;
	unsigned long looks;
};

/*
 * struct vcpc_turns - zero at first
 * @last: what was seen last
 * @of: of each event, the looks in which it was counted
 */
struct vcpc_turns {
	struct shim_turns last;
	struct vcpc_turn_sums of[SHIM_SET_MAX];
};

/*
 * struct vcpc_estimate - of a count
 * @value: NAN if it was never its turn
 * @half: half the 95 % interval; 0 if it was counted all the time, NAN if that is not known
 * @share: of the time that it was counted
 */
struct vcpc_estimate {
	double value, half, share;
};

void vcpc_turns_look(struct vcpc_turns *turns, const struct shim_turns *now);
void vcpc_turns_estimate(const struct vcpc_turns *turns, unsigned int i, struct vcpc_estimate *out);

#endif /* VCPC_TURNS_H */
