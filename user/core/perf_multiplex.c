// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Multiplex the groups of a thread of this process: perf counts one group at a time.
 *
 * All groups stay open as pinned perf event groups, and one of them is enabled.  The alarm is also
 * an event, perf's clock of the thread's CPU time.  It overflows at the end of a slot and sends the
 * signal that perf_overflow.c handles in the counted thread.  The handler disables the current
 * group and enables the next.  If the signal is blocked, or the program has installed its own
 * handler, the current group continues; its slot and its time become longer.
 *
 * Regardless of the number of multiplexed sets and the speed of the machine, a thread spends at
 * most half of its time in the handler: slots become longer if necessary.
 *
 * A group's events start and stop together with its time.  perf puts a group into the error state
 * if it does not fit on the PMU or is removed from it, and its counts since the last read are lost.
 * They are excluded from counts and times, and the group tries again in its next slot.
 *
 * Values are in the instance's @from, and are updated whenever the current group is read.
 *
 * Locking: shim_perf__lock, including in the handler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "perf_multiplex.h"
#include "perf_overflow.h"
#include "perf_set.h"

/*
 * Rotate multiplexed groups: decide which group counts and for how long, and add up the times of
 * each.  This code is pure: it uses no lock, no system call and no clock.  For a given seed, orders
 * and lengths are always the same.
 *
 * The code does not depend on the actual length of slots: if a slot ends late, the slot and its
 * group's time are longer.  Time between two slots is not added to any group.
 */

/*
 * A slot is over if only this fraction of it is left, because the alarm and the time are read
 * separately.
 */
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

/* Return the next number of Marsaglia's xorshift, whose state never becomes 0. */
static __u64 draw(struct shim_rotation *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 7;
	r->random ^= r->random << 17;
	return r->random;
}

/* Return a random slot length, up to 10 % longer or shorter, in steps of 1/1024 of that range. */
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
 * @seed: the same seed results in the same orders and lengths
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
 * @tick: the target's time in that part
 */
void shim_rotation__spend(struct shim_rotation *r, __u64 time, __u64 tick)
{
	r->left -= tick < r->left ? tick : r->left;
	r->turns[r->now].time += time;
	r->turns[r->now].tick += tick;
}

/**
 * shim_rotation__spoil() - record that a part of the current slot was lost
 * @r: the rotation; the lost part is not added to any sum, and @voids counts the slot once
 */
void shim_rotation__spoil(struct shim_rotation *r)
{
	r->turns[r->now].voids += !r->spoilt;
	r->spoilt = true;
}

/**
 * shim_rotation__is_due() - check whether the current slot is over
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

/* Number of alarms per slot if they can occur only in user mode */
#define TRIES	4

/*
 * Minimum time between two alarms of a set.  perf repeats an alarm until the handler sets the next
 * one.  In a VM an interrupt and its signal can take 50 us.  With less time between alarms the
 * thread would never reach its handler, and the kernel would do nothing else on that CPU.
 */
#define ALARM_MIN	(SHIM_SLOT_MIN / TRIES)

/*
 * struct one - a group
 * @group: the events
 * @first: the index of its first request
 * @unknown: the counts at the last read are unknown, because the group was in the error state
 * @enabled: its time enabled at the last read
 * @running: its time running at the last read
 */
struct one {
	struct shim_group group;
	unsigned int first;
	bool unknown;
	__u64 enabled, running;
};

/*
 * struct shim_multiplex - the groups of one thread
 * @time: CLOCK_MONOTONIC of the last read of the current group
 * @took: durations of the last two rotations; one may include a preemption
 * @sets: number of multiplexed sets of the thread at the last alarm
 * @user_only: the alarm is delayed while the thread is in kernel mode
 * @rotation: the rotation
 * @counts: count of each request at the last read
 * @groups: the groups
 */
struct shim_multiplex {
	__u64 time;
	__u64 took[2];
	unsigned int sets;
	bool user_only;
	struct shim_rotation rotation;
	__u64 *counts;
	struct one groups[];
};

static struct shim_multiplex *multiplex_make(const struct shim_instance *inst)
{
	const struct shim_slots *slots = inst->slots;
	size_t groups = slots->groups * sizeof(struct one), counts = inst->n * sizeof(__u64);
	size_t turns = slots->groups * sizeof(struct shim_group_sample);
	struct shim_multiplex *m = calloc(1, sizeof(*m) + groups + counts + turns +
					  slots->groups * sizeof(__u16));

	if (!m)
		return NULL;
	m->counts = (void *)((char *)m->groups + groups);
	m->rotation.turns = (void *)((char *)m->counts + counts);
	m->rotation.order = (void *)((char *)m->rotation.turns + turns);
	m->rotation.nr = slots->groups;
	shim_rotation__init(&m->rotation, slots->length);
	if (slots->shuffle)
		shim_rotation__shuffle(&m->rotation, (__u64)slots->seed << 32);
	return m;
}

