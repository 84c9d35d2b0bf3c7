/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SET_H
#define VCPC_SET_H

#include <linux/hashtable.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/vcpc.h>
#include <linux/wait.h>

#include "instance.h"
#include "operate.h"

struct pid;
struct vcpc_setpage;
struct vcpc_user;

#define VCPC_SET_HASH_BITS	6

/**
 * struct vcpc_set - requests that count together
 * @refs: the descriptor's, and that of every binding, which an heir on its way
 *	may hold longer
 * @rcu: for freeing
 * @node: in the list of all sets; under that list's lock
 * @user: whom it is accounted to
 * @creator: the process that made it
 * @watched: it needs to hear of new threads; under the watchers' lock
 * @flags: VCPC_SET_F_*
 * @nr: number of requests
 * @groups: number of groups; 0: it is not in groups
 * @sample_size: bytes of its sample, with groups
 * @quick_size: the same, if that much can be on the stack; otherwise U64_MAX, which no
 *	buffer has
 * @hw: it counts hardware events
 * @overflows: a request has VCPC_REQ_F_OVERFLOW
 * @signal: for the thread at an overflow; 0: none
 * @fd: what SET_CREATE gave
 * @wait: for overflows
 * @news: there was an overflow that nobody has asked for
 * @slot: how long a group's turn is
 * @seed: of the groups' orders, with VCPC_SET_F_SHUFFLE
 * @events: stands for what the requests count, see struct vcpc_trace_counts
 * @lock: serializes all operations but a thread's sample of itself
 * @scratch: room for a sample; under @lock
 * @bound: number of instances; under @lock
 * @bindings: what each BIND began, oldest first; under @lock
 * @page: mapped by programs; NULL until it first is; under @lock
 * @instances: those on threads, by thread, but for those settled; changed under
 *	@lock, read under RCU
 * @requests: what it counts; fixed
 */
struct vcpc_set {
	struct kref refs;
	struct rcu_head rcu;
	struct list_head node;
	struct vcpc_user *user;
	struct pid *creator;
	bool watched;
	u32 flags;
	u32 nr;
	u32 groups;
	u32 sample_size;
	u64 quick_size;
	bool hw;
	bool overflows;
	int signal;
	int fd;
	wait_queue_head_t wait;
	bool news;
	u64 slot;
	u32 seed;
	u64 events;
	struct mutex lock;	/* see above */
	struct vcpc_sample *scratch;
	unsigned int bound;
	struct list_head bindings;
	struct vcpc_setpage *page;
	DECLARE_HASHTABLE(instances, VCPC_SET_HASH_BITS);
	struct vcpc_request requests[];
};

/**
 * struct vcpc_group - the requests of a group
 * @begin: the first
 * @end: behind the last
 */
struct vcpc_group {
	u32 begin;
	u32 end;
};

struct vcpc_set *vcpc_set_create(const struct vcpc_set_create_args *args, struct vcpc_user *user,
				 int *bad);
void vcpc_set_destroy(struct vcpc_set *set);
void vcpc_set_put(struct vcpc_set *set);
int vcpc_set_unbind(struct vcpc_set *set, pid_t tid, u32 flags);
int vcpc_set_do(struct vcpc_set *set, pid_t tid, enum vcpc_op op, struct vcpc_sample *sample);
int vcpc_set_turn(struct vcpc_set *set, pid_t tid, enum vcpc_op op);
int vcpc_set_sample_groups(struct vcpc_set *set, pid_t tid, struct vcpc_sample *sample,
			   struct vcpc_group_sample *groups);
int vcpc_set_preset(struct vcpc_set *set, const struct vcpc_preset_args *args);
int vcpc_set_overflows(struct vcpc_set *set, pid_t tid, u64 *counts);
bool vcpc_set_invalid(struct vcpc_set *set);
int vcpc_set_total(struct vcpc_set *set, pid_t tid, struct vcpc_sample *total,
		   struct vcpc_group_sample *groups);
struct vcpc_group vcpc_set_group(const struct vcpc_set *set, u32 group);
void vcpc_set_deprive(struct vcpc_set *set);
void vcpc_set_wake(struct vcpc_set *set, int ret);

void vcpc_set_publish(struct vcpc_set *set, struct vcpc_instance *inst);
void vcpc_set_unpublish(struct vcpc_set *set, struct vcpc_instance *inst);
bool vcpc_set_on_cpus(struct vcpc_set *set);

static inline void vcpc_set_get(struct vcpc_set *set)
{
	kref_get(&set->refs);
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
				   lockdep_is_held(&set->lock))
		if (inst->task == task)
			return inst;
	return NULL;
}

/**
 * vcpc_set_sample() - sample one of the instances of a set without groups
 * @set: the set
 * @tid: the instance's thread, or 0
 * @sample: room for a sample; filled on success
 *
 * The calling thread's own instance is the fast case: no lock but its own.
 *
 * Context: sleeps, but not in the fast case.
 * Return: as vcpc_set_do().
 */
static __always_inline int vcpc_set_sample(struct vcpc_set *set, pid_t tid,
					   struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret;

	if (!tid) {
		local_irq_disable();
		inst = vcpc_set_find_task(set, current);
		if (likely(inst)) {
			ret = vcpc_operate_sample_self(inst, sample, NULL);
			local_irq_enable();
			if (unlikely(ret))
				vcpc_set_wake(set, ret);
			return ret;
		}
		local_irq_enable();
	}
	return vcpc_set_do(set, tid, VCPC_OP_SAMPLE, sample);
}

#endif
