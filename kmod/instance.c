// SPDX-License-Identifier: GPL-2.0
/*
 * A set on one thread: its counters, and its state.
 *
 * Disabling does not touch the perf events: it notes the values, and enabling
 * continues from them.  So both cost no more than a sample, act on all requests
 * at the same instant, and a set that has found room keeps it.
 *
 * Locking: see struct vcpc_instance.  Opening, closing and vcpc_instance_do()
 * are under the set's lock; vcpc_instance_sample_self() is not, and finds out
 * by VCPC_INSTANCE_CLOSED that the instance is on its way out.
 *
 * An instance goes through open, ended, settled, folded, of which any may be
 * skipped.  Its thread's end leaves the perf events as they are; settling gives
 * them back and keeps the last sample; folding (binding.c) adds that to a sum.
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "binding.h"
#include "caps.h"
#include "compat/uninitialized.h"
#include "counter.h"
#include "instance.h"
#include "sample.h"
#include "set.h"

/**
 * struct action - an operation on its way to where the counters can be read
 * @inst: on what
 * @op: what
 * @sample: room for a sample
 */
struct action {
	struct vcpc_instance *inst;
	enum vcpc_op op;
	struct vcpc_sample *sample;
};

/* The values apart: fortified memcpy() knows nothing of them behind a struct in a struct. */
static void copy_sample(struct vcpc_sample *to, const struct vcpc_sample *from)
{
	*to = *from;
	memcpy(to->values, from->values, from->nr * sizeof(from->values[0]));
}

static int read_counters(struct action *act)
{
	int ret = vcpc_counter_read(act->inst->counters, act->sample);

	if (ret)
		act->inst->state |= VCPC_INSTANCE_INVALID;
	return ret;
}

static int do_sample(struct action *act)
{
	struct vcpc_instance *inst = act->inst;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return read_counters(act);
	copy_sample(act->sample, &inst->kept);
	if (vcpc_counter_ended(inst->counters))
		act->sample->state |= VCPC_STATE_EXITED;
	return 0;
}

static int do_enable(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return -EINVAL;
	ret = read_counters(act);
	if (ret)
		return ret;
	vcpc_counter_set(inst->counters, act->sample, &inst->kept);
	inst->state &= ~VCPC_INSTANCE_STOPPED;
	return 0;
}

static int do_disable(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (inst->state & VCPC_INSTANCE_STOPPED)
		return -EINVAL;
	ret = read_counters(act);
	if (ret)
		return ret;
	/* It has not even begun if it waits for exec. */
	if (!(act->sample->state & VCPC_STATE_COUNTING))
		return -EINVAL;
	copy_sample(&inst->kept, act->sample);
	inst->kept.state &= ~VCPC_STATE_COUNTING;
	inst->state |= VCPC_INSTANCE_STOPPED;
	return 0;
}

/* Without a thread there is nothing to start or stop but the words for it. */
static int act_settled(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	bool stopped = inst->state & VCPC_INSTANCE_STOPPED;

	if (act->op == VCPC_OP_ENABLE || act->op == VCPC_OP_DISABLE) {
		bool stop = act->op == VCPC_OP_DISABLE;

		if (stopped == stop)
			return -EINVAL;
		inst->state ^= VCPC_INSTANCE_STOPPED;
		inst->kept.state ^= VCPC_STATE_COUNTING;
	}
	copy_sample(act->sample, &inst->kept);
	return 0;
}

static int act_locked(struct action *act)
{
	lockdep_assert_held(&act->inst->lock);

	if (act->inst->state & VCPC_INSTANCE_CLOSED)
		return -EINVAL;
	if (act->inst->state & VCPC_INSTANCE_INVALID)
		return -EAGAIN;
	if (act->inst->state & VCPC_INSTANCE_SETTLED)
		return act_settled(act);
	switch (act->op) {
	case VCPC_OP_CHECK:	return read_counters(act);
	case VCPC_OP_SAMPLE:	return do_sample(act);
	case VCPC_OP_ENABLE:	return do_enable(act);
	case VCPC_OP_DISABLE:	return do_disable(act);
	}
	return -EINVAL;
}

