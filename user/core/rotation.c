// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The rotation of multiplexed groups: which group counts, how long, and the times of each.  Pure:
 * no lock, no system call, no clock.  For a given seed, orders and lengths are always the same.
 *
 * The code does not depend on the actual length of slots: a slot that ends late is longer, and so
 * is its group's time.  Time between two slots is not added to any group.
 */
#include "rotation.h"

/* A slot is over if only this fraction is left, because alarm and time are read separately. */
#define SLACK_SHIFT	6

/**
 * shim_rotation__init() - begin the first rotation with the first group
 * @r: the rotation; its @nr, @order and @turns are set, and @turns is zeroed
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

/* A random length of a slot, up to 10 % longer or shorter, in steps of 1/1024 of that */
static __u64 draw_slot(struct shim_rotation *r)
{
	__u64 tenth = r->slot / 10;

	return r->slot - tenth + (tenth * ((draw(r) >> 32) & 2047) >> 10);
}

/* Draw an order; all orders have the same probability. */
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
 * shim_rotation__shuffle() - use random slot lengths, and random orders after the first rotation
 * @r: the rotation, before its first slot
 * @seed: the same seed gives the same orders and lengths
 */
void shim_rotation__shuffle(struct shim_rotation *r, __u64 seed)
{
	/* Similar seeds must not lead to similar orders, and the state must not be 0. */
	r->random = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	for (int i = 0; i < 8; i++)
		draw(r);
}

/**
 * shim_rotation__spend() - add a part of the current slot in which its group counted
 * @r: the rotation
 * @time: wall time of that part
 * @tick: the target's time of that part
 */
void shim_rotation__spend(struct shim_rotation *r, __u64 time, __u64 tick)
{
	r->left -= tick < r->left ? tick : r->left;
	r->turns[r->now].time += time;
	r->turns[r->now].tick += tick;
}

/**
 * shim_rotation__spoil() - note that a part of the current slot was lost
 * @r: the rotation; the lost part is not added to any sum, and @voids counts the slot once
 */
void shim_rotation__spoil(struct shim_rotation *r)
{
	r->turns[r->now].voids += !r->spoilt;
	r->spoilt = true;
}

/**
 * shim_rotation__is_due() - whether the current slot is over
 * @r: the rotation
 */
bool shim_rotation__is_due(const struct shim_rotation *r)
{
	return r->left <= r->slot >> SLACK_SHIFT;
}

/**
 * shim_rotation__next() - advance to the next slot and its group
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
 * shim_rotation__add_up() - add the statistics of each group to sums
 * @r: the rotation
 * @sums: one sum per group
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
