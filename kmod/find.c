// SPDX-License-Identifier: GPL-2.0
/*
 * Which of a set's instances is meant: by a thread's id, a CPU's number, or by nothing.
 *
 * Locking: all is under the set's lock.
 */
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "binding.h"
#include "find.h"
#include "instance.h"
#include "set.h"
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
 * vcpc_find_cpu() - a CPU's instance
 * @set: the set
 * @cpu: the CPU
 *
 * Context: under the set's lock.
 * Return: the instance, or NULL.
 */
struct vcpc_instance *vcpc_find_cpu(struct vcpc_set *set, int cpu)
{
	struct vcpc_binding *b;

	list_for_each_entry(b, &set->bindings, node)
		if (b->cpu == cpu && b->nr)
			return list_first_entry(&b->instances, struct vcpc_instance, in_binding);
	return NULL;
}

/**
 * vcpc_find_instance() - which instance does an operation mean?
 * @set: the set
 * @tid: a thread's id, VCPC_UARG_CPU() of a CPU, or 0
 *
 * Context: under the set's lock.
 * Return: the instance, or NULL.
 */
struct vcpc_instance *vcpc_find_instance(struct vcpc_set *set, pid_t tid)
{
	lockdep_assert_held(&set->lock);

	if (tid < 0)
		return vcpc_find_cpu(set, VCPC_UARG_CPU(tid));
	if (tid)
		return find_tid(set, tid);
	return vcpc_set_find_task(set, current) ?: find_own_past(set) ?: find_only(set);
}

/* Any of a binding's threads names it, and what BIND named does for ever. */
static struct vcpc_binding *find_binding(struct vcpc_set *set, pid_t tid)
{
	struct pid_namespace *ns = task_active_pid_ns(current);
	struct vcpc_instance *inst = tid < 0 ? vcpc_find_cpu(set, VCPC_UARG_CPU(tid)) :
					       find_tid(set, tid);
	struct vcpc_binding *b, *found = NULL;

	if (inst || tid < 0)
		return inst ? inst->binding : NULL;
	list_for_each_entry(b, &set->bindings, node)
		if (pid_nr_ns(b->pid, ns) == tid)
			found = b;
	return found;
}

/**
 * vcpc_find_bindings() - which BINDs does an operation mean?
 * @set: the set
 * @tid: one of its threads or CPUs; 0: all that all BINDs began
 * @named: set to that which is meant, or to NULL for all
 *
 * Context: under the set's lock.
 * Return: 0, or -EINVAL if there is none.
 */
int vcpc_find_bindings(struct vcpc_set *set, pid_t tid, struct vcpc_binding **named)
{
	lockdep_assert_held(&set->lock);

	*named = tid ? find_binding(set, tid) : NULL;
	if (tid ? !*named : list_empty(&set->bindings))
		return -EINVAL;
	return 0;
}
