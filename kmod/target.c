// SPDX-License-Identifier: GPL-2.0
/*
 * What an operation means: one of a set's instances, by a thread's id, a CPU's number or
 * nothing, or all that BIND began; and doing it to them.
 *
 * Locking: all is under the set's lock, which is waited for killably.
 */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "binding.h"
#include "target.h"
#include "uarg.h"

/* The last that had an id is meant, and not who lost it by another's execve. */
static struct vcpc_instance *find_past(struct vcpc_set *set, pid_t tid)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct vcpc_instance *inst, *found = NULL;
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			if (pid_nr_ns(vcpc_instance_pid(inst), ns) == tid &&
			    (!found || !vcpc_instance_displaced(inst)))
				found = inst;
	return found;
}

/* A dead thread's id may have been given to another, which is meant then. */
static struct vcpc_instance *find_tid(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_instance *inst = NULL;
	struct task_struct *task;

	rcu_read_lock();
	task = pid_task(find_vpid(tid), PIDTYPE_PID);
	if (task)
		inst = vcpc_set_find_task(set, task);
	rcu_read_unlock();
	return inst ?: find_past(set, tid);
}

/* Of a thread that lives on though its counting has ended, by execve */
static struct vcpc_instance *find_own_past(struct vcpc_set *set)
{
	struct vcpc_instance *inst, *found = NULL;
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		list_for_each_entry(inst, &b->instances, in_binding)
			if (inst->pid == task_pid(current))
				found = inst;
	return found;
}

static struct vcpc_instance *find_only(struct vcpc_set *set)
{
	struct vcpc_binding *b;

	if (set->bound == 1)
		list_for_each_entry(b, &set->bindings, node)
			if (b->nr)
				return list_first_entry(&b->instances, struct vcpc_instance,
							in_binding);
	return NULL;
}

/**
 * vcpc_target_cpu() - a CPU's instance
 * @set: the set
 * @cpu: the CPU
 *
 * Context: under the set's lock.
 * Return: the instance, or NULL.
 */
struct vcpc_instance *vcpc_target_cpu(struct vcpc_set *set, int cpu)
{
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		if (b->cpu == cpu && b->nr)
			return list_first_entry(&b->instances, struct vcpc_instance, in_binding);
	return NULL;
}

/* A thread's id, VCPC_UARG_CPU() of a CPU, or 0 */
static struct vcpc_instance *find_instance(struct vcpc_set *set, pid_t tid)
{
	lockdep_assert_held(&set->guard.lock);

	if (tid < 0)
		return vcpc_target_cpu(set, VCPC_UARG_CPU(tid));
	if (tid)
		return find_tid(set, tid);
	return vcpc_set_find_task(set, current) ?: find_own_past(set) ?: find_only(set);
}

/* Any of a binding's threads names it, and what BIND named does for ever. */
static struct vcpc_binding *find_binding(struct vcpc_set *set, pid_t tid)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct vcpc_instance *inst = tid < 0 ? vcpc_target_cpu(set, VCPC_UARG_CPU(tid)) :
					       find_tid(set, tid);
	struct vcpc_binding *b, *found = NULL;

	if (inst || tid < 0)
		return inst ? inst->binding : NULL;
	list_for_each_entry(b, &set->bindings, node)
		if (pid_nr_ns(b->pid, ns) == tid)
			found = b;
	return found;
}

/* One of its threads or CPUs names a BIND; 0 means all.  -EINVAL if there is none. */
static int find_bindings(struct vcpc_set *set, pid_t tid, struct vcpc_binding **named)
{
	lockdep_assert_held(&set->guard.lock);

	*named = tid ? find_binding(set, tid) : NULL;
	if (tid ? !*named : list_empty(&set->bindings))
		return -EINVAL;
	return 0;
}

static bool is_meant(const struct vcpc_binding *b, const struct vcpc_binding *named)
{
	return !named || b == named;
}

/* A binding without instances is kept for its sums, and for new threads that will come. */
static void unbind_one(struct vcpc_instance *inst)
{
	struct vcpc_binding *b = inst->binding;

	vcpc_binding_drop(inst);
	if (!b->nr && !b->folded && !atomic_read(&b->pending))
		vcpc_binding_close(b);
}

