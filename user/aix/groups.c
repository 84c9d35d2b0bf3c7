// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups of events that the processor can count at the same time; most also have cycles and
 * instructions, if available.
 *
 * They are built from a fixed list, in its order, without the groups whose events are not
 * available, so a machine's groups always have the same numbers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "table.h"

/*
 * struct form - the contents of a group; if several have the same name, the first available one is
 * used
 * @common: it also has cycles and instructions, of which one must be available
 * @needed: number of its own events that must be available
 * @own: its events
 */
static const struct form {
	const char *name;
	const char *title;
	bool common;
	int needed;
	const char *own[MAX_COUNTERS];
} forms[] = {
	{ "pm_utilization", "CPI and utilization", true, 0, { "PM_RUN_CYC" } },
	{ "pm_completion", "Completed instructions", true, 1, { "PM_BR_CMPL", "PM_ST_REF_L1" } },
	{ "pm_branch", "Branches and their prediction", true, 2, { "PM_BR_CMPL", "PM_BR_MPRED" } },
	{ "pm_l1", "First level data cache", true, 2,
	  { "PM_LD_REF_L1", "PM_LD_MISS_L1", "PM_ST_REF_L1" } },
	{ "pm_l2", "Second level cache", true, 2, { "PM_L2D_CACHE", "PM_L2D_CACHE_REFILL" } },
	{ "pm_l2", "Second level cache", true, 2,
	  { "PM_L2_RQSTS_REFERENCES", "PM_L2_RQSTS_MISS" } },
	{ "pm_llc", "Last level cache", true, 2, { "PM_CACHE_REFERENCES", "PM_CACHE_MISSES" } },
	{ "pm_tlb", "Address translation", true, 1,
	  { "PM_DTLB_LOAD_MISSES", "PM_ITLB_LOAD_MISSES" } },
	{ "pm_stall", "Stalled cycles", true, 1,
	  { "PM_STALLED_CYCLES_FRONTEND", "PM_STALLED_CYCLES_BACKEND" } },
	{ "pm_fp", "Floating point", true, 1, { "PM_VFP_SPEC", "PM_ASE_SPEC" } },
	{ "pm_fp", "Floating point", true, 1,
	  { "PM_FP_ARITH_INST_RETIRED_SCALAR_DOUBLE", "PM_FP_ARITH_INST_RETIRED_SCALAR_SINGLE" } },
	{ "pm_fp", "Floating point", true, 1,
	  { "PM_FP_ARITH_SCALAR_DOUBLE", "PM_FP_ARITH_SCALAR_SINGLE" } },
	{ "pm_hpmcount1", "Event set 1: instructions and branches", true, 0,
	  { "PM_BR_CMPL", "PM_BR_MPRED" } },
	{ "pm_hpmcount2", "Event set 2: loads", true, 2, { "PM_LD_REF_L1", "PM_LD_MISS_L1" } },
	{ "pm_hpmcount3", "Event set 3: memory", true, 2,
	  { "PM_CACHE_REFERENCES", "PM_CACHE_MISSES" } },
	{ "pm_hpmcount4", "Event set 4: what the system did", false, 2,
	  { "PM_PAGE_FAULTS", "PM_CONTEXT_SWITCHES", "PM_CPU_MIGRATIONS", "PM_TASK_CLOCK" } },
};

/*
 * Assigns an event to the free counter that can count it and the fewest other events.  Returns 1,
 * or 0 if there is none
 */
static int add(const struct shim_aix_table *table, struct shim_aix_group *group, const char *name)
{
	int event = shim_aix_table__find(table, name), best = -1;

	if (event < 0)
		return 0;
	for (int c = 0; c < table->pmcs; c++)
		if (group->events[c] == COUNT_NOTHING &&
		    shim_aix_pmcs__number(table, c, event) != COUNT_NOTHING &&
		    (best < 0 || shim_aix_pmcs__events(table, c) < shim_aix_pmcs__events(table, best)))
			best = c;
	if (best < 0)
		return 0;
	group->events[best] = shim_aix_pmcs__number(table, best, event);
	return 1;
}

/* What a group counts on a counter, or NULL */
static const struct shim_aix_event *on(const struct shim_aix_table *table,
				       const struct shim_aix_group *group, int c)
{
	int event = shim_aix_pmcs__event(table, c, group->events[c]);

	return event < 0 ? NULL : &table->events[event];
}

/* A group is PM_VERIFIED only if all of its events are. */
static void classify(const struct shim_aix_table *table, struct shim_aix_group *group)
{
	group->class = PM_VERIFIED;
	for (int c = 0; c < table->pmcs; c++)
		if (on(table, group, c) && on(table, group, c)->class != PM_VERIFIED)
			group->class = on(table, group, c)->class;
}

/*
 * Whether the processor can count a whole group at the same time: 1, 0, or a core error.  -EAGAIN
 * means that the counters are in use now, so the group is kept.
 */
static int fits(struct shim_session *session, const struct shim_aix_table *table,
		const struct shim_aix_group *group)
{
	struct vcpc_request reqs[MAX_COUNTERS];
	int n = 0, ret;

	for (int c = 0; c < table->pmcs; c++) {
		if (!on(table, group, c))
			continue;
		reqs[n] = on(table, group, c)->req;
		reqs[n++].flags = VCPC_REQ_F_USER;
	}
	ret = shim_aix_table__try(session, reqs, n);
	if (shim_event__is_trouble(ret))
		return ret;
	return !ret || ret == -EAGAIN;
}

static bool is_made(const struct shim_aix_table *table, const char *name)
{
	for (int g = 0; g < table->ngroups; g++)
		if (!strcmp(table->groups[g].name, name))
			return true;
	return false;
}

/* Creates a form's group, if enough of its events are available and fit: 1, 0, or a core error */
static int make(struct shim_session *session, const struct shim_aix_table *table,
		const struct form *form, struct shim_aix_group *group)
{
	int common = 0, own = 0;

	*group = (struct shim_aix_group) { .name = form->name, .title = form->title,
					   .desc = form->title };
	for (int i = 0; i < MAX_COUNTERS; i++)
		group->events[i] = COUNT_NOTHING;
	if (form->common) {
		common = add(table, group, "PM_CYC");
		common += add(table, group, "PM_INST_CMPL");
		if (!common)
			return 0;
	}
	for (int i = 0; i < MAX_COUNTERS && form->own[i]; i++)
		own += add(table, group, form->own[i]);
	classify(table, group);
	return own >= form->needed ? fits(session, table, group) : 0;
}

/**
 * shim_aix_groups__make() - the groups of a table
 * @session: the back end
 * @table: with its events
 *
 * Return: 0 or a core error.
 */
int shim_aix_groups__make(struct shim_session *session, struct shim_aix_table *table)
{
	size_t n = sizeof(forms) / sizeof(forms[0]);

	table->groups = calloc(n, sizeof(*table->groups));
	if (!table->groups)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int made = is_made(table, forms[i].name) ? 0 :
			   make(session, table, &forms[i], &table->groups[table->ngroups]);

		if (made < 0)
			return made;
		table->ngroups += made;
	}
	return 0;
}
