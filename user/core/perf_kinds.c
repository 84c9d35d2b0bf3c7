// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count a set's events on one target, on a machine with several kinds of core: with one perf event
 * group on each kind's PMU, and one for the events that no core PMU counts.  A value is the sum
 * over all of them.
 *
 * perf does not schedule a group while the target runs on another kind of core.  Then the group's
 * time running stops but its time enabled does not, and a pinned group does not enter the error
 * state.  Therefore all groups are pinned, including inherited ones: a group that has lost its
 * counters is in the error state, and its time enabled stops.
 *
 * The instance's own group is a clock, an event that counts nothing and is always scheduled.  Its
 * time enabled is the time of the set.  An inherited instance has one more group, the witness.  The
 * witness is a single event that is not pinned, so it never enters the error state.  If a group's
 * time enabled is less than the witness's, an inherited copy of the group was in the error state.
 * The witness is on a core PMU, because Linux before 6.3 keeps a different time for software
 * events.
 *
 * Locking: the caller holds the lock (backend_perf.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "perf_kinds.h"
#include "pmus.h"

/*
 * struct kind - the group on one kind of core
 * @core: true for a kind of core; false for the group of events that no core PMU counts; that group
 *	cannot lose counters
 * @group: its events
 * @at: the index of each event among the set's requests
 */
struct kind {
	bool core;
	struct shim_group group;
	unsigned char at[SHIM_GROUP_MAX];
};

/*
 * @witness: the witness of an inherited instance; otherwise without events
 * @kinds: the kinds that have events on this target
 */
struct shim_kinds {
	struct shim_group witness;
	unsigned int n;
	struct kind kinds[];
};

/**
 * shim_kinds__are_needed() - check whether a set needs a group on each kind of core
 * @reqs: struct vcpc_request[@n]
 * @n: number of requests
 *
 * Return: false if there is only one kind of core, or no core PMU counts any of the events.
 */
bool shim_kinds__are_needed(const struct vcpc_request *reqs, unsigned int n)
{
	const struct shim_pmus *pmus = shim_pmus__several();

	for (unsigned int i = 0; pmus && i < n; i++)
		if (shim_pmus__of(pmus, &reqs[i]) != SHIM_PMUS_NONE)
			return true;
	return false;
}

/**
 * shim_kinds__try() - check whether an event can be counted on all its kinds of core
 * @req: the event
 *
 * Return: 0, or an error from shim_group__try(): -EOPNOTSUPP if only some kinds of core have the
 * event, because the sum would be wrong.
 */
int shim_kinds__try(const struct vcpc_request *req)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	struct vcpc_request one;
	unsigned int have = 0;
	int ret = 0, err;

	if (!pmus || shim_pmus__of(pmus, req) == SHIM_PMUS_NONE)
		return shim_group__try(req);
	for (unsigned int k = 0; k < pmus->n; k++) {
		if (!shim_pmus__make(pmus, k, req, &one))
			continue;
		err = shim_group__try(&one);
		have += !err;
		ret = err ? err : ret;
	}
	return have && (ret == -ENOENT || ret == -EINVAL || ret == -EOPNOTSUPP) ? -EOPNOTSUPP : ret;
}

/* Return whether the multiplexed group of request @i has events of several kinds of core. */
static bool is_mixed(const struct shim_pmus *pmus, const struct vcpc_request *reqs,
		     const __u16 *group, unsigned int i)
{
	int kind = shim_pmus__of(pmus, &reqs[i]);

	return kind == SHIM_PMUS_ALL ||
	       (i && group[i] == group[i - 1] && kind != shim_pmus__of(pmus, &reqs[i - 1]));
}

/**
 * shim_kinds__check() - check whether a set's events can be counted together
 * @reqs: struct vcpc_request[@n], each of them accepted by shim_kinds__try()
 * @n: number of requests
 * @group: the multiplexed group of each request, or NULL
 *
 * Return: 0; -EOPNOTSUPP if an overflow could go unnoticed, because each PMU has its own counter
 * and only their sum reaches the limit, or if the estimate of a multiplexed group with several
 * kinds of core would be wrong.
 */
