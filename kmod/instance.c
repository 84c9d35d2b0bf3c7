// SPDX-License-Identifier: GPL-2.0
/*
 * A set on one thread or CPU: its state, from opening to closing.
 *
 * Locking: see struct vcpc_instance.  Opening and closing are under the set's lock.
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
#include "counter.h"
#include "hotplug.h"
#include "instance.h"
#include "mux.h"
#include "operate.h"
#include "overflow.h"
#include "sample.h"
#include "set.h"
#include "setpage.h"

/**
 * vcpc_instance_load() - begin with the presets
 * @inst: the instance; what it keeps becomes what it shall count from
 *
 * Context: under the instance's lock, unless it is not seen by anybody yet.
 */
void vcpc_instance_load(struct vcpc_instance *inst)
{
	const struct vcpc_set *set = inst->binding->set;
	u32 i;

	for (i = 0; i < set->nr; i++)
		inst->kept.values[i] = inst->presets ? inst->presets[i] : set->requests[i].preset;
}

static struct vcpc_instance *instance_alloc(struct vcpc_binding *binding,
					    struct task_struct *task, const u64 *presets)
{
	const struct vcpc_set *set = binding->set;
	struct vcpc_instance *inst;

	inst = kvzalloc(struct_size(inst, kept.values, set->nr) + vcpc_sample_size(set->nr),
			GFP_KERNEL_ACCOUNT);
	if (!inst)
		return NULL;
	inst->spare = (void *)&inst->kept.values[set->nr];
	if (presets) {
		inst->presets = kmemdup(presets, set->nr * sizeof(*presets), GFP_KERNEL_ACCOUNT);
		if (!inst->presets)
			goto err_presets;
	}
	raw_spin_lock_init(&inst->lock);
	INIT_HLIST_NODE(&inst->by_task);
	inst->binding = binding;
	inst->task = task;
	inst->cpu = binding->cpu;
	inst->kept.time = ktime_get_ns();
	inst->kept.nr = set->nr;
	/* Events ring as soon as they are open; nobody can look at them before all are. */
	inst->state = VCPC_INSTANCE_STOPPED;
	vcpc_instance_load(inst);
	return inst;

err_presets:
	kvfree(inst);
	return NULL;
}

/* Whose heirs are told begin with being told, and go on by themselves. */
static bool begins_told(const struct vcpc_instance *inst, u32 flags)
{
	return flags & VCPC_OPEN_HEIR && inst->binding->set->signal;
}

static void set_state(struct vcpc_instance *inst, u32 state)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state |= state;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

/* What is stopped waits for ENABLE; this waits for exec. */
static int wait_for_exec(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state &= ~VCPC_INSTANCE_STOPPED;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return 0;
}

static int instance_start(struct vcpc_instance *inst, u32 flags, int *bad)
{
	bool stopped = flags & VCPC_OPEN_STOPPED || begins_told(inst, flags);
	enum vcpc_op op = stopped ? VCPC_OP_CHECK : VCPC_OP_ENABLE;
	int ret;

	if (flags & VCPC_OPEN_ON_EXEC)
		return wait_for_exec(inst);
	ret = vcpc_operate_on(inst, op, NULL);
	if (inst->state & VCPC_INSTANCE_OFFLINE)
		return -ENODEV;
	if (ret != -EAGAIN)
		return ret;
	*bad = vcpc_counter_lost(inst->counters);
	return -ENOSPC;
}

/* Threads begin with different groups, so that short ones do not all measure the first. */
static int instance_groups(struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;

	if (!b->set->groups)
		return 0;
	inst->mux = vcpc_mux_create(b->set, inst, b->births++);
	if (!inst->mux)
		return -ENOMEM;
	inst->state |= VCPC_INSTANCE_GROUPS;
	return 0;
}

static int instance_overflow(struct vcpc_instance *inst)
{
	if (!inst->binding->set->overflows)
		return 0;
	inst->overflow = vcpc_overflow_create(inst);
	return PTR_ERR_OR_ZERO(inst->overflow);
}

static struct vcpc_counters *open_counters(struct vcpc_instance *inst, u32 flags, int *bad)
{
	const struct vcpc_set *set = inst->binding->set;
	struct vcpc_counter_plan plan = {
		.reqs = set->requests,
		.from = inst->kept.values,
		.nr = set->nr,
		.place = { .task = inst->task, .cpu = inst->cpu },
		.end = set->nr,
		.overflow = inst->overflow,
	};

	if (flags & VCPC_OPEN_ON_EXEC)
		plan.flags |= VCPC_COUNTER_ON_EXEC;
	if (vcpc_caps_mixed())
		plan.flags |= VCPC_COUNTER_MIXED;
	if (inst->mux) {
		struct vcpc_group group = vcpc_set_group(set, inst->mux->rotation.now);

		plan.flags |= VCPC_COUNTER_TURNS;
		plan.begin = group.begin;
		plan.end = group.end;
		vcpc_mux_alarm(inst->mux, &plan.alarm);
	}
	return vcpc_counter_open(&plan, bad);
}

/**
 * vcpc_instance_open() - put a set on a thread, or on the binding's CPU
 * @binding: what it belongs to, which knows the set
 * @task: the thread; the caller holds a reference; NULL for the CPU
 * @start: how it begins
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps; under the set's lock.
 * Return: the instance, or an ERR_PTR: -ESRCH, -ENODEV, -ENOSPC, -ENOMEM, -EINTR, or
 * the PMU's.
 */
