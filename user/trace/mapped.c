// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Transport without system calls: write into a BPF map that this process has mapped.
 *
 * Locking: the process's lock is held to connect; no lock is needed to write.
 */
#include <errno.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "core/direct.h"
#include "core/direct_wanted.h"
#include "core/traced.h"
#include "mapped.h"
#include "open.h"
#include "say.h"
#include "tags.h"
#include "way.h"

/* The map, or NULL if tracing is off */
static struct shim_direct *map_of(const struct shim_process *p)
{
	struct shim_direct *d = atomic_load_explicit(&p->direct, memory_order_acquire);

	return d && shim_direct__active(d) ? d : NULL;
}

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

static int connect_locked(struct shim_process *p)
{
	if (map_of(p))
		return 0;
	if (shim_retry__is_early(&p->retry))
		return p->retry.error;
	return shim_retry__see(&p->retry, try_connect(p));
}

/* After the map was mapped once, errors are not reported: they mean that tracing was turned off. */
static int connect_way(struct shim_process *p)
{
	int err;

	shim_lock__enter(&p->lock);
	err = connect_locked(p);
	shim_lock__leave(&p->lock);
	return atomic_load(&p->direct) ? 0 : err;
}

static bool is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	(void)tag;
	return map_of(p);
}

static struct shim_direct_tag tag_of(const struct shim_tag *tag)
{
	return (struct shim_direct_tag) { tag->index, tag->name };
}

/* Whether the calling thread has begun a transaction of the tag, so another begin has no effect */
static bool is_begun(const struct shim_process *p, const struct shim_tag *tag)
{
	const shim_open_word *word = shim_open__word(p, tag);

	return word && shim_open__is_begun(shim_open__progress(word));
}

/*
 * Use the clock of the map: the CPU's own counter if possible.  Read the thread's counters before
 * the clock, so the transaction's time does not include that.
 */
static uint64_t begin_time(const struct shim_process *p, const struct shim_tag *tag)
{
	struct shim_direct *d = map_of(p);
	uint64_t now;

	if (!d)
		return 0;
	shim_direct_wanted__begin(d);
	if (shim_traced__any() && !is_begun(p, tag))
		now = shim_direct__begin_counted(d, tag_of(tag));
	else
		now = shim_tick__now(d->tick);
	shim_direct_wanted__own.last = now;
	return now;
}

static int tell_end(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns,
		    uint64_t end_ns)
{
	struct shim_direct *d = map_of(p);

	(void)end_ns;
	if (d && begin_ns)
		shim_direct__end(d, tag_of(tag), begin_ns);
	return 0;
}

static void tell_abort(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns)
{
	struct shim_direct *d = map_of(p);

	if (d && begin_ns)
		shim_direct__abort(d, tag_of(tag));
}

static int tell_value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	struct shim_direct *d = map_of(p);

	/* Kinds (VC_POINT, ...) have the same order as operations (VCPC_TRACE_POINT, ...). */
	if (d)
		shim_direct__value(d, tag_of(tag), op - VCPC_TRACE_POINT + VC_POINT, value);
	return 0;
}

const struct shim_way shim_mapped__way = {
	.name = "direct",
	.connect = connect_way,
	.is_ready = is_ready,
	.begin_ns = begin_time,
	.end = tell_end,
	.abort = tell_abort,
	.value = tell_value,
};