/**
 * shim_multiplex__free() - stop counting and free the groups
 * @m: the groups, or NULL
 * @here: as for shim_instance__free()
 */
void shim_multiplex__free(struct shim_multiplex *m, bool here)
{
	for (unsigned int k = 0; m && k < m->rotation.nr; k++)
		if (here)
			shim_group__close(&m->groups[k].group);
		else
			shim_group__forget(&m->groups[k].group);
	free(m);
}

/*
 * Open the alarm.  Without permission to count in kernel mode, perf's clock overflows only in user
 * mode.
 */
static int open_alarm(struct shim_instance *inst, struct shim_group_place place)
{
	struct vcpc_request clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL | VCPC_REQ_F_OVERFLOW,
	};
	int bad, ret = shim_group__open(&inst->group, &clock, 1, place, &bad);

	if (ret != -EACCES)
		return ret;
	clock.flags &= ~VCPC_REQ_F_KERNEL;
	inst->multiplex->user_only = true;
	return shim_group__open(&inst->group, &clock, 1, place, &bad);
}

static int open_groups(struct shim_multiplex *m, const struct shim_instance *inst,
		       struct shim_group_place place, int *bad)
{
	unsigned int at = 0;
	int ret = 0;

	for (unsigned int k = 0; k < m->rotation.nr && !ret; k++) {
		unsigned int first = at;

		while (at < inst->n && inst->slots->group[at] == k)
			at++;
		m->groups[k].first = first;
		ret = shim_group__open(&m->groups[k].group, &inst->reqs[first], at - first, place,
				       bad);
		if (ret && *bad >= 0)
			*bad += first;
	}
	return ret;
}

/*
 * Return the minimum time between a set's alarms with which the rotations of all sets take at most
 * half of the time.
 */
static __u64 pause_of(const struct shim_multiplex *m)
{
	__u64 each = 2 * (m->took[0] < m->took[1] ? m->took[0] : m->took[1]);

	return m->sets * (each > ALARM_MIN ? each : ALARM_MIN);
}

/* Set the alarm to the end of the current slot. */
static int alarm_arm(struct shim_instance *inst)
{
	const struct shim_multiplex *m = inst->multiplex;
	__u64 left = m->rotation.left, most = m->rotation.slot / TRIES, least = pause_of(m);

	if (m->user_only && left > most)
		left = most;
	if (left < least)
		left = least;
	return shim_group__set_distance(&inst->group, 0, left);
}

/**
 * shim_multiplex__open() - open an instance's groups and its alarm in the disabled state
 * @inst: an instance on a thread, without flags; its group becomes the alarm
 * @bad: as for shim_group__open()
 *
 * Return: 0, or an error from shim_group__open().
 */
int shim_multiplex__open(struct shim_instance *inst, int *bad)
{
	struct shim_group_place place = { .tid = inst->tid, .cpu = -1, .own = true };
	int ret;

	*bad = -1;
	inst->multiplex = multiplex_make(inst);
	if (!inst->multiplex)
		return -ENOMEM;
	inst->multiplex->sets = shim_overflow__multiplexed(inst->tid) + 1;
	ret = open_alarm(inst, place);
	if (!ret)
		ret = open_groups(inst->multiplex, inst, place, bad);
	if (!ret)
		ret = alarm_arm(inst);
	if (!ret)
		return 0;
	shim_group__close(&inst->group);
	shim_multiplex__free(inst->multiplex, true);
	inst->multiplex = NULL;
	return ret;
}

static struct one *present(const struct shim_instance *inst)
{
	return &inst->multiplex->groups[inst->multiplex->rotation.now];
}

/* Store the counts; the next read adds the difference. */
static void group_note(struct shim_multiplex *m, struct one *one,
		       const struct shim_group_counts *counts)
{
	memcpy(&m->counts[one->first], counts->values, one->group.n * sizeof(m->counts[0]));
	one->enabled = counts->enabled;
	one->running = counts->running;
	one->unknown = false;
}

static void group_add(struct shim_instance *inst, const struct one *one,
		      const struct shim_group_counts *counts)
{
	for (unsigned int i = 0; i < one->group.n; i++)
		inst->from[one->first + i] +=
			counts->values[i] - inst->multiplex->counts[one->first + i];
}

/*
 * Add the current group's counts since the last read.  If @ended is set, its thread has ended, so
 * only the CPU time since the last read is known, not the wall time.
 *
 * Return: 0, -EAGAIN (the group cannot be read, so it no longer counts in this slot), or -EBADF.
 */
