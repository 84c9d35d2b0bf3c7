// SPDX-License-Identifier: LGPL-2.1-or-later
/* Transactions of each process, as public calls of <shim/trace.h>. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/vec.h"
#include "tracectl.h"

void shim_trace__free_processes(struct shim_trace *trace)
{
	free(trace->processes);
	free(trace->process_tags);
	free(trace->process_counts);
	free(trace->process_event_names);
}

/* Convert a row's counts of @tag to process_counts[@next] and following.  Return their number. */
static uint32_t process_counts(struct shim_trace *trace, const struct shim_bpf_process *row,
			       const struct shim_bpf_tag *tag, size_t next)
{
	for (uint32_t i = 0; i < row->events.nr; i++) {
		const struct vc_event_desc *event = &row->events.event[i];
		char *text = trace->process_event_names[next + i];

		shim_event__name(event->type, event->config, event->flags, text, SHIM_EVENT_LEN);
		trace->process_counts[next + i] = (struct shim_trace_count) {
			.name = tag->name,
			.label = tag->label,
			.id = row->id,
			.user = tag->user,
			.event = text,
			.transactions = row->total.count,
			.sum = row->sum[i],
		};
	}
	return row->events.nr;
}

static int take_processes(struct shim_trace *trace, const struct shim_bpf_process *rows, size_t n)
{
	size_t ncounts = 0;

	for (size_t i = 0; i < n; i++)
		ncounts += rows[i].events.nr;
	if (shim_vec__reserve(trace->processes, &trace->processes_room, n) ||
	    shim_vec__reserve(trace->process_tags, &trace->process_tags_room, n) ||
	    shim_vec__reserve(trace->process_counts, &trace->process_counts_room, ncounts) ||
	    shim_vec__reserve(trace->process_event_names, &trace->process_names_room, ncounts))
		return -ENOMEM;
	ncounts = 0;
	for (size_t i = 0; i < n; i++) {
		struct shim_trace_process *to = &trace->processes[i];
		struct shim_bpf_tag *tag = &trace->process_tags[i];

		*tag = *rows[i].tag;
		shim_trace__stat(&to->stat, tag, rows[i].id, SHIM_TRACE_TRANSACTION, &rows[i].total);
		to->pid = rows[i].pid;
		to->events = rows[i].signature;
		to->counts = trace->process_counts + ncounts;
		to->ncounts = process_counts(trace, &rows[i], tag, ncounts);
		ncounts += to->ncounts;
		memcpy(to->command, rows[i].command, sizeof(to->command));
	}
	trace->nprocesses = n;
	return 0;
}

/**
 * shim_trace_processes_get() - read the current statistics of each process's transactions
 * @trace: handle
 * @n: number of rows, for shim_trace_process_at(): one for each tag and process, or more if its
 *	transactions had different counters
 *
 * Return: 0; -ENODATA if tracing was turned on without SHIM_TRACE_F_PROCESSES, otherwise as
 *	shim_trace_stats_get(); after an error there are no rows.
 */
SHIM_API int shim_trace_processes_get(struct shim_trace *trace, size_t *n)
{
	const struct shim_bpf_process *rows;
	size_t nrows;
	int err;

	if (!trace || !n)
		return -EINVAL;
	trace->nprocesses = 0;
	err = shim_bpf_reader__processes(trace->reader, &rows, &nrows);
	if (!err)
		err = take_processes(trace, rows, nrows);
	if (err)
		return err;
	*n = nrows;
	return 0;
}

/**
 * shim_trace_process_at() - get a row of the last read
 * @trace: handle
 * @i: 0 .. n - 1, in no particular order
 *
 * Return: the row, valid until the next shim_trace_processes_get() on the handle, or NULL after the
 *	last one.
 */
SHIM_API const struct shim_trace_process *shim_trace_process_at(const struct shim_trace *trace,
								size_t i)
{
	return trace && i < trace->nprocesses ? &trace->processes[i] : NULL;
}
