// SPDX-License-Identifier: GPL-2.0
/*
 * From a thread to its instances of all sets, for what meets the thread
 * first: its starting another, and its trace events.
 *
 * Only instances that somebody looks for are in it, so that it stays small.
 *
 * Locking: table_lock for changes, innermost; RCU for looking.  What is found
 * may be on its way out, which the instance's state tells under its lock.
 */
#include <linux/hashtable.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "binding.h"
#include "instance.h"
#include "tasktable.h"
#include "tracecounts.h"

static DEFINE_HASHTABLE(table, 10);
static DEFINE_SPINLOCK(table_lock);

/**
 * vcpc_tasktable_add() - let an instance be found by its thread
 * @inst: the instance
 *
 * Context: sleeps.
 */
void vcpc_tasktable_add(struct vcpc_instance *inst)
{
	spin_lock(&table_lock);
	hash_add_rcu(table, &inst->by_task, (unsigned long)inst->task);
	spin_unlock(&table_lock);
	if (inst->binding->flags & VCPC_BIND_F_TRACE)
		vcpc_tracecounts_bound();
}

/**
 * vcpc_tasktable_del() - no longer
 * @inst: the instance, which may not have been added; freed by RCU only
 *
 * Context: sleeps.
 */
void vcpc_tasktable_del(struct vcpc_instance *inst)
{
	bool was_there;

	spin_lock(&table_lock);
	was_there = hash_hashed(&inst->by_task);
	if (was_there)
		hash_del_rcu(&inst->by_task);
	spin_unlock(&table_lock);
	if (was_there && inst->binding->flags & VCPC_BIND_F_TRACE)
		vcpc_tracecounts_unbound();
}

/**
 * vcpc_tasktable_walk() - look at a thread's instances
 * @task: the thread
 * @fn: called for each, in an RCU reader
 * @arg: for @fn
 *
 * Context: any but NMI.
 */
void vcpc_tasktable_walk(const struct task_struct *task, vcpc_tasktable_fn fn, void *arg)
{
	struct vcpc_instance *inst;

	rcu_read_lock();
	hash_for_each_possible_rcu(table, inst, by_task, (unsigned long)task)
		if (inst->task == task)
			fn(inst, arg);
	rcu_read_unlock();
}
