// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups of a set that perf multiplexes: each is a group of perf's that is not pinned, so perf
 * gives the PMU to as many at a time as fit.  A group's time running is its time.
 *
 * The instance's own group is a clock, an event that counts nothing and is always on: its time
 * enabled is the set's.
 *
 * Locking: the caller's (backend_perf.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "perf_flexible.h"

/*
 * struct one - a group
 * @group: its events; closed while the CPU is offline
 * @first: the index of its first request
 * @ran: time running before the CPU went offline
 */
struct one {
	struct shim_group group;
	unsigned int first;
	__u64 ran;
};

struct shim_flexible {
	unsigned int nr;
	struct one groups[];
};

static int make(struct shim_instance *inst)
{
	unsigned int nr = inst->slots->groups;

	if (!inst->flexible)
		inst->flexible = calloc(1, sizeof(*inst->flexible) + nr * sizeof(struct one));
	if (!inst->flexible)
		return -ENOMEM;
	inst->flexible->nr = nr;
	return 0;
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
		ret = shim_group__open(&one->group, &inst->reqs[one->first], at - one->first, place,
				       bad);
		if (ret && *bad >= 0)
			*bad += one->first;
	}
	return ret;
}

static void close_groups(struct shim_flexible *f)
{
	for (unsigned int k = 0; k < f->nr; k++)
		shim_group__close(&f->groups[k].group);
}

/**
 * shim_flexible__open() - open an instance's groups and its clock, disabled
 * @inst: its group becomes the clock
 * @place: the target
 * @bad: as for shim_group__open()
 *
 * Return: 0, or an error of shim_group__open().
 */
int shim_flexible__open(struct shim_instance *inst, struct shim_group_place place, int *bad)
{
	static const struct vcpc_request clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = VCPC_REQ_F_USER,
	};
	int ret = make(inst);

	*bad = -1;
	if (!ret)
		ret = shim_group__open(&inst->group, &clock, 1, place, bad);
	if (ret) {
		*bad = -1;
		return ret;
	}
	ret = open_groups(inst, place, bad);
	if (ret) {
		close_groups(inst->flexible);
		shim_group__close(&inst->group);
	}
	return ret;
}

/**
 * shim_flexible__free() - stop counting, and free the groups
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
	free(f);
}

/**
 * shim_flexible__turn() - enable or disable all groups
 * @f: the groups
 * @on: enable
 *
 * Return: 0, -EBADF.
 */
int shim_flexible__turn(const struct shim_flexible *f, bool on)
{
	int ret = 0;

	for (unsigned int k = 0; k < f->nr; k++) {
		int err = shim_group__turn(&f->groups[k].group, on);

		ret = ret ? ret : err;
	}
	return ret;
}

static int read_one(const struct shim_instance *inst, const struct one *one,
		    struct shim_group_counts *counts)
{
	if (inst->offline) {
		*counts = (struct shim_group_counts) { 0 };
		return 0;
	}
	return shim_instance__is_cpu(inst) ? shim_group__read_each(&one->group, counts) :
					     shim_group__read_any(&one->group, counts);
}

/**
 * shim_flexible__save() - keep what the groups of a CPU have counted, and close them
 * @inst: on a CPU
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

/**
 * shim_flexible__add_up() - add what an instance's groups have counted to sums
 * @inst: the instance
 * @values: one for each request
 * @sums: one for each group
 *
 * Return: as shim_group__read_any().
 */
int shim_flexible__add_up(const struct shim_instance *inst, __u64 *values,
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
		all &= one->ran + counts.running > 0;
	}
	for (unsigned int i = 0; i < inst->n; i++)
		values[i] += inst->from[i];
	for (unsigned int k = 0; k < f->nr; k++)
		sums[k].rounds += all;
	return 0;
}
