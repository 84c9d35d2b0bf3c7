// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Initialize the API: return tables of the events available on this machine, which the library owns
 * and never frees.  This file also defines the calls that need no context.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/api.h"
#include "base/process.h"
#include "impl.h"
#include "state.h"

/*
 * Translate errors from the core layer into the API's error numbers, and error numbers into text.
 */

/* Maximum size of pm_strerror()'s text, including the NUL */
#define LINE	256

/* Core errors with an API error number; all others become positive errno numbers. */
static const struct {
	int core;
	int code;
} numbers[] = {
	{ -EAGAIN, Pmapi_NoCounters },
	{ -EBUSY, Pmapi_ContextExists },
	{ -EINVAL, Pmapi_NoSetProg },
	{ -ENOMEM, Pmapi_Malloc_Err },
	{ -ENOSPC, Pmapi_NoCounters },
	{ -EOPNOTSUPP, Pmapi_Unsupported },
};

/* Translate a core error about existing counters; for new counters see refused() in set.c. */
int shim_aix__error(int ret)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i].core == ret)
			return numbers[i].code;
	return -ret;
}

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ Pmapi_ContextExists, "a program is already set" },
	{ Pmapi_NotCounting, "counting has not been started" },
	{ Pmapi_NoInit, "the library has not been initialized" },
	{ Pmapi_NoSetProg, "no program is set" },
	{ Pmapi_Malloc_Err, "out of memory" },
	{ Pmapi_InvalidEvent, "the event does not exist on this counter, or the filter excludes it" },
	{ Pmapi_InvalidGroup, "the group of events does not exist, or the filter excludes it" },
	{ Pmapi_GroupRequired, "the event can only be counted as part of a group" },
	{ Pmapi_InvalidMode, "the mode is not available, or this call does not allow it" },
	{ Pmapi_InvalidThreshold, "events have no thresholds on this machine" },
	{ Pmapi_InvalidSlice, "the slice is not between 10 and 30000 milliseconds" },
	{ Pmapi_InvalidSetCount, "the number of event sets is 0 or too large" },
	{ Pmapi_WrongKind, "the program is multiplexed and the call is not, or vice versa" },
	{ Pmapi_Locked, "the counters belong to the system, to threads or to another process" },
	{ Pmapi_NotDebugger, "the caller does not trace the target, or the target is not stopped" },
	{ Pmapi_BadCpu, "the processor does not exist, or was not online" },
	{ Pmapi_InvalidProctype, "unknown processor type" },
	{ Pmapi_Unsupported, "not supported on this system" },
	{ Pmapi_NoCounters, "the counters cannot count these events, or another user of the PMU preempted them" },
};

static const char *text_of(int error)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == error)
			return texts[i].text;
	return NULL;
}

/**
 * pm_strerror() - describe an error
 * @where: the prefix, usually the name of the call that failed; NULL for "pmapi"
 * @error: the error that a call returned
 *
 * Return: a string that is valid until the calling thread's next pm_strerror().
 */
SHIM_API char *pm_strerror(const char *where, int error)
{
	static struct shim_thread_end end = { .fn = shim_thread_room__free };
	static __thread void *mine;
	char *line = shim_thread_room(&end, &mine, LINE);
	const char *text = text_of(error);
	char room[128];

	if (!line)
		return (char *)"pmapi: out of memory";
	if (!text)
		text = strerror_r(error, room, sizeof(room));
	snprintf(line, LINE, "%s: %s", where ? where : "pmapi", text);
	return line;
}

/**
 * pm_error() - print an error on standard error
 * @where: as for pm_strerror()
 * @error: the error that a call returned
 */
SHIM_API void pm_error(const char *where, int error)
{
	fprintf(stderr, "%s\n", pm_strerror(where, error));
}

/* The processor's clock rate, as the kernel reports it, or measured by counting cycles */

#define SPIN_NS	20000000

static double from_cpufreq(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "re");
	double khz = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%lf", &khz) != 1)
		khz = 0;
	fclose(f);
	return khz * 1e3;
}

static double from_cpuinfo(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];
	double mhz = 0;

	if (!f)
		return 0;
	while (!mhz && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu MHz : %lf", &mhz) != 1)
			mhz = 0;
	fclose(f);
	return mhz * 1e6;
}

struct room {
	struct vcpc_sample sample;
	__u64 cycles;
};

static void spin(void)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000ll + now.tv_nsec - begin.tv_nsec <
		 SPIN_NS);
}

/*
 * Return the clock rate, or 0 if it cannot be measured.  Cycles are counted only in user mode, but
 * the time includes kernel mode.  Therefore spin() must run almost entirely in user mode.
 */