static int multiplex_look(struct shim_instance *inst, bool ended)
{
	struct shim_multiplex *m = inst->multiplex;
	struct shim_group_counts counts;
	struct one *one = present(inst);
	int ret = shim_group__read_any(&one->group, &counts);
	__u64 now = shim_clock__ns(), tick;

	if (ret) {
		one->unknown = true;
		shim_rotation__spoil(&m->rotation);
		return ret;
	}
	tick = counts.enabled - one->enabled;
	if (!one->unknown && counts.running - one->running == tick) {
		shim_rotation__spend(&m->rotation, ended ? tick : now - m->time, tick);
		group_add(inst, one, &counts);
	} else {
		shim_rotation__spoil(&m->rotation);
	}
	group_note(m, one, &counts);
	m->time = now;
	return 0;
}

/* Enable the current group, which also clears its error state. */
static int slot_begin(struct shim_instance *inst)
{
	struct shim_multiplex *m = inst->multiplex;
	struct shim_group_counts counts;
	struct one *one = present(inst);
	int ret = shim_group__turn(&one->group, true);

	m->time = shim_clock__ns();
	if (!one->unknown)
		return ret;
	if (!shim_group__read_any(&one->group, &counts))
		group_note(m, one, &counts);
	else
		shim_rotation__spoil(&m->rotation);
	return ret;
}

/**
 * shim_multiplex__start() - continue the current slot
 * @inst: the stopped instance
 *
 * Context: the caller holds the lock.
 * Return: 0 or -EBADF.
 */
int shim_multiplex__start(struct shim_instance *inst)
{
	struct shim_rotation *r = &inst->multiplex->rotation;
	int ret = shim_group__turn(&inst->group, true);

	/* The alarm may have arrived just after the instance was stopped. */
	if (!ret && shim_rotation__is_due(r)) {
		shim_rotation__next(r);
		ret = alarm_arm(inst);
	}
	return ret ? ret : slot_begin(inst);
}

/**
 * shim_multiplex__stop() - stop, and save the rest of the current slot
 * @inst: the instance
 *
 * Context: the caller holds the lock.
 * Return: 0 or -EBADF.
 */
int shim_multiplex__stop(struct shim_instance *inst)
{
	int ret = shim_group__turn(&present(inst)->group, false), err;

	if (inst->on)
		multiplex_look(inst, false);
	err = shim_group__turn(&inst->group, false);
	return ret ? ret : err;
}

/* Enable the next group if the current slot is over. */
static void change_over(struct shim_instance *inst)
{
	struct shim_rotation *r = &inst->multiplex->rotation;
	int ret;

	shim_group__turn(&present(inst)->group, false);
	ret = multiplex_look(inst, false);
	if (ret || shim_rotation__is_due(r))
		shim_rotation__next(r);
	alarm_arm(inst);
	slot_begin(inst);
}

/**
 * shim_multiplex__on_alarm() - enable the next group if the current slot is over
 * @inst: an instance of the calling thread, which has received perf's signal
 * @own: true if the signal was sent for this instance; another instance's signal may have been
 *	merged with it
 * @sets: the number of multiplexed instances of the thread
 *
 * Context: the caller holds the lock, in a signal handler.
 */
void shim_multiplex__on_alarm(struct shim_instance *inst, bool own, unsigned int sets)
{
	struct shim_multiplex *m = inst->multiplex;
	__u64 now;

	if (!inst->live || !inst->on)
		return;
	now = shim_clock__ns();
	/* CPU time never passes faster than wall time, so the slot cannot be over yet. */
	if (now - m->time < m->rotation.left - m->rotation.left / 64) {
		if (own)
			alarm_arm(inst);
		return;
	}
	change_over(inst);
	m->took[1] = m->took[0];
	m->took[0] = m->time - now;
	m->sets = sets;
}

/**
 * shim_multiplex__add_up() - add the counts of an instance's groups to sums
 * @inst: the instance
 * @values: one value per request
 * @sums: one sum per group
 *
 * Context: the caller holds the lock.
 * Return: 0 or -EBADF.
 */
int shim_multiplex__add_up(struct shim_instance *inst, __u64 *values,
			   struct shim_group_sample *sums)
{
	int ret = 0;

	if (inst->on)
		ret = multiplex_look(inst, inst->tid != gettid() &&
				     shim_group__has_ended(&inst->group));
	/* A sample is valid even if a group has lost its counters. */
	if (ret && ret != -EAGAIN)
		return ret;
	for (unsigned int i = 0; i < inst->n; i++)
		values[i] += inst->from[i];
	shim_rotation__add_up(&inst->multiplex->rotation, sums);
	return 0;
}
