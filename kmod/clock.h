/* SPDX-License-Identifier: GPL-2.0 */
/* Convert CLOCK_MONOTONIC times between the kernel and the caller's time namespace. */
#ifndef VCPC_CLOCK_H
#define VCPC_CLOCK_H

#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/time_namespace.h>
#include <linux/types.h>

/* Return the nanoseconds to add to the kernel's time to get the caller's time. */
static inline s64 vcpc_clock_offset(void)
{
	const struct timespec64 *ahead;

	if (!IS_ENABLED(CONFIG_TIME_NS))
		return 0;
	ahead = &current->nsproxy->time_ns->offsets.monotonic;
	return ahead->tv_sec * NSEC_PER_SEC + ahead->tv_nsec;
}

#endif
