// SPDX-License-Identifier: GPL-2.0
/*
 * What one BIND began: the instances of the thread it named and of all that
 * inherit, and the sums of those that have ended.
 *
 * Programs start and end any number of threads, so ended instances are retired
 * in two steps, without a hurry: their perf events, which hold on to the task,
 * are given back, and the last sample is kept; when there are many of these,
 * the oldest are folded into the sums.  The instance that BIND itself opened
 * is never folded.
 *
 * Locking: the set's lock, but see struct vcpc_binding.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "binding.h"
#include "exclusion.h"
#include "groups.h"
#include "limits.h"
#include "threads.h"
#include "tracecounts.h"

/* Looking for ended instances at every new one would be slow where many live. */
#define RETIRE_STEP	16

static bool inherits(const struct vcpc_binding *b)
{
	return b->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE);
}

/**
 * vcpc_binding_create() - begin without any instance
 * @set: whose
 * @pid: what BIND named, if that was a thread
 * @cpu: the CPU that it named, or -1
 * @flags: VCPC_BIND_F_*
 *
 * Context: sleeps; under the set's lock.
 * Return: the binding, which the set's list owns, or ERR_PTR(-ENOMEM).
 */
struct vcpc_binding *vcpc_binding_create(struct vcpc_set *set, struct pid *pid, int cpu,
					 u32 flags)
{
	const struct vcpc_spec *spec = &set->spec;
	struct vcpc_binding *b;

	b = kzalloc(struct_size(b, ended.values, spec->nr), GFP_KERNEL_ACCOUNT);
	if (!b)
		return ERR_PTR(-ENOMEM);
	if (spec->groups) {
		b->groups = kcalloc(spec->groups, sizeof(*b->groups), GFP_KERNEL_ACCOUNT);
		if (!b->groups) {
			kfree(b);
			return ERR_PTR(-ENOMEM);
		}
	}
	kref_init(&b->refs);
	b->set = set;
	vcpc_guard_get(&set->guard);
	b->pid = get_pid(pid);
	b->cpu = cpu;
	b->flags = flags;
	b->retire_at = RETIRE_STEP;
	INIT_LIST_HEAD(&b->instances);
	list_add_tail(&b->node, &set->bindings);
	return b;
}

static void binding_free(struct kref *refs)
{
	struct vcpc_binding *b = container_of(refs, struct vcpc_binding, refs);
	struct vcpc_set *set = b->set;

	put_pid(b->pid);
	kfree(b->groups);
	/* Who finds an instance by its thread looks at its binding before it locks. */
	kfree_rcu(b, rcu);
	vcpc_guard_put(&set->guard);
}

/**
 * vcpc_binding_put() - give back a reference
 * @b: the binding; freed with the last, and the set with its last binding
 *
 * Context: sleeps; unless the caller has another reference to the set, not
 * under its lock.
 */
void vcpc_binding_put(struct vcpc_binding *b)
{
	kref_put(&b->refs, binding_free);
}

/**
 * vcpc_binding_close() - take a set off all that BIND put it on
 * @b: the binding; new threads that are to inherit get no instance
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_close(struct vcpc_binding *b)
{
	struct vcpc_instance *inst, *next;

	b->closed = true;
	list_del(&b->node);
	list_for_each_entry_safe(inst, next, &b->instances, in_binding)
		vcpc_binding_drop(inst);
	vcpc_binding_put(b);
}

/* An ended instance costs memory only, and counts for one counter. */
static unsigned int cost(const struct vcpc_instance *inst)
{
	return vcpc_instance_is(inst, VCPC_INSTANCE_SETTLED) ? 1 : inst->spec->cost;
}

static void publish(struct vcpc_binding *b, struct vcpc_instance *inst)
{
	inst->binding = b;
	inst->traced = b->flags & VCPC_BIND_F_TRACE;
	list_add_tail(&inst->in_binding, &b->instances);
	b->nr++;
	b->set->bound++;
	if (inst->task)
		vcpc_set_publish(b->set, inst);
	if (inherits(b) || inst->traced)
		vcpc_threads_add(inst);
	if (inst->traced)
		vcpc_tracecounts_bound();
}

static void unpublish(struct vcpc_instance *inst)
{
	if (vcpc_threads_del(inst) && inst->traced)
		vcpc_tracecounts_unbound();
	vcpc_set_unpublish(inst->binding->set, inst);
}

static bool takes_from_cpus(const struct vcpc_binding *b)
{
	return b->set->spec.hw && b->cpu < 0;
}

static int charge_thread(struct vcpc_binding *b, struct task_struct *task,
			 struct vcpc_pace **pace)
{
	*pace = NULL;
	return task ? vcpc_threads_charge(task, b->set->spec.busiest, pace) : 0;
}

static void uncharge_thread(struct vcpc_binding *b, struct task_struct *task)
{
	if (task)
		vcpc_threads_uncharge(task, b->set->spec.busiest);
}

