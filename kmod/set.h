/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SET_H
#define VCPC_SET_H

#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "deferred.h"
#include "instance.h"
#include "spec.h"

struct pid;
struct vcpc_user;

#define VCPC_SET_HASH_BITS	6

/* Behind all numbers of sets */
#define VCPC_SET_ID_END	((unsigned long)U32_MAX + 1)

/**
 * struct vcpc_set - requests that count together
 * @guard: references: the descriptors', and that of every binding, which a new thread on its
 *	way to an instance may hold longer; and the lock that serializes all operations but a
 *	thread's sample of itself
 * @rcu: for freeing
 * @id: its number among all sets, for who looks at them one by one
 * @user: whom it is accounted to
 * @creator: the process that made it
 * @watched: it needs to hear of new threads; under the watchers' lock
 * @scratch: room for a sample; under the lock
 * @bound: number of instances; changed under the lock
 * @on_cpus: it is bound to CPUs; changed under the lock
 * @bindings: what each BIND began, oldest first; under the lock
 * @instances: those on threads, by thread, but for those settled; changed under
 *	the lock, read under RCU
 * @spec: what it counts; fixed
 */
struct vcpc_set {
	struct vcpc_guard guard;
	struct rcu_head rcu;
	u32 id;
	struct vcpc_user *user;
	struct pid *creator;
	bool watched;
	struct vcpc_sample *scratch;
	unsigned int bound;
	bool on_cpus;
	struct list_head bindings;
	DECLARE_HASHTABLE(instances, VCPC_SET_HASH_BITS);
	struct vcpc_spec spec;
};

struct vcpc_set *vcpc_set_create(const struct vcpc_set_create_args *args, struct vcpc_user *user,
				 int *bad);
void vcpc_set_unlist(struct vcpc_set *set);
struct vcpc_set *vcpc_set_from(unsigned long id);
struct vcpc_set *vcpc_set_next(struct vcpc_set *prev);
void vcpc_set_publish(struct vcpc_set *set, struct vcpc_instance *inst);
void vcpc_set_unpublish(struct vcpc_set *set, struct vcpc_instance *inst);

static inline int vcpc_set_lock(struct vcpc_set *set)
{
	return mutex_lock_killable(&set->guard.lock);
}

static inline void vcpc_set_unlock(struct vcpc_set *set)
{
	mutex_unlock(&set->guard.lock);
}

/* Hashing half of an address takes half the instructions. */
static inline u32 vcpc_set_key(const struct task_struct *task)
{
	return (unsigned long)task;
}

/**
 * vcpc_set_find_task() - a thread's instance
 * @set: the set
 * @task: the thread
 *
 * Context: under RCU, which interrupts off are, or the set's lock.
 * Return: the instance, or NULL.
 */
static __always_inline struct vcpc_instance *
vcpc_set_find_task(struct vcpc_set *set, const struct task_struct *task)
{
	struct vcpc_instance *inst;

	hash_for_each_possible_rcu(set->instances, inst, node, vcpc_set_key(task),
				   lockdep_is_held(&set->guard.lock))
		if (inst->task == task)
			return inst;
	return NULL;
}

#endif
