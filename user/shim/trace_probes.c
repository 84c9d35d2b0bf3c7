// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Public calls of <shim/trace.h> for probes on programs without trace calls, and for the
 * transactions of each process
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <shim/trace.h>

#include "base/api.h"
#include "base/vec.h"
#include "core/bpf_function.h"
#include "tracectl.h"

_Static_assert(SHIM_TRACE_PROBE_FUNCTION == (int)VC_PROBE_FUNCTION &&
	       SHIM_TRACE_PROBE_BEGIN == (int)VC_PROBE_BEGIN &&
	       SHIM_TRACE_PROBE_END == (int)VC_PROBE_END, "numbers of probes must equal core's");

static int take(const struct shim_trace_probe *from, struct shim_bpf_probe *to)
{
	if (from->size != sizeof(*from) || from->reserved || from->pid < 0 || !from->tag ||
	    !*from->tag || !from->file || from->what < SHIM_TRACE_PROBE_FUNCTION ||
	    from->what > SHIM_TRACE_PROBE_END)
		return -EINVAL;
	if (strlen(from->tag) >= sizeof(to->row.tag) || strlen(from->file) >= sizeof(to->row.file))
		return -ENAMETOOLONG;
	to->row.what = from->what;
	to->row.pid = from->pid;
	to->row.offset = from->offset;
	strcpy(to->row.tag, from->tag);
	strcpy(to->row.file, from->file);
	to->path = from->path ? from->path : from->file;
	to->row.semaphore = from->semaphore;
	return 0;
}

/**
 * shim_trace_probe() - trace functions of programs without trace calls
 * @probes: the probes, at most 256; pairs of begins and ends may have at most 16 tags
 * @n: number of probes
 * @bad: on failure, the index of the rejected probe, or @n; may be NULL
 *
 * This function can succeed once per tracing session; the probes stay until tracing is turned off.
 * A call of a function is a transaction from its entry to its return, in the statistics of the user
 * that runs the program.  A call that does not return, for example because of longjmp(3), is
 * counted in shim_trace_drops.given_up.  A call nested more than 64 levels deep is counted in
 * open_full.  A transaction that begins again before it ends, or ends in another thread, is also
 * counted in given_up.
 *
 * If all probes are in one process and shim_trace_count() was called earlier, the events passed to
 * it are counted in calls of the process's current threads.
 *
 * While a function runs, the kernel has replaced its return address.  A C++ exception that passes
 * through a traced function therefore ends the program.  The program also ends if it moves its
 * stacks, as Go programs do.
 *
 * Return: 0; -ENOENT if tracing is off, -EEXIST if the session already has probes, -EPERM if the
 *	caller lacks the privilege, -EOPNOTSUPP if the kernel has no BTF, -EINVAL or -ENAMETOOLONG
 *	for an invalid probe, -E2BIG for too many probes, -ENOMEM, or the error from attaching @bad.
 */
SHIM_API int shim_trace_probe(const struct shim_trace_probe *probes, unsigned int n,
			      unsigned int *bad)
{
	struct shim_bpf_probe *to;
	size_t which = n;
	int err = 0;

	if (bad)
		*bad = n;
	if (!probes || !n)
		return -EINVAL;
	if (n > VC_MAX_PROBES)
		return -E2BIG;
	to = calloc(n, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (unsigned int i = 0; i < n && !err; i++) {
		err = take(&probes[i], &to[i]);
		which = err ? i : n;
	}
	if (!err)
		err = shim_bpf__probe(to, n, &which);
	if (bad)
		*bad = which;
	free(to);
	return err;
}

/* A caller's function, and its argument */
struct caller {
	shim_trace_probe_fn *fn;
	void *arg;
};

static int probe_give(void *arg, const struct vc_probe *row)
{
	const struct caller *caller = arg;
	const struct shim_trace_probe probe = {
		.size = sizeof(probe), .what = row->what, .tag = row->tag, .file = row->file,
		.offset = row->offset, .pid = row->pid,
	};

	return caller->fn(caller->arg, &probe);
}

/**
 * shim_trace_probes() - list the probes of shim_trace_probe()
 * @fn: called for each probe in order, without path and semaphore; a value other than 0 ends the
 *	walk
 * @arg: argument of @fn
 *
 * Return: 0, the value of @fn, -ENOENT if tracing is off, -EPERM if the caller lacks the
 *	privilege, or another error.
 */
SHIM_API int shim_trace_probes(shim_trace_probe_fn *fn, void *arg)
{
	struct caller caller = { fn, arg };

	return fn ? shim_bpf__probes(probe_give, &caller) : -EINVAL;
}

/* Transactions of each process, as public calls of <shim/trace.h> */

void shim_trace__free_processes(struct shim_trace *trace)
{
	free(trace->processes);
	free(trace->process_tags);
	free(trace->process_counts);
	free(trace->process_event_names);
}

/*
 * Convert a row's counts of @tag, and store them in process_counts[] starting at index @next.
 * Return their number.
 */
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
		shim_trace__stat(&to->stat, tag, rows[i].id, SHIM_TRACE_TRANSACTION,
				 &rows[i].total);
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
 * @n: number of rows for shim_trace_process_at(): one for each tag and process, or more if a
 *	process's transactions had different counters
 *
 * Return: 0; -ENODATA if tracing was turned on without SHIM_TRACE_F_PROCESSES, otherwise as for
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
