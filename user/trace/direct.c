// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write events without system calls into a BPF map that this process has mapped.
 *
 * Locking: the process's lock is held to connect; no lock is needed to write.
 */
#include <errno.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "open.h"
#include "tags.h"
#include "transport.h"

/* Never unmap a former mapping, because another thread may be writing to it. */
static int try_connect(struct shim_process *p)
{
	struct shim_direct *d;
	int err = shim_direct__open(&d);

	shim_say(PMTRACE_STATE_COMMS, "vc_direct", err);
	if (err)
		return err;
	shim_process__settle(shim_process__inherited());
	atomic_store(&p->direct, d);
	return 0;
}

static int direct_connect_locked(struct shim_process *p)
{
	if (shim_trace_direct__map(p))
		return 0;
	if (shim_retry__is_early(&p->retry))
		return p->retry.error;
	return shim_retry__see(&p->retry, try_connect(p));
}

/*
 * After the map has been mapped once, errors are not reported, because they mean that tracing was
 * turned off.
 */
static int direct_connect(struct shim_process *p)
{
	int err;

	shim_lock__enter(&p->lock);
	err = direct_connect_locked(p);
	shim_lock__leave(&p->lock);
	return atomic_load(&p->direct) ? 0 : err;
}

static bool direct_is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	(void)tag;
	return shim_trace_direct__map(p);
}

/*
 * Return whether the calling thread is in a transaction of the tag, in which case another begin has
 * no effect.
 */
static bool is_begun(const struct shim_process *p, const struct shim_tag *tag)
{
	const shim_open_word *word = shim_open__word(p, tag);

	return word && shim_open__is_begun(shim_open__progress(word));
}

static uint64_t direct_begin_ns(const struct shim_process *p, const struct shim_tag *tag)
{
	struct shim_direct *d = shim_trace_direct__map(p);

	return d ? shim_trace_direct__begin(d, tag, is_begun(p, tag)) : 0;
}

static int direct_end(struct shim_process *p, struct shim_tag *tag, const struct shim_begun *begun,
		    uint64_t end_ns)
{
	struct shim_direct *d = shim_trace_direct__map(p);

	(void)end_ns;
	if (d && begun->ns)
		shim_direct__end(d, shim_trace_direct__tag(tag), begun->ns);
	return 0;
}

static void direct_abort(struct shim_process *p, struct shim_tag *tag,
			   const struct shim_begun *begun)
{
	struct shim_direct *d = shim_trace_direct__map(p);

	if (d && begun->ns)
		shim_direct__abort(d, shim_trace_direct__tag(tag));
}

static int direct_value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	struct shim_direct *d = shim_trace_direct__map(p);

	/*
	 * The kinds (VC_POINT, ...) have the same order as the operations (VCPC_TRACE_POINT, ...).
	 */
	if (d)
		shim_direct__value(d, shim_trace_direct__tag(tag), op - VCPC_TRACE_POINT + VC_POINT, value);
	return 0;
}

static const unsigned int *direct_gate(const struct shim_process *p)
{
	(void)p;
	return &shim_gate__direct;
}

const struct shim_transport shim_trace_direct__transport = {
	.name = "direct",
	.connect = direct_connect,
	.is_ready = direct_is_ready,
	.begin_ns = direct_begin_ns,
	.end = direct_end,
	.abort = direct_abort,
	.value = direct_value,
	.gate = direct_gate,
};
