/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_BINDING_H
#define VCPC_BINDING_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "instance.h"
#include "set.h"

struct pid;
struct task_struct;
struct vcpc_set;

/**
 * struct vcpc_begin - how an instance begins
 * @flags: VCPC_OPEN_*
 * @presets: its own, one for each request; NULL: the set's requests'
 */
struct vcpc_begin {
	u32 flags;
	const u64 *presets;
};

/**
 * struct vcpc_binding - what one BIND began: its thread, and all that inherit; or its CPU
 * @node: in the set's list; under the set's lock, as all that says no other
 * @rcu: for freeing
 * @refs: the list's, and that of every new thread on its way to an instance
 * @set: whose; holds a reference
 * @pid: what BIND named; NULL if that was a CPU
 * @cpu: which; otherwise -1
 * @births: how many instances there have been
 * @flags: VCPC_BIND_F_*
 * @closed: no instance may come any more
 * @lost: a thread that should have an instance has none; set without a lock
 * @pending: threads that have been started and will get an instance
 * @turns: how often all instances were enabled or disabled; written when it is
 *	done, read without a lock
 * @stopped: which of the two it was last
 * @instances: all of them, in the order of their birth
 * @nr: how many
 * @retire_at: so many that it is time to look for ended ones
 * @folded: instances that ended, and are only in @ended any more
 * @groups: the sums of what their groups had; NULL if the set has no groups
 * @ended: their sums
 */
struct vcpc_binding {
	struct list_head node;
	struct rcu_head rcu;
	struct kref refs;
	struct vcpc_set *set;
	struct pid *pid;
	int cpu;
	u32 births;
	u32 flags;
	bool closed;
	bool lost;
	atomic_t pending;
	u32 turns;
	bool stopped;
	struct list_head instances;
	unsigned int nr;
	unsigned int retire_at;
	unsigned int folded;
	struct vcpc_group_sample *groups;
	struct vcpc_sample ended;
};

struct vcpc_binding *vcpc_binding_create(struct vcpc_set *set, struct pid *pid, int cpu,
					 u32 flags);
void vcpc_binding_close(struct vcpc_binding *b);
void vcpc_binding_put(struct vcpc_binding *b);

int vcpc_binding_add(struct vcpc_binding *b, struct task_struct *task,
		     const struct vcpc_begin *begin, int *bad);
void vcpc_binding_drop(struct vcpc_instance *inst);
void vcpc_binding_retire(struct vcpc_binding *b, bool now);
void vcpc_binding_retire_all(struct vcpc_set *set);
void vcpc_binding_settle(struct vcpc_instance *inst);
void vcpc_binding_total(struct vcpc_binding *b, struct vcpc_sample *total,
			struct vcpc_group_sample *groups, int *ret);
bool vcpc_binding_can_restart(const struct vcpc_binding *b);
void vcpc_binding_do(struct vcpc_binding *b, enum vcpc_op op, int *ret);

static inline void vcpc_binding_get(struct vcpc_binding *b)
{
	kref_get(&b->refs);
}

#endif
