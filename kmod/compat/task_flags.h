/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VCPC_NEVER_IN_USER_MODE: flags of threads that never run in user mode.  Linux
 * 6.4 added PF_USER_WORKER for kernel helper threads of user processes.
 */
#ifndef VCPC_COMPAT_TASK_FLAGS_H
#define VCPC_COMPAT_TASK_FLAGS_H

#include <linux/sched.h>

#ifndef PF_USER_WORKER
#define PF_USER_WORKER	0
#endif

#define VCPC_NEVER_IN_USER_MODE	(PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)

#endif
