// SPDX-License-Identifier: GPL-2.0-or-later
/* A look of 'vcpc top' at the statistics: copies, as they are compared with the next. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "top_look.h"

#define PROC_PID_INIT_INO	0xEFFFFFFCU	/* /proc/PID/ns/pid, as the kernel numbers the first */

int top_compare_whose(const struct top_whose *x, const struct top_whose *y)
{
	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return (x->pid > y->pid) - (x->pid < y->pid);
}

int top_by_whose(const void *a, const void *b)
{
	return top_compare_whose(&((const struct top_entry *)a)->whose, &((const struct top_entry *)b)->whose);
}

int top_by_whose_and_event(const void *a, const void *b)
{
	const struct top_count *x = a, *y = b;
	int order = top_compare_whose(&x->whose, &y->whose);

	return order ? order : strcmp(x->event, y->event);
}

void top_look_free(struct top_look *look)
{
	for (size_t i = 0; look && i < look->ncounts; i++)
		free(look->counts[i].event);
	if (look) {
		free(look->entries);
		free(look->counts);
	}
	free(look);
}

static int add_count(struct top_look *look, struct top_whose whose, const struct shim_trace_count *count)
{
	char *event = strdup(count->event);

	if (!event)
		return -ENOMEM;
	look->counts[look->ncounts++] = (struct top_count){ whose, event, count->transactions, count->sum };
	return 0;
}

/* Rows of the same whose, which stand together, become one */
static void join_entries(struct top_look *look)
{
	size_t n = 0;

	for (size_t i = 0; i < look->nentries; i++) {
		struct shim_trace_stat *to = n ? &look->entries[n - 1].stat : NULL;
		const struct shim_trace_stat *from = &look->entries[i].stat;

		if (!n || top_compare_whose(&look->entries[n - 1].whose, &look->entries[i].whose)) {
			look->entries[n++] = look->entries[i];
			continue;
		}
		to->count += from->count;
		to->sum_ns += from->sum_ns;
		to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
		to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
		for (size_t slot = 0; slot < SHIM_TRACE_HIST_SLOTS; slot++)
			to->hist[slot] += from->hist[slot];
	}
	look->nentries = n;
}

static void join_counts(struct top_look *look)
{
	size_t n = 0;

	for (size_t i = 0; i < look->ncounts; i++) {
		if (!n || top_by_whose_and_event(&look->counts[n - 1], &look->counts[i])) {
			look->counts[n++] = look->counts[i];
			continue;
		}
		look->counts[n - 1].transactions += look->counts[i].transactions;
		look->counts[n - 1].sum += look->counts[i].sum;
		free(look->counts[i].event);
	}
	look->ncounts = n;
}

static int copy_tags(struct top_look *look, struct shim_trace *trace)
{
	size_t nstats, ncounts;
	int err = shim_trace_stats_get(trace, &nstats);

	if (!err)
		err = shim_trace_counts_get(trace, &ncounts);
	if (err)
		return err;
	look->entries = calloc(nstats + 1, sizeof(*look->entries));
	look->counts = calloc(ncounts + 1, sizeof(*look->counts));
	if (!look->entries || !look->counts)
		return -ENOMEM;
	for (size_t i = 0; i < nstats; i++) {
		const struct shim_trace_stat *stat = shim_trace_stat_at(trace, i);

		if (stat->kind == SHIM_TRACE_TRANSACTION)
			look->entries[look->nentries++] = (struct top_entry){ .whose = { stat->id, 0 }, .stat = *stat };
	}
	for (size_t i = 0; !err && i < ncounts; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(trace, i);

		err = add_count(look, (struct top_whose){ count->id, 0 }, count);
	}
	return err;
}

static int copy_process(struct top_look *look, const struct shim_trace_process *process, enum top_by by)
{
	struct top_entry *entry = &look->entries[look->nentries++];
	int err = 0;

	entry->whose = (struct top_whose){ by == TOP_BY_BOTH ? process->stat.id : 0, process->pid };
	entry->stat = process->stat;
	memcpy(entry->command, process->command, sizeof(entry->command));
	for (size_t i = 0; !err && i < process->ncounts; i++)
		err = add_count(look, entry->whose, &process->counts[i]);
	return err;
}

static int copy_processes(struct top_look *look, struct shim_trace *trace, enum top_by by)
{
	size_t n, ncounts = 0;
	int err = shim_trace_processes_get(trace, &n);

	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		ncounts += shim_trace_process_at(trace, i)->ncounts;
	look->entries = calloc(n + 1, sizeof(*look->entries));
	look->counts = calloc(ncounts + 1, sizeof(*look->counts));
	if (!look->entries || !look->counts)
		return -ENOMEM;
	for (size_t i = 0; !err && i < n; i++)
		err = copy_process(look, shim_trace_process_at(trace, i), by);
	return err;
}

/* Are process numbers in /proc those that the kernel's statistics have? */
static bool in_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == PROC_PID_INIT_INO;
}

int top_look_take(enum top_by by, struct shim_trace *trace, struct top_look **taken)
{
	struct top_look *look = calloc(1, sizeof(*look));
	int err = -ENOMEM;

	if (look)
		err = by == TOP_BY_TAG ? copy_tags(look, trace) : copy_processes(look, trace, by);
	if (err) {
		top_look_free(look);
		return err;
	}
	qsort(look->entries, look->nentries, sizeof(*look->entries), top_by_whose);
	qsort(look->counts, look->ncounts, sizeof(*look->counts), top_by_whose_and_event);
	join_entries(look);
	join_counts(look);
	look->named = by != TOP_BY_TAG && in_first_namespace();
	*taken = look;
	return 0;
}
