// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find the counters that programs see, and the events that each of them counts.
 *
 * The kernel assigns events to hardware counters.  The number of each kind is found by trying how
 * many events fit at the same time.  General counters come first and count every event; fixed
 * counters come last and count only certain events.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "table.h"

/*
 * Build groups of events that the processor can count at the same time.  Most groups also have
 * cycles and instructions, if available.
 *
 * The groups are built from a fixed list, in its order.  Groups whose events are not available are
 * omitted, so a machine's groups always have the same numbers.
 */

/*
 * struct form - the contents of a group; if several forms have the same name, the first available
 * one is used
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
	{ "pm_hpmcount4", "Event set 4: system activity", false, 2,
	  { "PM_PAGE_FAULTS", "PM_CONTEXT_SWITCHES", "PM_CPU_MIGRATIONS", "PM_TASK_CLOCK" } },
};

/*
 * Assign an event to the free counter that can count it and the fewest other events.  Return 1, or
 * 0 if no counter is free for it.
 */
static int group_add(const struct shim_aix_table *table, struct shim_aix_group *group,
		     const char *name)
{
	int event = shim_aix_table__find(table, name), best = -1;

	if (event < 0)
		return 0;
	for (int c = 0; c < table->pmcs; c++)
		if (group->events[c] == COUNT_NOTHING &&
		    shim_aix_pmcs__number(table, c, event) != COUNT_NOTHING &&
		    (best < 0 ||
		     shim_aix_pmcs__events(table, c) < shim_aix_pmcs__events(table, best)))
			best = c;
	if (best < 0)
		return 0;
	group->events[best] = shim_aix_pmcs__number(table, best, event);
	return 1;
}

/* Return the event that a group counts on a counter, or NULL. */
static const struct shim_aix_event *on(const struct shim_aix_table *table,
				       const struct shim_aix_group *group, int c)
{
	int event = shim_aix_pmcs__event(table, c, group->events[c]);

	return event < 0 ? NULL : &table->events[event];
}

/* Set a group's class, which is PM_VERIFIED only if the class of all its events is. */
static void classify(const struct shim_aix_table *table, struct shim_aix_group *group)
{
	group->class = PM_VERIFIED;
	for (int c = 0; c < table->pmcs; c++)
		if (on(table, group, c) && on(table, group, c)->class != PM_VERIFIED)
			group->class = on(table, group, c)->class;
}

/*
 * Check whether the processor can count all events of a group at the same time.  Return 1, 0, or a
 * core error. -EAGAIN means that the counters are in use now; the group is then kept.
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

/*
 * Create a form's group if enough of its events are available and fit.  Return 1, 0, or a core
 * error.
 */
static int make(struct shim_session *session, const struct shim_aix_table *table,
		const struct form *form, struct shim_aix_group *group)
{
	int common = 0, own = 0;

	*group = (struct shim_aix_group) { .name = form->name, .title = form->title,
					   .desc = form->title };
	for (int i = 0; i < MAX_COUNTERS; i++)
		group->events[i] = COUNT_NOTHING;
	if (form->common) {
		common = group_add(table, group, "PM_CYC");
		common += group_add(table, group, "PM_INST_CMPL");
		if (!common)
			return 0;
	}
	for (int i = 0; i < MAX_COUNTERS && form->own[i]; i++)
		own += group_add(table, group, form->own[i]);
	classify(table, group);
	return own >= form->needed ? fits(session, table, group) : 0;
}

/**
 * shim_aix_groups__make() - build the groups of a table
 * @session: the back end
 * @table: the table, which has its events
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

/* Number of counters reported, for software events, if there are no hardware counters */
#define SOFTWARE_PMCS	4

/* Events for which no processor has a fixed counter, so that only general counters count them */
static const __u64 general_events[] = {
	PERF_COUNT_HW_BRANCH_MISSES, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_CACHE_MISSES,
	PERF_COUNT_HW_CACHE_REFERENCES, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
};

/* The fixed counters that a processor may have, and the events that each of them counts */
static const struct {
	__u64 config;
	const char *names[AIX_FIXED_EVENTS];
} fixed_counters[AIX_FIXED] = {
	{ PERF_COUNT_HW_INSTRUCTIONS, { "PM_INST_CMPL" } },
	{ PERF_COUNT_HW_CPU_CYCLES, { "PM_CYC", "PM_RUN_CYC" } },
};

int shim_aix_table__try(struct shim_session *session, const struct vcpc_request *reqs,
			unsigned int n)
{
	struct shim_counters *counters;
	int bad;
	int ret = shim_counters__create(session, reqs, n, VCPC_SET_F_DISABLED, &bad, &counters);

	if (ret)
		return ret;
	ret = shim_counters__bind(counters, 0, 0, &bad);
	shim_counters__put(counters);
	return ret;
}

