// SPDX-License-Identifier: GPL-2.0
/*
 * Remote reads: do something where the counters of a thread or CPU can be read, which is with
 * interrupts off on the CPU that they are on, or anywhere while their thread is kept from
 * running.
 */
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>

#include "counter.h"
#include "internals.h"
#include "remote.h"

/**
 * struct remote - a call on its way
 * @c: to which counters
 * @fn: what to do there
 * @arg: with what
 * @done: it was done
 * @ret: and gave this
 */
struct remote {
	const struct vcpc_counters *c;
	vcpc_remote_fn fn;
	void *arg;
	bool done;
	int ret;
};

static void call_here(void *info)
{
	struct remote *call = info;
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
	int cpu = vcpc_event_cpu(c->clock.event);
	unsigned int i;

	for (i = 0; cpu < 0 && i < c->nr; i++)
		cpu = vcpc_event_cpu(c->counter[i].event);
	return cpu;
}

static void call_held(struct remote *call)
{
	if (find_cpu(call->c) >= 0)
		return;
	call->ret = call->fn(call->arg);
	call->done = true;
}

static void call_held_twice(struct remote *call)
{
	raw_spinlock_t *lock = vcpc_context_lock(call->c->ctx[1]);

	raw_spin_lock_nested(lock, SINGLE_DEPTH_NESTING);
	call_held(call);
	raw_spin_unlock(lock);
}

/* The thread is off the CPU: hold it there, by the locks of its contexts. */
static void call_idle(struct remote *call)
{
	raw_spinlock_t *lock = vcpc_context_lock(call->c->ctx[0]);
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	if (call->c->ctx[1])
		call_held_twice(call);
	else
		call_held(call);
	raw_spin_unlock_irqrestore(lock, flags);
}

/**
 * vcpc_remote_call() - do something where counters can be read
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
int vcpc_remote_call(const struct vcpc_counters *c, vcpc_remote_fn fn, void *arg)
{
	struct remote call = { .c = c, .fn = fn, .arg = arg };
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
