// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The arithmetic of multiplexed groups: which one counts, for how long, and what each has counted.
 * Pure: no lock, no system call, no clock.  Orders and lengths are those of the module for the same
 * seed.
 *
 * Nothing is assumed of the slots' lengths: one that ends late is longer, and its group's time says
 * so.  Time between two slots is no group's.
 */
#include "rotation.h"

/* A slot of which so small a part is left is over: alarm and time are not read at the same instant. */
#define SLACK_SHIFT	6

/**
 * shim_rotation__init() - begin the first round, with the first group
 * @r: its @nr, @order and @turns are set, and @turns is zero
 * @slot: length of a slot
 */
void shim_rotation__init(struct shim_rotation *r, __u64 slot)
{
	for (unsigned int i = 0; i < r->nr; i++)
		r->order[i] = i;
	r->slot = r->left = slot;
	r->now = r->place = 0;
	r->rounds = r->random = 0;
	r->spoilt = false;
}

/* Marsaglia's xorshift, which never becomes 0 */
static __u64 draw(struct shim_rotation *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

/* Up to a tenth more or less, in steps of a 1024th of that */
static __u64 draw_slot(struct shim_rotation *r)
{
	__u64 tenth = r->slot / 10;

	return r->slot - tenth + (tenth * ((draw(r) >> 32) & 2047) >> 10);
}

/* Each order is as probable as any other. */
static void draw_order(struct shim_rotation *r)
{
	for (unsigned int i = r->nr - 1; i > 0; i--) {
		unsigned int other = (draw(r) >> 32) * (i + 1) >> 32;
		__u16 kept = r->order[i];

		r->order[i] = r->order[other];
		r->order[other] = kept;
	}
}

/**
 * shim_rotation__shuffle() - draw an order for each round but the first, and a length for each slot
 * @r: has not begun
 * @seed: the same seed gives the same orders and lengths
 */
void shim_rotation__shuffle(struct shim_rotation *r, __u64 seed)
{
	/* Seeds that are near each other must not lead to similar orders; nor may this be 0. */
	r->random = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	for (int i = 0; i < 8; i++)
		draw(r);
}

/**
 * shim_rotation__spend() - a part of the present slot has passed, in which its group counted
 * @r: the rotation
 * @time: wall time of that part
 * @tick: the target's time likewise
 */
void shim_rotation__spend(struct shim_rotation *r, __u64 time, __u64 tick)
{
	r->left -= tick < r->left ? tick : r->left;
	r->turns[r->now].time += time;
	r->turns[r->now].tick += tick;
}

/**
 * shim_rotation__spoil() - a part of the present slot was lost
 * @r: the rotation; that part is in no sum, and once a slot it is counted in @voids
 */
void shim_rotation__spoil(struct shim_rotation *r)
{
	r->turns[r->now].voids += !r->spoilt;
	r->spoilt = true;
}

/**
 * shim_rotation__is_due() - whether the present slot is over
 * @r: the rotation
 */
bool shim_rotation__is_due(const struct shim_rotation *r)
{
	return r->left <= r->slot >> SLACK_SHIFT;
}

/**
 * shim_rotation__next() - go on to the next slot, and its group
 * @r: the rotation
 */
void shim_rotation__next(struct shim_rotation *r)
{
	if (++r->place == r->nr) {
		r->place = 0;
		r->rounds++;
		if (r->random)
			draw_order(r);
	}
	r->now = r->order[r->place];
	r->left = r->random ? draw_slot(r) : r->slot;
	r->spoilt = false;
}

/**
 * shim_rotation__add_up() - add what each group has counted to sums
 * @r: the rotation
 * @sums: one for each group
 */
void shim_rotation__add_up(const struct shim_rotation *r, struct shim_group_sample *sums)
{
	for (unsigned int i = 0; i < r->nr; i++) {
		sums[i].time += r->turns[i].time;
		sums[i].tick += r->turns[i].tick;
		sums[i].voids += r->turns[i].voids;
		sums[i].rounds += r->rounds;
	}
}