static int unbind_all(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_binding *b, *next, *named;
	int ret = find_bindings(set, tid, &named);

	if (ret)
		return ret;
	list_for_each_entry_safe(b, next, &set->bindings, node)
		if (is_meant(b, named))
			vcpc_binding_close(b);
	return 0;
}

static int unbind(struct vcpc_set *set, pid_t tid)
{
	struct vcpc_instance *inst = find_instance(set, tid);

	if (!inst)
		return -EINVAL;
	unbind_one(inst);
	return 0;
}

/**
 * vcpc_target_unbind() - take a set off a thread, or off all that BIND began
 * @set: the set
 * @tid: the instance's thread, or 0
 * @flags: VCPC_TARGET_F_*
 *
 * Context: sleeps.
 * Return: 0, -EINVAL if it is not bound there, -EINTR.
 */
int vcpc_target_unbind(struct vcpc_set *set, pid_t tid, u32 flags)
{
	int ret = vcpc_set_lock(set);

	if (ret)
		return ret;
	ret = flags & VCPC_TARGET_F_ALL ? unbind_all(set, tid) : unbind(set, tid);
	vcpc_set_unlock(set);
	return ret;
}

static int do_all(struct vcpc_set *set, struct vcpc_binding *named, enum vcpc_op op)
{
	struct vcpc_binding *b;
	int ret = 0;

	/* All or none: it is refused before anything is restarted. */
	if (op == VCPC_OP_RESTART)
		list_for_each_entry(b, &set->bindings, node)
			if (is_meant(b, named) && !vcpc_binding_can_restart(b))
				return -EINVAL;
	list_for_each_entry(b, &set->bindings, node)
		if (is_meant(b, named) && ret != -EINTR)
			vcpc_binding_do(b, op, &ret);
	return ret;
}

/**
 * vcpc_target_do_all() - enable, disable or restart all that BIND began
 * @set: the set
 * @tid: one of its threads; 0: all that all BINDs began
 * @op: VCPC_OP_ENABLE, VCPC_OP_DISABLE or VCPC_OP_RESTART
 *
 * Context: sleeps.
 * Return: 0, also for those that are so already; -EINVAL if it is not bound
 * there, or cannot be restarted; -EAGAIN if an instance is invalid; -EINTR.
 */
int vcpc_target_do_all(struct vcpc_set *set, pid_t tid, enum vcpc_op op)
{
	struct vcpc_binding *named;
	int ret = vcpc_set_lock(set);

	if (ret)
		return ret;
	ret = find_bindings(set, tid, &named) ?: do_all(set, named, op);
	vcpc_set_unlock(set);
	return ret;
}

/**
 * vcpc_target_do() - do something with one of a set's instances
 * @set: the set
 * @tid: the instance's thread, or 0
 * @op: what to do
 * @sample: room for a sample; NULL if nobody wants it
 *
 * Context: sleeps.
 * Return: 0; -EINVAL if it is not bound there or already is in the state asked
 * for; -EAGAIN if it is invalid; -EINTR.
 */
int vcpc_target_do(struct vcpc_set *set, pid_t tid, enum vcpc_op op, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret = vcpc_set_lock(set);

	if (ret)
		return ret;
	inst = find_instance(set, tid);
	ret = inst ? vcpc_instance_do(inst, op, sample, NULL) : -EINVAL;
	vcpc_set_unlock(set);
	return ret;
}

/**
 * vcpc_target_preset() - what a request of an instance starts from
 * @set: the set
 * @args: checked arguments
 *
 * Context: sleeps.
 * Return: 0, -EINVAL, -ENOMEM, -EINTR.
 */
int vcpc_target_preset(struct vcpc_set *set, const struct vcpc_preset_args *args)
{
	struct vcpc_instance *inst;
	int ret;

	if (args->request >= set->spec.nr)
		return -EINVAL;
	ret = vcpc_set_lock(set);
	if (ret)
		return ret;
	inst = find_instance(set, args->tid);
	ret = inst ? vcpc_instance_preset(inst, args->request, args->preset) : -EINVAL;
	vcpc_set_unlock(set);
	return ret;
}

