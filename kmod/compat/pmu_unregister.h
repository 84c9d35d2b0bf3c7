/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VCPC_PMU_UNREGISTER_HANGS: perf_pmu_unregister() may wait for ever.  Before Linux 6.12.19 it
 * waits, with pmus_lock held, for those who are opening an event; and whoever opens a software
 * event waits for that lock.
 */
#ifndef VCPC_COMPAT_PMU_UNREGISTER_H
#define VCPC_COMPAT_PMU_UNREGISTER_H

#include <linux/version.h>

#define VCPC_PMU_UNREGISTER_HANGS	(LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 19))

#endif
