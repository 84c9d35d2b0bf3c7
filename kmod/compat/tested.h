/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernels that the module was tested on.  It relies on more than what a kernel exports
 * (internals.h), so on any other it is not built unless whoever builds it says so.
 */
#ifndef VCPC_COMPAT_TESTED_H
#define VCPC_COMPAT_TESTED_H

#include <linux/version.h>

/* Of a version, what it has in common with all of its series */
#define VCPC_SERIES	(LINUX_VERSION_CODE & ~0xff)

#if !defined(VCPC_UNTESTED) && \
	VCPC_SERIES != KERNEL_VERSION(6, 1, 0) && VCPC_SERIES != KERNEL_VERSION(6, 12, 0)
#error "vcpc was tested on Linux 6.1 and 6.12 only: to try it here, make UNTESTED=1"
#endif

#ifdef CONFIG_PREEMPT_RT
#error "vcpc does not work with PREEMPT_RT, which sleeps where its locks are taken"
#endif

#if !defined(CONFIG_PERF_EVENTS) || !defined(CONFIG_TRACEPOINTS) || !defined(CONFIG_IRQ_WORK)
#error "vcpc needs CONFIG_PERF_EVENTS, CONFIG_TRACEPOINTS and CONFIG_IRQ_WORK"
#endif

#endif
