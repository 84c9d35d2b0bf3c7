// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual counters that go past their end: noticing it, and signaling the thread.
 *
 * perf interrupts when a counter has counted a period, which is what was left to 2^64.  The
 * interrupt, which may be an NMI, only notes that and queues an interrupt work, which runs as
 * soon as interrupts are on again.  Whether the virtual counter has gone past its end is seen
 * by its value there: periods of counters that are further away than a period can be long
 * mean nothing.
 *
 * Interrupts are disabled while a thread leaves its CPU: what overflows then is dropped by perf,
 * or its interrupt work runs in the next thread.  So a set with overflows has one more event, of
 * context switches, whose handler looks just before the counters are taken off.  What overflows
 * after that, which only counts of the kernel's own work can, is seen when the thread leaves
 * its CPU the next time.
 *
 * All of this runs in the counted thread, and so does the signal: it is sent by task work,
 * before the thread returns to user mode, and only if it still executes the program that it
 * executed at the overflow.
 *
 * Locking: the instance's lock, within those of perf and of the scheduler.
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
 * vcpc_instance_lost() - counts were lost: the instance is invalid from now on
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

/* A stopped instance that still interrupts would do so after each period. */
static void silence(struct vcpc_instance *inst)
{
	u32 i;

	for (i = 0; i < inst->counters.nr; i++)
		if (is_watched(inst, i))
			vcpc_event_restart_period(inst->counters.counter[i].event,
						  VCPC_PERIOD_MAX);
}

/* Of several counters that have gone past their end, the one that interrupted counts. */
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

/* Under the instance's lock, or the set's mutex: the set may go after that. */
static void fill_info(const struct vcpc_instance *inst, struct kernel_siginfo *info)
{
	clear_siginfo(info);
	info->si_signo = inst->spec->signal;
	info->si_code = VCPC_SI_OVERFLOW;
	info->si_errno = inst->which;
	info->si_addr = (void __user *)inst->address;
	info->si_fd = inst->spec->fd;
}

/* In the thread, before it returns to user mode */
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

	/* A full queue of real-time signals refuses one more. */
	if (due && (inst->program != vcpc_own_program() || current->flags & PF_EXITING ||
		    send_sig_info(info.si_signo, &info, current)))
		vcpc_stats_count(VCPC_STAT_UNSIGNALED);
	vcpc_instance_put(inst);
	/* vcpc_internals_exit() waits for the rest of this function. */
	module_put(THIS_MODULE);
}

/* Interrupts a system call as a signal does, so that the task work runs. */
static void queue_signal(struct vcpc_instance *inst)
{
	if (!inst->spec->signal)
		return;
	if (current->flags & PF_EXITING) {
		vcpc_stats_count(VCPC_STAT_UNSIGNALED);
		return;
	}
	inst->program = vcpc_own_program();
	/* Kernel threads, which only tests count, have no registers of user mode. */
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
 * vcpc_overflow_restart() - interrupt when counters that continue come to their end
 * @inst: the calling thread's instance
 * @from: the values that they continue from
 *
 * Context: under the instance's lock, in one section with vcpc_counters_set().
 * Return: false if perf throttles a counter, which would not count from now on.
 */
bool vcpc_overflow_restart(struct vcpc_instance *inst, const u64 *from)
{
	u64 period;
	u32 i;

	for (i = 0; i < inst->counters.nr; i++) {
		if (!is_watched(inst, i))
			continue;
		period = vcpc_event_period(inst->spec->requests[i].type, -from[i]);
		if (!vcpc_event_restart_period(inst->counters.counter[i].event, period))
			return false;
	}
	return true;
}

/*
 * Something may have overflowed: find out by the values, and stop all counters.
 * Return: true if they were counting and are stopped now.
 */
static bool look_locked(struct vcpc_instance *inst)
{
	bool rang = READ_ONCE(inst->unlooked);
	u32 interrupted;

	lockdep_assert_held(&inst->lock);
	/* First: what interrupts from now on may not be among the values. */
	smp_store_mb(inst->unlooked, false);
	interrupted = READ_ONCE(inst->first);
	if (inst->state & (VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | VCPC_INSTANCE_SETTLED))
		return false;
	if (inst->state & VCPC_INSTANCE_STOPPED) {
		if (rang)
			silence(inst);
		return false;
	}
	/* Counters that are off may be about to end; if not, the next sample finds the loss. */
	if (vcpc_counters_read(&inst->counters, ktime_get_ns(), inst->kept))
		return false;
	if (!find_overflow(inst, interrupted)) {
		/* A timer may be early by the difference of two clocks. */
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
 * vcpc_overflow_interrupt() - a counter has counted its period
 * @event: its event
 * @data: unused
 * @regs: unused
 *
 * Context: perf's overflow handler, perhaps in an NMI: it takes no lock and reads no counter.
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

/* The thread leaves its CPU; its counters are still on the PMU, and interrupts are disabled. */
static void thread_leaves(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	struct vcpc_instance *inst = event->overflow_handler_context;

	if (inst->task != current || !look(inst))
		return;
	vcpc_stats_count(VCPC_STAT_LATE);
	/* It may be going to sleep: wake it up, so that it runs its task work. */
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
 * vcpc_overflow_init() - prepare an instance for overflows
 * @inst: the instance, which nobody sees yet
 */
void vcpc_overflow_init(struct vcpc_instance *inst)
{
	inst->look_work = IRQ_WORK_INIT_HARD(look_or_wake);
	init_task_work(&inst->signal_work, signal_thread);
}

/**
 * vcpc_overflow_open() - watch for the thread leaving its CPU
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

	if (!inst->spec->overflows)
		return 0;
	event = vcpc_event_open(&switches, 1, thread_leaves, inst, false);
	if (IS_ERR(event))
		return PTR_ERR(event);
	inst->switches = event;
	return 0;
}

/**
 * vcpc_overflow_close() - watch no longer
 * @inst: the instance, whose counters are closed and do not interrupt any more
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
 * vcpc_overflow_inherited() - let a new thread begin as if all that can overflow had done so
 * @inst: the calling thread's instance, which is stopped; the thread was not in user mode yet
 *
 * The thread is signaled at once: its handler sets presets and restarts the set, or does not.
 *
 * Context: in the thread, sleeps.
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
