// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The way out without a call: into a map of the kernel's that this process has mapped.
 *
 * Locking: connecting, under the process's lock; writing, without any.
 */
#include <errno.h>
#include <stdlib.h>

#include <pcp/trace.h>

#include "clock.h"
#include "env.h"
#include "mapped.h"
#include "say.h"

/* A former map is not given back: another thread may be writing to it. */
static int try_connect(struct shim_process *p)
{
	struct shim_direct *d = malloc(sizeof(*d));
	int err = d ? shim_direct__open(d) : -ENOMEM;

	shim_say(PMTRACE_STATE_COMMS, "vc_direct", err);
	if (err) {
		free(d);
		return err;
	}
	shim_process__settle(shim_process__inherited());
	atomic_store(&p->direct, d);
	return 0;
}

static int connect_locked(struct shim_process *p)
{
	int err;

	if (shim_mapped__get(p))
		return 0;
	if (p->failures && shim_clock__now() < p->retry_ns)
		return p->error;
	err = try_connect(p);
	if (!err) {
		p->failures = 0;
		return 0;
	}
	p->failures++;
	p->retry_ns = shim_clock__now() + shim_env__retry_ns(p->failures);
	p->error = err;
	return err;
}

/**
 * shim_mapped__connect() - make sure of the map, if there can be one
 * @p: process
 *
 * Return: 0, also if there was one and tracing is off now; otherwise as
 *	shim_direct__open().
 */
int shim_mapped__connect(struct shim_process *p)
{
	int err;

	shim_lock__enter(&p->lock);
	err = connect_locked(p);
	shim_lock__leave(&p->lock);
	return atomic_load(&p->direct) ? 0 : err;
}
