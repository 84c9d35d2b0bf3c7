// SPDX-License-Identifier: GPL-2.0
/*
 * The arithmetic of groups that take turns: whose turn it is, how much of it is
 * left, and how long each group has counted.  Pure: no lock, no perf, no clock.
 *
 * Nothing is assumed of the turns' lengths.  A turn that ends late is longer,
 * and its group's time says so; what passes between two turns is nobody's.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "rotation.h"

/*
 * A turn that has so little left of its slot is over.  Timer and time are not
 * read at the same instant, and a turn is not worth prolonging for that.
 */
#define SLACK_SHIFT	6

/**
 * vcpc_rotation_init() - nothing has been counted yet
 * @r: with vcpc_rotation_more() behind it
 * @nr: number of groups, 1 .. 65536
 * @first: who begins, below @nr
 * @slot: length of a turn
 */
void vcpc_rotation_init(struct vcpc_rotation *r, u32 nr, u32 first, u64 slot)
{
	r->nr = nr;
	r->first = first;
	r->slot = slot;
	r->random = 0;
	r->order = (u16 *)&r->turn[nr];
	vcpc_rotation_reset(r);
}

/* Marsaglia's xorshift, which never becomes 0 */
static u64 draw(struct vcpc_rotation *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

/* A tenth more or less, to a 1024th */
static u64 draw_slot(struct vcpc_rotation *r)
{
	u64 tenth = div_u64(r->slot, 10);

	return r->slot - tenth + (tenth * ((draw(r) >> 32) & 2047) >> 10);
}

/* Each order is as probable as any other. */
static void draw_order(struct vcpc_rotation *r)
{
	u32 i, other;

	for (i = r->nr - 1; i > 0; i--) {
		other = (draw(r) >> 32) * (i + 1) >> 32;
		swap(r->order[i], r->order[other]);
	}
}

/**
 * vcpc_rotation_shuffle() - from now on each round has an order of its own
 * @r: the rotation, which has not begun
 * @seed: the same gives the same orders and lengths
 *
 * The first round keeps its order, and its first turn its length.
 */
void vcpc_rotation_shuffle(struct vcpc_rotation *r, u64 seed)
{
	int i;

	/* Neighbours' seeds shall not have much in common, and 0 shall do, too. */
	r->random = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;
	for (i = 0; i < 8; i++)
		draw(r);
}

/**
 * vcpc_rotation_reset() - forget all turns, and begin again with a full one
 * @r: the rotation
 */
void vcpc_rotation_reset(struct vcpc_rotation *r)
{
	u32 i;

	for (i = 0; i < r->nr; i++)
		r->order[i] = (r->first + i) % r->nr;
	r->place = 0;
	r->left = r->slot;
	r->rounds = 0;
	r->now = r->first;
	r->spoilt = false;
	memset(r->turn, 0, r->nr * sizeof(r->turn[0]));
}

/**
 * vcpc_rotation_spend() - a part of the present turn has passed
 * @r: the rotation
 * @time: wall time since the last part, or since the turn began or went on
 * @tick: the target's time likewise
 * @whole: whether the group's counters counted throughout; otherwise the part
 *	is dropped, and the caller drops the counts
 */
void vcpc_rotation_spend(struct vcpc_rotation *r, u64 time, u64 tick, bool whole)
{
	struct vcpc_turn *turn = &r->turn[r->now];

	r->left -= min(r->left, tick);
	if (whole) {
		turn->time += time;
		turn->tick += tick;
		return;
	}
	turn->voids += !r->spoilt;
	r->spoilt = true;
}

/**
 * vcpc_rotation_due() - is the present turn over?
 * @r: the rotation
 *
 * Return: true or false.
 */
bool vcpc_rotation_due(const struct vcpc_rotation *r)
{
	return r->left <= r->slot >> SLACK_SHIFT;
}

/**
 * vcpc_rotation_next() - it is the next group's turn
 * @r: the rotation
 */
void vcpc_rotation_next(struct vcpc_rotation *r)
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
