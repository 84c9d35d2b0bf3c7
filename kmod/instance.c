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
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "caps.h"
#include "compat/uninitialized.h"
#include "counter.h"
#include "instance.h"
#include "probe.h"
#include "sample.h"

/**
 * struct action - an operation on its way to where the counters can be read
 * @inst: on what
 * @op: what
 * @sample: room for a sample
 * @total: whether @sample was filled before, because that sleeps
 * @ret: of filling it
 */
struct action {
	struct vcpc_instance *inst;
	enum vcpc_op op;
	struct vcpc_sample *sample;
	bool total;
	int ret;
};

/* The values apart: fortified memcpy() knows nothing of them behind a struct in a struct. */
static void copy_sample(struct vcpc_sample *to, const struct vcpc_sample *from)
{
	*to = *from;
	memcpy(to->values, from->values, from->nr * sizeof(from->values[0]));
}

static int read_counters(struct action *act)
{
	if (!act->total)
		act->ret = vcpc_counter_read(act->inst->counters, act->sample);
	if (act->ret == -EAGAIN)
		act->inst->state |= VCPC_INSTANCE_INVALID;
	return act->ret;
}

static int do_sample(struct action *act)
{
	struct vcpc_instance *inst = act->inst;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return read_counters(act);
	copy_sample(act->sample, &inst->kept);
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

static int act_locked(struct action *act)
{
	lockdep_assert_held(&act->inst->lock);

	if (act->inst->state & VCPC_INSTANCE_CLOSED)
		return -EINVAL;
	if (act->inst->state & VCPC_INSTANCE_INVALID)
		return -EAGAIN;
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
	struct action act = {
		.inst = inst,
		.op = op,
		.sample = sample,
		.total = inst->inherit,
	};
	unsigned long flags;
	int ret;

	if (op == VCPC_OP_ENABLE && vcpc_counter_waits(inst->counters))
		start_waiting(inst);
	if (!inst->inherit)
		return vcpc_counter_call(inst->counters, act_there, &act);

	act.ret = vcpc_counter_total(inst->counters, sample);
	local_irq_save(flags);
	ret = act_there(&act);
	local_irq_restore(flags);
	return ret;
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

static struct vcpc_instance *instance_alloc(const struct vcpc_request *reqs, u32 nr, u32 flags,
					    struct task_struct *task)
{
	struct vcpc_instance *inst;
	unsigned int i;

	inst = kzalloc(struct_size(inst, kept.values, nr), GFP_KERNEL_ACCOUNT);
	if (!inst)
		return NULL;
	raw_spin_lock_init(&inst->lock);
	inst->task = task;
	inst->inherit = flags & VCPC_BIND_F_INHERIT;
	inst->kept.time = ktime_get_ns();
	inst->kept.nr = nr;
	for (i = 0; i < nr; i++)
		inst->kept.values[i] = reqs[i].preset;
	return inst;
}

static int instance_start(struct vcpc_instance *inst, u32 set_flags, u32 bind_flags, int *bad)
{
	enum vcpc_op op = set_flags & VCPC_SET_F_DISABLED ? VCPC_OP_CHECK : VCPC_OP_ENABLE;
	union vcpc_sample_room room __uninitialized;
	int ret;

	if (bind_flags & VCPC_BIND_F_ENABLE_ON_EXEC)
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
 * @reqs: the set's requests, checked
 * @nr: how many
 * @set_flags: VCPC_SET_F_*
 * @bind_flags: VCPC_BIND_F_*
 * @task: the thread; the caller holds a reference
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps; under the set's lock.
 * Return: the instance, or an ERR_PTR: -ESRCH, -ENOSPC, -ENOMEM, -EINTR, or the PMU's.
 */
struct vcpc_instance *vcpc_instance_open(const struct vcpc_request *reqs, u32 nr, u32 set_flags,
					 u32 bind_flags, struct task_struct *task, int *bad)
{
	struct vcpc_instance *inst;
	u32 flags = 0;
	int ret;

	if (bind_flags & VCPC_BIND_F_INHERIT)
		flags |= VCPC_COUNTER_INHERIT;
	if (bind_flags & VCPC_BIND_F_ENABLE_ON_EXEC)
		flags |= VCPC_COUNTER_ON_EXEC;

	if (vcpc_caps_mixed())
		flags |= VCPC_COUNTER_MIXED;

	if (task != current || flags & VCPC_COUNTER_ON_EXEC) {
		ret = vcpc_probe_rehearse(reqs, nr, bad);
		if (ret)
			return ERR_PTR(ret);
	}
	inst = instance_alloc(reqs, nr, bind_flags, task);
	if (!inst)
		return ERR_PTR(-ENOMEM);
	inst->counters = vcpc_counter_open(reqs, nr, task, flags, bad);
	if (IS_ERR(inst->counters)) {
		ret = PTR_ERR(inst->counters);
		goto err_counters;
	}
	ret = instance_start(inst, set_flags, bind_flags, bad);
	if (ret)
		goto err_start;
	inst->pid = get_task_pid(task, PIDTYPE_PID);
	vcpc_caps_saw(vcpc_counter_hw(inst->counters));
	return inst;

err_start:
	vcpc_counter_close(inst->counters);
err_counters:
	kfree(inst);
	return ERR_PTR(ret);
}

/**
 * vcpc_instance_close() - take a set off a thread
 * @inst: the instance, no longer in the set's table; freed when nobody can see
 *	it any more
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_instance_close(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state |= VCPC_INSTANCE_CLOSED;
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	vcpc_counter_close(inst->counters);
	put_pid(inst->pid);
	kfree_rcu(inst, rcu);
}
