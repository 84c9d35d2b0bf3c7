// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count the groups of a set that perf multiplexes.  Each group is a perf event group that is not
 * pinned, so perf schedules as many groups at a time as fit on the PMU.  A group's time is its time
 * running.
 *
 * The instance's own group is a clock, an event that counts nothing and is always scheduled.  Its
 * time enabled is the time of the set.
 *
 * On machines with several kinds of core, each group belongs to one kind, and estimates need the
 * target's time on that kind, as measured below.
 *
 * Locking: the caller holds the lock (backend_perf.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "perf_flexible.h"
#include "perf_group.h"
#include "perf_kinds.h"
#include "pmus.h"

/*
 * Measure a thread's time on each of several kinds of core.  To estimate what an event would have
 * counted if it had counted all the time, the library must know how long the target ran on the kind
 * of core that counts the event.
 *
 * perf has no clock for this time.  However, an event that is opened for a thread and a CPU runs
 * only while the thread is on that CPU.  Therefore the library opens an event that counts nothing
 * for each CPU.  The kind with the most CPUs needs no events: its time is the target's time minus
 * the times on all other kinds.
 *
 * Locking: the caller holds the lock (backend_perf.c).
 */

/*
 * @rest: the kind of core that has no clocks
 * @clocks: one for each CPU of the other kinds
 */
struct shim_shares {
	unsigned int rest, n;
	struct clock {
		unsigned int kind;
		struct shim_group group;
	} clocks[];
};

static struct shim_shares *shares_make(const struct shim_pmus *pmus)
{
	unsigned int rest = 0, cpus = 0;
	struct shim_shares *shares;

	for (unsigned int k = 0; k < pmus->n; k++) {
		cpus += pmus->pmu[k].nr_cpus;
		if (pmus->pmu[k].nr_cpus > pmus->pmu[rest].nr_cpus)
			rest = k;
	}
	cpus -= pmus->pmu[rest].nr_cpus;
	shares = calloc(1, sizeof(*shares) + cpus * sizeof(shares->clocks[0]));
	if (shares)
		shares->rest = rest;
	return shares;
}

static int open_clocks(struct shim_shares *shares, const struct shim_pmu *pmu, unsigned int kind,
		       struct shim_group_place place)
{
	static const struct vcpc_request clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = VCPC_REQ_F_USER,
	};
	int ret = 0, bad;

	for (unsigned int cpu = 0; cpu < SHIM_PMU_CPUS && !ret; cpu++) {
		struct clock *at = &shares->clocks[shares->n];

		if (!(pmu->cpus[cpu / 64] >> cpu % 64 & 1))
			continue;
		place.cpu = cpu;
		at->kind = kind;
		ret = shim_group__open(&at->group, &clock, 1, place, &bad);
		shares->n += !ret;
	}
	return ret;
}

static void shares_free(struct shim_shares *shares, bool here);

/**
 * shares_open() - open the clocks in the disabled state
 * @place: a thread, with or without inheritance
 * @out: set to NULL if there is only one kind of core, or if the place is a CPU
 *
 * Return: 0, or an error from shim_group__open().
 */
static int shares_open(struct shim_group_place place, struct shim_shares **out)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	struct shim_shares *shares;
	int ret = 0;

	*out = NULL;
	if (!pmus || place.cpu >= 0)
		return 0;
	shares = shares_make(pmus);
	if (!shares)
		return -ENOMEM;
	for (unsigned int k = 0; k < pmus->n && !ret; k++)
		if (k != shares->rest)
			ret = open_clocks(shares, &pmus->pmu[k], k, place);
	if (ret)
		shares_free(shares, true);
	else
		*out = shares;
	return ret;
}

/**
 * shares_free() - close the clocks
 * @shares: the clocks, or NULL
 * @here: as for shim_instance__free()
 */
static void shares_free(struct shim_shares *shares, bool here)
{
	for (unsigned int i = 0; shares && i < shares->n; i++)
		if (here)
			shim_group__close(&shares->clocks[i].group);
		else
			shim_group__forget(&shares->clocks[i].group);
	free(shares);
}

