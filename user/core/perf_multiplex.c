// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Multiplexed groups of a thread of this process, which perf counts one at a time.
 *
 * All groups stay open, each as a pinned group of perf's, and one of them is enabled.  The alarm is
 * an event, too: perf's clock of the thread's CPU time, which overflows at the end of a slot, and
 * has the signal sent that perf_overflow.c handles, in the counted thread.  The handler disables
 * the present group and enables the next.  If the signal is blocked, or the program has taken it
 * over, the present group goes on: its slot is longer, and its time says so.
 *
 * However many such sets a thread has and however slow the machine is, the thread spends no more than
 * half of its time in the handler: slots are longer then.
 *
 * A group's events start and stop together, with its time.  perf puts a group in error that finds
 * no room on the PMU, or is taken off it: what it has counted since the last look is lost.  That is
 * dropped, from counts and times, and it tries again in its next slot.
 *
 * Values are in the instance's @from, and grow whenever the present group is looked at.
 *
 * Locking: shim_perf__lock, also in the handler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "perf_multiplex.h"
#include "perf_set.h"
#include "rotation.h"

/* An alarm that comes in user mode only is tried this often in a slot. */
#define TRIES	4

/*
 * struct one - a group
 * @group: the events
 * @first: the index of its first request
 * @unknown: the counts at the last look are not known, as the group was in error
 * @enabled: its time at the last look
 * @running: likewise
 */
struct one {
	struct shim_group group;
	unsigned int first;
	bool unknown;
	__u64 enabled, running;
};

/*
 * struct shim_multiplex - the groups of one thread
 * @time: CLOCK_MONOTONIC of the last look at the present group
 * @took: time that the last change-over took, and the one before; one may contain a preemption
 * @sets: such sets that the thread had then
 * @user_only: the alarm is put off while the thread is in kernel mode
 * @rotation: which group counts
 * @counts: of each request at the last look
 * @groups: in their order
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

static struct shim_multiplex *make(const struct shim_instance *inst)
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
 * shim_multiplex__free() - stop counting, and free the groups
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

/* Without the right to count the kernel, perf's clock overflows in user mode only. */
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
		ret = shim_group__open(&m->groups[k].group, &inst->reqs[first], at - first, place, bad);
		if (ret && *bad >= 0)
			*bad += first;
	}
	return ret;
}

/* How long the alarm has to stay away, so that all change-overs take half of the time at most */
static __u64 pause_of(const struct shim_multiplex *m)
{
	return 2 * m->sets * (m->took[0] < m->took[1] ? m->took[0] : m->took[1]);
}

/* Let the alarm come when the present slot is over, counted from now. */
static int arm(struct shim_instance *inst)
{
	const struct shim_multiplex *m = inst->multiplex;
	__u64 left = m->rotation.left, most = m->rotation.slot / TRIES, least = pause_of(m);

	if (m->user_only && left > most)
		left = most;
	if (left < least)
		left = least;
	return shim_group__set_distance(&inst->group, 0, left ? left : 1);
}

/**
 * shim_multiplex__open() - open an instance's groups and its alarm, disabled
 * @inst: on a thread, without flags; its group becomes the alarm
 * @bad: as for shim_group__open()
 *
 * Return: 0, or an error of shim_group__open().
 */
int shim_multiplex__open(struct shim_instance *inst, int *bad)
{
	struct shim_group_place place = { .tid = inst->tid, .cpu = -1, .own = true };
	int ret;

	*bad = -1;
	inst->multiplex = make(inst);
	if (!inst->multiplex)
		return -ENOMEM;
	ret = open_alarm(inst, place);
	if (!ret)
		ret = open_groups(inst->multiplex, inst, place, bad);
	if (!ret)
		ret = arm(inst);
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

/* Later looks count from here. */
static void note(struct shim_multiplex *m, struct one *one, const struct shim_group_counts *counts)
{
	memcpy(&m->counts[one->first], counts->values, one->group.n * sizeof(m->counts[0]));
	one->enabled = counts->enabled;
	one->running = counts->running;
	one->unknown = false;
}

static void add(struct shim_instance *inst, const struct one *one,
		const struct shim_group_counts *counts)
{
	for (unsigned int i = 0; i < one->group.n; i++)
		inst->from[one->first + i] +=
			counts->values[i] - inst->multiplex->counts[one->first + i];
}

/*
 * Take over what the present group has counted since the last look.  @ended: its thread has ended,
 * so that the wall time since then is not known, but the CPU time is.
 *
 * Return: 0, -EAGAIN (it cannot be read, so that it counts no more in this slot), -EBADF.
 */
static int look(struct shim_instance *inst, bool ended)
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
		add(inst, one, &counts);
	} else {
		shim_rotation__spoil(&m->rotation);
	}
	note(m, one, &counts);
	m->time = now;
	return 0;
}

