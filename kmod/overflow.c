// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual counters that go past their end: noticing it, and telling the thread.
 *
 * perf interrupts when a counter has counted a period, which is what was left to
 * 2^64.  Whether the virtual counter has really gone past its end is seen by its
 * value, so that the periods of stopped counters, which perf begins again and
 * again, and those of counters that are further away than a period can be, mean
 * nothing.
 *
 * All is noticed in the counted thread itself:
 *
 *  - when perf interrupts.  If that is an interrupt that cannot be masked, nothing can be
 *    locked, and an interrupt work looks as soon as interrupts are on again;
 *  - when the thread leaves its CPU.  Interrupts are off then, and what a counter would
 *    interrupt for is dropped by perf, which takes it off the PMU and lets its next period
 *    begin.  So such a thread has one more event, of perf's own context switches, whose
 *    handler looks just before the counters are taken off.  What overflows after that, which
 *    only counts of the kernel's own instructions can, is seen when the thread leaves next.
 *
 * There the thread's address is taken, and the program that it executes.  It is sent its signal
 * if it still executes that program, is not about to execute another, and has not ended: by an
 * interrupt work in the thread; or, if it has left its CPU, by one elsewhere, under the lock
 * that execve holds while it changes what the process may do.  If that lock is held, the program
 * is about to go, and nothing is told any more.
 *
 * Locking: the owner's lock, within those of perf, which no holder is interrupted in by
 * anything but what cannot be masked.
 */
#include <linux/err.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "counter.h"
#include "internals.h"
#include "overflow.h"
#include "stats.h"

static inline bool is_watched(const struct vcpc_overflow *o, u32 i)
{
	return o->reqs[i].flags & VCPC_REQ_F_OVERFLOW;
}

static inline bool is_hardware(const struct vcpc_overflow *o, u32 i)
{
	return is_watched(o, i) && o->reqs[i].type != PERF_TYPE_SOFTWARE;
}

/* What the thread will be told: only of a program that it is not just leaving */
static void note(struct vcpc_overflow *o, u32 which)
{
	o->which = which;
	if (!o->signal)
		return;
	if (vcpc_task_is_leaving_program()) {
		vcpc_stats_count(VCPC_STAT_UNTOLD);
		return;
	}
	o->program = vcpc_task_program(current);
	/* A kernel thread has no registers of its own; only tests count those. */
	o->address = current->mm ? instruction_pointer(task_pt_regs(current)) : 0;
	o->due = true;
}

/**
 * vcpc_overflow_stops() - which counters have gone past their end?
 * @o: the overflows, which will be told
 * @values: of all counters, just read
 * @interrupted: of several, this is the one that stops them
 *
 * Context: in the counted thread; under the owner's lock.
 * Return: true if any has, and the owner is to stop all counters.
 */
bool vcpc_overflow_stops(struct vcpc_overflow *o, const u64 *values, u32 interrupted)
{
	u32 i, which = interrupted;
	bool any = false;

	for (i = 0; i < o->nr; i++) {
		if (!is_watched(o, i) || values[i] >= o->watch[i].from)
			continue;
		if (!any || i == interrupted)
			which = i;
		any = true;
	}
	if (any)
		note(o, which);
	return any;
}

static bool is_elsewhere(const struct vcpc_overflow *o)
{
	return o->task != current;
}

static enum vcpc_overflow_seen look(struct vcpc_overflow *o, u32 which)
{
	enum vcpc_overflow_seen seen;
	unsigned long flags;
	bool due;

	raw_spin_lock_irqsave(o->lock, flags);
	seen = o->look(o->owner, which);
	due = o->due;
	raw_spin_unlock_irqrestore(o->lock, flags);
	if (due)
		irq_work_queue(&o->work);
	return seen;
}

static void interrupt(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs)
{
	struct vcpc_watch *watch = event->overflow_handler_context;
	struct vcpc_overflow *o = watch->o;
	bool unlooked = READ_ONCE(o->unlooked);
	u32 i = watch - o->watch;

	if (is_elsewhere(o))
		return;
	if (!in_nmi() && !unlooked) {
		/* What is stopped needs no timer that comes again and again. */
		if (look(o, i) != VCPC_OVERFLOW_NONE && vcpc_event_is_time(&o->reqs[i]))
			vcpc_event_put_off_timer(event, VCPC_PERIOD_MAX);
		return;
	}
	/* All will be looked at, and the first is the one. */
	if (!unlooked) {
		WRITE_ONCE(o->first, i);
		/* After what look_unlooked() reads when it has seen this. */
		smp_store_release(&o->unlooked, true);
	}
	irq_work_queue(&o->work);
}

