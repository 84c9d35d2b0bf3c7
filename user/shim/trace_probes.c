// SPDX-License-Identifier: LGPL-2.1-or-later
/* Probes on programs that call no trace functions, as public calls of <shim/trace.h>. */
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
	to->semaphore = from->semaphore;
	return 0;
}

/**
 * shim_trace_probe() - trace functions of programs that call no trace functions
 * @probes: at most 256; their begins and ends have at most 16 tags
 * @n: how many
 * @bad: on failure, the probe to blame, or @n; may be NULL
 *
 * Once in a tracing session, until tracing is turned off.  A call of a function is a transaction from
 * its entry to its return, in the statistics of the user who runs it.  A call that does not return, as
 * after longjmp(3), counts among shim_trace_drops.given_up, and one more than 64 deep among open_full.
 * So does a transaction that begins again before it ends, or ends in another thread.
 *
 * If all probes are in one process and shim_trace_count() was called before, calls of the threads that
 * the process has now count these events.
 *
 * While a function runs, its return address is the kernel's.  A C++ exception that passes through a
 * traced function therefore ends the program, as does a stack that moves (Go).
 *
 * Return: 0; -ENOENT if tracing is off, -EEXIST if it has probes already, -EPERM without the privilege,
 *	-EOPNOTSUPP if the kernel has no BTF, -EINVAL or -ENAMETOOLONG for a bad probe, -E2BIG for too
 *	many, -ENOMEM, or why @bad cannot be attached.
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

/* A caller's function, and its argument */
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
 * @fn: called for each, in their order; a value other than 0 ends it; path and semaphore are not known
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, -ENOENT if tracing is off, -EPERM without the privilege, and others.
 */
SHIM_API int shim_trace_probes(shim_trace_probe_fn *fn, void *arg)
{
	struct caller caller = { fn, arg };

	return fn ? shim_bpf__probes(give, &caller) : -EINVAL;
}
