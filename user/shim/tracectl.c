// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public calls of <shim/trace.h> that control tracing and read its statistics */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/vec.h"
#include "core/bpf_events.h"
#include "core/bpf_memory.h"
#include "core/counted.h"
#include "tracectl.h"

_Static_assert(SHIM_TRACE_HIST_SLOTS == VC_HIST_SLOTS, "the histogram must equal core's");
_Static_assert(SHIM_TRACE_TRANSACTION == (int)VC_TRANSACT && SHIM_TRACE_POINT == (int)VC_POINT &&
	       SHIM_TRACE_OBSERVATION == (int)VC_OBSERVE && SHIM_TRACE_COUNTER == (int)VC_COUNTER,
	       "numbers of kinds must equal core's");
_Static_assert(SHIM_TRACE_BY_MODULE == (int)SHIM_BPF_MODULE &&
	       SHIM_TRACE_BY_PROBES == (int)SHIM_BPF_PROBES, "numbers of transports must equal core's");

#define ALL_FLAGS	(SHIM_TRACE_F_BEGINS | SHIM_TRACE_F_MODULE | SHIM_TRACE_F_PROBES | \
		   SHIM_TRACE_F_PROCESSES | SHIM_TRACE_F_USER_BEGINS)

static int take_options(const struct shim_trace_options *from, struct shim_bpf_options *to)
{
	if (from->size != sizeof(*from) || from->flags & ~ALL_FLAGS)
		return -EINVAL;
	if ((from->flags & SHIM_TRACE_F_MODULE && from->flags & SHIM_TRACE_F_PROBES) ||
	    (from->flags & SHIM_TRACE_F_BEGINS && from->flags & SHIM_TRACE_F_USER_BEGINS))
		return -EINVAL;
	if (from->flags & SHIM_TRACE_F_MODULE)
		to->transport = SHIM_BPF_MODULE;
	if (from->flags & SHIM_TRACE_F_PROBES)
		to->transport = SHIM_BPF_PROBES;
	if (from->flags & SHIM_TRACE_F_BEGINS)
		to->begins = SHIM_BPF_BEGINS_KERNEL;
	if (from->flags & SHIM_TRACE_F_USER_BEGINS)
		to->begins = SHIM_BPF_BEGINS_USER;
	to->processes = !!(from->flags & SHIM_TRACE_F_PROCESSES);
	to->tags = from->max_tags;
	to->open = from->max_open;
	to->ring = from->ring_bytes;
	to->direct = from->direct_slots;
	return 0;
}

/**
 * shim_trace_on() - turn on tracing on this machine
 * @options: options, or NULL for the defaults
 *
 * This loads the BPF programs and pins them under /sys/fs/bpf/vcpc.  They are attached to the
 * module's tracepoints or, if the module is not loaded, to functions of this library in every
 * process that has loaded it.  Tracing stays on when the caller exits.  After a failure nothing
 * remains, except that the BPF file system stays mounted.
 *
 * Return: 0; -EPERM if the caller lacks the privilege, -ENODEV if the vcpc module is required but
 *	not loaded, -EPROTONOSUPPORT if the loaded module has a different version, -EEXIST if
 *	tracing is already on, -ENOSYS if the kernel has no BPF, -EOPNOTSUPP if it has no BTF,
 *	which tracing without the module needs, -EINVAL for invalid @options, -ENOMEM if the maps
 *	do not fit into the available memory (see shim_trace_memory()), or another error.
 */
SHIM_API int shim_trace_on(const struct shim_trace_options *options)
{
	struct shim_bpf_options bpf = { .transport = SHIM_BPF_ANY };
	int err = options ? take_options(options, &bpf) : 0;

	return err ? err : shim_bpf__on(&bpf);
}

/**
 * shim_trace_memory() - get the memory that tracing needs, and the memory that is available
 * @options: as for shim_trace_on()
 * @needed: bytes of the BPF maps, which shim_trace_on() allocates at once; may be NULL
 * @available: bytes that programs can allocate without swapping; may be NULL
 *
 * shim_trace_on() returns -ENOMEM if @needed is more than 3/4 of @available.
 *
 * Return: 0, -EINVAL for invalid @options, -ENOMEM, or an error from reading /proc/meminfo.
 */
