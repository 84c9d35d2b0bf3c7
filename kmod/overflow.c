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
#include <linux/timekeeping.h>

#include "binding.h"
#include "counter.h"
#include "errand.h"
#include "instance.h"
#include "leaving.h"
#include "operate.h"
#include "overflow.h"
#include "reach.h"
#include "set.h"
#include "setpage.h"
#include "watch.h"

/* Read the counters into what nobody else reads while it counts; true if it does. */
static bool look_at(struct vcpc_overflow *o)
{
	struct vcpc_instance *inst = o->inst;

	if (!vcpc_counter_read(inst->counters, ktime_get_ns(), &inst->kept))
		return inst->kept.state & VCPC_STATE_COUNTING;
	inst->state |= VCPC_INSTANCE_INVALID;
	o->wake |= EPOLLERR;
	return false;
}

/**
 * vcpc_overflow_periods() - how often a counter has come to its end
 * @watch: from what it counts
 * @value: what it is now
 *
 * Return: the number, since it began; from 0 there is no end that could be reached.
 */
u64 vcpc_overflow_periods(const struct vcpc_watch *watch, u64 value)
{
	return watch->from ? div64_u64(value - watch->from, -watch->from) : 0;
}

static bool went_past_end(const struct vcpc_overflow *o, u32 i)
{
	return vcpc_overflow_watches(o, i) && o->inst->kept.values[i] < o->watch[i].from;
}

/*
 * Stop the instance with its present values, if a counter has really overflowed.  Of
 * several that have, the one that rang is the one that stops it.
 */
static void freeze(struct vcpc_overflow *o, u32 rang)
{
	struct vcpc_instance *inst = o->inst;
	u32 i, which = rang;
	bool any = false;

	if (!look_at(o))
		return;
	for (i = 0; i < o->set->nr; i++) {
		if (!went_past_end(o, i))
			continue;
		o->watch[i].count++;
		if (!any || i == rang)
			which = i;
		any = true;
	}
	if (!any)
		return;
	inst->kept.state &= ~VCPC_STATE_COUNTING;
	inst->kept.state |= VCPC_STATE_FROZEN;
	inst->state |= VCPC_INSTANCE_STOPPED;
	o->which = which;
	o->due = true;
	o->wake |= EPOLLPRI;
	if (inst->state & VCPC_INSTANCE_SHOWN)
		vcpc_setpage_publish(inst, &inst->kept, NULL);
}

/* What perf does not let count until the next tick is a loss. */
static bool is_throttled(const struct vcpc_overflow *o)
{
	u32 i;

	for (i = 0; i < o->set->nr; i++)
		if (vcpc_overflow_watches(o, i) && vcpc_counter_throttled(o->inst->counters, i))
			return true;
	return false;
}

static void count_one(struct vcpc_overflow *o, u32 i)
{
	struct vcpc_watch *watch = &o->watch[i];
	u64 periods = vcpc_overflow_periods(watch, o->inst->kept.values[i]);

	if (periods <= watch->periods)
		return;
	watch->count += periods - watch->periods;
	watch->periods = periods;
	o->wake |= EPOLLPRI;
}

/* Without stopping */
static void count(struct vcpc_overflow *o)
{
	u32 i;

	if (is_throttled(o)) {
		o->inst->state |= VCPC_INSTANCE_INVALID;
		o->wake |= EPOLLERR;
		return;
	}
	if (!look_at(o))
		return;
	for (i = 0; i < o->set->nr; i++)
		if (vcpc_overflow_watches(o, i))
			count_one(o, i);
}

/* Returns whether the work has something to do. */
static bool take_notice(struct vcpc_overflow *o, u32 rang)
{
	lockdep_assert_held(&o->inst->lock);
	if (o->inst->state & VCPC_CANNOT_FREEZE)
		return false;
	if (o->freezes)
		freeze(o, rang);
	else
		count(o);
	return o->wake;
}

static void ring(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct vcpc_watch *watch = event->overflow_handler_context;
	struct vcpc_overflow *o = watch->o;
	unsigned long flags;
	bool news;

	/* All will be looked at, and the first is the one. */
	if (READ_ONCE(o->unlooked))
		return;
	if (in_nmi()) {
		WRITE_ONCE(o->first, watch - o->watch);
		/* After what look_late() reads when it has seen this. */
		smp_store_release(&o->unlooked, true);
		irq_work_queue(&o->work);
		return;
	}
	raw_spin_lock_irqsave(&o->inst->lock, flags);
	news = take_notice(o, watch - o->watch);
	raw_spin_unlock_irqrestore(&o->inst->lock, flags);
	if (news)
		irq_work_queue(&o->work);
}

/*
 * Counts can be read if the thread has not left the CPU meanwhile; otherwise somebody has
 * to go there.
 */
static void look_late(struct vcpc_overflow *o)
{
	struct vcpc_instance *inst = o->inst;
	u32 first = READ_ONCE(o->first);

	lockdep_assert_held(&inst->lock);
	/* Before the counters are read: what rings from now on may not be among it. */
	smp_store_mb(o->unlooked, false);
	if (!o->task || o->task == current) {
		take_notice(o, first);
	} else if (!(inst->state & VCPC_INSTANCE_LATE)) {
		inst->state |= VCPC_INSTANCE_LATE;
		o->late = first;
	}
}

