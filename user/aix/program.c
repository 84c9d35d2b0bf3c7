// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert the three forms of programs that callers use to one form, check it, and pack it into
 * requests.
 *
 * All sets are checked before any counters are opened, so a single invalid set makes the call fail.
 * Errors are API errors.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define SLICE_MIN	10
#define SLICE_MAX	30000
#define SLICE_DEFAULT	100

static int allocate(struct shim_aix_program *p, enum shim_aix_kind kind, int slice, int nsets)
{
	if (slice && (slice < SLICE_MIN || slice > SLICE_MAX))
		return Pmapi_InvalidSlice;
	p->kind = kind;
	p->slice = slice ? slice : SLICE_DEFAULT;
	p->sets = calloc(nsets, sizeof(*p->sets));
	if (!p->sets)
		return Pmapi_Malloc_Err;
	p->nsets = nsets;
	return 0;
}

int shim_aix_program__plain(struct shim_aix_program *p, const pm_prog_t *prog)
{
	int ret;

	if (!prog)
		return EINVAL;
	ret = allocate(p, AIX_PLAIN, 0, 1);
	if (!ret)
		p->sets[0] = *prog;
	return ret;
}

static bool good_count(int n, const void *list)
{
	return n > 0 && n <= AIX_MAX_SETS && list;
}

int shim_aix_program__mx(struct shim_aix_program *p, const pm_prog_mx_t *prog)
{
	int ret;

	if (!prog)
		return EINVAL;
	if (!good_count(prog->nb_events_prog, prog->events_set))
		return Pmapi_InvalidSetCount;
	ret = allocate(p, AIX_MX, prog->slice_duration, prog->nb_events_prog);
	for (int k = 0; k < prog->nb_events_prog && !ret; k++) {
		p->sets[k].mode = prog->mode;
		memcpy(p->sets[k].events, prog->events_set[k], sizeof(p->sets[k].events));
	}
	return ret;
}

int shim_aix_program__mm(struct shim_aix_program *p, const pm_prog_mm_t *prog)
{
	int ret;

	if (!prog)
		return EINVAL;
	if (!good_count(prog->nb_set_prog, prog->prog_set))
		return Pmapi_InvalidSetCount;
	ret = allocate(p, AIX_MM, prog->slice_duration, prog->nb_set_prog);
	for (int k = 0; k < prog->nb_set_prog && !ret; k++)
		p->sets[k] = prog->prog_set[k];
	return ret;
}

void shim_aix_program__free(struct shim_aix_program *p)
{
	free(p->sets);
	free(p->reqs);
	free(p->group);
	free(p->where);
	*p = (struct shim_aix_program) { 0 };
}

/*
 * Check a set's mode.  The flags proctree and process apply to the whole program, so they are
 * checked only in the first set.
 */
static int check_mode(pm_mode_t mode, enum shim_aix_scope scope, bool first)
{
	if (mode.b.threshold)
		return Pmapi_InvalidThreshold;
	if (mode.b.wpar_all || (mode.b.nointerrupt && mode.b.kernel))
		return Pmapi_InvalidMode;
	if (first && ((mode.b.proctree && scope != AIX_SYSTEM) ||
		      (mode.b.process && scope != AIX_GROUP)))
		return Pmapi_InvalidMode;
	return 0;
}

/*
 * Return whether an event may be used.  A filter of 0 shows no events; every event may then be
 * used.
 */
static bool passes(int class, int filter)
{
	return !(filter & AIX_CLASSES) || class & filter;
}

static int check_events(const struct shim_aix_table *table, int filter, const int *ids)
{
	for (int c = 0; c < table->pmcs; c++) {
		int event = shim_aix_pmcs__event(table, c, ids[c]);

		if (ids[c] == COUNT_NOTHING)
			continue;
		if (event < 0 || !passes(table->events[event].class, filter))
			return Pmapi_InvalidEvent;
	}
	return 0;
}

/* Set @ids to the event of each counter: the set's own events, or its group's events. */
static int resolve(const struct shim_aix_table *table, int filter, const pm_prog_t *set,
		   const int **ids)
{
	int id = set->events[0];

	*ids = set->events;
	if (!set->mode.b.is_group)
		return check_events(table, filter, set->events);
	if (id < 0 || id >= table->ngroups || !passes(table->groups[id].class, filter))
		return Pmapi_InvalidGroup;
	*ids = table->groups[id].events;
	return 0;
}

static __u32 modes_of(pm_mode_t mode)
{
	return (mode.b.user ? VCPC_REQ_F_USER : 0) | (mode.b.kernel ? VCPC_REQ_F_KERNEL : 0);
}

static void push(struct shim_aix_program *p, int k, const struct vcpc_request *req, __u32 modes)
{
	p->reqs[p->n] = *req;
	p->reqs[p->n].flags = modes;
	p->group[p->n] = k;
	p->n++;
}

/* Add a dummy event to an empty set, because each group of requests needs at least one request. */
static void push_dummy(struct shim_aix_program *p, int k)
{
	static const struct vcpc_request dummy = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
	};

	push(p, k, &dummy, VCPC_REQ_F_USER);
}

static void pack_set(struct shim_aix_program *p, int k, const struct shim_aix_table *table,
		     const int *ids)
{
	__u32 modes = modes_of(p->sets[k].mode);
	unsigned int before = p->n;

	for (int c = 0; c < MAX_COUNTERS; c++) {
		p->where[k][c] = -1;
		if (c >= table->pmcs || ids[c] == COUNT_NOTHING || !modes)
			continue;
		p->where[k][c] = p->n;
		push(p, k, &table->events[shim_aix_pmcs__event(table, c, ids[c])].req, modes);
	}
	if (p->n == before)
		push_dummy(p, k);
}

/**
 * shim_aix_program__pack() - check all sets of a program, and pack them
 * @p: the program; its requests are filled in
 * @table: the machine's table
 * @filter: which events and groups may be used
 * @scope: the kind of context for which the program is set
 *
 * Return: 0, Pmapi_Malloc_Err, or the error of the first invalid set.
 */
int shim_aix_program__pack(struct shim_aix_program *p, const struct shim_aix_table *table,
			   int filter, enum shim_aix_scope scope)
{
	p->reqs = calloc(p->nsets * MAX_COUNTERS, sizeof(*p->reqs));
	p->group = calloc(p->nsets * MAX_COUNTERS, sizeof(*p->group));
	p->where = calloc(p->nsets, sizeof(*p->where));
	if (!p->reqs || !p->group || !p->where)
		return Pmapi_Malloc_Err;
	for (int k = 0; k < p->nsets; k++) {
		const int *ids;
		int ret = check_mode(p->sets[k].mode, scope, !k);

		if (!ret)
			ret = resolve(table, filter, &p->sets[k], &ids);
		if (ret)
			return ret;
		pack_set(p, k, table, ids);
	}
	return 0;
}
