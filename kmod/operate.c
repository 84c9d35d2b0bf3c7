// SPDX-License-Identifier: GPL-2.0
/*
 * What can be done with an instance where its counters can be read: sampling,
 * starting and stopping, and the turns of its groups.
 *
 * Disabling does not touch the perf events: it notes the values, and enabling
 * continues from them.  So both cost no more than a sample, act on all requests
 * at the same instant, and a set that has found room keeps it.
 *
 * Locking: see struct vcpc_instance.  vcpc_operate_on() is under the set's lock;
 * vcpc_operate_sample_self() is not, and finds out by VCPC_INSTANCE_CLOSED that
 * the instance is on its way out.
 */
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "binding.h"
#include "counter.h"
#include "instance.h"
#include "mux.h"
#include "operate.h"
#include "overflow.h"
#include "reach.h"
#include "sample.h"
#include "set.h"
#include "setpage.h"

/* In these states there is nothing to be read before the CPU goes offline. */
#define OFFLINE_NOTHING	(VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | VCPC_INSTANCE_STOPPED)

/**
 * struct action - an operation on its way to where the counters can be read
 * @inst: on what
 * @op: what
 * @sample: room for a sample
 * @groups: room for what its groups have had, or NULL
 * @self: its thread does it by itself, without the set's lock
 */
struct action {
	struct vcpc_instance *inst;
	enum vcpc_op op;
	struct vcpc_sample *sample;
	struct vcpc_group_sample *groups;
	bool self;
};

static int read_counters(struct action *act)
{
	int ret;

	if (act->inst->mux)
		return vcpc_mux_read(act->inst->mux, act->sample);
	ret = vcpc_counter_read(act->inst->counters, ktime_get_ns(), act->sample);
	if (ret)
		act->inst->state |= VCPC_INSTANCE_INVALID;
	return ret;
}

/* Groups were tried out, and go on without one that finds no room later. */
static int do_check(struct action *act)
{
	return act->inst->mux ? 0 : read_counters(act);
}

static int do_sample(struct action *act)
{
	struct vcpc_instance *inst = act->inst;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return read_counters(act);
	vcpc_sample_copy(act->sample, &inst->kept);
	if (vcpc_counter_ended(inst->counters))
		act->sample->state |= VCPC_STATE_EXITED;
	return 0;
}

/* From what is kept */
static void go_on(struct vcpc_instance *inst, const struct vcpc_sample *now)
{
	vcpc_counter_set(inst->counters, now, &inst->kept);
	if (inst->overflow)
		vcpc_overflow_from(inst->overflow, inst->kept.values);
}

static int do_enable(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return -EINVAL;
	if (inst->mux) {
		vcpc_mux_resume(inst->mux, act->sample);
	} else {
		ret = read_counters(act);
		if (ret)
			return ret;
		go_on(inst, act->sample);
	}
	inst->state &= ~VCPC_INSTANCE_STOPPED;
	return 0;
}

/* Virtual time goes on: from where it was stopped, or from now. */
static int do_restart(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (inst->mux)
		return -EINVAL;
	ret = read_counters(act);
	if (ret)
		return ret;
	if (!(act->sample->state & VCPC_STATE_COUNTING) || act->sample->state & VCPC_STATE_EXITED)
		return -EINVAL;
	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		inst->kept.tick = act->sample->tick;
	vcpc_instance_load(inst);
	go_on(inst, act->sample);
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
	vcpc_sample_copy(&inst->kept, act->sample);
	inst->kept.state &= ~VCPC_STATE_COUNTING;
	inst->state |= VCPC_INSTANCE_STOPPED;
	return 0;
}

static int do_turn(struct action *act)
{
	struct vcpc_mux *mux = act->inst->mux;

	if (act->inst->state & VCPC_INSTANCE_STOPPED)
		return -EINVAL;
	if (act->op == VCPC_OP_END_TURN)
		return vcpc_mux_end_turn(mux, act->sample);
	vcpc_mux_begin_turn(mux, act->sample);
	return 0;
}

/* Without counters there is nothing to start or stop but the words for it. */
static int act_still(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	bool stopped = inst->state & VCPC_INSTANCE_STOPPED;

	if (act->op == VCPC_OP_ENABLE || act->op == VCPC_OP_DISABLE) {
		bool stop = act->op == VCPC_OP_DISABLE;

		if (stopped == stop)
			return -EINVAL;
		inst->state ^= VCPC_INSTANCE_STOPPED;
		inst->kept.state &= ~VCPC_STATE_COUNTING;
		if (!stop)
			inst->kept.state |= VCPC_STATE_COUNTING;
	} else if (act->op == VCPC_OP_RESTART) {
		return -EINVAL;
	} else if (act->op != VCPC_OP_SAMPLE) {
		return -ENODEV;
	}
	vcpc_sample_copy(act->sample, &inst->kept);
	return 0;
}

static int act_open(struct action *act)
{
	switch (act->op) {
	case VCPC_OP_CHECK:	return do_check(act);
	case VCPC_OP_SAMPLE:	return do_sample(act);
	case VCPC_OP_ENABLE:	return do_enable(act);
	case VCPC_OP_DISABLE:	return do_disable(act);
	case VCPC_OP_RESTART:	return do_restart(act);
	case VCPC_OP_END_TURN:	return do_turn(act);
	case VCPC_OP_BEGIN_TURN: return do_turn(act);
	}
	return -EINVAL;
}