static int act_there(void *arg)
{
	struct action *act = arg;
	int ret;

	raw_spin_lock(&act->inst->lock);
	ret = act_locked(act);
	raw_spin_unlock(&act->inst->lock);
	return ret;
}

/* ENABLE before the exec that was waited for: wait no longer. */
static void start_waiting(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state |= VCPC_INSTANCE_STOPPED;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	vcpc_counter_start(inst->counters);
}

/**
 * vcpc_instance_do() - do something with an instance, wherever its thread is
 * @inst: the instance
 * @op: what to do
 * @sample: room for a sample; a sample on success of VCPC_OP_SAMPLE
 *
 * Context: sleeps; under the set's lock.
 * Return: 0; -EINVAL if it already is in the state asked for; -EAGAIN if counts
 * were lost, now or earlier; -EINTR.
 */
int vcpc_instance_do(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample)
{
	struct action act = { .inst = inst, .op = op, .sample = sample };
	unsigned long flags;
	int ret;

	/* Both are set under the set's lock only. */
	if (inst->state & (VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_SETTLED)) {
		local_irq_save(flags);
		ret = act_there(&act);
		local_irq_restore(flags);
		return ret;
	}
	if (op == VCPC_OP_ENABLE && vcpc_counter_waits(inst->counters))
		start_waiting(inst);
	return vcpc_counter_call(inst->counters, act_there, &act);
}

/**
 * vcpc_instance_sample_other() - sample an instance that is stopped or lost counts
 * @inst: the instance
 * @sample: filled on success
 *
 * Context: interrupts off, @inst->lock held.
 * Return: 0; -EINVAL if it is being closed; -EAGAIN if counts were lost.
 */
int vcpc_instance_sample_other(struct vcpc_instance *inst, struct vcpc_sample *sample)
{
	struct action act = { .inst = inst, .op = VCPC_OP_SAMPLE, .sample = sample };

	return act_locked(&act);
}

static struct vcpc_instance *instance_alloc(struct vcpc_binding *binding,
					    struct task_struct *task)
{
	const struct vcpc_set *set = binding->set;
	struct vcpc_instance *inst;
	unsigned int i;

	inst = kzalloc(struct_size(inst, kept.values, set->nr), GFP_KERNEL_ACCOUNT);
	if (!inst)
		return NULL;
	raw_spin_lock_init(&inst->lock);
	INIT_HLIST_NODE(&inst->by_task);
	inst->binding = binding;
	inst->task = task;
	inst->kept.time = ktime_get_ns();
	inst->kept.nr = set->nr;
	for (i = 0; i < set->nr; i++)
		inst->kept.values[i] = set->requests[i].preset;
	return inst;
}

static int instance_start(struct vcpc_instance *inst, u32 flags, int *bad)
{
	enum vcpc_op op = flags & VCPC_OPEN_STOPPED ? VCPC_OP_CHECK : VCPC_OP_ENABLE;
	union vcpc_sample_room room __uninitialized;
	int ret;

	if (flags & VCPC_OPEN_ON_EXEC)
		return 0;
	inst->state = VCPC_INSTANCE_STOPPED;
	ret = vcpc_instance_do(inst, op, &room.sample);
	if (ret != -EAGAIN)
		return ret;
	*bad = vcpc_counter_lost(inst->counters);
	return -ENOSPC;
}

/**
 * vcpc_instance_open() - put a set on a thread
 * @binding: what it belongs to, which knows the set
 * @task: the thread; the caller holds a reference
 * @flags: VCPC_OPEN_*
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps; under the set's lock.
 * Return: the instance, or an ERR_PTR: -ESRCH, -ENOSPC, -ENOMEM, -EINTR, or the PMU's.
 */
