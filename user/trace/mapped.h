/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way out without a call: into a map of the kernel's that this process has mapped. */
#ifndef SHIM_TRACE_MAPPED_H
#define SHIM_TRACE_MAPPED_H

#include "core/direct.h"
#include "process.h"

/* The map, or NULL if tracing is off */
static inline struct shim_direct *shim_mapped__get(const struct shim_process *p)
{
	struct shim_direct *d = atomic_load_explicit(&p->direct, memory_order_acquire);

	return d && shim_direct__active(d) ? d : NULL;
}

static inline struct shim_direct_tag shim_mapped__tag(const struct shim_tag *tag)
{
	return (struct shim_direct_tag) { tag->index, tag->name };
}

int shim_mapped__connect(struct shim_process *p);

#endif /* SHIM_TRACE_MAPPED_H */