SHIM_API int shim_trace_memory(const struct shim_trace_options *options, uint64_t *needed,
			       uint64_t *available)
{
	struct shim_bpf_options bpf = { .transport = SHIM_BPF_ANY };
	int err = options ? take_options(options, &bpf) : 0;

	if (!err && needed)
		err = shim_bpf__memory(&bpf, needed);
	return !err && available ? shim_bpf_memory__available(available) : err;
}

/**
 * shim_trace_off() - turn off tracing on this machine and discard all statistics
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM if the caller lacks the privilege.
 */
SHIM_API int shim_trace_off(void)
{
	return shim_bpf__off();
}

/**
 * shim_trace_status() - find out whether tracing is on, and get its transport
 *
 * Return: SHIM_TRACE_BY_MODULE or SHIM_TRACE_BY_PROBES if tracing is on, 0 if it is off, -EPERM if
 *	the caller is not permitted to find out.
 */
SHIM_API int shim_trace_status(void)
{
	return shim_bpf__status();
}

static int event_parse(const char *name, struct vc_event_desc *event)
{
	struct vcpc_request req;
	int err = name ? shim_event__parse(name, &req) : -ENOENT;

	if (!err && (req.config1 || req.config2))
		err = -EOPNOTSUPP;
	if (!err)
		*event = (struct vc_event_desc) {
			.type = req.type, .flags = req.flags, .config = req.config,
		};
	return err;
}

/**
 * shim_trace_count() - make each traced thread count events in its transactions
 * @events: const char *[@n], names as for shim_set_create(); an event without a mode is counted in
 *	user and kernel mode, or only in user mode in threads without permission for kernel mode
 * @n: number of events, at most 8; 0: the threads stop counting
 * @bad: on failure, the index of the rejected event, or @n; may be NULL
 *
 * This applies until tracing is turned off or the function is called without events.  A thread
 * binds the events to itself when it begins a transaction (a new thread at its first one, others
 * within 0.1 s), unless it has its own set for transactions.  That requires the module or
 * SHIM_TRACE=direct.  A thread that cannot bind the events continues without counting; see
 * shim_trace_losses().
 *
 * Return: 0, -ENOENT if tracing is off, -EBUSY if threads already count other events, -EPERM if the
 *	caller lacks the privilege, -EINVAL (too many events, invalid mode), -ENOENT or -EOPNOTSUPP
 *	if event @bad does not exist or needs more than a type and a number, or another negated
 *	errno.
 */
SHIM_API int shim_trace_count(const char *const *events, unsigned int n, unsigned int *bad)
{
	struct vc_events wanted = { .nr = n };
	unsigned int which = n;
	int err = n > VC_MAX_COUNTERS || (n && !events) ? -EINVAL : 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		err = event_parse(events[i], &wanted.event[i]);
		which = err ? i : n;
	}
	if (bad)
		*bad = which;
	return err ? err : shim_wanted__set(&wanted);
}

/**
 * shim_trace_open() - get a handle for reading statistics repeatedly
 * @trace: on success, the handle, for one thread at a time; close it with shim_trace_close()
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM if the caller lacks the privilege, -EPROTO if
 *	another version of libshim turned it on, -ENOMEM.
 */
SHIM_API int shim_trace_open(struct shim_trace **trace)
{
	struct shim_trace *t;
	int err;

	if (!trace)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = shim_bpf_reader__open(false, &t->reader);
	if (err)
		free(t);
	else
		*trace = t;
	return err;
}

/* Convert a tag's statistics to the public struct, which points into @tag. */
void shim_trace__stat(struct shim_trace_stat *to, const struct shim_bpf_tag *tag, uint64_t id,
		      uint32_t kind, const struct vc_stat *total)
{
	to->name = tag->name;
	to->label = tag->label;
	to->id = id;
	to->user = tag->user;
	to->kind = kind;
#define COPY(name)	memcpy(&to->name, &total->name, sizeof(to->name));
	VC_STAT_SUMS(COPY)
	VC_STAT_LASTS(COPY)
#undef COPY
	to->min_ns = total->min_ns;
	to->max_ns = total->max_ns;
	to->last_ns = total->last_ns;
	memcpy(&to->value_min, &total->value_min, sizeof(to->value_min));
	memcpy(&to->value_max, &total->value_max, sizeof(to->value_max));
	memcpy(to->hist, total->hist, sizeof(to->hist));
}

