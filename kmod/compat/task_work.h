/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_task_work_push(): let a thread that has not run yet do something in its
 * own context before its first instruction in user mode.
 *
 * The kernel's own task_work_add() is not for modules.  It has three problems
 * to solve of which a thread between the task_newtask tracepoint and
 * wake_up_new_task() has none:
 *
 *  - The list may have been closed: only the thread itself does that, at its end.
 *  - The thread may be in user mode on another CPU and need a kick: it is on none.
 *  - Others add at the same time: they do it by cmpxchg on the head, as here.
 *
 * The first return to user mode, the first signal and the exit all run the
 * list; TIF_NOTIFY_RESUME makes the first look at it.  So it has been since
 * Linux 3.10, when the list lost its lock.
 */
#ifndef VCPC_COMPAT_TASK_WORK_H
#define VCPC_COMPAT_TASK_WORK_H

#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/types.h>

static inline void vcpc_task_work_push(struct task_struct *newborn, struct callback_head *work)
{
	struct callback_head *head = READ_ONCE(newborn->task_works);

	do {
		work->next = head;
	} while (!try_cmpxchg(&newborn->task_works, &head, work));
	set_tsk_thread_flag(newborn, TIF_NOTIFY_RESUME);
}

#endif
