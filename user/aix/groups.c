// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups of events that the processor holds at a time, with cycles and
 * instructions in each as far as there are any.
 *
 * They are made of a fixed list, in its order, without those whose events are
 * not here: so a machine's groups have the same numbers each time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

/*
 * struct form - what a group is made of; of several with one name the first that is here
 * @common: with cycles and instructions
 * @needed: how many of its own events must be here
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

static int add(const struct shim_aix_table *table, struct shim_aix_group *group, int n,
	       const char *name)
{
	int id = shim_aix_table__find(table, name);

	if (id < 0 || n == table->pmcs)
		return n;
	group->events[n] = id;
	return n + 1;
}

/* The weakest class of its events is the group's. */
static void classify(const struct shim_aix_table *table, struct shim_aix_group *group, int n)
{
	group->class = PM_VERIFIED;
	for (int i = 0; i < n; i++)
		if (table->events[group->events[i]].class != PM_VERIFIED)
			group->class = table->events[group->events[i]].class;
}

static bool fits(struct shim_session *session, const struct shim_aix_table *table,
		 const struct shim_aix_group *group, int n)
{
	struct vcpc_request reqs[MAX_COUNTERS];
	int ret;

	for (int i = 0; i < n; i++) {
		reqs[i] = table->events[group->events[i]].req;
		reqs[i].flags = VCPC_REQ_F_USER;
	}
	ret = shim_aix_table__try(session, reqs, n);
	return !ret || ret == -EAGAIN;
}

static bool is_made(const struct shim_aix_table *table, const char *name)
{
	for (int g = 0; g < table->ngroups; g++)
		if (!strcmp(table->groups[g].name, name))
			return true;
	return false;
}

/* The group of a form, if enough of it is here */
static bool make(struct shim_session *session, const struct shim_aix_table *table,
		 const struct form *form, struct shim_aix_group *group)
{
	int common = 0, n;

	*group = (struct shim_aix_group) { .name = form->name, .title = form->title,
					   .desc = form->title };
	for (int i = 0; i < MAX_COUNTERS; i++)
		group->events[i] = COUNT_NOTHING;
	if (form->common) {
		common = add(table, group, 0, "PM_CYC");
		common = add(table, group, common, "PM_INST_CMPL");
		if (!common)
			return false;
	}
	n = common;
	for (int i = 0; i < MAX_COUNTERS && form->own[i]; i++)
		n = add(table, group, n, form->own[i]);
	classify(table, group, n);
	return n - common >= form->needed && fits(session, table, group, n);
}

/**
 * shim_aix_groups__make() - the groups of a table
 * @session: the back end
 * @table: with its events
 *
 * Return: 0 or -ENOMEM.
 */
int shim_aix_groups__make(struct shim_session *session, struct shim_aix_table *table)
{
	size_t n = sizeof(forms) / sizeof(forms[0]);

	table->groups = calloc(n, sizeof(*table->groups));
	if (!table->groups)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!is_made(table, forms[i].name) &&
		    make(session, table, &forms[i], &table->groups[table->ngroups]))
			table->ngroups++;
	return 0;
}
