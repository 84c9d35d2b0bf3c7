// SPDX-License-Identifier: LGPL-2.1-or-later
/* Probes on programs without trace calls, as public calls of <shim/trace.h>. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <shim/trace.h>

#include "base/api.h"
#include "core/bpf_function.h"

_Static_assert(SHIM_TRACE_PROBE_FUNCTION == (int)VC_PROBE_FUNCTION &&
	       SHIM_TRACE_PROBE_BEGIN == (int)VC_PROBE_BEGIN &&
	       SHIM_TRACE_PROBE_END == (int)VC_PROBE_END, "one numbering of probes");

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
 * that runs it.  A call that does not return, for example because of longjmp(3), is counted in
 * shim_trace_drops.given_up, and a call nested more than 64 deep in open_full.  A transaction that
 * begins again before it ends, or ends in another thread, is also counted in given_up.
 *
 * If all probes are in one process and shim_trace_count() was called before, these events are
 * counted in calls of the process's current threads.
 *
 * While a function runs, the kernel has replaced its return address.  A C++ exception that passes
 * through a traced function therefore ends the program, as does moving a stack (Go).
 *
 * Return: 0; -ENOENT if tracing is off, -EEXIST if it already has probes, -EPERM without the
 *	privilege, -EOPNOTSUPP if the kernel has no BTF, -EINVAL or -ENAMETOOLONG for an invalid
 *	probe, -E2BIG for too many, -ENOMEM, or the error of attaching @bad.
 */
SHIM_API int shim_trace_probe(const struct shim_trace_probe *probes, unsigned int n, unsigned int *bad)
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

/* A caller's function and its argument */
struct caller {
	shim_trace_probe_fn *fn;
	void *arg;
};

static int give(void *arg, const struct vc_probe *row)
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
 * @fn: called for each in order, without path and semaphore; a value other than 0 ends the walk
 * @arg: for @fn
 *
 * Return: 0, the value of @fn, -ENOENT if tracing is off, -EPERM without the privilege, or another
 *	error.
 */
SHIM_API int shim_trace_probes(shim_trace_probe_fn *fn, void *arg)
{
	struct caller caller = { fn, arg };

	return fn ? shim_bpf__probes(give, &caller) : -EINVAL;
}