/* A CPU was asked for by BIND, before the set was locked. */
static int charge(struct vcpc_binding *b, struct task_struct *task, struct vcpc_pace **pace)
{
	struct vcpc_set *set = b->set;
	int ret;

	ret = takes_from_cpus(b) ? vcpc_exclusion_thread() : 0;
	if (ret)
		return ret;
	ret = vcpc_limits_charge(set->user, VCPC_LIMIT_COUNTERS, set->spec.cost);
	if (ret)
		goto err_limits;
	ret = charge_thread(b, task, pace);
	if (ret)
		goto err_thread;
	return 0;

err_thread:
	vcpc_limits_uncharge(set->user, VCPC_LIMIT_COUNTERS, set->spec.cost);
err_limits:
	if (takes_from_cpus(b))
		vcpc_exclusion_thread_done();
	return ret;
}

/* The counters are given back; the thread is the one that they were on. */
static void uncharge_counters(struct vcpc_binding *b, struct task_struct *task)
{
	uncharge_thread(b, task);
	if (takes_from_cpus(b))
		vcpc_exclusion_thread_done();
	else if (b->set->spec.hw)
		vcpc_exclusion_cpu_done(b->cpu);
}

static void uncharge_memory(struct vcpc_binding *b, unsigned int nr)
{
	vcpc_limits_uncharge(b->set->user, VCPC_LIMIT_COUNTERS, nr);
}

static struct vcpc_instance *open(struct vcpc_binding *b, struct task_struct *task,
				  struct vcpc_pace *pace, const struct vcpc_begin *begin, int *bad)
{
	const struct vcpc_start start = {
		.spec = &b->set->spec,
		.guard = &b->set->guard,
		.pace = pace,
		.task = task,
		.cpu = b->cpu,
		.flags = begin->flags,
		.birth = b->births++,
		.presets = begin->presets,
	};

	return vcpc_instance_open(&start, bad);
}

/**
 * vcpc_binding_add() - an instance for one more thread, or for the CPU
 * @b: the binding
 * @task: the thread, which has no instance of the set; the caller holds a
 *	reference; NULL for the CPU, for which the caller has vcpc_exclusion_cpu()
 * @begin: how it begins
 * @bad: on failure set to the request that was refused, or left alone
 *
 * Context: sleeps; under the set's lock.
 * Return: 0, -EUSERS, -EAGAIN, or as vcpc_instance_open().
 */
int vcpc_binding_add(struct vcpc_binding *b, struct task_struct *task,
		     const struct vcpc_begin *begin, int *bad)
{
	struct vcpc_instance *inst;
	struct vcpc_pace *pace;
	int ret;

	ret = charge(b, task, &pace);
	if (ret)
		return ret;
	inst = open(b, task, pace, begin, bad);
	if (IS_ERR(inst)) {
		uncharge_memory(b, b->set->spec.cost);
		/* BIND gives a CPU back by itself. */
		uncharge_thread(b, task);
		if (takes_from_cpus(b))
			vcpc_exclusion_thread_done();
		return PTR_ERR(inst);
	}
	publish(b, inst);
	/* Whoever took the counters for a CPU meanwhile may not have seen this instance. */
	if (takes_from_cpus(b) && vcpc_exclusion_cpus())
		vcpc_instance_deprive(inst);
	return 0;
}

/**
 * vcpc_binding_drop() - take a set off one thread
 * @inst: the instance; what it has counted is in no total any more
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_drop(struct vcpc_instance *inst)
{
	bool counts = !vcpc_instance_is(inst, VCPC_INSTANCE_SETTLED);
	struct vcpc_binding *b = inst->binding;
	struct task_struct *task = inst->task;

	if (task)
		get_task_struct(task);
	uncharge_memory(b, cost(inst));
	unpublish(inst);
	list_del(&inst->in_binding);
	b->nr--;
	b->set->bound--;
	vcpc_instance_close(inst);
	/* Last, as the thread's account is used as long as it has the counters. */
	if (counts)
		uncharge_counters(b, task);
	if (task)
		put_task_struct(task);
}

/**
 * vcpc_binding_settle() - give back what an ended instance does not need any more
 * @inst: the instance
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_settle(struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;
	struct task_struct *task = inst->task;

	if (vcpc_instance_is(inst, VCPC_INSTANCE_SETTLED))
		return;
	get_task_struct(task);
	if (!vcpc_instance_settle(inst, b->set->scratch)) {
		unpublish(inst);
		uncharge_counters(b, task);
		uncharge_memory(b, b->set->spec.cost - 1);
	}
	put_task_struct(task);
}

static void add_up(struct vcpc_sample *sum, const struct vcpc_sample *sample, unsigned int nr)
{
	unsigned int i;

	sum->tick += sample->tick;
	for (i = 0; i < nr; i++)
		sum->values[i] += sample->values[i];
}

static void fold_values(struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;

	add_up(&b->ended, &inst->kept, inst->spec->nr);
	if (inst->groups)
		vcpc_groups_fold(inst->groups, b->groups);
}

static void fold(struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;

	if (vcpc_instance_is(inst, VCPC_INSTANCE_INVALID))
		b->lost = true;
	else
		fold_values(inst);
	b->folded++;
	vcpc_binding_drop(inst);
}

static bool settled(const struct vcpc_instance *inst)
{
	return vcpc_instance_is(inst, VCPC_INSTANCE_SETTLED);
}

/* Settle what has ended; give the number of such instances, old and new. */
static unsigned int settle_ended(struct vcpc_binding *b)
{
	struct vcpc_instance *inst;
	unsigned int nr = 0;

	list_for_each_entry(inst, &b->instances, in_binding) {
		if (vcpc_instance_ended(inst))
			vcpc_binding_settle(inst);
		nr += settled(inst);
	}
	return nr;
}