/* The thread leaves its CPU, with its counters still on the PMU. */
static void leaves(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct vcpc_overflow *o = event->overflow_handler_context;
	u32 first = READ_ONCE(o->unlooked) ? READ_ONCE(o->first) : 0;

	if (is_elsewhere(o))
		return;
	/* This looks, too; what cannot be masked leaves a word again from now on. */
	WRITE_ONCE(o->unlooked, false);
	if (look(o, first) == VCPC_OVERFLOW_FOUND)
		vcpc_stats_count(VCPC_STAT_LATE);
}

/* Under the owner's lock, in the thread */
static void look_unlooked(struct vcpc_overflow *o)
{
	lockdep_assert_held(o->lock);
	/* Before the counters are read: what interrupts from now on may not be among it. */
	smp_store_mb(o->unlooked, false);
	o->look(o->owner, READ_ONCE(o->first));
}

static void send(const struct vcpc_overflow *o, u32 which, unsigned long address)
{
	struct kernel_siginfo info;

	clear_siginfo(&info);
	info.si_signo = o->signal;
	info.si_code = VCPC_SI_OVERFLOW;
	info.si_errno = which;
	info.si_addr = (void __user *)address;
	info.si_fd = o->fd;
	(void)send_sig_info(o->signal, &info, o->task);
}

/*
 * struct news - what a thread is to be told
 * @which: the request
 * @program: to this program only
 * @address: where it was
 */
struct news {
	u32 which;
	u64 program;
	unsigned long address;
};

static void send_to_program(const struct vcpc_overflow *o, const struct news *news)
{
	if (!(READ_ONCE(o->task->flags) & PF_EXITING) &&
	    vcpc_task_program(o->task) == news->program)
		send(o, news->which, news->address);
	else
		vcpc_stats_count(VCPC_STAT_UNTOLD);
}

/* Who holds the lock is the thread itself, about to execute another program. */
static void tell_elsewhere(const struct vcpc_overflow *o, const struct news *news)
{
	struct rw_semaphore *lock = vcpc_task_exec_lock(o->task);

	if (!down_read_trylock(lock)) {
		vcpc_stats_count(VCPC_STAT_UNTOLD);
		return;
	}
	send_to_program(o, news);
	up_read(lock);
}

static void tell(const struct vcpc_overflow *o, const struct news *news)
{
	if (is_elsewhere(o))
		tell_elsewhere(o, news);
	else if (vcpc_task_is_leaving_program())
		/* In the midst of its execve, it leaves the program that this was about. */
		vcpc_stats_count(VCPC_STAT_UNTOLD);
	else
		send_to_program(o, news);
}

static void overflow_work(struct irq_work *work)
{
	struct vcpc_overflow *o = container_of(work, struct vcpc_overflow, work);
	unsigned long flags;
	struct news news;
	bool due;

	raw_spin_lock_irqsave(o->lock, flags);
	/* Pairs with interrupt()'s release. */
	if (smp_load_acquire(&o->unlooked) && !is_elsewhere(o))
		look_unlooked(o);
	news = (struct news) {
		.which = o->which,
		.program = o->program,
		.address = o->address,
	};
	due = o->due;
	o->due = false;
	raw_spin_unlock_irqrestore(o->lock, flags);

	if (due)
		tell(o, &news);
}

static bool any_hardware(const struct vcpc_overflow *o)
{
	u32 i;

	for (i = 0; i < o->nr; i++)
		if (is_hardware(o, i))
			return true;
	return false;
}

/* Only counters of the PMU can miss an interrupt. */
static int open_switches(struct vcpc_overflow *o)
{
	const struct vcpc_place place = { .task = o->task, .cpu = -1 };
	const struct vcpc_alarm alarm = { .period = 1, .handler = leaves, .context = o };
	struct perf_event *event;

	if (!any_hardware(o))
		return 0;
	event = vcpc_event_open_switches(&place, &alarm);
	if (IS_ERR(event))
		return PTR_ERR(event);
	o->switches = event;
	return 0;
}