/*
 * Determine how many counters can count one event at the same time, up to @at_most.  Return the
 * number, which can be 0, or a negative error if it cannot be determined now.
 */
static int capacity(struct shim_session *session, __u64 config, int at_most)
{
	struct vcpc_request reqs[MAX_COUNTERS];
	int n;

	for (n = 0; n < at_most; n++)
		reqs[n] = (struct vcpc_request) {
			.type = PERF_TYPE_HARDWARE, .config = config, .flags = VCPC_REQ_F_USER,
		};
	for (n = at_most; n; n--) {
		int ret = shim_aix_table__try(session, reqs, n);

		if (!ret)
			return n;
		if (ret == -EAGAIN || shim_event__is_trouble(ret))
			return ret;
	}
	return 0;
}

/*
 * Determine how many of the @cycles counters that count cycles are general.  Return a negative
 * error on failure.
 */
static int count_general(struct shim_session *session, int cycles)
{
	for (size_t i = 0; i < sizeof(general_events) / sizeof(general_events[0]); i++) {
		int n = capacity(session, general_events[i], cycles);

		if (n)
			return n;
	}
	return capacity(session, PERF_COUNT_HW_INSTRUCTIONS, cycles);
}

static void add_fixed(struct shim_aix_table *table, size_t which)
{
	struct shim_aix_fixed *fixed = &table->fixed[table->nfixed];

	fixed->n = 0;
	for (int i = 0; i < AIX_FIXED_EVENTS && fixed_counters[which].names[i]; i++) {
		int event = shim_aix_table__find(table, fixed_counters[which].names[i]);

		if (event >= 0)
			fixed->events[fixed->n++] = event;
	}
	table->nfixed += fixed->n > 0;
}

static int find_fixed(struct shim_session *session, struct shim_aix_table *table)
{
	for (size_t i = 0; i < AIX_FIXED && table->general < MAX_COUNTERS; i++) {
		int n = capacity(session, fixed_counters[i].config, table->general + 1);

		if (n < 0)
			return n;
		if (n > table->general)
			add_fixed(table, i);
	}
	return 0;
}

/**
 * shim_aix_pmcs__find() - find out which counters exist
 * @session: the back end
 * @table: the table, which has its events; the counters are filled in
 *
 * Return: 0 or a negative error.
 */
int shim_aix_pmcs__find(struct shim_session *session, struct shim_aix_table *table)
{
	int n = capacity(session, PERF_COUNT_HW_CPU_CYCLES, MAX_COUNTERS);
	int ret = 0;

	if (n > 0)
		n = count_general(session, n);
	/*
	 * The counters are in use by a set that is bound to a CPU, so use the number found earlier.
	 */
	if (n == -EAGAIN)
		n = shim_session__info(session)->hw_slots;
	if (n < 0)
		return n;
	table->general = n < MAX_COUNTERS ? n : MAX_COUNTERS;
	if (table->general)
		ret = find_fixed(session, table);
	else
		table->general = SOFTWARE_PMCS;
	if (ret && ret != -EAGAIN)
		return ret;
	if (table->general + table->nfixed > MAX_COUNTERS)
		table->general = MAX_COUNTERS - table->nfixed;
	table->pmcs = table->general + table->nfixed;
	return 0;
}

/**
 * shim_aix_pmcs__events() - get the number of events that a counter can count
 * @table: the table
 * @c: the counter
 *
 * Return: the number; the counter's events are numbered from 0.
 */
int shim_aix_pmcs__events(const struct shim_aix_table *table, int c)
{
	return c < table->general ? table->nevents : table->fixed[c - table->general].n;
}

/**
 * shim_aix_pmcs__event() - find an event by its number on a counter
 * @table: the table
 * @c: the counter
 * @id: the number
 *
 * Return: the event's index in the table, or -1.
 */
int shim_aix_pmcs__event(const struct shim_aix_table *table, int c, int id)
{
	if (id < 0 || id >= shim_aix_pmcs__events(table, c))
		return -1;
	return c < table->general ? id : table->fixed[c - table->general].events[id];
}

/**
 * shim_aix_pmcs__number() - get an event's number on a counter
 * @table: the table
 * @c: the counter
 * @event: the event's index in the table
 *
 * Return: the number, or COUNT_NOTHING if that counter cannot count it.
 */
int shim_aix_pmcs__number(const struct shim_aix_table *table, int c, int event)
{
	for (int id = 0; id < shim_aix_pmcs__events(table, c); id++)
		if (shim_aix_pmcs__event(table, c, id) == event)
			return id;
	return COUNT_NOTHING;
}
