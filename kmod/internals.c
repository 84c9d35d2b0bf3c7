// SPDX-License-Identifier: GPL-2.0
/*
 * What the module asks of the kernel beyond its exported calls: what is more than a field,
 * and the check at load.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#include "internals.h"

/**
 * vcpc_event_restart_period() - let an event interrupt after so many from now on
 * @event: the event, opened with a period
 * @period: how many; then again after as many
 *
 * As perf_event_period(), which sleeps: what is counted meanwhile would come on top.  A counter
 * that perf has stopped because it interrupted too often counts again.
 *
 * Context: on the event's CPU, or while its thread is kept from running; interrupts off.
 */
void vcpc_event_restart_period(struct perf_event *event, u64 period)
{
	struct hw_perf_event *hw = &event->hw;
	bool active = vcpc_event_state(event) == PERF_EVENT_STATE_ACTIVE;

	event->attr.sample_period = period;
	hw->sample_period = period;
	if (active) {
		if (hw->interrupts == U64_MAX)
			hw->interrupts = 0;
		event->pmu->stop(event, PERF_EF_UPDATE);
	}
	hw->last_period = period;
	local64_set(&hw->period_left, vcpc_event_is_counted_by_kernel(event) ? -(s64)period : 0);
	if (active)
		event->pmu->start(event, PERF_EF_RELOAD);
}

static bool task_work_seen;

/**
 * vcpc_task_work_works() - can a thread be made to do something before it is in user mode?
 *
 * Return: false if the check has not come back yet, which the process that loads the module
 * does before its next instruction in user mode.
 */
bool vcpc_task_work_works(void)
{
	return READ_ONCE(task_work_seen);
}

/**
 * vcpc_task_work_push() - let a thread do something before it is in user mode next
 * @task: the calling thread, which is not exiting; or one that has not run yet
 * @work: what to do; called once, in process context, also if the thread is killed or exits
 *
 * The kernel's own task_work_add() is not for modules.  It has three problems to solve of
 * which neither of these threads has one:
 *
 *  - The list may have been closed: only the thread itself does that, at its end.
 *  - The thread may be in user mode on another CPU and need a kick: it is on none, or here.
 *  - Others add at the same time: they do it by cmpxchg on the head, as here.
 *
 * The return to user mode, a signal and the exit all run the list; TIF_NOTIFY_RESUME makes
 * the first look at it.  So it has been since Linux 3.10, when the list lost its lock.
 *
 * Context: any but NMI.
 */
void vcpc_task_work_push(struct task_struct *task, struct callback_head *work)
{
	struct callback_head *head = READ_ONCE(task->task_works);

	do {
		work->next = head;
	} while (!try_cmpxchg(&task->task_works, &head, work));
	set_tsk_thread_flag(task, TIF_NOTIFY_RESUME);
}

static void see_task_work(struct callback_head *work)
{
	WRITE_ONCE(task_work_seen, true);
	/* What is left of this function is waited for by vcpc_internals_exit(). */
	module_put(THIS_MODULE);
}

/**
 * vcpc_internals_try_task_work() - see whether task work comes back, for vcpc_task_work_works()
 *
 * Context: the last thing that loading does, as it may not fail any more.
 */
void vcpc_internals_try_task_work(void)
{
	static struct callback_head work;

	if (current->flags & (PF_KTHREAD | PF_EXITING))
		return;
	__module_get(THIS_MODULE);
	init_task_work(&work, see_task_work);
	vcpc_task_work_push(current, &work);
}

static const char *wrong_fact(struct perf_event *event)
{
	u64 start, run, count;

	if (vcpc_event_state(event) != PERF_EVENT_STATE_ACTIVE)
		return "an event of the running thread is not active";
	if (vcpc_event_cpu(event) != smp_processor_id())
		return "an active event is on another CPU";
	if (!vcpc_event_is_mine(event) || vcpc_event_is_hw(event))
		return "an event's context is not its thread's";
	start = vcpc_event_start(event);
	run = vcpc_event_run_now(event);
	count = vcpc_event_count_now(event);
	if (start != vcpc_event_start(event))
		return "an event's start changes while it is on";
	if (vcpc_event_run_now(event) < run || vcpc_event_count_now(event) < count)
		return "an event's time goes back";
	vcpc_event_restart_period(event, NSEC_PER_SEC);
	if (vcpc_event_state(event) != PERF_EVENT_STATE_ACTIVE || event->hw.state)
		return "an event whose period was set anew does not count";
	if (start != vcpc_event_start(event) || vcpc_event_count_now(event) < count)
		return "setting an event's period changes its count";
	return NULL;
}

static void ignore(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/**
 * vcpc_internals_check() - are all these facts true of this kernel?
 *
 * Context: sleeps; at load.
 * Return: 0; -ENODEV if not, which the log explains; or perf's error.
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
		pr_err("this kernel's perf is not as expected: %s\n", wrong);
		return -ENODEV;
	}
	return 0;
}

/**
 * vcpc_internals_exit() - wait until nobody is in a function that somebody else's thread runs
 *
 * Context: sleeps; at unload, or when loading fails.
 */
void vcpc_internals_exit(void)
{
	/* Whoever ran task work may have put the module, and not yet returned. */
	synchronize_rcu_tasks();
}
