// SPDX-License-Identifier: GPL-2.0
/*
 * A set on one thread or CPU: its state, from opening to closing.  What can be done with it in
 * between is in operate.c.
 *
 * An instance goes through open, ended, settled, folded, of which any may be
 * skipped.  Its thread's end leaves the perf events as they are; settling gives
 * them back and keeps the last sample; folding (binding.c) adds that to a sum.
 *
 * Locking: see struct vcpc_instance.  Opening and closing are under the set's lock.
 * on_cpus_lock guards the list of instances on CPUs, which hotplug walks: whoever holds it
 * waits for nobody but an instance's lock.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "deferred.h"
#include "groups.h"
#include "hardware.h"
#include "instance.h"
#include "overflow.h"

static LIST_HEAD(on_cpus);
static DEFINE_MUTEX(on_cpus_lock);

/*
 * CPUs whose instances were told that they go, and not yet that they are back.  Long after that,
 * perf still takes new events there, to throw them away with the others.
 */
static struct cpumask away;

static int open_overflow(struct vcpc_instance *inst)
{
	const struct vcpc_spec *spec = inst->spec;
	const struct vcpc_overflow_plan plan = {
		.look = vcpc_instance_look,
		.owner = inst,
		.lock = &inst->lock,
		.reqs = spec->requests,
		.nr = spec->nr,
		.from = inst->kept.values,
		.task = inst->task,
		.signal = spec->signal,
		.fd = spec->fd,
	};
	struct vcpc_overflow *o;

	if (!spec->overflows)
		return 0;
	o = vcpc_overflow_create(&plan);
	if (IS_ERR(o))
		return PTR_ERR(o);
	inst->overflow = o;
	return 0;
}

/* Threads begin with different groups, so that short ones do not all measure the first. */
static int open_groups(struct vcpc_instance *inst, const struct vcpc_start *start)
{
	if (!inst->spec->groups)
		return 0;
	inst->groups = vcpc_groups_create(inst->spec, start->birth);
	if (!inst->groups)
		return -ENOMEM;
	inst->deferred = vcpc_deferred_create(inst->guard, start->pace, vcpc_instance_rotate,
					      inst);
	if (!inst->deferred)
		return -ENOMEM;
	inst->state |= VCPC_INSTANCE_GROUPS;
	return 0;
}

static struct vcpc_counters *open_counters(struct vcpc_instance *inst, u32 flags, int *bad)
{
	const struct vcpc_spec *spec = inst->spec;
	struct vcpc_counter_plan plan = {
		.reqs = spec->requests,
		.from = inst->kept.values,
		.nr = spec->nr,
		.place = { .task = inst->task, .cpu = inst->cpu },
		.end = spec->nr,
		.alarm_of = inst->overflow ? vcpc_overflow_alarm : NULL,
		.alarm_arg = inst->overflow,
	};

	if (flags & VCPC_OPEN_ON_EXEC)
		plan.flags |= VCPC_COUNTER_ON_EXEC;
	if (vcpc_hardware_mixed())
		plan.flags |= VCPC_COUNTER_MIXED;
	if (inst->groups) {
		struct vcpc_range range = vcpc_spec_range(spec, inst->groups->rotation.now);

		plan.flags |= VCPC_COUNTER_TURNS;
		plan.begin = range.begin;
		plan.end = range.end;
		inst->groups->period = vcpc_groups_left(inst->groups);
		plan.alarm = (struct vcpc_alarm) {
			.period = inst->groups->period,
			.handler = vcpc_instance_turn_alarm,
			.context = inst,
		};
	}
	return vcpc_counter_open(&plan, bad);
}

static struct vcpc_instance *instance_alloc(const struct vcpc_start *start)
{
	const struct vcpc_spec *spec = start->spec;
	struct vcpc_instance *inst;

