/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CLOCK_MONOTONIC of the caller, whose time namespace may have an offset, and of the kernel.
 */
#ifndef VCPC_CLOCK_H
#define VCPC_CLOCK_H

#include <linux/time64.h>
#include <linux/time_namespace.h>
#include <linux/types.h>

static inline s64 vcpc_clock_offset(void)
{
	struct timespec64 offset = { };

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

static inline u64 vcpc_clock_to_caller(u64 ns)
{
	return ns + vcpc_clock_offset();
}

/* Never 0, which means that a time is not known */
static inline u64 vcpc_clock_from_caller(u64 ns)
{
	return ns - vcpc_clock_offset() ?: 1;
}

#endif
