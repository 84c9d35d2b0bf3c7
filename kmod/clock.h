/* SPDX-License-Identifier: GPL-2.0 */
/*
 * CLOCK_MONOTONIC of the caller, whose time namespace may have an offset, and of the kernel.
 */
#ifndef VCPC_CLOCK_H
#define VCPC_CLOCK_H

#include <linux/time64.h>
#include <linux/time_namespace.h>
#include <linux/types.h>

/* What leads from the kernel's time to the caller's */
static inline s64 vcpc_clock_offset(void)
{
	struct timespec64 offset = { };

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

#endif