/**
 * shim_trace_stats_get() - read the current statistics of all tags
 * @trace: handle
 * @n: number of rows for shim_trace_stat_at()
 *
 * After an error, the statistics of the previous call remain available, except that there may be
 * none after -ENOMEM.
 *
 * Return: 0; -ESTALE if tracing was turned off after shim_trace_open() (even if it is on again:
 *	open another handle), -ENOMEM, or another error.
 */
SHIM_API int shim_trace_stats_get(struct shim_trace *trace, size_t *n)
{
	const struct shim_bpf_stat *rows;
	size_t count;
	int err;

	if (!trace || !n)
		return -EINVAL;
	err = shim_bpf_reader__stats(trace->reader, &rows, &count);
	if (err)
		return err;
	/* If the array of tags moves, pointers into it become invalid. */
	if (count > trace->stat_tags_room)
		trace->n = 0;
	if (shim_vec__reserve(trace->stats, &trace->room, count) ||
	    shim_vec__reserve(trace->stat_tags, &trace->stat_tags_room, count))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		trace->stat_tags[i] = *rows[i].tag;
		shim_trace__stat(&trace->stats[i], &trace->stat_tags[i], rows[i].key.tag,
				 rows[i].key.kind, &rows[i].total);
	}
	trace->n = count;
	*n = count;
	return 0;
}

/**
 * shim_trace_stat_at() - get a row of the last read
 * @trace: handle
 * @i: 0 .. n - 1, in no particular order
 *
 * Return: the statistics, valid with name and label until the next shim_trace_stats_get() on the
 *	handle, or NULL after the last one.
 */
SHIM_API const struct shim_trace_stat *shim_trace_stat_at(const struct shim_trace *trace, size_t i)
{
	return trace && i < trace->n ? &trace->stats[i] : NULL;
}

/*
 * Copy a tag to which public structs will point.  Return 0, or an error from
 * shim_bpf_reader__tag().
 */
static int keep_tag(struct shim_trace *trace, uint64_t id, struct shim_bpf_tag *copy)
{
	const struct shim_bpf_tag *tag;
	int err = shim_bpf_reader__tag(trace->reader, id, &tag);

	if (!err)
		*copy = *tag;
	return err;
}

static size_t count_events(const struct shim_bpf_count *rows, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rows[i].events.nr;
	return sum;
}

/*
 * Add a count for each event of @row, and copy its tag to @tag.  Return 0, -ENOENT if the tag was
 * just evicted, or -ENOMEM.
 */
static int add_counts(struct shim_trace *trace, const struct shim_bpf_count *row,
		      struct shim_bpf_tag *tag)
{
	int err = keep_tag(trace, row->id, tag);

	for (uint32_t i = 0; !err && i < row->events.nr; i++) {
		const struct vc_event_desc *event = &row->events.event[i];
		char *text = trace->event_names[trace->ncounts];

		shim_event__name(event->type, event->config, event->flags, text, SHIM_EVENT_LEN);
		trace->counts[trace->ncounts++] = (struct shim_trace_count) {
			.name = tag->name,
			.label = tag->label,
			.id = row->id,
			.user = tag->user,
			.event = text,
			.transactions = row->total.count,
			.sum = row->total.sum[i],
		};
	}
	return err;
}

static void free_counts(struct shim_trace *trace)
{
	free(trace->counts);
	free(trace->count_tags);
	free(trace->event_names);
	trace->counts = NULL;
	trace->count_tags = NULL;
	trace->event_names = NULL;
	trace->ncounts = 0;
}

/**
 * shim_trace_counts_get() - read the event counts of all tags' transactions
 * @trace: handle
 * @n: number of counts for shim_trace_count_at(): one for each tag and event
 *
 * Return: as for shim_trace_stats_get(); after an error there are no counts.
 */
