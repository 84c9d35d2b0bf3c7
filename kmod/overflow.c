// SPDX-License-Identifier: GPL-2.0
/*
 * What happens when virtual counters of an instance overflow.
 *
 * perf calls when a counter has counted a period, which is what was left to
 * 2^64.  Whether the virtual counter has really gone past its end is seen by its
 * value, so that the periods of a stopped instance, which perf begins again and
 * again, and those of counters that are further away than a period can be, mean
 * nothing.  Freezing is what disabling is: the values are noted, and the perf
 * events stay as they are.
 *
 * perf may call from a non-maskable interrupt, where nothing can be locked.  The
 * rest is then done by an interrupt work, as soon as interrupts are on again
 * and before the thread is in user mode again.  Signal and waking are always done
 * there, as perf may hold the scheduler's locks.
 *
 * Locking: the instance's lock, which no holder is interrupted in by anything but
 * what cannot be masked.
 */
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "binding.h"
#include "counter.h"
#include "instance.h"
#include "overflow.h"
#include "set.h"

/* An instance that may not be frozen: it is so, or has nothing to freeze. */
#define CANNOT_FREEZE	(VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | VCPC_INSTANCE_STOPPED | \
			 VCPC_INSTANCE_SETTLED | VCPC_INSTANCE_OFFLINE)

/**
 * struct watch - what perf tells us with, one for each request
 * @o: whose
 * @from: what its counter was when it began to count; under the instance's lock
 * @periods: how often it has gone as far as from there to its end since; likewise
 * @count: how often it has overflowed in all; likewise
 */
struct watch {
	struct vcpc_overflow *o;
	u64 from;
	u64 periods;
	u64 count;
};

/**
 * struct vcpc_overflow - who is told of an instance's overflows
 * @rcu: for freeing
 * @work: signals and wakes
 * @inst: whose
 * @set: its set
 * @task: its thread, to which this holds a reference; NULL if it has a CPU
 * @freezes: an overflow stops the instance, and is told the thread
 * @unlooked: there was one where nothing could be locked
 * @due: a signal is
 * @which: which request was the last
 * @watch: one for each request
 */
struct vcpc_overflow {
	struct rcu_head rcu;
	struct irq_work work;
	struct vcpc_instance *inst;
	struct vcpc_set *set;
	struct task_struct *task;
	bool freezes;
	bool unlooked;
	bool due;
	u32 which;
	struct watch watch[];
};

static bool went_past_end(const struct vcpc_overflow *o)
{
	return o->inst->kept.values[o->which] < o->watch[o->which].from;
}

/* Stop the instance with its present values, if a counter has really overflowed. */
static bool freeze(struct vcpc_overflow *o)
{
	struct vcpc_instance *inst = o->inst;

	lockdep_assert_held(&inst->lock);
	if (inst->state & CANNOT_FREEZE)
		return false;
	/* Nobody reads these while it counts. */
	if (vcpc_counter_read(inst->counters, &inst->kept)) {
		inst->state |= VCPC_INSTANCE_INVALID;
		return false;
	}
	if (!(inst->kept.state & VCPC_STATE_COUNTING) || !went_past_end(o))
		return false;
	inst->kept.state &= ~VCPC_STATE_COUNTING;
	inst->kept.state |= VCPC_STATE_FROZEN;
	inst->state |= VCPC_INSTANCE_STOPPED;
	o->watch[o->which].count++;
	o->due = true;
	return true;
}

/* Without stopping.  What perf does not let count until the next tick is a loss. */
static bool count(struct vcpc_overflow *o)
{
	struct vcpc_instance *inst = o->inst;
	struct watch *watch = &o->watch[o->which];
	u64 periods;

	lockdep_assert_held(&inst->lock);
	/* From 0 there is no end that could be reached. */
	if (inst->state & CANNOT_FREEZE || !watch->from)
		return false;
	if (vcpc_counter_throttled(inst->counters, o->which) ||
	    vcpc_counter_read(inst->counters, &inst->kept)) {
		inst->state |= VCPC_INSTANCE_INVALID;
		return false;
	}
	periods = div64_u64(inst->kept.values[o->which] - watch->from, -watch->from);
	if (periods <= watch->periods)
		return false;
	watch->count += periods - watch->periods;
	watch->periods = periods;
	return true;
}

static bool take_notice(struct vcpc_overflow *o)
{
	return o->freezes ? freeze(o) : count(o);
}

static void ring(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct watch *watch = event->overflow_handler_context;
	struct vcpc_overflow *o = watch->o;
	unsigned long flags;
	bool news;

	/* The first of several that cannot be looked at is the one. */
	if (READ_ONCE(o->unlooked))
		return;
	if (in_nmi()) {
		o->which = watch - o->watch;
		WRITE_ONCE(o->unlooked, true);
		irq_work_queue(&o->work);
		return;
	}
	raw_spin_lock_irqsave(&o->inst->lock, flags);
	o->which = watch - o->watch;
	news = take_notice(o);
	raw_spin_unlock_irqrestore(&o->inst->lock, flags);
	if (news)
		irq_work_queue(&o->work);
}

/* Counts can be read if the thread has not left the CPU meanwhile; otherwise next time. */
static bool look_late(struct vcpc_overflow *o)
{
	struct vcpc_instance *inst = o->inst;
	bool news = true;

	lockdep_assert_held(&inst->lock);
	if (o->task && o->task != current)
		inst->state |= VCPC_INSTANCE_LATE;
	else
		news = take_notice(o);
	WRITE_ONCE(o->unlooked, false);
	return news;
}

