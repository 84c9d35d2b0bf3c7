// SPDX-License-Identifier: GPL-2.0
/*
 * The instances of a thread, in all sets: for its limit of counters, for the threads that it
 * starts, and for its trace events; and their references.
 *
 * A thread has a record while an instance is in its list, and nothing else refers to the record.
 * Only the thread itself walks its list.
 *
 * Locking: table_lock for changes, innermost; RCU for looking.
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

/**
 * struct vcpc_thread - a thread that has instances
 * @node: in the table
 * @rcu: for freeing
 * @task: which; kept alive by the instances
 * @counters: perf events of all its instances
 * @instances: its instances
 */
struct vcpc_thread {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	unsigned int counters;
	struct hlist_head instances;
};

static DEFINE_HASHTABLE(table, 10);
static DEFINE_SPINLOCK(table_lock);
static unsigned int nr_inherited;	/* instances in lists that new threads inherit */

static void instance_free(struct kref *refs)
{
	struct vcpc_instance *inst = container_of(refs, struct vcpc_instance, refs);

	put_pid(inst->pid);
	put_pid(inst->tgid);
	put_pid(inst->root);
	if (inst->task)
		put_task_struct(inst->task);
	/* Its thread may be looking at it. */
	kvfree_rcu(inst, rcu);
}

/**
 * vcpc_instance_put() - give a reference back
 * @inst: the instance
 *
 * Context: any but NMI.
 */
void vcpc_instance_put(struct vcpc_instance *inst)
{
	kref_put(&inst->refs, instance_free);
}

static struct vcpc_thread *find(const struct task_struct *task)
{
	struct vcpc_thread *thread;

	hash_for_each_possible_rcu(table, thread, node, (unsigned long)task,
				   lockdep_is_held(&table_lock))
		if (thread->task == task)
			return thread;
	return NULL;
}

static bool is_inherited(const struct vcpc_instance *inst)
{
	return inst->bind_flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE);
}

static int add_locked(struct vcpc_instance *inst, struct vcpc_thread **fresh, unsigned int max)
{
	struct vcpc_thread *thread = find(inst->task);

	if ((thread ? thread->counters : 0) + inst->spec->cost > max)
		return -EUSERS;
	if (!thread) {
		thread = *fresh;
		*fresh = NULL;
		thread->task = inst->task;
		hash_add_rcu(table, &thread->node, (unsigned long)thread->task);
	}
	thread->counters += inst->spec->cost;
	hlist_add_head_rcu(&inst->on_thread, &thread->instances);
	WRITE_ONCE(nr_inherited, nr_inherited + is_inherited(inst));
	return 0;
}

/**
 * vcpc_thread_add() - add an instance to its thread's list
 * @inst: the calling thread's instance
 *
 * Context: sleeps.
 * Return: 0, -EUSERS if the thread would have more counters than allowed, or -ENOMEM.
 */
int vcpc_thread_add(struct vcpc_instance *inst)
{
	struct vcpc_thread *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	unsigned int max = vcpc_limits_thread();
	int ret;

	if (!fresh)
		return -ENOMEM;
	spin_lock(&table_lock);
	ret = add_locked(inst, &fresh, max);
	spin_unlock(&table_lock);
	kfree(fresh);
	if (ret)
		vcpc_stats_count(VCPC_STAT_REFUSED);
	return ret;
}

/**
 * vcpc_thread_del() - remove an instance from its thread's list
 * @inst: the instance, which need not be in it; freed by RCU only
 */
void vcpc_thread_del(struct vcpc_instance *inst)
{
	struct vcpc_thread *thread;

	spin_lock(&table_lock);
	if (!hlist_unhashed(&inst->on_thread)) {
		thread = find(inst->task);
		hlist_del_init_rcu(&inst->on_thread);
		thread->counters -= inst->spec->cost;
		WRITE_ONCE(nr_inherited, nr_inherited - is_inherited(inst));
		if (hlist_empty(&thread->instances)) {
			hash_del_rcu(&thread->node);
			kfree_rcu(thread, rcu);
		}
	}
	spin_unlock(&table_lock);
}

/**
 * vcpc_thread_any_inherits() - whether new threads of any thread inherit an instance
 *
 * Return: true or false; true to a thread that has such an instance.
 */
bool vcpc_thread_any_inherits(void)
{
	return READ_ONCE(nr_inherited);
}

/**
 * vcpc_thread_walk() - look at the calling thread's instances
 * @fn: called for each, in an RCU reader
 * @arg: for @fn
 *
 * Context: any but NMI.
 */
void vcpc_thread_walk(vcpc_thread_fn fn, void *arg)
{
	struct vcpc_instance *inst;
	struct vcpc_thread *thread;

	rcu_read_lock();
	thread = find(current);
	if (thread)
		hlist_for_each_entry_rcu(inst, &thread->instances, on_thread)
			fn(inst, arg);
	rcu_read_unlock();
}