int shim_kinds__check(const struct vcpc_request *reqs, unsigned int n, const __u16 *group)
{
	const struct shim_pmus *pmus = shim_pmus__several();

	if (!shim_kinds__are_needed(reqs, n))
		return 0;
	for (unsigned int i = 0; i < n; i++)
		if (reqs[i].flags & VCPC_REQ_F_OVERFLOW || (group && is_mixed(pmus, reqs, group, i)))
			return -EOPNOTSUPP;
	return 0;
}

/* Select the requests that a group counts.  @kind is a PMU's index, or SHIM_PMUS_NONE. */
static unsigned int pick(const struct shim_instance *inst, int kind, struct kind *of,
			 struct vcpc_request *reqs)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	unsigned int n = 0;

	for (unsigned int i = 0; i < inst->n; i++) {
		const struct vcpc_request *req = &inst->reqs[i];

		if (kind == SHIM_PMUS_NONE) {
			if (shim_pmus__of(pmus, req) != SHIM_PMUS_NONE)
				continue;
			reqs[n] = *req;
		} else if (!shim_pmus__make(pmus, kind, req, &reqs[n])) {
			continue;
		}
		of->at[n++] = i;
	}
	return n;
}

static int open_kind(struct shim_instance *inst, int kind, struct shim_group_place place, int *bad)
{
	struct kind *of = &inst->kinds->kinds[inst->kinds->n];
	struct vcpc_request reqs[SHIM_GROUP_MAX];
	unsigned int n = pick(inst, kind, of, reqs);
	int ret;

	if (!n)
		return 0;
	of->core = kind != SHIM_PMUS_NONE;
	ret = shim_group__open(&of->group, reqs, n, place, bad);
	if (ret && *bad >= 0)
		*bad = of->at[*bad];
	inst->kinds->n += !ret;
	return ret;
}

/* Open the witness, which counts an event of the first group that is on a core PMU. */
static int open_witness(struct shim_instance *inst, struct shim_group_place place, int *bad)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	struct vcpc_request req = { 0 };
	bool found = false;

	for (unsigned int k = 0; k < pmus->n && !found; k++)
		for (unsigned int i = 0; i < inst->n && !found; i++)
			found = shim_pmus__make(pmus, k, &inst->reqs[i], &req);
	place.pinned = false;
	place.flexible = true;
	return shim_group__open(&inst->kinds->witness, &req, 1, place, bad);
}

static int open_all(struct shim_instance *inst, struct shim_group_place place, int *bad)
{
	const struct shim_pmus *pmus = shim_pmus__several();
	int ret = 0;

	place.pinned = true;
	for (unsigned int k = 0; k < pmus->n && !ret; k++)
		if (place.cpu < 0 || shim_pmus__has_cpu(&pmus->pmu[k], place.cpu))
			ret = open_kind(inst, k, place, bad);
	if (!ret)
		ret = open_kind(inst, SHIM_PMUS_NONE, place, bad);
	if (!ret && place.inherit)
		ret = open_witness(inst, place, bad);
	return ret;
}

/**
 * shim_kinds__open() - open an instance's groups and its clock in the disabled state
 * @inst: its group becomes the clock
 * @place: the target
 * @bad: as for shim_group__open()
 *
 * Return: 0, or an error from shim_group__open().
 */
int shim_kinds__open(struct shim_instance *inst, struct shim_group_place place, int *bad)
{
	static const struct vcpc_request clock = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.flags = VCPC_REQ_F_USER,
	};
	size_t most = SHIM_PMUS_MAX + 1;
	int ret;

	*bad = -1;
	if (!inst->kinds)
		inst->kinds = calloc(1, sizeof(*inst->kinds) + most * sizeof(struct kind));
	if (!inst->kinds)
		return -ENOMEM;
	ret = shim_group__open(&inst->group, &clock, 1, place, bad);
	if (!ret) {
		ret = open_all(inst, place, bad);
		if (ret)
			shim_group__close(&inst->group);
	}
	if (ret) {
		shim_kinds__free(inst->kinds, true);
		inst->kinds = NULL;
	}
	return ret;
}