static double count(struct shim_session *session)
{
	static const struct vcpc_request cycles = {
		.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = VCPC_REQ_F_USER,
	};
	struct shim_counters *counters;
	struct room room = { 0 };
	double hz = 0;
	int bad;

	if (shim_counters__create(session, &cycles, 1, 0, &bad, &counters))
		return 0;
	if (!shim_counters__bind(counters, 0, 0, &bad)) {
		spin();
		if (!shim_counters__sample(counters, 0, &room.sample, sizeof(room)) &&
		    room.sample.tick)
			hz = room.cycles * 1e9 / room.sample.tick;
	}
	shim_counters__put(counters);
	return hz;
}

/**
 * pm_cycles() - get the processor's clock rate
 *
 * Return: the rate in Hz, or 0 if the kernel does not report it and it cannot
 * be measured.
 */
SHIM_API double pm_cycles(void)
{
	struct shim_aix_state *state;
	double hz = from_cpufreq();

	if (!hz)
		hz = from_cpuinfo();
	if (hz)
		return hz;
	state = shim_aix_state__lock();
	if (!shim_aix_state__session(state))
		hz = count(state->session);
	shim_aix_state__leave(state);
	return hz;
}

/*
 * struct shim_aix_view - the tables as seen through one filter
 *
 * The general counters, which count every event, share one list.
 */
struct shim_aix_view {
	int maxevents[MAX_COUNTERS];
	pm_events_t *old[MAX_COUNTERS];
	pm_events2_t *list[MAX_COUNTERS];
	pm_groups_info_t groups;
};

static pm_events2_t new_event(const struct shim_aix_event *event, int id)
{
	pm_events2_t e = {
		.event_id = id,
		.short_name = event->name,
		.long_name = event->shown,
		.description = event->desc,
	};

	e.status.b.verified = event->class == PM_VERIFIED;
	e.status.b.unverified = event->class == PM_UNVERIFIED;
	e.status.b.support_mode = 1;
	return e;
}

static pm_events_t old_event(const struct shim_aix_event *event, int id)
{
	return (pm_events_t) {
		.event_id = id,
		.status = event->class == PM_VERIFIED ? 'v' : 'u',
		.threshold = 'n',
		.short_name = event->name,
		.long_name = event->shown,
		.description = event->desc,
	};
}

static bool shares(const struct shim_aix_table *table, int c)
{
	return c && c < table->general;
}

static int fill_counter(const struct shim_aix_table *table, int filter, int c,
			struct shim_aix_view *view)
{
	int all = shim_aix_pmcs__events(table, c), n = 0;
	pm_events2_t *list = calloc(all + 1, sizeof(*list));
	pm_events_t *old = calloc(all + 1, sizeof(*old));

	view->list[c] = list;
	view->old[c] = old;
	if (!list || !old)
		return Pmapi_Malloc_Err;
	for (int id = 0; id < all; id++) {
		const struct shim_aix_event *event =
			&table->events[shim_aix_pmcs__event(table, c, id)];

		if (!(event->class & filter))
			continue;
		list[n] = new_event(event, id);
		old[n++] = old_event(event, id);
	}
	view->maxevents[c] = n;
	return 0;
}

static int fill_events(const struct shim_aix_table *table, int filter, struct shim_aix_view *view)
{
	int ret = 0;

	for (int c = 0; c < table->pmcs && !ret; c++) {
		if (!shares(table, c)) {
			ret = fill_counter(table, filter, c, view);
			continue;
		}
		view->maxevents[c] = view->maxevents[0];
		view->list[c] = view->list[0];
		view->old[c] = view->old[0];
	}
	return ret;
}

static int fill_groups(const struct shim_aix_table *table, int filter, struct shim_aix_view *view)
{
	pm_groups_t *groups = calloc(table->ngroups + 1, sizeof(*groups));
	int n = 0;

	view->groups.event_groups = groups;
	if (!groups)
		return Pmapi_Malloc_Err;
	for (int g = 0; g < table->ngroups; g++) {
		struct shim_aix_group *group = &table->groups[g];

		if (!(group->class & filter))
			continue;
		groups[n++] = (pm_groups_t) {
			.group_id = g,
			.events = group->events,
			.short_name = (char *)group->name,
			.long_name = (char *)group->title,
			.description = (char *)group->desc,
		};
	}
	view->groups.maxgroups = n;
	return 0;
}

static void free_view(const struct shim_aix_table *table, struct shim_aix_view *view)
{
	for (int c = 0; c < table->pmcs; c++)
		if (!shares(table, c)) {
			free(view->list[c]);
			free(view->old[c]);
		}
	free(view->groups.event_groups);
	free(view);
}