/* Going there is all: whoever comes to an instance in VCPC_INSTANCE_LATE stops it. */
static void go_there(struct vcpc_instance *inst)
{
	(void)vcpc_operate_on(inst, VCPC_OP_CHECK, NULL);
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
	if (take_notice(inst->overflow, inst->overflow->late))
		irq_work_queue(&inst->overflow->work);
}

static void tell_thread(const struct vcpc_overflow *o, u32 which)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = o->set->signal;
	info.si_code = VCPC_SI_OVERFLOW;
	info.si_errno = which;
	info.si_addr = (void __user *)instruction_pointer(task_pt_regs(o->task));
	info.si_fd = o->set->fd;
	/* It may have ended. */
	(void)send_sig_info(o->set->signal, &info, o->task);
}

/**
 * vcpc_overflow_born() - an heir begins as if all that can overflow were about to
 * @inst: the instance of the calling thread, which was not in user mode yet; stopped
 *
 * It is told so at once, and sets its own presets, or goes on from those that it has.
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_overflow_born(struct vcpc_instance *inst)
{
	struct vcpc_overflow *o = inst->overflow;
	unsigned long flags;
	u32 i, which = 0;

	raw_spin_lock_irqsave(&inst->lock, flags);
	for (i = o->set->nr; i--;) {
		if (!vcpc_overflow_watches(o, i))
			continue;
		inst->kept.values[i] = U64_MAX;
		which = i;
	}
	inst->kept.state |= VCPC_STATE_FROZEN;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	tell_thread(o, which);
}

static void overflow_work(struct irq_work *work)
{
	struct vcpc_overflow *o = container_of(work, struct vcpc_overflow, work);
	unsigned long flags;
	__poll_t wake;
	bool due, late;
	u32 which;

	raw_spin_lock_irqsave(&o->inst->lock, flags);
	/* Pairs with ring()'s release. */
	if (smp_load_acquire(&o->unlooked))
		look_late(o);
	vcpc_leaving_look(o);
	late = o->inst->state & VCPC_INSTANCE_LATE;
	which = o->which;
	due = o->due;
	wake = o->wake;
	o->due = false;
	o->wake = 0;
	raw_spin_unlock_irqrestore(&o->inst->lock, flags);

	if (late)
		vcpc_errand_go(o->errand);
	if (due && o->set->signal && o->task)
		tell_thread(o, which);
	if (wake & EPOLLPRI)
		WRITE_ONCE(o->set->news, true);
	if (wake)
		wake_up_interruptible_poll(&o->set->wait, wake);
}

/* What only threads have */
static int follow(struct vcpc_overflow *o, struct task_struct *task)
{
	o->errand = vcpc_errand_create(o->inst, go_there);
	if (!o->errand)
		return -ENOMEM;
	o->task = get_task_struct(task);
	return vcpc_leaving_open(o);
}

static void unfollow(struct vcpc_overflow *o)
{
	vcpc_leaving_close(o);
	irq_work_sync(&o->work);
	if (o->errand)
		vcpc_errand_close(o->errand);
	if (o->task)
		put_task_struct(o->task);
}

/**
 * vcpc_overflow_create() - be told of an instance's overflows
 * @inst: the instance, which is stopped
 *
 * Context: sleeps; under the set's lock.
 * Return: for vcpc_overflow_close(), or an ERR_PTR: -ENOMEM, or -ESRCH if the thread is
 * exiting.
 */
struct vcpc_overflow *vcpc_overflow_create(struct vcpc_instance *inst)
{
	struct vcpc_set *set = inst->binding->set;
	struct vcpc_overflow *o;
	int ret;
	u32 i;

	o = kvzalloc(struct_size(o, watch, set->nr), GFP_KERNEL_ACCOUNT);
	if (!o)
		return ERR_PTR(-ENOMEM);
	init_irq_work(&o->work, overflow_work);
	o->inst = inst;
	o->set = set;
	o->freezes = inst->task && !(set->flags & VCPC_SET_F_COUNT_OVERFLOWS);
	for (i = 0; i < set->nr; i++)
		o->watch[i].o = o;
	vcpc_overflow_from(o, inst->kept.values);
	if (!inst->task)
		return o;
	ret = follow(o, inst->task);
	if (!ret)
		return o;
	vcpc_overflow_close(o);
	return ERR_PTR(ret);
}

/**
 * vcpc_overflow_close() - the instance is being closed
 * @o: its overflows; the counters are closed, and do not ring any more
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_overflow_close(struct vcpc_overflow *o)
{
	unfollow(o);
	kvfree_rcu(o, rcu);
}

static u64 period_from(u64 value)
{
	return value ? min(-value, VCPC_PERIOD_MAX) : VCPC_PERIOD_MAX;
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
	if (!vcpc_overflow_watches(o, i))
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
		if (vcpc_overflow_watches(o, i))
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
		if (vcpc_overflow_watches(o, i))
			vcpc_counter_period(o->inst->counters, i,
					    period_from(READ_ONCE(o->watch[i].from)));
	/* Who is killed meanwhile, or offline, overflows late. */
	(void)vcpc_reach_call(o->inst->counters, begin_periods, o);
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