/**
 * vcpc_overflow_late() - stop an instance that should have been stopped before
 * @inst: the instance, in VCPC_INSTANCE_LATE
 *
 * Context: where counters can be read; under the instance's lock.
 */
void vcpc_overflow_late(struct vcpc_instance *inst)
{
	inst->state &= ~VCPC_INSTANCE_LATE;
	if (take_notice(inst->overflow) && inst->overflow->due)
		irq_work_queue(&inst->overflow->work);
}

static void tell_thread(const struct vcpc_overflow *o)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = o->set->signal;
	info.si_code = VCPC_SI_OVERFLOW;
	info.si_errno = o->which;
	info.si_addr = (void __user *)instruction_pointer(task_pt_regs(o->task));
	info.si_fd = o->set->fd;
	/* It may have ended. */
	(void)send_sig_info(o->set->signal, &info, o->task);
}

static void overflow_work(struct irq_work *work)
{
	struct vcpc_overflow *o = container_of(work, struct vcpc_overflow, work);
	unsigned long flags;
	bool news = true, due;

	raw_spin_lock_irqsave(&o->inst->lock, flags);
	if (o->unlooked)
		news = look_late(o);
	due = o->due;
	o->due = false;
	raw_spin_unlock_irqrestore(&o->inst->lock, flags);

	if (due && o->set->signal && o->task)
		tell_thread(o);
	if (!news)
		return;
	WRITE_ONCE(o->set->news, true);
	wake_up_interruptible_poll(&o->set->wait, EPOLLPRI);
}

/**
 * vcpc_overflow_create() - be told of an instance's overflows
 * @inst: the instance, which does not count yet
 *
 * Context: sleeps; under the set's lock.
 * Return: for vcpc_overflow_close(), or NULL.
 */
struct vcpc_overflow *vcpc_overflow_create(struct vcpc_instance *inst)
{
	struct vcpc_set *set = inst->binding->set;
	struct vcpc_overflow *o;
	u32 i;

	o = kzalloc(struct_size(o, watch, set->nr), GFP_KERNEL_ACCOUNT);
	if (!o)
		return NULL;
	init_irq_work(&o->work, overflow_work);
	o->inst = inst;
	o->set = set;
	o->task = inst->task;
	if (o->task)
		get_task_struct(o->task);
	o->freezes = o->task && !(set->flags & VCPC_SET_F_COUNT_OVERFLOWS);
	for (i = 0; i < set->nr; i++)
		o->watch[i].o = o;
	vcpc_overflow_from(o, inst->kept.values);
	return o;
}

/**
 * vcpc_overflow_close() - the instance is being closed
 * @o: its overflows; the counters are closed, and do not ring any more
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_overflow_close(struct vcpc_overflow *o)
{
	irq_work_sync(&o->work);
	if (o->task)
		put_task_struct(o->task);
	kfree_rcu(o, rcu);
}

static u64 period_from(u64 value)
{
	return value ? min(-value, VCPC_PERIOD_MAX) : VCPC_PERIOD_MAX;
}

static bool is_watched(const struct vcpc_overflow *o, u32 i)
{
	return o->set->requests[i].flags & VCPC_REQ_F_OVERFLOW;
}

/**
 * vcpc_overflow_alarm() - how a request's event shall ring
 * @o: the instance's overflows
 * @i: the request
 * @alarm: filled
 *
 * Return: false if it need not.
 */
bool vcpc_overflow_alarm(struct vcpc_overflow *o, u32 i, struct vcpc_alarm *alarm)
{
	if (!is_watched(o, i))
		return false;
	alarm->period = period_from(o->watch[i].from);
	alarm->ring = ring;
	alarm->context = &o->watch[i];
	return true;
}

/**
 * vcpc_overflow_from() - the instance begins to count, or goes on
 * @o: its overflows
 * @values: from what
 *
 * Context: under the instance's lock, unless it is not seen by anybody yet.
 */
void vcpc_overflow_from(struct vcpc_overflow *o, const u64 *values)
{
	u32 i;

	for (i = 0; i < o->set->nr; i++) {
		o->watch[i].from = values[i];
		o->watch[i].periods = 0;
	}
}

static int begin_periods(void *arg)
{
	struct vcpc_overflow *o = arg;
	u32 i;

	for (i = 0; i < o->set->nr; i++)
		if (is_watched(o, i))
			vcpc_counter_period_now(o->inst->counters, i);
	return 0;
}

/**
 * vcpc_overflow_arm() - ring when a counter that goes on comes to its end
 * @o: the instance's overflows
 *
 * Events since vcpc_overflow_from() delay it; of a thread that does this itself, none in
 * user mode.
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_overflow_arm(struct vcpc_overflow *o)
{
	u32 i;

	for (i = 0; i < o->set->nr; i++)
		if (is_watched(o, i))
			vcpc_counter_period(o->inst->counters, i,
					    period_from(READ_ONCE(o->watch[i].from)));
	/* Who is killed meanwhile, or offline, overflows late. */
	(void)vcpc_counter_call(o->inst->counters, begin_periods, o);
}

/**
 * vcpc_overflow_counts() - how often requests have overflowed
 * @o: the instance's overflows
 * @counts: one for each request
 *
 * Context: under the set's lock.
 */
void vcpc_overflow_counts(const struct vcpc_overflow *o, u64 *counts)
{
	u32 i;

	for (i = 0; i < o->set->nr; i++)
		counts[i] = READ_ONCE(o->watch[i].count);
}
