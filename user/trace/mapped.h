/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport without system calls: write into a BPF map that this process has mapped. */
#ifndef SHIM_TRACE_MAPPED_H
#define SHIM_TRACE_MAPPED_H

#include "core/direct.h"
#include "core/traced.h"
#include "way.h"

extern const struct shim_way shim_mapped__way;

/* The map, or NULL if tracing is off */
static inline struct shim_direct *shim_mapped__map(const struct shim_process *p)
{
	struct shim_direct *d = atomic_load_explicit(&p->direct, memory_order_acquire);

	return d && shim_direct__active(d) ? d : NULL;
}

static inline struct shim_direct_tag shim_mapped__tag(const struct shim_tag *tag)
{
	return (struct shim_direct_tag) { tag->index, tag->name };
}

/*
 * The start time of a transaction by the clock of the map: the CPU's own counter if possible.  Read
 * the thread's counters before the clock, so the transaction's time does not include that.
 */
static inline uint64_t shim_mapped__begin(struct shim_direct *d, const struct shim_tag *tag,
					  bool is_begun)
{
	uint64_t now;

	shim_direct_wanted__begin(d);
	if (shim_traced__any() && !is_begun)
		now = shim_direct__begin_counted(d, shim_mapped__tag(tag));
	else
		now = shim_tick__now(d->tick);
	shim_direct_wanted__own.last = now;
	return now;
}

#endif /* SHIM_TRACE_MAPPED_H */
