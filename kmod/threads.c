// SPDX-License-Identifier: GPL-2.0
/*
 * What all sets together have on a thread: how many counters, as each costs time at its
 * context switches; and its instances, for what meets the thread first: its starting another,
 * and its trace events.
 *
 * Only instances that somebody looks for are listed, so that lists stay short.
 *
 * Locking: table_lock for changes, innermost; RCU for looking.  What is found
 * may be on its way out, which the instance's state tells under its lock.
 */
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "deferred.h"
#include "instance.h"
#include "limits.h"
#include "stats.h"
#include "threads.h"

/**
 * struct vcpc_thread - a thread that has counters
 * @node: in the table
 * @rcu: for freeing
 * @task: which; only compared, as events keep it alive
 * @counters: how many may count on it at a time
 * @pace: of the deferred work that it does
 * @instances: those that somebody looks for
 */
struct vcpc_thread {
	struct hlist_node node;
	struct rcu_head rcu;
	const struct task_struct *task;
	unsigned int counters;
	struct vcpc_pace pace;
	struct hlist_head instances;
};

static DEFINE_HASHTABLE(table, 10);
static DEFINE_SPINLOCK(table_lock);

static struct vcpc_thread *find(const struct task_struct *task)
{
	struct vcpc_thread *thread;

	hash_for_each_possible_rcu(table, thread, node, (unsigned long)task,
				   lockdep_is_held(&table_lock))
		if (thread->task == task)
			return thread;
	return NULL;
}

static struct vcpc_thread *find_or_add(const struct task_struct *task, struct vcpc_thread **fresh)
{
	struct vcpc_thread *thread = find(task);

	if (thread)
		return thread;
	thread = *fresh;
	*fresh = NULL;
	thread->task = task;
	INIT_HLIST_HEAD(&thread->instances);
	hash_add_rcu(table, &thread->node, (unsigned long)task);
	return thread;
}

/**
 * vcpc_threads_charge() - more counters may count on a thread
 * @task: the thread, to which the caller holds a reference until it has opened events
 * @nr: how many, not 0
 * @pace: set to the thread's, which is there until vcpc_threads_uncharge()
 *
 * Context: sleeps.
 * Return: 0, -EUSERS if that is more than a thread may have, -ENOMEM.
 */
int vcpc_threads_charge(struct task_struct *task, unsigned int nr, struct vcpc_pace **pace)
{
	struct vcpc_thread *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *unused = fresh;
	struct vcpc_thread *thread;
	int ret = 0;

	if (!fresh)
		return -ENOMEM;
	spin_lock(&table_lock);
	thread = find(task);
	if ((thread ? thread->counters : 0) + nr > vcpc_limits_thread()) {
		ret = -EUSERS;
	} else {
		thread = find_or_add(task, &unused);
		thread->counters += nr;
		*pace = &thread->pace;
	}
	spin_unlock(&table_lock);
	if (ret)
		vcpc_stats_count(VCPC_STAT_REFUSED);
	kfree(unused);
	return ret;
}

/**
 * vcpc_threads_uncharge() - they do so no longer
 * @task: the thread, whose events are still open
 * @nr: how many
 */
void vcpc_threads_uncharge(struct task_struct *task, unsigned int nr)
{
	struct vcpc_thread *thread;

	spin_lock(&table_lock);
	thread = find(task);
	thread->counters -= nr;
	if (!thread->counters) {
		hash_del_rcu(&thread->node);
		kfree_rcu(thread, rcu);
	}
	spin_unlock(&table_lock);
}

/**
 * vcpc_threads_add() - let an instance be found by its thread
 * @inst: the instance, for which its thread is charged
 */
void vcpc_threads_add(struct vcpc_instance *inst)
{
	spin_lock(&table_lock);
	hlist_add_head_rcu(&inst->on_thread, &find(inst->task)->instances);
	spin_unlock(&table_lock);
}

/**
 * vcpc_threads_del() - no longer
 * @inst: the instance, which may not have been added; freed by RCU only
 *
 * Return: whether it was there.
 */
bool vcpc_threads_del(struct vcpc_instance *inst)
{
	bool was_there;

	spin_lock(&table_lock);
	was_there = !hlist_unhashed(&inst->on_thread);
	if (was_there)
		hlist_del_init_rcu(&inst->on_thread);
	spin_unlock(&table_lock);
	return was_there;
}

/**
 * vcpc_threads_walk() - look at a thread's instances
 * @task: the thread
 * @fn: called for each, in an RCU reader
 * @arg: for @fn
 *
 * Context: any but NMI.
 */
void vcpc_threads_walk(const struct task_struct *task, vcpc_threads_fn fn, void *arg)
{
	struct vcpc_instance *inst;
	struct vcpc_thread *thread;

	rcu_read_lock();
	thread = find(task);
	if (thread)
		hlist_for_each_entry_rcu(inst, &thread->instances, on_thread)
			fn(inst, arg);
	rcu_read_unlock();
}
