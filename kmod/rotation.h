/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_ROTATION_H
#define VCPC_ROTATION_H

#include <linux/types.h>

/**
 * struct vcpc_turn - what a group has of its turns
 * @time: wall time that it counted
 * @tick: the target's time that it counted
 * @voids: turns of which a part was dropped
 */
struct vcpc_turn {
	u64 time;
	u64 tick;
	u64 voids;
};

/**
 * struct vcpc_rotation - groups that take turns
 * @slot: how long each turn is, in the target's time
 * @left: what the present turn has left
 * @rounds: how often all groups have had their turns
 * @nr: number of groups
 * @first: with which a round begins
 * @now: whose turn it is
 * @random: state of what orders and lengths are drawn from; 0: they are fixed
 * @place: of @now in the present round
 * @order: of the groups in it; behind @turn
 * @spoilt: the present turn has lost something already
 * @turn: one for each group
 */
struct vcpc_rotation {
	u64 slot;
	u64 left;
	u64 rounds;
	u32 nr;
	u32 first;
	u32 now;
	u64 random;
	u32 place;
	u16 *order;
	bool spoilt;
	struct vcpc_turn turn[];
};

/* Bytes that a rotation has behind the struct */
static inline size_t vcpc_rotation_more(u32 nr)
{
	return nr * (sizeof(struct vcpc_turn) + sizeof(u16));
}

void vcpc_rotation_init(struct vcpc_rotation *r, u32 nr, u32 first, u64 slot);
void vcpc_rotation_shuffle(struct vcpc_rotation *r, u64 seed);
void vcpc_rotation_reset(struct vcpc_rotation *r);
void vcpc_rotation_spend(struct vcpc_rotation *r, u64 time, u64 tick, bool whole);
bool vcpc_rotation_due(const struct vcpc_rotation *r);
void vcpc_rotation_next(struct vcpc_rotation *r);

#endif
