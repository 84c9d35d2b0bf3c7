// SPDX-License-Identifier: GPL-2.0
/*
 * Detect that a virtual counter has passed 2^64 - 1, and signal the thread.
 *
 * perf interrupts when a counter has counted its period, which is the number of events left until
 * 2^64.  The handler can run in an NMI, so it only records the interrupt and queues irq_work, which
 * runs as soon as interrupts are enabled again.  The irq_work reads the virtual counter to find out
 * whether it has overflowed, because a counter that is further from 2^64 than perf's longest period
 * interrupts earlier.
 *
 * During a context switch interrupts are disabled.  perf drops an overflow that occurs there, or
 * runs its irq_work in the next thread.  Therefore a set with overflows has an additional event for
 * context switches, whose handler reads the counters just before they are taken off the PMU.
 * Kernel-mode events after that can still overflow a counter; the overflow is detected at the
 * thread's next context switch.
 *
 * All of this runs in the counted thread.  Task work sends the signal before the thread returns to
 * user mode, and only if the thread still executes the program that it executed at the overflow.
 *
 * Locking: the instance's lock, nested inside locks of perf and of the scheduler.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include "instance.h"
#include "limits.h"
#include "overflow.h"
#include "spec.h"

static bool is_watched(const struct vcpc_instance *inst, u32 i)
{
	return inst->spec->requests[i].flags & VCPC_REQ_F_OVERFLOW;
}

/**
 * vcpc_instance_lost() - invalidate an instance because counts were lost
 * @inst: the instance
 *
 * Context: under the instance's lock.
 */
void vcpc_instance_lost(struct vcpc_instance *inst)
{
	if (!(inst->state & VCPC_INSTANCE_INVALID))
		vcpc_stats_count(VCPC_STAT_INVALID);
	inst->state |= VCPC_INSTANCE_INVALID;
}

/* If several counters have overflowed, report the one that raised the interrupt. */
static bool find_overflow(struct vcpc_instance *inst, u32 interrupted)
{
	bool any = false;
	u32 i;

	for (i = 0; i < inst->counters.nr; i++) {
		if (!is_watched(inst, i) ||
		    inst->kept->values[i] >= inst->counters.counter[i].from)
			continue;
		if (!any || i == interrupted)
			inst->which = i;
		any = true;
	}
	return any;
}

/*
 * Describe the overflow.  The caller holds the instance's lock or the set's mutex, so the set
 * cannot be freed.
 */
static void fill_info(const struct vcpc_instance *inst, struct kernel_siginfo *info)
{
	clear_siginfo(info);
	info->si_signo = inst->spec->signal;
	info->si_code = VCPC_SI_OVERFLOW;
	info->si_errno = inst->which;
	info->si_addr = (void __user *)inst->address;
	info->si_fd = inst->spec->fd;
}

/* Send the signal, as task work in the thread before it returns to user mode. */
static void signal_thread(struct callback_head *work)
{
	struct vcpc_instance *inst = container_of(work, struct vcpc_instance, signal_work);
	struct kernel_siginfo info;
	unsigned long flags;
	bool due;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->signal_queued = false;
	due = inst->signal_due && !(inst->state & VCPC_INSTANCE_CLOSED);
	inst->signal_due = false;
	if (due)
		fill_info(inst, &info);
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	/* send_sig_info() fails if the thread's queue of real-time signals is full. */
	if (due && (inst->program != vcpc_own_program() || current->flags & PF_EXITING ||
		    send_sig_info(info.si_signo, &info, current)))
		vcpc_stats_count(VCPC_STAT_UNSIGNALED);
	vcpc_instance_put(inst);
	/* vcpc_internals_exit() waits until this function has returned. */
	module_put(THIS_MODULE);
}

/* Queue the task work that sends the signal; it interrupts system calls as a signal does. */
static void queue_signal(struct vcpc_instance *inst)
{
	if (!inst->spec->signal)
		return;
	if (current->flags & PF_EXITING) {
		vcpc_stats_count(VCPC_STAT_UNSIGNALED);
		return;
	}
	inst->program = vcpc_own_program();
	/* KUnit tests count kernel threads, which have no user-mode registers. */
	inst->address = current->mm ? instruction_pointer(task_pt_regs(current)) : 0;
	inst->signal_due = true;
	if (inst->signal_queued)
		return;
	inst->signal_queued = true;
	kref_get(&inst->refs);
	__module_get(THIS_MODULE);
	vcpc_task_work_push(current, &inst->signal_work, TIF_NOTIFY_SIGNAL);
}

/**
 * vcpc_overflow_restart() - set the periods after which the counters overflow
 * @inst: the calling thread's instance
 * @from: the values that the counters continue from; NULL for the longest periods
 *
 * Context: under the instance's lock, held until vcpc_counters_set() returns.
 * Return: false if perf throttles a counter, which then does not count; the others are set.
 */
bool vcpc_overflow_restart(struct vcpc_instance *inst, const u64 *from)
{
	bool counts = true;
	u64 period;
	u32 i;

	for (i = 0; i < inst->counters.nr; i++) {
		if (!is_watched(inst, i))
			continue;
		period = vcpc_event_period(inst->spec->requests[i].type, from ? -from[i] : 0);
		counts &= vcpc_event_restart_period(inst->counters.counter[i].event, period);
	}
	return counts;
}

