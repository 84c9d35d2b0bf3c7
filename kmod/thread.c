// SPDX-License-Identifier: GPL-2.0
/*
 * Keep the table of each thread's instances in all sets, and count references to instances.  The
 * table is used to find a thread's own instance, to limit its counters, to inherit sets, and to
 * attach counts to trace events.
 *
 * Only the thread itself looks up its instances.
 *
 * Locking: table_lock for changes, innermost; RCU for look-ups.
 */
#include <linux/hashtable.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "instance.h"
#include "limits.h"
#include "spec.h"
#include "thread.h"

static DEFINE_HASHTABLE(table, 12);	/* by task */
static DEFINE_SPINLOCK(table_lock);

static void instance_free(struct kref *refs)
{
	struct vcpc_instance *inst = container_of(refs, struct vcpc_instance, refs);

	put_pid(inst->pid);
	put_pid(inst->tgid);
	put_pid(inst->root);
	if (inst->task)
		put_task_struct(inst->task);
	/* A thread can be using it as an RCU reader. */
	kvfree_rcu(inst, rcu);
}

/**
 * vcpc_instance_put() - drop a reference
 * @inst: the instance
 *
 * Context: any except NMI.
 */
void vcpc_instance_put(struct vcpc_instance *inst)
{
	kref_put(&inst->refs, instance_free);
}

static void count(struct vcpc_instance *inst, void *counters)
{
	/* perf does not schedule events that have ended. */
	if (vcpc_instance_lives(inst))
		*(unsigned int *)counters += inst->spec->cost;
}

/**
 * vcpc_thread_add() - add an instance to its thread's instances
 * @inst: the calling thread's instance
 *
 * Return: 0, or -EUSERS if this would exceed the thread's limit on counters.
 */
int vcpc_thread_add(struct vcpc_instance *inst)
{
	unsigned int counters = inst->spec->cost;

	/* Concurrently, other threads can only remove instances, which lowers the sum. */
	vcpc_thread_walk(count, &counters);
	if (counters > vcpc_limits_thread()) {
		vcpc_stats_count(VCPC_STAT_REFUSED);
		return -EUSERS;
	}
	spin_lock(&table_lock);
	hash_add_rcu(table, &inst->on_thread, (unsigned long)inst->task);
	spin_unlock(&table_lock);
	return 0;
}

/**
 * vcpc_thread_del() - undo vcpc_thread_add()
 * @inst: the instance, which need not be in the table; freed after an RCU grace period
 */
void vcpc_thread_del(struct vcpc_instance *inst)
{
	spin_lock(&table_lock);
	hash_del_rcu(&inst->on_thread);
	spin_unlock(&table_lock);
}

/**
 * vcpc_thread_find() - find the calling thread's instance of a set
 * @set: the set
 *
 * Return: the instance, which can have ended, or NULL; valid for an RCU reader or under the set's
 * mutex.
 */
struct vcpc_instance *vcpc_thread_find(const struct vcpc_set *set)
{
	struct vcpc_instance *inst;

	rcu_read_lock();
	hash_for_each_possible_rcu(table, inst, on_thread, (unsigned long)current)
		if (inst->set == set && READ_ONCE(inst->task) == current)
			break;
	rcu_read_unlock();
	return inst;
}

/**
 * vcpc_thread_walk() - call a function for each of the calling thread's instances
 * @fn: called under RCU
 * @arg: passed to @fn
 *
 * Context: any except NMI.
 */
void vcpc_thread_walk(vcpc_thread_fn fn, void *arg)
{
	struct vcpc_instance *inst;

	rcu_read_lock();
	hash_for_each_possible_rcu(table, inst, on_thread, (unsigned long)current)
		if (READ_ONCE(inst->task) == current)
			fn(inst, arg);
	rcu_read_unlock();
}