struct vcpc_instance *vcpc_instance_open(struct vcpc_binding *binding, struct task_struct *task,
					 u32 flags, int *bad)
{
	const struct vcpc_set *set = binding->set;
	struct vcpc_instance *inst;
	u32 how = 0;
	int ret;

	if (flags & VCPC_OPEN_ON_EXEC)
		how |= VCPC_COUNTER_ON_EXEC;
	if (vcpc_caps_mixed())
		how |= VCPC_COUNTER_MIXED;

	inst = instance_alloc(binding, task);
	if (!inst)
		return ERR_PTR(-ENOMEM);
	inst->counters = vcpc_counter_open(set->requests, set->nr, task, how, bad);
	if (IS_ERR(inst->counters)) {
		ret = PTR_ERR(inst->counters);
		goto err_counters;
	}
	ret = instance_start(inst, flags, bad);
	if (ret)
		goto err_start;
	inst->pid = get_task_pid(task, PIDTYPE_PID);
	inst->tgid = get_task_pid(task, PIDTYPE_TGID);
	vcpc_caps_saw(vcpc_counter_hw(inst->counters));
	return inst;

err_start:
	vcpc_counter_close(inst->counters);
err_counters:
	kfree(inst);
	return ERR_PTR(ret);
}

/**
 * vcpc_instance_ended() - will an instance count nothing any more?
 * @inst: the instance
 *
 * Context: under the set's lock, or the instance's.
 * Return: true if its thread has ended, or has gained privileges by execve.
 */
bool vcpc_instance_ended(const struct vcpc_instance *inst)
{
	return inst->state & VCPC_INSTANCE_SETTLED || vcpc_counter_ended(inst->counters);
}

/**
 * vcpc_instance_displaced() - did another thread take the process over?
 * @inst: the instance
 *
 * A thread that calls execve and is not the process's first gets the first
 * one's id, which gets its.
 *
 * Context: under the set's lock.
 * Return: true if the thread was the first, and lost its id.
 */
bool vcpc_instance_displaced(const struct vcpc_instance *inst)
{
	if (inst->state & VCPC_INSTANCE_SETTLED || inst->pid != inst->tgid)
		return false;
	return READ_ONCE(inst->task->pid) != pid_nr(inst->tgid);
}

/**
 * vcpc_instance_pid() - the id that an instance's thread has, or had at its end
 * @inst: the instance
 *
 * Of a thread that was displaced, the id that it lost.
 *
 * Context: under the set's lock.
 * Return: the id; the instance holds the reference.
 */
struct pid *vcpc_instance_pid(const struct vcpc_instance *inst)
{
	if (inst->state & VCPC_INSTANCE_SETTLED)
		return inst->pid;
	return READ_ONCE(inst->task->pid) == pid_nr(inst->tgid) ? inst->tgid : inst->pid;
}

/* From now on @kept is what is read. */
static void keep_last(struct vcpc_instance *inst, const struct vcpc_sample *last, bool whole)
{
	struct pid *pid = vcpc_instance_pid(inst);
	unsigned long flags;

	get_pid(pid);
	put_pid(inst->pid);

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->pid = pid;
	inst->state |= VCPC_INSTANCE_SETTLED;
	if (whole) {
		copy_sample(&inst->kept, last);
		inst->kept.state |= VCPC_STATE_EXITED;
	}
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

/**
 * vcpc_instance_settle() - give back the counters of an instance that has ended
 * @inst: the instance; its last values can still be read
 *
 * Context: sleeps; under the set's lock; after a grace period nobody finds the
 * instance by its thread.
 * Return: 0, or -EINTR if nothing was done.
 */
int vcpc_instance_settle(struct vcpc_instance *inst)
{
	union vcpc_sample_room room __uninitialized;
	int ret = vcpc_instance_do(inst, VCPC_OP_SAMPLE, &room.sample);

	if (ret == -EINTR)
		return ret;
	keep_last(inst, &room.sample, !ret);
	vcpc_counter_close(inst->counters);
	inst->counters = NULL;
	inst->task = NULL;
	return 0;
}

/**
 * vcpc_instance_close() - take a set off a thread
 * @inst: the instance, no longer in any table; freed when nobody can see it any more
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_instance_close(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state |= VCPC_INSTANCE_CLOSED;
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	if (inst->counters)
		vcpc_counter_close(inst->counters);
	put_pid(inst->pid);
	put_pid(inst->tgid);
	kfree_rcu(inst, rcu);
}