/**
 * shares_turn() - enable or disable the clocks
 * @shares: the clocks, or NULL
 * @on: true to enable
 *
 * Return: 0 or -EBADF.
 */
static int shares_turn(const struct shim_shares *shares, bool on)
{
	int ret = 0, err;

	for (unsigned int i = 0; shares && i < shares->n; i++) {
		err = shim_group__turn(&shares->clocks[i].group, on);
		ret = ret ? ret : err;
	}
	return ret;
}

/**
 * shares_read() - read how long the target was on a kind of core
 * @shares: the clocks
 * @kind: the PMU's index
 * @enabled: the target's time, while the clocks were enabled
 * @time: the target's time on that kind
 *
 * Return: as for shim_group__read_any().
 */
static int shares_read(const struct shim_shares *shares, unsigned int kind, __u64 enabled,
		       __u64 *time)
{
	bool rest = kind == shares->rest;
	struct shim_group_counts counts;
	__u64 sum = 0;
	int ret = 0;

	for (unsigned int i = 0; i < shares->n && !ret; i++) {
		if (!rest && shares->clocks[i].kind != kind)
			continue;
		ret = shim_group__read_any(&shares->clocks[i].group, &counts);
		sum += ret ? 0 : counts.running;
	}
	if (!ret)
		*time = !rest ? sum : enabled > sum ? enabled - sum : 0;
	return ret;
}

/*
 * struct one - a group
 * @group: perf's group; closed while the CPU is offline
 * @first: the index of its first request
 * @ran: time running before the CPU went offline
 * @kind: the kind of core on which it counts, as an index of struct shim_pmus, or SHIM_PMUS_NONE
 *	for all
 */
struct one {
	struct shim_group group;
	unsigned int first;
	__u64 ran;
	int kind;
};

/*
 * struct shim_flexible - all groups
 * @shares: the target's time on each kind of core; NULL if there is only one kind or the target is
 *	a CPU
 */
struct shim_flexible {
	unsigned int nr;
	struct shim_shares *shares;
	struct one groups[];
};

static int flexible_make(struct shim_instance *inst)
{
	unsigned int nr = inst->slots->groups;

	if (!inst->flexible)
		inst->flexible = calloc(1, sizeof(*inst->flexible) + nr * sizeof(struct one));
	if (!inst->flexible)
		return -ENOMEM;
	inst->flexible->nr = nr;
	return 0;
}

static bool is_here(const struct one *one, int cpu)
{
	const struct shim_pmus *pmus = shim_pmus__several();

	return cpu < 0 || one->kind < 0 || shim_pmus__has_cpu(&pmus->pmu[one->kind], cpu);
}

static int open_groups(struct shim_instance *inst, struct shim_group_place place, int *bad)
{
	unsigned int at = 0;
	int ret = 0;

	place.flexible = true;
	for (unsigned int k = 0; k < inst->flexible->nr && !ret; k++) {
		struct one *one = &inst->flexible->groups[k];

		one->first = at;
		while (at < inst->n && inst->slots->group[at] == k)
			at++;
		one->kind = shim_pmus__kind(&inst->reqs[one->first]);
		/* On a CPU that belongs to another kind of core the group counts 0. */
		if (!is_here(one, place.cpu))
			continue;
		ret = shim_group__open(&one->group, &inst->reqs[one->first], at - one->first, place,
				       bad);
		if (ret && *bad >= 0)
			*bad += one->first;
	}
	return ret;
}

static void close_groups(struct shim_flexible *f)
{
	shares_free(f->shares, true);
	f->shares = NULL;
	for (unsigned int k = 0; k < f->nr; k++)
		shim_group__close(&f->groups[k].group);
}

/**
 * shim_flexible__open() - open an instance's groups and its clock in the disabled state
 * @inst: its group becomes the clock
 * @place: the target
 * @bad: as for shim_group__open()
 *
 * Return: 0, or an error from shim_group__open().
 */