/* Get the tables as seen through a filter, building them at its first use. */
static int view_of(struct shim_aix_state *state, int filter, struct shim_aix_view **out)
{
	struct shim_aix_view *view = state->views[filter];
	int ret;

	if (!view) {
		view = calloc(1, sizeof(*view));
		if (!view)
			return Pmapi_Malloc_Err;
		ret = fill_events(&state->table, filter, view);
		if (!ret)
			ret = fill_groups(&state->table, filter, view);
		if (ret) {
			free_view(&state->table, view);
			return ret;
		}
		state->views[filter] = view;
	}
	*out = view;
	return 0;
}

static int make_table(struct shim_aix_state *state)
{
	int ret = shim_aix_state__session(state);

	if (ret || state->has_table)
		return ret;
	ret = shim_aix__error(shim_aix_table__make(state->session, &state->table));
	state->has_table = !ret;
	return ret;
}

static int initialise(struct shim_aix_state *state, int filter, struct shim_aix_view **view)
{
	int ret = make_table(state);

	if (!ret)
		ret = view_of(state, filter & AIX_CLASSES, view);
	if (ret)
		return ret;
	state->filter = filter & AIX_CLASSES;
	state->initialised = true;
	return 0;
}

static bool good_filter(int filter)
{
	return !(filter & ~(AIX_CLASSES | PM_GET_GROUPS));
}

/**
 * pm_initialize() - get the tables of this machine's events
 * @filter: PM_VERIFIED, PM_UNVERIFIED, PM_CAVEAT: only these events may be used afterwards;
 *	PM_GET_GROUPS requests @groups
 * @info: filled in; the library owns its tables
 * @groups: filled in like @info; may be NULL without PM_GET_GROUPS
 * @proctype: PM_CURRENT
 *
 * Return: 0, EINVAL, Pmapi_InvalidProctype, Pmapi_Unsupported (the tables of another processor were
 * requested), ENODEV (no back end is available), EACCES (no permission to use it),
 * Pmapi_Malloc_Err.
 */
SHIM_API int pm_initialize(int filter, pm_info2_t *info, pm_groups_info_t *groups, int proctype)
{
	struct shim_aix_state *state;
	struct shim_aix_view *view;
	int ret;

	if (!info || !good_filter(filter) || (filter & PM_GET_GROUPS && !groups))
		return EINVAL;
	if (proctype != PM_CURRENT)
		return proctype < 0 || proctype > PM_MAXPROCTYPE ? Pmapi_InvalidProctype :
								   Pmapi_Unsupported;
	state = shim_aix_state__lock();
	ret = initialise(state, filter, &view);
	if (!ret) {
		*info = (pm_info2_t) {
			.maxpmcs = state->table.pmcs,
			.maxevents = view->maxevents,
			.list_events = view->list,
			.proc_name = state->table.cpu,
		};
		if (filter & PM_GET_GROUPS)
			*groups = view->groups;
	}
	shim_aix_state__leave(state);
	return ret;
}

/**
 * pm_init() - like pm_initialize(), for programs that use the older tables
 * @filter: as for pm_initialize()
 * @info: filled in; the library owns its tables
 * @groups: ignored without PM_GET_GROUPS, because the oldest programs do not pass it
 *
 * Return: as for pm_initialize().
 */
SHIM_API int pm_init(int filter, pm_info_t *info, pm_groups_info_t *groups)
{
	struct shim_aix_state *state;
	struct shim_aix_view *view;
	int ret;

	if (!info || !good_filter(filter) || (filter & PM_GET_GROUPS && !groups))
		return EINVAL;
	state = shim_aix_state__lock();
	ret = initialise(state, filter, &view);
	if (!ret) {
		*info = (pm_info_t) {
			.maxpmcs = state->table.pmcs,
			.maxevents = view->maxevents,
			.list_events = view->old,
			.proc_name = state->table.cpu,
		};
		if (filter & PM_GET_GROUPS)
			*groups = view->groups;
	}
	shim_aix_state__leave(state);
	return ret;
}

/**
 * pm_get_procindex() - get this machine's processor type
 *
 * Return: PM_CURRENT, because the processor has none of AIX's types.
 */
SHIM_API int pm_get_procindex(void)
{
	return PM_CURRENT;
}

/**
 * pm_get_wplist() - get the workload partitions of the last count; Linux has none
 * @name: ignored
 * @list: not written to
 * @size: set to 0
 *
 * Return: 0, EINVAL, Pmapi_NoInit.
 */
SHIM_API int pm_get_wplist(const char *name, pm_wpar_ctx_info_t *list, int *size)
{
	struct shim_aix_state *state;
	int ret = size ? shim_aix_state__enter(&state) : EINVAL;

	(void)name;
	(void)list;
	if (ret)
		return ret;
	*size = 0;
	shim_aix_state__leave(state);
	return 0;
}
