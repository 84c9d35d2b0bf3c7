/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transport through the module: connections, tags, events. */
#ifndef SHIM_TRACE_KERNEL_H
#define SHIM_TRACE_KERNEL_H

#include <errno.h>

#include "core/counted.h"
#include "process.h"

/* Whether there is a connection, and the tag has a handle on it */
static inline int shim_kernel__is_ready(uint64_t connection, const struct shim_tag *tag)
{
	uint64_t handle = atomic_load_explicit(&tag->handle, memory_order_acquire);

	return (uint32_t)connection && handle >> 32 == connection >> 32;
}

static inline uint64_t shim_kernel__connection(const struct shim_process *p)
{
	return atomic_load_explicit(&p->connection, memory_order_acquire);
}

/* What listeners want: VCPC_TRACE_LISTENING and _BEGINS; both if the page is not mapped */
static inline uint32_t shim_kernel__wanted(const struct shim_process *p)
{
	const struct vcpc_trace_page *page = atomic_load_explicit(&p->page, memory_order_acquire);

	return page ? *(const volatile uint32_t *)&page->flags :
	       VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS;
}

/* Whether to send a begin at this time: a listener wants it, or the thread may have counts */
static inline bool shim_kernel__tells_begin(uint32_t wanted, uint64_t now)
{
	return wanted & VCPC_TRACE_BEGINS || !shim_counted__is_quiet(now);
}

int shim_kernel__tell_begin(struct shim_process *p, struct shim_tag *tag);

extern const struct shim_way shim_kernel__way;

int shim_kernel__fire_anew(struct shim_process *p, struct shim_tag *tag, uint32_t op,
			   uint64_t value, uint64_t lost);

static inline int shim_kernel__fd(uint64_t connection)
{
	return (int)(uint32_t)connection - 1;
}

/* Whether an error means that the descriptor is no longer our connection: closed or replaced */
static inline int shim_kernel__is_lost(int err)
{
	return err == -EBADF || err == -ENOTTY || err == -ENOENT;
}

/**
 * shim_kernel__fire() - send one event
 * @p: process
 * @tag: tag
 * @op: VCPC_TRACE_*, with VCPC_TRACE_F_COUNTS or without
 * @value: as in struct vcpc_trace_write
 *
 * Return: as for prepare in way.h, or an errno of write(2) on the device.
 */
static inline int shim_kernel__fire(struct shim_process *p, struct shim_tag *tag, uint32_t op,
				    uint64_t value)
{
	uint64_t connection = shim_kernel__connection(p);
	uint64_t handle = atomic_load_explicit(&tag->handle, memory_order_acquire);
	int err;

	/* A handle is valid only on a connection with the same generation (upper 32 bits). */
	if (!(uint32_t)connection || handle >> 32 != connection >> 32)
		return shim_kernel__fire_anew(p, tag, op, value, 0);
	err = shim_tracedev__fire(shim_kernel__fd(connection), op, (uint32_t)handle, value);
	if (__builtin_expect(!err, 1) || !shim_kernel__is_lost(err))
		return err;
	return shim_kernel__fire_anew(p, tag, op, value, connection);
}

#endif /* SHIM_TRACE_KERNEL_H */
