// SPDX-License-Identifier: LGPL-2.1-or-later
/* Trace control and statistics for users: <shim/trace.h>. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <shim/trace.h>

#include "base/api.h"
#include "core/bpf.h"

_Static_assert(SHIM_TRACE_HIST_SLOTS == VC_HIST_SLOTS, "one histogram");
_Static_assert(SHIM_TRACE_TRANSACTION == (int)VC_TRANSACT && SHIM_TRACE_POINT == (int)VC_POINT &&
	       SHIM_TRACE_OBSERVATION == (int)VC_OBSERVE && SHIM_TRACE_COUNTER == (int)VC_COUNTER,
	       "one numbering of kinds");

struct shim_trace {
	struct shim_bpf_reader *reader;
	struct shim_trace_stat *stats;
	size_t n, room;
};

/**
 * shim_trace_on() - turn the machine's tracing on
 * @options: bounds of the kernel's tables, or NULL for the defaults
 *
 * Loads the BPF programs, attaches them to the module's tracepoints and pins
 * them under /sys/fs/bpf/vcpc.  Tracing stays on when the caller exits.  A failure
 * leaves nothing behind, but the BPF file system mounted if it was not.
 *
 * Return: 0; -EPERM without the privilege, -ENODEV if the vcpc module is not
 *	loaded, -EEXIST if tracing is on already, -ENOSYS if the kernel has no BPF,
 *	-EINVAL for bad @options, -ENOMEM and others.
 */
SHIM_API int shim_trace_on(const struct shim_trace_options *options)
{
	struct shim_bpf_limits limits = { 0 };

	if (options) {
		if (options->size != sizeof(*options) || options->reserved)
			return -EINVAL;
		limits.tags = options->max_tags;
		limits.open = options->max_open;
	}
	return shim_bpf__on(limits);
}

/**
 * shim_trace_off() - turn it off and forget all statistics
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM without the privilege.
 */
SHIM_API int shim_trace_off(void)
{
	return shim_bpf__off();
}

/**
 * shim_trace_status() - is the machine's tracing on?
 *
 * Return: 1 if it is, 0 if not, -EPERM if the caller may not know.
 */
SHIM_API int shim_trace_status(void)
{
	return shim_bpf__status();
}

/**
 * shim_trace_open() - get ready to read statistics, now and again
 * @trace: a handle on success, for one thread at a time; give it back with
 *	shim_trace_close()
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM without the privilege, -EPROTO if
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
	err = shim_bpf_reader__open(&t->reader);
	if (err)
		free(t);
	else
		*trace = t;
	return err;
}

static void translate(struct shim_trace_stat *to, const struct shim_bpf_stat *from)
{
	to->name = from->name;
	to->id = from->key.tag;
	to->kind = from->key.kind;
	to->count = from->total.count;
	to->sum_ns = from->total.sum_ns;
	to->min_ns = from->total.min_ns;
	to->max_ns = from->total.max_ns;
	to->last_ns = from->total.last_ns;
	memcpy(&to->value, &from->total.value, sizeof(to->value));
	memcpy(to->hist, from->total.hist, sizeof(to->hist));
}

/**
 * shim_trace_stats_get() - read the statistics of all tags as they are now
 * @trace: handle
 * @n: how many there are, for shim_trace_stat_at()
 *
 * On an error the statistics of the last call stay.
 *
 * Return: 0; -ESTALE if tracing was turned off since shim_trace_open() (also
 *	if it is on again: open another handle), -ENOMEM and others.
 */
SHIM_API int shim_trace_stats_get(struct shim_trace *trace, size_t *n)
{
	const struct shim_bpf_stat *rows;
	struct shim_trace_stat *stats;
	size_t count;
	int err;

	if (!trace || !n)
		return -EINVAL;
	err = shim_bpf_reader__stats(trace->reader, &rows, &count);
	if (err)
		return err;
	if (count > trace->room) {
		stats = reallocarray(trace->stats, 2 * count, sizeof(*stats));
		if (!stats)
			return -ENOMEM;
		trace->stats = stats;
		trace->room = 2 * count;
	}
	for (size_t i = 0; i < count; i++)
		translate(&trace->stats[i], &rows[i]);
	trace->n = count;
	*n = count;
	return 0;
}

/**
 * shim_trace_stat_at() - one of the statistics that were read last
 * @trace: handle
 * @i: 0 .. n - 1, in no particular order
 *
 * Return: the statistics, valid until the next shim_trace_stats_get() on the
 *	handle (its name, until shim_trace_close()), or NULL beyond the last.
 */
SHIM_API const struct shim_trace_stat *shim_trace_stat_at(const struct shim_trace *trace, size_t i)
{
	return trace && i < trace->n ? &trace->stats[i] : NULL;
}

/**
 * shim_trace_drops_get() - how many events are in no statistics, and why
 * @trace: handle
 * @drops: counts since tracing was turned on, written on success
 *
 * Return: 0, -ENOMEM, or another negated errno.
 */
SHIM_API int shim_trace_drops_get(struct shim_trace *trace, struct shim_trace_drops *drops)
{
	uint64_t n[VC_DROP_NR];
	int err;

	if (!trace || !drops)
		return -EINVAL;
	err = shim_bpf_reader__drops(trace->reader, n);
	if (err)
		return err;
	*drops = (struct shim_trace_drops) {
		.open_full = n[VC_DROP_OPEN_FULL],
		.stat_full = n[VC_DROP_STAT_FULL],
		.tag_full = n[VC_DROP_TAG_FULL],
		.not_open = n[VC_DROP_NOT_OPEN],
	};
	return 0;
}

/**
 * shim_trace_close() - give back a handle and all it gave
 * @trace: handle or NULL
 */
SHIM_API void shim_trace_close(struct shim_trace *trace)
{
	if (!trace)
		return;
	shim_bpf_reader__close(trace->reader);
	free(trace->stats);
	free(trace);
}