/*
 * Read the counters, and stop all of them if one has overflowed.
 * Return: true if this call stopped them.
 */
static bool look_locked(struct vcpc_instance *inst)
{
	bool rang = READ_ONCE(inst->unlooked);
	u32 interrupted;

	lockdep_assert_held(&inst->lock);
	/* Clear this first: events of an interrupt after the read require another read. */
	smp_store_mb(inst->unlooked, false);
	interrupted = READ_ONCE(inst->first);
	if (inst->state & (VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | VCPC_INSTANCE_SETTLED))
		return false;
	if (inst->state & VCPC_INSTANCE_STOPPED) {
		/* Keep the events from interrupting after every period. */
		if (rang)
			vcpc_overflow_restart(inst, NULL);
		return false;
	}
	/* Counters that are about to end can be off the PMU.  Otherwise the next sample fails. */
	if (vcpc_counters_read(&inst->counters, ktime_get_ns(), inst->kept))
		return false;
	if (!find_overflow(inst, interrupted)) {
		/* A timer can expire early by the difference between two clocks. */
		if (rang && !vcpc_overflow_restart(inst, inst->kept->values))
			vcpc_instance_lost(inst);
		return false;
	}
	vcpc_instance_stop(inst, VCPC_STATE_FROZEN);
	queue_signal(inst);
	return true;
}

static bool look(struct vcpc_instance *inst)
{
	unsigned long flags;
	bool stopped;

	raw_spin_lock_irqsave(&inst->lock, flags);
	stopped = look_locked(inst);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return stopped;
}

/**
 * vcpc_overflow_interrupt() - record that a counter has counted its period
 * @event: the counter's event
 * @data: unused
 * @regs: unused
 *
 * Context: perf's overflow handler, possibly in an NMI: it takes no lock and reads no counter.
 */
void vcpc_overflow_interrupt(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct vcpc_counter *counter = event->overflow_handler_context;
	struct vcpc_instance *inst = counter->owner;

	if (inst->task != current)
		return;
	if (!READ_ONCE(inst->unlooked)) {
		WRITE_ONCE(inst->first, counter - inst->counters.counter);
		/* Pairs with the full barrier in look_locked(). */
		smp_store_release(&inst->unlooked, true);
	}
	irq_work_queue(&inst->look_work);
}

/*
 * Look for an overflow at a context switch, while the counters are still on the PMU and interrupts
 * are disabled.
 */
static void thread_leaves(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct vcpc_instance *inst = event->overflow_handler_context;

	if (inst->task != current || !look(inst))
		return;
	vcpc_stats_count(VCPC_STAT_LATE);
	/* If the thread is about to sleep, wake it so that it runs its task work. */
	irq_work_queue(&inst->look_work);
}

static void look_or_wake(struct irq_work *work)
{
	struct vcpc_instance *inst = container_of(work, struct vcpc_instance, look_work);

	if (inst->task == current)
		look(inst);
	else if (READ_ONCE(inst->signal_due))
		wake_up_process(inst->task);
}

/**
 * vcpc_overflow_open() - prepare an instance for overflows and watch its context switches
 * @inst: the calling thread's instance; its counters are not open yet
 *
 * Context: sleeps.
 * Return: 0, -ENOMEM, or -ESRCH if the thread is exiting.
 */
int vcpc_overflow_open(struct vcpc_instance *inst)
{
	const struct vcpc_request switches = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
	};
	struct perf_event *event;

	inst->look_work = IRQ_WORK_INIT_HARD(look_or_wake);
	init_task_work(&inst->signal_work, signal_thread);
	if (!inst->spec->overflows)
		return 0;
	event = vcpc_event_open(&switches, 1, thread_leaves, inst, false);
	if (IS_ERR(event))
		return PTR_ERR(event);
	inst->switches = event;
	return 0;
}

/**
 * vcpc_overflow_close() - stop watching context switches
 * @inst: the instance; its counters are closed and no longer interrupt
 *
 * Context: sleeps; not under the instance's lock.
 */
void vcpc_overflow_close(struct vcpc_instance *inst)
{
	if (inst->switches)
		perf_event_release_kernel(inst->switches);
	inst->switches = NULL;
	irq_work_sync(&inst->look_work);
}

/**
 * vcpc_overflow_inherited() - make an inherited instance start as if it had overflowed
 * @inst: the calling thread's stopped instance; the thread has not yet entered user mode
 *
 * The thread receives the signal at once; its handler can set presets and restart the set.
 *
 * Context: in the thread; sleeps.
 */
void vcpc_overflow_inherited(struct vcpc_instance *inst)
{
	struct kernel_siginfo info;
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&inst->lock, flags);
	for (i = inst->spec->nr; i--;) {
		if (!is_watched(inst, i))
			continue;
		inst->kept->values[i] = U64_MAX;
		inst->which = i;
	}
	inst->kept->state = VCPC_STATE_FROZEN;
	inst->address = instruction_pointer(task_pt_regs(current));
	fill_info(inst, &info);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	if (send_sig_info(info.si_signo, &info, current))
		vcpc_stats_count(VCPC_STAT_UNSIGNALED);
}
