// SPDX-License-Identifier: GPL-2.0
/*
 * To where the counters of a thread or CPU can be read: with interrupts off on the CPU
 * that they are on, or anywhere while their thread is kept from running.
 */
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "counter.h"
#include "reach.h"

/**
 * struct reach - a call on its way
 * @c: to which counters
 * @fn: what to do there
 * @arg: with what
 * @done: it was done
 * @ret: and gave this
 */
struct reach {
	const struct vcpc_counters *c;
	vcpc_reach_fn fn;
	void *arg;
	bool done;
	int ret;
};

static void call_here(void *info)
{
	struct reach *call = info;
	const struct task_struct *task = call->c->place.task;

	/* It may have gone since it was seen on this CPU. */
	if (task && current != task)
		return;
	call->ret = call->fn(call->arg);
	call->done = true;
}

/* Where the thread runs, as far as one of its events is on; otherwise -1 */
static int find_cpu(const struct vcpc_counters *c)
{
	int cpu = READ_ONCE(c->clock.event->oncpu);
	unsigned int i;

	for (i = 0; cpu < 0 && i < c->nr; i++)
		cpu = READ_ONCE(c->counter[i].event->oncpu);
	return cpu;
}

static void call_held(struct reach *call)
{
	if (find_cpu(call->c) >= 0)
		return;
	call->ret = call->fn(call->arg);
	call->done = true;
}

static void call_held_twice(struct reach *call)
{
	raw_spinlock_t *lock = &call->c->ctx[1]->lock;

	raw_spin_lock_nested(lock, SINGLE_DEPTH_NESTING);
	call_held(call);
	raw_spin_unlock(lock);
}

/*
 * The thread is off the CPU: hold it there.  It cannot come back without its
 * events being scheduled in, and that takes the locks of their contexts: one,
 * or up to Linux 6.1 one for hardware and one for software.  perf itself never
 * holds both of a thread.
 */
static void call_idle(struct reach *call)
{
	raw_spinlock_t *lock = &call->c->ctx[0]->lock;
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	if (call->c->ctx[1])
		call_held_twice(call);
	else
		call_held(call);
	raw_spin_unlock_irqrestore(lock, flags);
}

/**
 * vcpc_reach_call() - do something where counters can be read
 * @c: the counters
 * @fn: what to do; called once
 * @arg: for @fn
 *
 * On their CPU; or on that where their thread runs, or anywhere while it is kept
 * from running.
 *
 * Context: may not be called with interrupts off.
 * Return: what @fn returned, or -EINTR if the caller is killed while it
 * pursues a thread that moves about, or -ENXIO if the CPU is offline.
 */
int vcpc_reach_call(const struct vcpc_counters *c, vcpc_reach_fn fn, void *arg)
{
	struct reach call = { .c = c, .fn = fn, .arg = arg };
	unsigned long flags;
	int cpu = c->place.cpu;

	if (cpu >= 0)
		return smp_call_function_single(cpu, call_here, &call, 1) ?: call.ret;
	for (;;) {
		cpu = find_cpu(c);
		if (c->place.task == current) {
			local_irq_save(flags);
			call_here(&call);
			local_irq_restore(flags);
		} else if (cpu >= 0) {
			smp_call_function_single(cpu, call_here, &call, 1);
		} else {
			call_idle(&call);
		}
		if (call.done)
			return call.ret;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
}