	inst = kvzalloc(struct_size(inst, kept.values, spec->nr) + vcpc_sample_size(spec->nr),
			GFP_KERNEL_ACCOUNT);
	if (!inst)
		return NULL;
	inst->spare = (void *)&inst->kept.values[spec->nr];
	if (start->presets) {
		inst->presets = kmemdup(start->presets, spec->nr * sizeof(*inst->presets),
					GFP_KERNEL_ACCOUNT);
		if (!inst->presets)
			goto err_presets;
	}
	raw_spin_lock_init(&inst->lock);
	INIT_HLIST_NODE(&inst->on_thread);
	INIT_LIST_HEAD(&inst->on_cpu);
	inst->spec = spec;
	inst->guard = start->guard;
	inst->task = start->task;
	inst->cpu = start->cpu;
	inst->kept.size = sizeof(inst->kept);
	inst->kept.nr = spec->nr;
	inst->kept.time = ktime_get_ns();
	/* Events interrupt as soon as they are open; nobody can look at them before all are. */
	inst->state = VCPC_INSTANCE_STOPPED;
	vcpc_instance_load(inst);
	return inst;

err_presets:
	kvfree(inst);
	return NULL;
}

/* New threads that inherit a set with a signal begin with being told, and go on by themselves. */
static bool begins_told(const struct vcpc_instance *inst, u32 flags)
{
	return flags & VCPC_OPEN_INHERITED && inst->spec->signal;
}

static void change_state(struct vcpc_instance *inst, u32 clear, u32 set)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state = (inst->state & ~clear) | set;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

static bool is_away(const struct vcpc_instance *inst)
{
	return inst->cpu >= 0 && cpumask_test_cpu(inst->cpu, &away);
}

static int instance_start(struct vcpc_instance *inst, u32 flags, int *bad)
{
	bool stopped = flags & VCPC_OPEN_STOPPED || begins_told(inst, flags);
	enum vcpc_op op = stopped ? VCPC_OP_CHECK : VCPC_OP_ENABLE;
	int ret;

	/* What is stopped waits for ENABLE; this waits for exec. */
	if (flags & VCPC_OPEN_ON_EXEC) {
		change_state(inst, VCPC_INSTANCE_STOPPED, 0);
		return 0;
	}
	ret = vcpc_instance_do(inst, op, NULL, NULL);
	if (inst->state & VCPC_INSTANCE_OFFLINE || is_away(inst))
		return -ENODEV;
	if (ret != -EAGAIN)
		return ret;
	*bad = vcpc_counter_lost(inst->counters);
	return -ENOSPC;
}

