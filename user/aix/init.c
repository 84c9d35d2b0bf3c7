// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pm_init() and pm_initialize(), which return tables of the events available on this machine; the
 * library owns the tables and never frees them.  Also the calls without a context.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "state.h"

/*
 * struct shim_aix_view - the tables as one filter shows them
 *
 * The general counters, which count every event, share one list.
 */
struct shim_aix_view {
	int maxevents[MAX_COUNTERS];
	pm_events_t *old[MAX_COUNTERS];
	pm_events2_t *list[MAX_COUNTERS];
	pm_groups_info_t groups;
};

static bool passes(int class, int filter)
{
	return class & filter;
}

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

		if (!passes(event->class, filter))
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

		if (!passes(group->class, filter))
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

/* The tables as seen through a filter, built at its first use */
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
 * @filter: PM_VERIFIED, PM_UNVERIFIED, PM_CAVEAT: only these events may be used from then on;
 * 	PM_GET_GROUPS requests @groups
 * @info: filled; the library owns its tables
 * @groups: filled likewise; may be NULL without PM_GET_GROUPS
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
 * @info: filled; the library owns its tables
 * @groups: ignored without PM_GET_GROUPS: the oldest programs do not pass it
 *
 * Return: as pm_initialize().
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
 * Return: PM_CURRENT because it is none of AIX's types.
 */
SHIM_API int pm_get_procindex(void)
{
	return PM_CURRENT;
}

/**
 * pm_get_wplist() - get the partitions that were active in the last count: none
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
