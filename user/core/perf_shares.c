// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A thread's time on each of several kinds of core.  To estimate what an event would have counted
 * if it had counted all the time, the library must know how long the target ran on the kind of core
 * that counts the event.
 *
 * perf has no clock for that.  But an event that is opened for a thread and a CPU runs only while
 * the thread is on that CPU.  So there is an event that counts nothing for each CPU of all kinds,
 * except the kind with the most CPUs, which has the rest of the time.
 *
 * Locking: the caller's (backend_perf.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "perf_shares.h"
#include "pmus.h"

/*
 * @rest: the kind with the rest of the time
 * @clocks: one for each CPU of the other kinds
 */
struct shim_shares {
	unsigned int rest, n;
	struct clock {
		unsigned int kind;
		struct shim_group group;
	} clocks[];
};

static struct shim_shares *make(const struct shim_pmus *pmus)
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

/**
 * shim_shares__open() - open the clocks in disabled state
 * @place: a thread, with or without inheritance
 * @out: set to NULL if there is one kind of core, or the place is a CPU
 *
 * Return: 0, or an error of shim_group__open().
 */
int shim_shares__open(struct shim_group_place place, struct shim_shares **out)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	struct shim_shares *shares;
	int ret = 0;

	*out = NULL;
	if (!pmus || place.cpu >= 0)
		return 0;
	shares = make(pmus);
	if (!shares)
		return -ENOMEM;
	for (unsigned int k = 0; k < pmus->n && !ret; k++)
		if (k != shares->rest)
			ret = open_clocks(shares, &pmus->pmu[k], k, place);
	if (ret)
		shim_shares__free(shares, true);
	else
		*out = shares;
	return ret;
}

/**
 * shim_shares__free() - close the clocks
 * @shares: the clocks, or NULL
 * @here: as for shim_instance__free()
 */
void shim_shares__free(struct shim_shares *shares, bool here)
{
	for (unsigned int i = 0; shares && i < shares->n; i++)
		if (here)
			shim_group__close(&shares->clocks[i].group);
		else
			shim_group__forget(&shares->clocks[i].group);
	free(shares);
}

/**
 * shim_shares__turn() - enable or disable the clocks
 * @shares: the clocks, or NULL
 * @on: true to enable
 *
 * Return: 0, -EBADF.
 */
int shim_shares__turn(const struct shim_shares *shares, bool on)
{
	int ret = 0, err;

	for (unsigned int i = 0; shares && i < shares->n; i++) {
		err = shim_group__turn(&shares->clocks[i].group, on);
		ret = ret ? ret : err;
	}
	return ret;
}

/**
 * shim_shares__read() - read how long the target was on a kind of core
 * @shares: the clocks
 * @kind: the PMU's index
 * @enabled: the target's time, while the clocks were enabled
 * @time: the target's time on that kind
 *
 * Return: as shim_group__read_any().
 */
int shim_shares__read(const struct shim_shares *shares, unsigned int kind, __u64 enabled, __u64 *time)
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