int shim_flexible__open(struct shim_instance *inst, struct shim_group_place place, int *bad)
{
	static const struct vcpc_request clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = VCPC_REQ_F_USER,
	};
	int ret = flexible_make(inst);

	*bad = -1;
	if (!ret)
		ret = shim_group__open(&inst->group, &clock, 1, place, bad);
	if (ret) {
		*bad = -1;
		return ret;
	}
	ret = open_groups(inst, place, bad);
	if (!ret && !inst->flexible->shares && shim_kinds__are_needed(inst->reqs, inst->n))
		ret = shares_open(place, &inst->flexible->shares);
	if (ret) {
		close_groups(inst->flexible);
		shim_group__close(&inst->group);
	}
	return ret;
}

/**
 * shim_flexible__free() - stop counting and free the groups
 * @f: the groups, or NULL
 * @here: as for shim_instance__free()
 */
void shim_flexible__free(struct shim_flexible *f, bool here)
{
	for (unsigned int k = 0; f && k < f->nr; k++)
		if (here)
			shim_group__close(&f->groups[k].group);
		else
			shim_group__forget(&f->groups[k].group);
	if (f)
		shares_free(f->shares, here);
	free(f);
}

/**
 * shim_flexible__turn() - enable or disable all groups
 * @f: the groups
 * @on: true to enable
 *
 * Return: 0 or -EBADF.
 */
int shim_flexible__turn(const struct shim_flexible *f, bool on)
{
	int ret = shares_turn(f->shares, on);

	for (unsigned int k = 0; k < f->nr; k++) {
		int err = f->groups[k].group.n ? shim_group__turn(&f->groups[k].group, on) : 0;

		ret = ret ? ret : err;
	}
	return ret;
}

static int read_one(const struct shim_instance *inst, const struct one *one,
		    struct shim_group_counts *counts)
{
	if (inst->offline || !one->group.n) {
		*counts = (struct shim_group_counts) { 0 };
		return 0;
	}
	return shim_instance__is_cpu(inst) ? shim_group__read_each(&one->group, counts) :
					     shim_group__read_any(&one->group, counts);
}

/**
 * shim_flexible__save() - save the counts of a CPU's groups and close them
 * @inst: the instance on a CPU
 */
void shim_flexible__save(struct shim_instance *inst)
{
	struct shim_group_counts counts;

	for (unsigned int k = 0; k < inst->flexible->nr; k++) {
		struct one *one = &inst->flexible->groups[k];

		if (!read_one(inst, one, &counts)) {
			for (unsigned int i = 0; i < one->group.n; i++)
				inst->from[one->first + i] += counts.values[i];
			one->ran += counts.running;
		}
		shim_group__close(&one->group);
	}
}

/* Add the target's time on the kind of core on which a group counts. */
static int add_whole(const struct shim_instance *inst, const struct one *one, __u64 enabled,
		     __u64 *whole)
{
	__u64 time = is_here(one, shim_instance__is_cpu(inst) ? inst->tid : -1) ? enabled : 0;
	int ret = 0;

	if (one->kind >= 0 && inst->flexible->shares)
		ret = shares_read(inst->flexible->shares, one->kind, enabled, &time);
	*whole += time;
	return ret;
}

/**
 * shim_flexible__add_up() - add the counts of an instance's groups to sums
 * @inst: the instance
 * @enabled: the time of the set
 * @values: one value per request
 * @sums: one sum per group
 *
 * Return: as for shim_group__read_any().
 */
int shim_flexible__add_up(const struct shim_instance *inst, __u64 enabled, __u64 *values,
			  struct shim_group_sample *sums)
{
	const struct shim_flexible *f = inst->flexible;
	struct shim_group_counts counts;
	bool all = true;

	for (unsigned int k = 0; k < f->nr; k++) {
		const struct one *one = &f->groups[k];
		int ret = read_one(inst, one, &counts);

		if (ret)
			return ret;
		for (unsigned int i = 0; i < one->group.n; i++)
			values[one->first + i] += counts.values[i];
		sums[k].tick += one->ran + counts.running;
		sums[k].time += one->ran + counts.running;
		ret = add_whole(inst, one, enabled, &sums[k].whole);
		if (ret)
			return ret;
		all &= !one->group.n || one->ran + counts.running > 0;
	}
	for (unsigned int i = 0; i < inst->n; i++)
		values[i] += inst->from[i];
	for (unsigned int k = 0; k < f->nr; k++)
		sums[k].rounds += all;
	return 0;
}
