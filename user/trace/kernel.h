/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way out through the module: connect, tags, events. */
#ifndef SHIM_TRACE_KERNEL_H
#define SHIM_TRACE_KERNEL_H

#include "process.h"

/* Whether there is a connection, and the tag's handle is of it */
static inline int shim_kernel__is_ready(uint64_t connection, const struct shim_tag *tag)
{
	uint64_t handle = atomic_load_explicit(&tag->handle, memory_order_acquire);

	return (uint32_t)connection && handle >> 32 == connection >> 32;
}

static inline uint64_t shim_kernel__connection(const struct shim_process *p)
{
	return atomic_load_explicit(&p->connection, memory_order_acquire);
}

/* VCPC_TRACE_LISTENING and _BEGINS; both, if it is not known */
static inline uint32_t shim_kernel__wanted(const struct shim_process *p)
{
	const struct vcpc_trace_page *page = atomic_load_explicit(&p->page, memory_order_acquire);

	return page ? *(const volatile uint32_t *)&page->flags :
	       VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS;
}

int shim_kernel__connect(struct shim_process *p);
int shim_kernel__prepare(struct shim_process *p, struct shim_tag *tag);
int shim_kernel__fire(struct shim_process *p, struct shim_tag *tag, uint32_t op, uint64_t value);

#endif /* SHIM_TRACE_KERNEL_H */
