// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The counters that programs see, and which events each of them counts.
 *
 * The kernel assigns events to hardware counters.  The number of each kind is found by trying how
 * many events fit at the same time.  General counters come first and count every event; fixed
 * counters come last and count only certain events.
 */
#include <errno.h>
#include <linux/perf_event.h>

#include "core/event.h"
#include "table.h"

/* Number of counters reported, for software events, if there are no hardware counters */
#define SOFTWARE_PMCS	4

/* Events for which no processor has a fixed counter: only general counters count them */
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
 * How many counters can count one event at the same time, up to @at_most.  Returns the number, 0,
 * or a negative error if it cannot be determined now.
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

/* How many of the @cycles counters that count cycles are general, or a negative error */
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
 * @table: with its events; filled in
 *
 * Return: 0 or a negative error.
 */
int shim_aix_pmcs__find(struct shim_session *session, struct shim_aix_table *table)
{
	int n = capacity(session, PERF_COUNT_HW_CPU_CYCLES, MAX_COUNTERS);
	int ret = 0;

	if (n > 0)
		n = count_general(session, n);
	/* A set that is bound to a CPU holds the counters: use the number found earlier. */
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
 * Return: the number; on that counter they are numbered from 0.
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
 * Return: its index in the table, or -1.
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
 * @event: its index in the table
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
