/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multiplex the groups of a thread of this process: perf counts one group at a time. */
#ifndef SHIM_CORE_PERF_MULTIPLEX_H
#define SHIM_CORE_PERF_MULTIPLEX_H

#include <stdbool.h>

#include "backend.h"
#include "perf_instance.h"

struct shim_multiplex;

int shim_multiplex__open(struct shim_instance *inst, int *bad);
void shim_multiplex__free(struct shim_multiplex *m, bool here);
int shim_multiplex__start(struct shim_instance *inst);
int shim_multiplex__stop(struct shim_instance *inst);
int shim_multiplex__add_up(struct shim_instance *inst, __u64 *values,
			   struct shim_group_sample *sums);
void shim_multiplex__on_alarm(struct shim_instance *inst, bool own, unsigned int sets);

/*
 * Rotate multiplexed groups: decide which group counts and for how long, and add up the times of
 * each.
 */

/**
 * struct shim_rotation - groups of which one counts at a time
 * @nr: number of groups, 1..65536
 * @now: the group that counts
 * @place: its index in @order
 * @spoilt: a part of the current slot was already lost
 * @slot: length of a slot, in the target's time
 * @left: time left in the current slot
 * @rounds: complete rotations
 * @random: random state for orders and lengths; 0: they are fixed
 * @order: order of the groups in the current rotation
 * @turns: statistics of each group; their @rounds are 0
 */
struct shim_rotation {
	unsigned int nr, now, place;
	bool spoilt;
	__u64 slot, left, rounds, random;
	__u16 *order;
	struct shim_group_sample *turns;
};

void shim_rotation__init(struct shim_rotation *r, __u64 slot);
void shim_rotation__shuffle(struct shim_rotation *r, __u64 seed);
void shim_rotation__spend(struct shim_rotation *r, __u64 time, __u64 tick);
void shim_rotation__spoil(struct shim_rotation *r);
bool shim_rotation__is_due(const struct shim_rotation *r);
void shim_rotation__next(struct shim_rotation *r);
void shim_rotation__add_up(const struct shim_rotation *r, struct shim_group_sample *sums);

#endif /* SHIM_CORE_PERF_MULTIPLEX_H */
