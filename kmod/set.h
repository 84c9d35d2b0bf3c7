/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SET_H
#define VCPC_SET_H

#include <linux/atomic.h>
#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>
#include <linux/vcpc.h>

#include "instance.h"
#include "spec.h"

struct vcpc_user;

#define VCPC_SET_HASH_BITS	5

/**
 * struct vcpc_set - requests that count together
 * @refs: the descriptor's, and that of each new thread that will get an instance
 * @rcu: for freeing
 * @user: the account that it is charged to
 * @creator: the user who made it
 * @pending: new threads that will get an instance
 * @lost: a thread that should have an instance has none; set without a lock
 * @release: closes it, if its last user may not wait for that
 * @by_task: instances by thread, those that are not settled; changed under @lock, read
 *	under RCU
 * @lock: guards all below
 * @closing: number of times that all instances were closed; new threads that were started
 *	before that get none
 * @instances: all instances, oldest first
 * @nr: their number
 * @reap_at: the number at which to look for ended ones
 * @folded: instances that ended and are in @ended only
 * @ended: their sum
 * @scratch: room for a sample
 * @counts: u64[nr], room for counts
 * @spec: what it counts; fixed
 */
struct vcpc_set {
	struct kref refs;
	struct rcu_head rcu;
	struct vcpc_user *user;
	kuid_t creator;
	atomic_t pending;
	bool lost;
	struct work_struct release;
	DECLARE_HASHTABLE(by_task, VCPC_SET_HASH_BITS);

	struct mutex lock;	/* see above */
	u32 closing;
	struct list_head instances;
	unsigned int nr;
	unsigned int reap_at;
	unsigned int folded;
	struct vcpc_sample *ended;
	struct vcpc_sample *scratch;
	u64 *counts;
	struct vcpc_spec spec;
};

int vcpc_set_init(void);
void vcpc_set_exit(void);
struct vcpc_set *vcpc_set_create(const struct vcpc_set_create_args *args, struct vcpc_user *user,
				 int *bad);
void vcpc_set_put(struct vcpc_set *set);
void vcpc_set_release(struct vcpc_set *set);
int vcpc_set_unbind_all(struct vcpc_set *set);
int vcpc_set_bind(struct vcpc_set *set, u32 flags, int *bad);
int vcpc_set_unbind(struct vcpc_set *set);
int vcpc_set_inherit(struct vcpc_set *set, const struct vcpc_start *start);
int vcpc_set_op(struct vcpc_set *set, enum vcpc_op op);
int vcpc_set_preset(struct vcpc_set *set, u32 request, u64 preset);
int vcpc_set_sample_own(struct vcpc_set *set, struct vcpc_sample *sample);
int vcpc_set_sample(struct vcpc_set *set, u32 flags, pid_t tid, struct vcpc_sample *sample);
int vcpc_set_list(struct vcpc_set *set, struct vcpc_instances_args *args);

/* Hashing half of an address takes half the instructions. */
static inline u32 vcpc_set_key(const struct task_struct *task)
{
	return (unsigned long)task;
}

/**
 * vcpc_set_find_own() - the calling thread's instance
 * @set: the set
 *
 * Context: an RCU reader, which disabled interrupts are, or under the set's mutex.
 * Return: the instance, which may have ended; or NULL.
 */
static __always_inline struct vcpc_instance *vcpc_set_find_own(struct vcpc_set *set)
{
	struct vcpc_instance *inst;

	hash_for_each_possible_rcu(set->by_task, inst, by_task, vcpc_set_key(current),
				   lockdep_is_held(&set->lock))
		if (inst->task == current)
			return inst;
	return NULL;
}

#endif
