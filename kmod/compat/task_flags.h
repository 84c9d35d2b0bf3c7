/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VCPC_NEVER_IN_USER_MODE: marks of threads that have no user mode of their
 * own.  Linux 6.4 gave kernel helpers of a user's process that are not
 * io_uring's a mark too.
 */
#ifndef VCPC_COMPAT_TASK_FLAGS_H
#define VCPC_COMPAT_TASK_FLAGS_H

#include <linux/sched.h>

#ifdef PF_USER_WORKER
#define VCPC_NEVER_IN_USER_MODE	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define VCPC_NEVER_IN_USER_MODE	(PF_KTHREAD | PF_IO_WORKER)
#endif

#endif