/* Let the present group count.  If it was in error, this takes it out of that. */
static int begin(struct shim_instance *inst)
{
	struct shim_multiplex *m = inst->multiplex;
	struct shim_group_counts counts;
	struct one *one = present(inst);
	int ret = shim_group__turn(&one->group, true);

	m->time = shim_clock__ns();
	if (!one->unknown)
		return ret;
	if (!shim_group__read_any(&one->group, &counts))
		note(m, one, &counts);
	else
		shim_rotation__spoil(&m->rotation);
	return ret;
}

/**
 * shim_multiplex__start() - go on with what is left of the present slot
 * @inst: stopped
 *
 * Context: with the lock.
 * Return: 0, -EBADF.
 */
int shim_multiplex__start(struct shim_instance *inst)
{
	struct shim_rotation *r = &inst->multiplex->rotation;
	int ret = shim_group__turn(&inst->group, true);

	/* The alarm may have come when the instance had just been stopped. */
	if (!ret && shim_rotation__is_due(r)) {
		shim_rotation__next(r);
		ret = arm(inst);
	}
	return ret ? ret : begin(inst);
}

/**
 * shim_multiplex__stop() - stop, and keep what is left of the present slot
 * @inst: the instance
 *
 * Context: with the lock.
 * Return: 0, -EBADF.
 */
int shim_multiplex__stop(struct shim_instance *inst)
{
	int ret = shim_group__turn(&present(inst)->group, false), err;

	if (inst->on)
		look(inst, false);
	err = shim_group__turn(&inst->group, false);
	return ret ? ret : err;
}

/* Let the next group count if the present slot is over. */
static void change_over(struct shim_instance *inst)
{
	struct shim_rotation *r = &inst->multiplex->rotation;
	int ret;

	shim_group__turn(&present(inst)->group, false);
	ret = look(inst, false);
	if (ret || shim_rotation__is_due(r))
		shim_rotation__next(r);
	arm(inst);
	begin(inst);
}

/**
 * shim_multiplex__on_alarm() - if the present slot is over, let the next group count
 * @inst: of the calling thread, which has got perf's signal
 * @own: for this instance; it may have been pending together with another's, which is lost then
 * @sets: how many instances the thread has that are multiplexed
 *
 * Context: with the lock; in a signal handler.
 */
void shim_multiplex__on_alarm(struct shim_instance *inst, bool own, unsigned int sets)
{
	struct shim_multiplex *m = inst->multiplex;
	__u64 now;

	if (!inst->live || !inst->on)
		return;
	now = shim_clock__ns();
	/* The thread's CPU time is no longer than that by the wall: then there is no need to look. */
	if (now - m->time < m->rotation.left - m->rotation.left / 64) {
		if (own)
			arm(inst);
		return;
	}
	change_over(inst);
	m->took[1] = m->took[0];
	m->took[0] = m->time - now;
	m->sets = sets;
}

/**
 * shim_multiplex__add_up() - add what an instance's groups have counted to sums
 * @inst: the instance
 * @values: one for each request
 * @sums: one for each group
 *
 * Context: with the lock.
 * Return: 0, -EBADF.
 */
int shim_multiplex__add_up(struct shim_instance *inst, __u64 *values,
			   struct shim_group_sample *sums)
{
	int ret = 0;

	if (inst->on)
		ret = look(inst, inst->tid != gettid() && shim_group__has_ended(&inst->group));
	/* A group that has lost its counters makes no sample invalid. */
	if (ret && ret != -EAGAIN)
		return ret;
	for (unsigned int i = 0; i < inst->n; i++)
		values[i] += inst->from[i];
	shim_rotation__add_up(&inst->multiplex->rotation, sums);
	return 0;
}
