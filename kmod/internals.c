// SPDX-License-Identifier: GPL-2.0
/*
 * Implement the uses of kernel internals that do more than read one field, and test all assumptions
 * about internals at load time.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/task_work.h>

#include "internals.h"

/**
 * vcpc_event_restart_period() - make an event interrupt after the next @period events
 * @event: the calling thread's event, opened with a period
 * @period: the number of events; afterwards the event interrupts once per period
 *
 * perf_event_period() sleeps, and events counted while it sleeps would be added to the period.
 *
 * Context: interrupts disabled; not in the event's own interrupt.
 * Return: true; or false, without any change, if perf throttles the event, which then does not
 * count until the next timer tick or until its thread is scheduled again.
 */
bool vcpc_event_restart_period(struct perf_event *event, u64 period)
{
	struct hw_perf_event *hw = &event->hw;
	bool active = vcpc_event_state(event) == PERF_EVENT_STATE_ACTIVE;
	/* perf counts these events one by one and increments their period_left up to 0. */
	bool up = event->attr.type == PERF_TYPE_SOFTWARE &&
		  !vcpc_is_clock(event->attr.type, event->attr.config);

	if (active && hw->interrupts == U64_MAX)
		return false;
	event->attr.sample_period = period;
	hw->sample_period = period;
	if (active)
		event->pmu->stop(event, PERF_EF_UPDATE);
	hw->last_period = period;
	local64_set(&hw->period_left, up ? -(s64)period : 0);
	if (active)
		event->pmu->start(event, PERF_EF_RELOAD);
	return true;
}

static bool task_work_seen;

/**
 * vcpc_task_work_works() - check whether task work runs before a thread returns to user mode
 *
 * Return: true once the test at load time has run, which happens before the process that loads the
 * module returns to user mode.
 */
bool vcpc_task_work_works(void)
{
	return READ_ONCE(task_work_seen);
}

/**
 * vcpc_task_work_push() - run a function in a thread before it returns to user mode
 * @task: the calling thread if it is not exiting, or a thread that has not run yet
 * @work: called once, in process context, even if the thread is killed or exits
 * @notify: TIF_NOTIFY_RESUME, or TIF_NOTIFY_SIGNAL to also interrupt a system call
 *
 * task_work_add() is not exported.  Two of its special cases do not arise here.  A list is closed
 * only by its own thread, when it exits.  A thread that runs in user mode on another CPU must be
 * kicked, but @task is the caller or has never run.  Concurrent additions also use cmpxchg on the
 * head.  The return to user mode, signal delivery and exit all run the list.
 *
 * Context: any except NMI.
 */
void vcpc_task_work_push(struct task_struct *task, struct callback_head *work, int notify)
{
	struct callback_head *head = READ_ONCE(task->task_works);

	do {
		work->next = head;
	} while (!try_cmpxchg(&task->task_works, &head, work));
	set_tsk_thread_flag(task, notify);
}

static void see_task_work(struct callback_head *work)
{
	WRITE_ONCE(task_work_seen, true);
	/* vcpc_internals_exit() waits until this function has returned. */
	module_put(THIS_MODULE);
}

/**
 * vcpc_internals_try_task_work() - check that task work runs, for vcpc_task_work_works()
 *
 * Context: the last step of loading; loading cannot fail afterwards.
 */
void vcpc_internals_try_task_work(void)
{
	static struct callback_head work;

	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return;
	__module_get(THIS_MODULE);
	init_task_work(&work, see_task_work);
	vcpc_task_work_push(current, &work, TIF_NOTIFY_RESUME);
}

static const char *wrong_fact(struct perf_event *event)
{
	u64 start, now, count;

	if (vcpc_event_state(event) != PERF_EVENT_STATE_ACTIVE)
		return "an event of the running thread is not active";
	if (vcpc_event_is_hw(event))
		return "a software event is on the core's PMU";
	start = vcpc_event_start(event);
	now = vcpc_event_now(event);
	count = vcpc_event_count(event);
	if (start != vcpc_event_start(event) || start > now)
		return "an event's start time changes while it is on the PMU";
	if (vcpc_event_now(event) < now || vcpc_event_count(event) < count)
		return "an event's time or count decreases";
	if (!vcpc_event_restart_period(event, NSEC_PER_SEC))
		return "an event that never interrupted is throttled";
	if (vcpc_event_state(event) != PERF_EVENT_STATE_ACTIVE || event->hw.state)
		return "an event does not count after its period was set";
	if (start != vcpc_event_start(event) || vcpc_event_count(event) < count)
		return "setting an event's period changes its count";
	return NULL;
}

static void ignore(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/**
 * vcpc_internals_check() - test the assumptions about kernel internals on this kernel
 *
 * Context: sleeps; at load.
 * Return: 0; -ENODEV after logging the assumption that does not hold; or perf's error.
 */
int vcpc_internals_check(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = S64_MAX,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, -1, current, ignore,
								    NULL);
	const char *wrong;

	if (IS_ERR(event))
		return PTR_ERR(event);
	local_irq_disable();
	wrong = wrong_fact(event);
	local_irq_enable();
	perf_event_release_kernel(event);
	if (wrong) {
		pr_err("perf in this kernel does not behave as expected: %s\n", wrong);
		return -ENODEV;
	}
	return 0;
}

/**
 * vcpc_internals_exit() - wait until no thread runs task work of the module
 *
 * Context: sleeps; at unload, or when loading fails.
 */
void vcpc_internals_exit(void)
{
	/* Task work puts its module reference before it returns. */
	synchronize_rcu_tasks();
}