/* What programs see that have the set mapped */
static void show(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	struct pid *pid = act->self ? task_pid(current) : vcpc_instance_pid(inst);

	if (act->op == VCPC_OP_SAMPLE)
		vcpc_setpage_publish(inst, act->sample, pid);
	else if (act->op == VCPC_OP_DISABLE)
		vcpc_setpage_publish(inst, &inst->kept, pid);
}

static int act_locked(struct action *act)
{
	int ret;

	lockdep_assert_held(&act->inst->lock);

	if (act->inst->state & VCPC_INSTANCE_CLOSED)
		return -EINVAL;
	if (unlikely(act->inst->state & VCPC_INSTANCE_LATE))
		vcpc_overflow_late(act->inst);
	if (act->inst->state & VCPC_INSTANCE_INVALID)
		return -EAGAIN;
	if (act->inst->state & (VCPC_INSTANCE_SETTLED | VCPC_INSTANCE_OFFLINE))
		ret = act_still(act);
	else
		ret = act_open(act);
	if (!ret && act->groups)
		vcpc_mux_turns(act->inst->mux, act->groups);
	if (!ret && act->inst->state & VCPC_INSTANCE_SHOWN)
		show(act);
	return ret;
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
 * vcpc_operate_on() - do something with an instance, wherever its thread is
 * @inst: the instance
 * @op: what to do
 * @sample: room for a sample; a sample on success of VCPC_OP_SAMPLE; NULL if nobody wants it
 *
 * Context: sleeps; under the set's lock.
 * Return: 0; -EINVAL if it already is in the state asked for; -EAGAIN if counts
 * were lost, now or earlier; -EINTR.
 */
int vcpc_operate_on(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample)
{
	return vcpc_operate_groups(inst, op, sample, NULL);
}

static int act_here(struct action *act)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = act_there(act);
	local_irq_restore(flags);
	return ret;
}

/**
 * vcpc_operate_groups() - vcpc_operate_on(), and what its groups have had
 * @inst: the instance
 * @op: what to do
 * @sample: as for vcpc_operate_on()
 * @groups: filled on success; NULL if it has none, or nobody wants to know
 *
 * Context: sleeps; under the set's lock.
 * Return: as vcpc_operate_on(); of turns -EINPROGRESS, or -ENODEV if the CPU is offline.
 */
int vcpc_operate_groups(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample,
			struct vcpc_group_sample *groups)
{
	struct action act = {
		.inst = inst,
		.op = op,
		.sample = sample ?: inst->spare,
		.groups = groups,
	};
	int ret;

	/* Both are set under the set's lock only. */
	if (inst->state & (VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_SETTLED))
		return act_here(&act);
	if (op == VCPC_OP_ENABLE && inst->cpu < 0 && vcpc_counter_waits(inst->counters))
		start_waiting(inst);
	ret = vcpc_reach_call(inst->counters, act_there, &act);
	/* A CPU that is offline has said so before. */
	if (ret == -ENXIO)
		ret = act_here(&act);
	if (!ret && op == VCPC_OP_ENABLE && inst->mux)
		vcpc_mux_arm(inst->mux);
	if (!ret && (op == VCPC_OP_ENABLE || op == VCPC_OP_RESTART) && inst->overflow)
		vcpc_overflow_arm(inst->overflow);
	vcpc_set_wake(inst->binding->set, ret);
	return ret;
}

/**
 * vcpc_operate_sample() - sample an instance that does not just count
 * @inst: the calling thread's instance
 * @sample: filled on success
 * @groups: as for vcpc_operate_groups()
 *
 * Context: interrupts off, @inst->lock held.
 * Return: 0; -EINVAL if it is being closed; -EAGAIN if counts were lost.
 */
int vcpc_operate_sample(struct vcpc_instance *inst, struct vcpc_sample *sample,
			struct vcpc_group_sample *groups)
{
	struct action act = {
		.inst = inst,
		.op = VCPC_OP_SAMPLE,
		.sample = sample,
		.groups = groups,
		.self = true,
	};

	return act_locked(&act);
}

/**
 * vcpc_operate_offline() - keep the values: the CPU is going offline
 * @inst: the instance
 *
 * Context: on the CPU; sleeps.  Not under the set's lock.
 */
void vcpc_operate_offline(struct vcpc_instance *inst)
{
	struct action act = { .inst = inst, .sample = inst->spare };
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&inst->lock, flags);
	/* Without counters it is still being opened, which will fail. */
	if (!IS_ERR_OR_NULL(inst->counters) && !(inst->state & OFFLINE_NOTHING)) {
		ret = read_counters(&act);
		if (!ret)
			vcpc_sample_copy(&inst->kept, act.sample);
	}
	inst->kept.state |= VCPC_STATE_OFFLINE;
	inst->state |= VCPC_INSTANCE_OFFLINE;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	vcpc_set_wake(inst->binding->set, ret);
}