/**
 * shim_kinds__free() - stop counting and free the groups
 * @kinds: the groups, or NULL
 * @here: as for shim_instance__free()
 */
void shim_kinds__free(struct shim_kinds *kinds, bool here)
{
	void (*end)(struct shim_group *group) = here ? shim_group__close : shim_group__forget;

	for (unsigned int k = 0; kinds && k < kinds->n; k++)
		end(&kinds->kinds[k].group);
	if (kinds)
		end(&kinds->witness);
	free(kinds);
}

/**
 * shim_kinds__turn() - enable or disable all groups and the clock
 * @inst: the instance
 * @on: true to enable
 *
 * The witness is enabled last, disabled first and read first, so that a group's time enabled is
 * less than the witness's only if the group was in the error state.
 *
 * Return: 0 or -EBADF.
 */
int shim_kinds__turn(const struct shim_instance *inst, bool on)
{
	const struct shim_kinds *kinds = inst->kinds;
	int ret = 0, err;

	if (!on && kinds->witness.n)
		ret = shim_group__turn(&kinds->witness, false);
	for (unsigned int k = 0; k < kinds->n; k++) {
		err = shim_group__turn(&kinds->kinds[k].group, on);
		ret = ret ? ret : err;
	}
	err = shim_group__turn(&inst->group, on);
	ret = ret ? ret : err;
	if (on && kinds->witness.n) {
		err = shim_group__turn(&kinds->witness, true);
		ret = ret ? ret : err;
	}
	return ret;
}

static int read_kind(const struct shim_instance *inst, const struct kind *kind,
		     struct shim_group_counts *counts)
{
	return shim_instance__is_cpu(inst) ? shim_group__read_each(&kind->group, counts) :
					     shim_group__read_any(&kind->group, counts);
}

static void kind_add(const struct kind *kind, const struct shim_group_counts *counts, __u64 *values)
{
	for (unsigned int i = 0; i < kind->group.n; i++)
		values[kind->at[i]] += counts->values[i];
}

/**
 * shim_kinds__save() - save the counts of a CPU's groups and close them
 * @inst: the instance on a CPU
 */
void shim_kinds__save(struct shim_instance *inst)
{
	struct shim_kinds *kinds = inst->kinds;
	struct shim_group_counts counts;

	for (unsigned int k = 0; k < kinds->n; k++) {
		if (!read_kind(inst, &kinds->kinds[k], &counts))
			kind_add(&kinds->kinds[k], &counts, inst->from);
		shim_group__close(&kinds->kinds[k].group);
	}
	kinds->n = 0;
}

/**
 * shim_kinds__read() - read the clock and the sums over all kinds of core
 * @inst: the instance; its CPU is online
 * @counts: filled in; its times are the clock's
 *
 * The groups are read one after the other.  If the target migrates to another kind of core between
 * these reads, its latest counts may be missing until the next sample.
 *
 * Return: as for shim_group__read().
 */
int shim_kinds__read(const struct shim_instance *inst, struct shim_group_counts *counts)
{
	const struct shim_kinds *kinds = inst->kinds;
	struct shim_group_counts one;
	__u64 least = 0;
	int ret = 0;

	if (kinds->witness.n) {
		ret = shim_group__read_any(&kinds->witness, &one);
		least = one.enabled;
	}
	if (!ret)
		ret = shim_group__read(&inst->group, counts);
	counts->nr = inst->n;
	for (unsigned int i = 0; i < inst->n; i++)
		counts->values[i] = 0;
	for (unsigned int k = 0; k < kinds->n && !ret; k++) {
		ret = read_kind(inst, &kinds->kinds[k], &one);
		if (!ret && kinds->kinds[k].core && one.enabled < least)
			ret = -EAGAIN;
		if (!ret)
			kind_add(&kinds->kinds[k], &one, counts->values);
	}
	return ret;
}
