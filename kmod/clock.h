/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Convert between the kernel's CLOCK_MONOTONIC and that of the caller's time namespace.
 */
#ifndef VCPC_CLOCK_H
#define VCPC_CLOCK_H

#include <linux/time64.h>
#include <linux/time_namespace.h>
#include <linux/types.h>

/* Nanoseconds to add to the kernel's time to get the caller's */
static inline s64 vcpc_clock_offset(void)
{
	struct timespec64 offset = { };

	timens_add_monotonic(&offset);
	return timespec64_to_ns(&offset);
}

#endif
