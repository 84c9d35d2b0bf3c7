// SPDX-License-Identifier: GPL-2.0
/* Since Linux 6.18, task_newtask reports the clone flags as a u64. */
#include <linux/tracepoint.h>
#include <trace/events/task.h>

static void probe(void *data, struct task_struct *task, u64 clone_flags)
{
}

void try(void);

void try(void)
{
	check_trace_callback_type_task_newtask(probe);
}