/* The first in the list is not folded if it is the thread that BIND named. */
static void fold_oldest(struct vcpc_binding *b, unsigned int nr)
{
	struct vcpc_instance *inst, *next;

	list_for_each_entry_safe(inst, next, &b->instances, in_binding) {
		if (!nr)
			break;
		if (!settled(inst) || inst->pid == b->pid)
			continue;
		fold(inst);
		nr--;
	}
}

/**
 * vcpc_binding_retire() - look for ended instances
 * @b: the binding
 * @now: whether or not it is time to, and keep none but what BIND named
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_retire(struct vcpc_binding *b, bool now)
{
	unsigned int ended, keep = now ? 0 : vcpc_limits_ended();

	if (!now && b->nr < b->retire_at)
		return;
	ended = settle_ended(b);
	if (ended > keep)
		fold_oldest(b, ended - keep);
	b->retire_at = b->nr + max(b->nr / 4, (unsigned int)RETIRE_STEP);
}

/**
 * vcpc_binding_retire_all() - make room: fold what has ended, in all that a set's BINDs began
 * @set: the set
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_retire_all(struct vcpc_set *set)
{
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		vcpc_binding_retire(b, true);
}

/**
 * vcpc_binding_total() - add all that BIND began to a total
 * @b: the binding
 * @total: grows; its state is VCPC_STATE_EXITED until a thread is found that lives
 * @groups: grow; NULL if the set has no groups, or nobody wants to know;
 *	otherwise with room for those of one instance behind the sums
 * @ret: set to an error if there is one
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_total(struct vcpc_binding *b, struct vcpc_sample *total,
			struct vcpc_group_sample *groups, int *ret)
{
	const struct vcpc_spec *spec = &b->set->spec;
	struct vcpc_group_sample *one = groups ? groups + spec->groups : NULL;
	struct vcpc_sample *sample = b->set->scratch;
	struct vcpc_instance *inst;
	int err;

	add_up(total, &b->ended, spec->nr);
	if (groups)
		vcpc_groups_add_up(groups, b->groups, spec->groups, false);
	list_for_each_entry(inst, &b->instances, in_binding) {
		err = vcpc_instance_do(inst, VCPC_OP_SAMPLE, sample, one);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		if (err) {
			*ret = err;
			return;
		}
		add_up(total, sample, spec->nr);
		if (groups)
			vcpc_groups_add_up(groups, one, spec->groups, b->cpu >= 0);
		if (!(sample->state & VCPC_STATE_EXITED))
			total->state &= ~VCPC_STATE_EXITED;
		total->state |= sample->state & VCPC_STATE_COUNTING;
		cond_resched();
	}
	if (atomic_read(&b->pending))
		total->state &= ~VCPC_STATE_EXITED;
	if (READ_ONCE(b->lost))
		*ret = -EAGAIN;
}

/**
 * vcpc_binding_can_restart() - can all that BIND began be restarted?
 * @b: the binding
 *
 * Context: under the set's lock.
 * Return: false if it has groups, an instance waits for execve, or all have ended.
 */
bool vcpc_binding_can_restart(const struct vcpc_binding *b)
{
	struct vcpc_instance *inst;
	bool any = false;

	list_for_each_entry(inst, &b->instances, in_binding) {
		if (!vcpc_instance_can_restart(inst))
			return false;
		any |= !vcpc_instance_ended(inst);
	}
	return any;
}

/**
 * vcpc_binding_do() - enable, disable or restart all that BIND began
 * @b: the binding
 * @op: VCPC_OP_ENABLE, VCPC_OP_DISABLE or VCPC_OP_RESTART
 * @ret: set to an error if there is one; being so already is none
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_binding_do(struct vcpc_binding *b, enum vcpc_op op, int *ret)
{
	struct vcpc_instance *inst;
	int err;

	list_for_each_entry(inst, &b->instances, in_binding) {
		err = vcpc_instance_do(inst, op, NULL, NULL);
		if (!err && fatal_signal_pending(current))
			err = -EINTR;
		if (err && err != -EINVAL)
			*ret = err;
		if (err == -EINTR)
			return;
		cond_resched();
	}
	b->stopped = op == VCPC_OP_DISABLE;
	/* A new thread that sees the new number has a parent that this was done to. */
	smp_store_release(&b->turns, b->turns + 1);
}
