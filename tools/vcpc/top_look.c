// SPDX-License-Identifier: GPL-2.0-or-later
/* Take snapshots of the statistics for 'vcpc top', each of which is compared with the next one. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "top_look.h"

#define PROC_PID_INIT_INO	0xEFFFFFFCU	/* inode of the initial PID namespace */

int top_compare_whose(const struct top_whose *x, const struct top_whose *y)
{
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return (x->events > y->events) - (x->events < y->events);
}

int top_by_whose(const void *a, const void *b)
{
	return top_compare_whose(&((const struct top_entry *)a)->whose, &((const struct top_entry *)b)->whose);
}

int top_by_whose_and_column(const void *a, const void *b)
{
	const struct top_count *x = a, *y = b;
	int order = top_compare_whose(&x->whose, &y->whose);

	return order ? order : (x->column > y->column) - (x->column < y->column);
}

void top_look_free(struct top_look *look)
{
	if (!look)
		return;
	free(look->entries);
	free(look->counts);
	free(look);
}

/* Allocate space for @n elements.  Return 0, or -ENOMEM with the array unchanged. */
static int array_reserve(void **array, size_t *room, size_t n, size_t size)
{
	void *more;

	if (n <= *room)
		return 0;
	more = reallocarray(*array, n, size);
	if (!more)
		return -ENOMEM;
	*array = more;
	*room = n;
	return 0;
}

static int reserve_both(struct top_look *look, size_t nentries, size_t ncounts)
{
	void *entries = look->entries, *counts = look->counts;
	int err = array_reserve(&entries, &look->entries_room, nentries, sizeof(*look->entries));

	if (!err)
		err = array_reserve(&counts, &look->counts_room, ncounts, sizeof(*look->counts));
	look->entries = entries;
	look->counts = counts;
	return err;
}

/* Free the columns of events that the previous snapshot, if there is one, does not count. */
static void free_columns(struct top_view *view)
{
	struct top_count *counts = view->before ? view->before->counts : NULL;
	size_t ncounts = view->before ? view->before->ncounts : 0, n = 0;
	unsigned int to[TOP_EVENTS];
	bool used[TOP_EVENTS] = { false };

	for (size_t i = 0; i < ncounts; i++)
		used[counts[i].column] = true;
	for (size_t i = 0; i < view->nevents; i++) {
		to[i] = n;
		if (used[i])
			view->events[n++] = view->events[i];
		else
			free(view->events[i]);
	}
	view->nevents = n;
	for (size_t i = 0; i < ncounts; i++)
		counts[i].column = to[counts[i].column];
}

/* Return an event's column, TOP_EVENTS if there is none left, or -ENOMEM. */
static int column_of(struct top_view *view, const char *event)
{
	for (unsigned int i = 0; i < view->nevents; i++)
		if (!strcmp(view->events[i], event))
			return (int)i;
	if (view->nevents == TOP_EVENTS)
		return TOP_EVENTS;
	view->events[view->nevents] = strdup(event);
	return view->events[view->nevents] ? (int)view->nevents++ : -ENOMEM;
}

static int copy_count(struct top_view *view, struct top_look *look, struct top_whose whose,
		      const struct shim_trace_count *count)
{
	int column = column_of(view, count->event);

	if (column < 0)
		return column;
	if (column < TOP_EVENTS)
		look->counts[look->ncounts++] = (struct top_count){ whose, column, count->transactions, count->sum };
	return 0;
}

static struct top_entry *copy_entry(struct top_look *look, struct top_whose whose,
				    const struct shim_trace_stat *stat)
{
	struct top_entry *entry = &look->entries[look->nentries++];

	entry->whose = whose;
	entry->command[0] = '\0';
	entry->asked = false;
	snprintf(entry->label, sizeof(entry->label), "%s", stat->label);
	entry->stat = *stat;
	entry->stat.name = entry->stat.label = NULL;
	return entry;
}

/* Merge a tag's counts of the same event in several sets of events. */
static void join_counts(struct top_look *look)
{
	size_t n = 0;

	for (size_t i = 0; i < look->ncounts; i++) {
		if (!n || top_by_whose_and_column(&look->counts[n - 1], &look->counts[i])) {
			look->counts[n++] = look->counts[i];
			continue;
		}
		look->counts[n - 1].transactions += look->counts[i].transactions;
		look->counts[n - 1].sum += look->counts[i].sum;
	}
	look->ncounts = n;
}

static int copy_tags(struct top_view *view, struct top_look *look, struct shim_trace *trace)
{
	size_t nstats, ncounts;
	int err = shim_trace_stats_get(trace, &nstats);

	if (!err)
		err = shim_trace_counts_get(trace, &ncounts);
	if (!err)
		err = reserve_both(look, nstats, ncounts);
	if (err)
		return err;
	for (size_t i = 0; i < nstats; i++) {
		const struct shim_trace_stat *stat = shim_trace_stat_at(trace, i);

		if (stat->kind == SHIM_TRACE_TRANSACTION)
			copy_entry(look, (struct top_whose){ .tag = stat->id }, stat);
	}
	for (size_t i = 0; i < ncounts && !err; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(trace, i);

		err = copy_count(view, look, (struct top_whose){ .tag = count->id }, count);
	}
	return err;
}

static int copy_process(struct top_view *view, struct top_look *look,
			const struct shim_trace_process *process)
{
	const struct top_whose whose = { process->stat.id, process->events, process->pid };
	struct top_entry *entry = copy_entry(look, whose, &process->stat);
	int err = 0;

	memcpy(entry->command, process->command, sizeof(entry->command));
	for (size_t i = 0; i < process->ncounts && !err; i++)
		err = copy_count(view, look, whose, &process->counts[i]);
	return err;
}

static int copy_processes(struct top_view *view, struct top_look *look, struct shim_trace *trace)
{
	size_t n, ncounts = 0;
	int err = shim_trace_processes_get(trace, &n);

	for (size_t i = 0; !err && i < n; i++)
		ncounts += shim_trace_process_at(trace, i)->ncounts;
	if (!err)
		err = reserve_both(look, n, ncounts);
	for (size_t i = 0; !err && i < n; i++)
		err = copy_process(view, look, shim_trace_process_at(trace, i));
	return err;
}

/*
 * Return whether this is the initial PID namespace, in which /proc has the same PIDs as the
 * statistics.
 */
static bool in_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PROC_PID_INIT_INO;
}

int top_look_take(struct top_view *view, struct shim_trace *trace, struct top_look *look)
{
	int err;

	free_columns(view);
	look->nentries = look->ncounts = 0;
	err = reserve_both(look, 1, 1);
	if (err)
		return err;
	err = view->by == TOP_BY_TAG ? copy_tags(view, look, trace) : copy_processes(view, look, trace);
	if (err)
		return err;
	qsort(look->entries, look->nentries, sizeof(*look->entries), top_by_whose);
	qsort(look->counts, look->ncounts, sizeof(*look->counts), top_by_whose_and_column);
	join_counts(look);
	look->named = view->by != TOP_BY_TAG && in_first_namespace();
	return 0;
}