/**
 * vcpc_overflow_create() - watch for overflows
 * @plan: all about it; the owner's counters are not open yet
 *
 * Context: sleeps.
 * Return: for vcpc_overflow_close(), or an ERR_PTR: -ENOMEM, or -ESRCH if the thread is
 * exiting.
 */
struct vcpc_overflow *vcpc_overflow_create(const struct vcpc_overflow_plan *plan)
{
	struct vcpc_overflow *o;
	int ret;
	u32 i;

	o = kvzalloc(struct_size(o, watch, plan->nr), GFP_KERNEL_ACCOUNT);
	if (!o)
		return ERR_PTR(-ENOMEM);
	init_irq_work(&o->work, overflow_work);
	o->look = plan->look;
	o->owner = plan->owner;
	o->lock = plan->lock;
	o->reqs = plan->reqs;
	o->nr = plan->nr;
	o->task = get_task_struct(plan->task);
	o->signal = plan->signal;
	o->fd = plan->fd;
	for (i = 0; i < o->nr; i++)
		o->watch[i].o = o;
	vcpc_overflow_from(o, plan->from);
	ret = open_switches(o);
	if (!ret)
		return o;
	vcpc_overflow_close(o);
	return ERR_PTR(ret);
}

/**
 * vcpc_overflow_close() - watch no longer
 * @o: the overflows; the counters are closed, and do not interrupt any more
 *
 * Context: sleeps; not under the owner's lock.
 */
void vcpc_overflow_close(struct vcpc_overflow *o)
{
	if (o->switches)
		perf_event_release_kernel(o->switches);
	irq_work_sync(&o->work);
	put_task_struct(o->task);
	kvfree_rcu(o, rcu);
}

static u64 period_of(const struct vcpc_overflow *o, u32 i)
{
	return vcpc_event_period(o->reqs[i].type, -o->watch[i].from);
}

/**
 * vcpc_overflow_alarm() - how a request's event shall interrupt
 * @arg: the overflows
 * @i: the request
 * @alarm: filled
 *
 * Return: false if it need not.
 */
bool vcpc_overflow_alarm(void *arg, u32 i, struct vcpc_alarm *alarm)
{
	struct vcpc_overflow *o = arg;

	if (!is_watched(o, i))
		return false;
	alarm->period = period_of(o, i);
	alarm->handler = interrupt;
	alarm->context = &o->watch[i];
	return true;
}

/**
 * vcpc_overflow_from() - the counters begin to count, or go on
 * @o: the overflows
 * @values: from what
 *
 * Context: under the owner's lock, unless nobody sees it yet.
 */
void vcpc_overflow_from(struct vcpc_overflow *o, const u64 *values)
{
	u32 i;

	for (i = 0; i < o->nr; i++)
		o->watch[i].from = values[i];
}

/**
 * vcpc_overflow_restart() - interrupt when counters that go on come to their end
 * @o: the overflows, of which vcpc_overflow_from() has just said from where
 * @c: the counters
 *
 * Context: where counters can be read, in one section with vcpc_overflow_from(); under the
 * owner's lock.
 */
void vcpc_overflow_restart(struct vcpc_overflow *o, struct vcpc_counters *c)
{
	u32 i;

	for (i = 0; i < o->nr; i++)
		if (is_watched(o, i))
			vcpc_counter_restart_period(c, i, period_of(o, i));
}

/**
 * vcpc_overflow_inherited() - a new thread begins as if all that can overflow had just done so
 * @o: the overflows of the calling thread, which was not in user mode yet
 * @values: its counters, which are stopped; changed
 *
 * It is told so at once, and sets its own presets, or goes on from those that it has.
 *
 * Context: in the thread, sleeps.
 */
void vcpc_overflow_inherited(struct vcpc_overflow *o, u64 *values)
{
	u32 i, which = 0;

	for (i = o->nr; i--;) {
		if (!is_watched(o, i))
			continue;
		values[i] = U64_MAX;
		which = i;
	}
	if (o->signal && o->task == current)
		send(o, which, instruction_pointer(task_pt_regs(current)));
}