SHIM_API int shim_trace_counts_get(struct shim_trace *trace, size_t *n)
{
	const struct shim_bpf_count *rows;
	size_t nrows, total;
	int err;

	if (!trace || !n)
		return -EINVAL;
	free_counts(trace);
	err = shim_bpf_reader__counts(trace->reader, &rows, &nrows);
	if (err)
		return err;
	total = count_events(rows, nrows);
	trace->counts = calloc(total + 1, sizeof(*trace->counts));
	trace->count_tags = calloc(nrows + 1, sizeof(*trace->count_tags));
	trace->event_names = calloc(total + 1, sizeof(*trace->event_names));
	if (!trace->counts || !trace->count_tags || !trace->event_names)
		return -ENOMEM;
	/* Copy all tags first, because a later tag may change the label of an earlier one. */
	for (size_t i = 0; i < nrows; i++)
		keep_tag(trace, rows[i].id, &trace->count_tags[i]);
	for (size_t i = 0; i < nrows; i++) {
		err = add_counts(trace, &rows[i], &trace->count_tags[i]);
		if (err && err != -ENOENT) {
			trace->ncounts = 0;
			return err;
		}
	}
	*n = trace->ncounts;
	return 0;
}

/**
 * shim_trace_count_at() - get a count of the last read
 * @trace: handle
 * @i: 0 .. n - 1; counts of a tag are adjacent
 *
 * Return: the count, valid until the next shim_trace_counts_get() on the handle, or NULL after the
 *	last one.
 */
SHIM_API const struct shim_trace_count *shim_trace_count_at(const struct shim_trace *trace,
							   size_t i)
{
	return trace && i < trace->ncounts ? &trace->counts[i] : NULL;
}

/**
 * shim_trace_hist_floor() - get the minimum duration in a bucket of the histogram
 * @slot: 0 .. SHIM_TRACE_HIST_SLOTS - 1
 *
 * A bucket counts durations from its floor up to, but not including, the floor of the next bucket.
 * From 8 ns upwards, its width is at most 1/8 of its floor.  The last bucket counts all longer
 * durations.
 *
 * Return: nanoseconds.
 */
SHIM_API uint64_t shim_trace_hist_floor(unsigned int slot)
{
	return vc_hist_floor(slot < VC_HIST_SLOTS ? slot : VC_HIST_SLOTS - 1);
}

static double clamp(double ns, const struct shim_trace_stat *stat)
{
	if (ns < stat->min_ns)
		return stat->min_ns;
	return ns > stat->max_ns ? stat->max_ns : ns;
}

static unsigned int slot_of(uint64_t ns)
{
	return vc_hist_slot(ns, ns ? 63 - __builtin_clzll(ns) : 0);
}

/**
 * shim_trace_percentile() - compute a percentile of a tag's durations
 * @stat: statistics of transactions
 * @percent: 0 to 100
 *
 * The result is the middle of the bucket that contains the percentile.  It is accurate to 1/16, and
 * never below the minimum or above the maximum duration.
 *
 * Return: nanoseconds; 0 if there are no transactions.
 */
SHIM_API double shim_trace_percentile(const struct shim_trace_stat *stat, double percent)
{
	/* Buckets below the first and above the last are empty. */
	unsigned int first, last;
	uint64_t total = 0, before = 0;
	double rank;

	if (!stat)
		return 0;
	first = slot_of(stat->min_ns);
	last = slot_of(stat->max_ns);
	for (unsigned int i = first; i <= last; i++)
		total += stat->hist[i];
	if (!total || percent <= 0 || percent >= 100)
		return !total ? 0 : percent <= 0 ? stat->min_ns : stat->max_ns;
	rank = total * percent / 100;
	for (unsigned int i = first; i <= last; i++) {
		before += stat->hist[i];
		if (stat->hist[i] && before >= rank)
			return clamp((vc_hist_floor(i) + vc_hist_floor(i + 1) - 1) / 2.0, stat);
	}
	return stat->max_ns;
}

/**
 * shim_trace_close() - close a handle and free everything that it has returned
 * @trace: handle or NULL
 */
SHIM_API void shim_trace_close(struct shim_trace *trace)
{
	if (!trace)
		return;
	shim_bpf_events__close(trace->events);
	shim_bpf_reader__close(trace->reader);
	free(trace->stats);
	free(trace->stat_tags);
	free_counts(trace);
	shim_trace__free_processes(trace);
	free(trace);
}