/* -EINVAL if it is not the calling thread that is meant, or that has no instance */
static int sample_own_groups(struct vcpc_set *set, struct vcpc_sample *sample,
			     struct vcpc_group_sample *groups, bool *found)
{
	struct vcpc_instance *inst;
	int ret = -EINVAL;

	local_irq_disable();
	inst = vcpc_set_find_task(set, current);
	*found = inst;
	if (inst)
		ret = vcpc_instance_sample_own(inst, sample, groups);
	local_irq_enable();
	return ret;
}

/**
 * vcpc_target_sample_groups() - sample one of the instances of a set with groups
 * @set: the set
 * @tid: the instance's thread, or 0
 * @sample: room for a sample; filled on success
 * @groups: likewise; what its groups have had
 *
 * As vcpc_target_sample().
 *
 * Context: sleeps.
 * Return: as vcpc_target_do().
 */
int vcpc_target_sample_groups(struct vcpc_set *set, pid_t tid, struct vcpc_sample *sample,
			      struct vcpc_group_sample *groups)
{
	struct vcpc_instance *inst;
	bool found = false;
	int ret = 0;

	if (!tid)
		ret = sample_own_groups(set, sample, groups, &found);
	if (found)
		return ret;
	ret = vcpc_set_lock(set);
	if (ret)
		return ret;
	inst = find_instance(set, tid);
	ret = inst ? vcpc_instance_do(inst, VCPC_OP_SAMPLE, sample, groups) : -EINVAL;
	vcpc_set_unlock(set);
	return ret;
}

/* CPUs' rounds are not added up, but the least is looked for. */
static void clear_groups(struct vcpc_set *set, struct vcpc_group_sample *groups)
{
	u32 i;

	memset(groups, 0, set->spec.groups * sizeof(*groups));
	if (set->on_cpus)
		for (i = 0; i < set->spec.groups; i++)
			groups[i].rounds = U64_MAX;
}

static void clear_total(struct vcpc_set *set, struct vcpc_sample *total)
{
	memset(total, 0, sizeof(*total));
	memset(total->values, 0, set->spec.nr * sizeof(total->values[0]));
	total->size = sizeof(*total);
	total->nr = set->spec.nr;
	total->state = VCPC_STATE_EXITED;
}

/**
 * vcpc_target_total() - sum up all that BIND began, also what has ended
 * @set: the set
 * @tid: one of its threads; 0: all that all BINDs began
 * @total: room for a sample; filled on success
 * @groups: for what their groups have had, with room for twice as many; NULL
 *	if the set has none
 *
 * Threads are read one after the other, while the others run.
 *
 * Context: sleeps.
 * Return: 0; -EINVAL if it is not bound there; -EAGAIN if a count was lost, or
 * a thread could not be counted; -EINTR.
 */
int vcpc_target_total(struct vcpc_set *set, pid_t tid, struct vcpc_sample *total,
		      struct vcpc_group_sample *groups)
{
	struct vcpc_binding *b, *named;
	int ret = vcpc_set_lock(set);

	if (ret)
		return ret;
	clear_total(set, total);
	if (groups)
		clear_groups(set, groups);
	total->time = ktime_get_ns();
	ret = find_bindings(set, tid, &named);
	if (!ret)
		list_for_each_entry(b, &set->bindings, node)
			if (is_meant(b, named) && ret != -EINTR)
				vcpc_binding_total(b, total, groups, &ret);
	vcpc_set_unlock(set);
	return ret;
}

/**
 * vcpc_target_destroy() - undo all that a set did; its descriptor has gone
 * @set: the set; nobody but new threads on their way to an instance uses it any more
 *
 * Context: sleeps.
 */
void vcpc_target_destroy(struct vcpc_set *set)
{
	struct vcpc_binding *b, *next;

	vcpc_set_unlist(set);
	mutex_lock(&set->guard.lock);
	list_for_each_entry_safe(b, next, &set->bindings, node)
		vcpc_binding_close(b);
	vcpc_set_unlock(set);
	vcpc_guard_put(&set->guard);
}