struct vcpc_instance *vcpc_instance_open(struct vcpc_binding *binding, struct task_struct *task,
					 const struct vcpc_start *start, int *bad)
{
	struct vcpc_instance *inst;
	int ret;

	inst = instance_alloc(binding, task, start->presets);
	if (!inst)
		return ERR_PTR(-ENOMEM);
	ret = instance_overflow(inst);
	if (ret)
		goto err_overflow;
	ret = instance_groups(inst);
	if (ret)
		goto err_groups;
	/* First, so as not to miss that the CPU goes offline. */
	if (inst->cpu >= 0)
		vcpc_hotplug_add(inst);
	inst->counters = open_counters(inst, start->flags, bad);
	ret = PTR_ERR_OR_ZERO(inst->counters);
	if (!ret)
		ret = instance_start(inst, start->flags, bad);
	if (ret)
		goto err_counters;
	if (task) {
		inst->pid = get_task_pid(task, PIDTYPE_PID);
		inst->tgid = get_task_pid(task, PIDTYPE_TGID);
	}
	vcpc_caps_saw(vcpc_counter_hw(inst->counters));
	if (begins_told(inst, start->flags) && !(start->flags & VCPC_OPEN_ON_EXEC))
		vcpc_overflow_born(inst);
	return inst;

err_counters:
	set_state(inst, VCPC_INSTANCE_CLOSED);
	if (inst->cpu >= 0)
		vcpc_hotplug_del(inst);
	if (!IS_ERR(inst->counters))
		vcpc_counter_close(inst->counters);
	if (inst->mux)
		vcpc_mux_close(inst->mux);
err_groups:
	if (inst->overflow)
		vcpc_overflow_close(inst->overflow);
err_overflow:
	kfree(inst->presets);
	/* An event may just be ringing. */
	kvfree_rcu(inst, rcu);
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
	if (inst->cpu >= 0)
		return false;
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
	if (!inst->task || inst->pid != inst->tgid)
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
 * Return: the id; the instance holds the reference.  NULL if it has a CPU.
 */
struct pid *vcpc_instance_pid(const struct vcpc_instance *inst)
{
	if (!inst->task)
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
		vcpc_sample_copy(&inst->kept, last);
		inst->kept.state |= VCPC_STATE_EXITED;
		if (inst->state & VCPC_INSTANCE_SHOWN)
			vcpc_setpage_publish(inst, &inst->kept, pid);
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
	struct vcpc_sample *last = inst->binding->set->scratch;
	int ret = vcpc_operate_on(inst, VCPC_OP_SAMPLE, last);

	if (ret == -EINTR)
		return ret;
	keep_last(inst, last, !ret);
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
	set_state(inst, VCPC_INSTANCE_CLOSED);
	if (inst->cpu >= 0)
		vcpc_hotplug_del(inst);
	if (inst->counters)
		vcpc_counter_close(inst->counters);
	if (inst->mux)
		vcpc_mux_close(inst->mux);
	if (inst->overflow)
		vcpc_overflow_close(inst->overflow);
	kfree(inst->presets);
	put_pid(inst->pid);
	put_pid(inst->tgid);
	kvfree_rcu(inst, rcu);
}

/**
 * vcpc_instance_preset() - what a request starts from at the next VCPC_OP_RESTART
 * @inst: the instance
 * @request: which
 * @preset: from what
 *
 * Context: sleeps; under the set's lock.
 * Return: 0 or -ENOMEM.
 */
int vcpc_instance_preset(struct vcpc_instance *inst, u32 request, u64 preset)
{
	const struct vcpc_set *set = inst->binding->set;
	u64 *presets = inst->presets;
	unsigned long flags;
	u32 i;

	if (!presets) {
		presets = kcalloc(set->nr, sizeof(*presets), GFP_KERNEL_ACCOUNT);
		if (!presets)
			return -ENOMEM;
		for (i = 0; i < set->nr; i++)
			presets[i] = set->requests[i].preset;
	}
	/* Its thread may be starting another, which takes them along. */
	raw_spin_lock_irqsave(&inst->lock, flags);
	presets[request] = preset;
	inst->presets = presets;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return 0;
}

/**
 * vcpc_instance_deprive() - another set takes over what the counters are
 * @inst: the instance; invalid from now on, unless it has ended and was settled
 *
 * Context: under the set's lock.
 */
void vcpc_instance_deprive(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	if (!(inst->state & VCPC_INSTANCE_SETTLED))
		inst->state |= VCPC_INSTANCE_INVALID;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	vcpc_set_wake(inst->binding->set, -EAGAIN);
}

/* Count from the values that were kept. */
static int reopen(struct vcpc_instance *inst, struct vcpc_counters *fresh)
{
	bool stopped = inst->state & VCPC_INSTANCE_STOPPED;
	struct vcpc_counters *old = inst->counters;
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->counters = fresh;
	inst->kept.state &= ~VCPC_STATE_OFFLINE;
	inst->state &= ~VCPC_INSTANCE_OFFLINE;
	inst->state |= VCPC_INSTANCE_STOPPED;
	if (inst->mux)
		inst->mux->gap = false;
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	ret = vcpc_operate_on(inst, stopped ? VCPC_OP_CHECK : VCPC_OP_ENABLE, NULL);
	vcpc_counter_close(old);
	return ret;
}

/**
 * vcpc_instance_online() - count again: the CPU has come back
 * @inst: the instance; may be counting
 *
 * If there is no room for it any more, it is invalid.
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_instance_online(struct vcpc_instance *inst)
{
	struct vcpc_counters *fresh;
	int bad;

	if (!(inst->state & VCPC_INSTANCE_OFFLINE) || inst->state & VCPC_INSTANCE_INVALID)
		return;
	fresh = open_counters(inst, 0, &bad);
	/* It may have gone again, and will then come again. */
	if (fresh == ERR_PTR(-ENODEV))
		return;
	if (IS_ERR(fresh) || (reopen(inst, fresh) && !(inst->state & VCPC_INSTANCE_OFFLINE)))
		vcpc_instance_deprive(inst);
}