static void begin_told(struct vcpc_instance *inst)
{
	unsigned long flags;

	vcpc_overflow_inherited(inst->overflow, inst->kept.values);
	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->kept.state |= VCPC_STATE_FROZEN;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

static void add_to_cpus(struct vcpc_instance *inst)
{
	mutex_lock(&on_cpus_lock);
	list_add_tail(&inst->on_cpu, &on_cpus);
	mutex_unlock(&on_cpus_lock);
}

static void del_from_cpus(struct vcpc_instance *inst)
{
	mutex_lock(&on_cpus_lock);
	list_del(&inst->on_cpu);
	mutex_unlock(&on_cpus_lock);
}

static void close_all(struct vcpc_instance *inst)
{
	change_state(inst, 0, VCPC_INSTANCE_CLOSED);
	if (inst->cpu >= 0)
		del_from_cpus(inst);
	if (!IS_ERR_OR_NULL(inst->counters))
		vcpc_counter_close(inst->counters);
	if (inst->deferred)
		vcpc_deferred_close(inst->deferred);
	vcpc_groups_free(inst->groups);
	if (inst->overflow)
		vcpc_overflow_close(inst->overflow);
	kfree(inst->presets);
	put_pid(inst->pid);
	put_pid(inst->tgid);
	/* Its thread may be looking at it, or an event just interrupting. */
	kvfree_rcu(inst, rcu);
}

/**
 * vcpc_instance_open() - put a set on a thread, or on a CPU
 * @start: what it begins with
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps; under the set's lock.
 * Return: the instance, or an ERR_PTR: -ESRCH, -ENODEV, -ENOSPC, -ENOMEM, -EINTR, or
 * the PMU's.
 */
struct vcpc_instance *vcpc_instance_open(const struct vcpc_start *start, int *bad)
{
	struct vcpc_instance *inst;
	int ret;

	inst = instance_alloc(start);
	if (!inst)
		return ERR_PTR(-ENOMEM);
	/* First, so as not to miss that the CPU goes offline. */
	if (inst->cpu >= 0)
		add_to_cpus(inst);
	ret = open_overflow(inst) ?: open_groups(inst, start);
	if (ret)
		goto err_open;
	inst->counters = open_counters(inst, start->flags, bad);
	ret = PTR_ERR_OR_ZERO(inst->counters);
	if (!ret)
		ret = instance_start(inst, start->flags, bad);
	if (ret)
		goto err_open;
	if (inst->task) {
		inst->pid = get_task_pid(inst->task, PIDTYPE_PID);
		inst->tgid = get_task_pid(inst->task, PIDTYPE_TGID);
	}
	vcpc_hardware_saw(vcpc_counter_hw(inst->counters));
	if (begins_told(inst, start->flags) && !(start->flags & VCPC_OPEN_ON_EXEC))
		begin_told(inst);
	return inst;

err_open:
	close_all(inst);
	return ERR_PTR(ret);
}

/**
 * vcpc_instance_close() - take a set off a thread
 * @inst: the instance, no longer in any table; freed when nobody can see it any more
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_instance_close(struct vcpc_instance *inst)
{
	close_all(inst);
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
	return vcpc_instance_is(inst, VCPC_INSTANCE_SETTLED) || vcpc_counter_ended(inst->counters);
}

/**
 * vcpc_instance_can_restart() - can VCPC_OP_RESTART do anything with it?
 * @inst: the instance
 *
 * Context: under the set's lock.
 * Return: false if it has groups, or waits for execve.
 */
bool vcpc_instance_can_restart(const struct vcpc_instance *inst)
{
	if (inst->groups)
		return false;
	return vcpc_instance_is(inst, VCPC_INSTANCE_SETTLED) || !vcpc_counter_waits(inst->counters);
}

/**
 * vcpc_instance_state() - what is the matter with an instance
 * @inst: the instance
 *
 * Context: under the set's lock.
 * Return: VCPC_STATE_*, with VCPC_STATE_INVALID.
 */
u32 vcpc_instance_state(const struct vcpc_instance *inst)
{
	const u32 flags = READ_ONCE(inst->state);
	u32 state = 0;

	if (flags & VCPC_INSTANCE_INVALID)
		state |= VCPC_STATE_INVALID;
	if (vcpc_instance_ended(inst))
		state |= VCPC_STATE_EXITED;
	if (flags & VCPC_INSTANCE_STOPPED)
		return state | (READ_ONCE(inst->kept.state) & VCPC_STATE_FROZEN);
	/* What has ended while it waited for execve is not told from what has counted. */
	if (flags & VCPC_INSTANCE_SETTLED)
		return state | (inst->kept.state & VCPC_STATE_COUNTING);
	if (flags & VCPC_INSTANCE_OFFLINE)
		return state | VCPC_STATE_OFFLINE | VCPC_STATE_COUNTING;
	return vcpc_counter_waits(inst->counters) ? state : state | VCPC_STATE_COUNTING;
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
	}
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

/**
 * vcpc_instance_settle() - give back the counters of an instance that has ended
 * @inst: the instance; its last values can still be read
 * @scratch: room for a sample
 *
 * Context: sleeps; under the set's lock; after a grace period nobody finds the
 * instance by its thread.
 * Return: 0, or -EINTR if nothing was done.
 */
int vcpc_instance_settle(struct vcpc_instance *inst, struct vcpc_sample *scratch)
{
	int ret = vcpc_instance_do(inst, VCPC_OP_SAMPLE, scratch, NULL);

	if (ret == -EINTR)
		return ret;
	keep_last(inst, scratch, !ret);
	vcpc_counter_close(inst->counters);
	inst->counters = NULL;
	/*
	 * Its thread may live on, with the work queued; the thread's record, which has the pace, may
	 * be freed once this instance is not charged to it any more.
	 */
	if (inst->deferred)
		vcpc_deferred_close(inst->deferred);
	inst->deferred = NULL;
	if (inst->overflow)
		vcpc_overflow_close(inst->overflow);
	inst->overflow = NULL;
	inst->task = NULL;
	return 0;
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
	const struct vcpc_spec *spec = inst->spec;
	u64 *presets = inst->presets;
	unsigned long flags;
	u32 i;

	if (!presets) {
		presets = kcalloc(spec->nr, sizeof(*presets), GFP_KERNEL_ACCOUNT);
		if (!presets)
			return -ENOMEM;
		for (i = 0; i < spec->nr; i++)
			presets[i] = spec->requests[i].preset;
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
 * Context: under the set's lock, or an RCU reader.
 */
void vcpc_instance_deprive(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	if (!(inst->state & VCPC_INSTANCE_SETTLED))
		vcpc_instance_lost(inst);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}

/**
 * vcpc_instance_offline() - keep the values of a CPU's instances: it is going offline
 * @cpu: the CPU
 *
 * Context: on the CPU, while perf's events are still on it; sleeps.  Not under a set's lock.
 */
void vcpc_instance_offline(int cpu)
{
	struct vcpc_instance *inst;

	mutex_lock(&on_cpus_lock);
	/* First: whoever sees that an instance was told sees this. */
	cpumask_set_cpu(cpu, &away);
	list_for_each_entry(inst, &on_cpus, on_cpu)
		if (inst->cpu == cpu)
			vcpc_instance_keep(inst);
	mutex_unlock(&on_cpus_lock);
}

/**
 * vcpc_instance_back() - a CPU has come back: vcpc_instance_online() can do something
 * @cpu: the CPU
 */
void vcpc_instance_back(int cpu)
{
	cpumask_clear_cpu(cpu, &away);
}

static u32 times_offline(struct vcpc_instance *inst)
{
	unsigned long flags;
	u32 times;

	raw_spin_lock_irqsave(&inst->lock, flags);
	times = inst->offline;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return times;
}

/*
 * Count from the values that were kept, unless the CPU has gone offline once more since
 * before the first of the new counters was opened.
 */
static int reopen(struct vcpc_instance *inst, struct vcpc_counters *fresh, u32 offline)
{
	bool stopped = vcpc_instance_is(inst, VCPC_INSTANCE_STOPPED);
	struct vcpc_counters *old = inst->counters;
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&inst->lock, flags);
	if (inst->offline != offline) {
		raw_spin_unlock_irqrestore(&inst->lock, flags);
		vcpc_counter_close(fresh);
		return -ENODEV;
	}
	inst->counters = fresh;
	inst->kept.state &= ~VCPC_STATE_OFFLINE;
	inst->state &= ~VCPC_INSTANCE_OFFLINE;
	inst->state |= VCPC_INSTANCE_STOPPED;
	if (inst->groups)
		inst->groups->gap = false;
	raw_spin_unlock_irqrestore(&inst->lock, flags);

	ret = vcpc_instance_do(inst, stopped ? VCPC_OP_CHECK : VCPC_OP_ENABLE, NULL, NULL);
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
	const u32 offline = times_offline(inst);
	struct vcpc_counters *fresh;
	int bad;

	/* It is going again, and will then come again. */
	if (is_away(inst))
		return;
	if (!vcpc_instance_is(inst, VCPC_INSTANCE_OFFLINE) ||
	    vcpc_instance_is(inst, VCPC_INSTANCE_INVALID))
		return;
	fresh = open_counters(inst, 0, &bad);
	/* It may have gone again, and will then come again. */
	if (fresh == ERR_PTR(-ENODEV))
		return;
	if (IS_ERR(fresh) ||
	    (reopen(inst, fresh, offline) && !vcpc_instance_is(inst, VCPC_INSTANCE_OFFLINE)))
		vcpc_instance_deprive(inst);
}
