/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SET_H
#define VCPC_SET_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/vcpc.h>

#include "instance.h"
#include "limits.h"
#include "spec.h"

/**
 * struct vcpc_set - requests that are counted together, and their instances
 * @refs: held by the descriptor and by each new thread that is about to get an instance
 * @rcu: used to free it
 * @user: the account that it is charged to
 * @creator: the user who created it
 * @pending: number of new threads that are about to get an instance
 * @lost: an instance could not be created for a thread; set without a lock
 * @release: used by vcpc_limits_release()
 * @lock: guards all below
 * @closing: number of times that all instances were closed; threads that were started before the
 *	last time get no instance
 * @instances: all instances, oldest first
 * @nr: number of instances
 * @reap_at: value of @nr at which to search for ended instances
 * @folded: number of ended instances that only contribute to @ended
 * @ended: sum of the folded instances
 * @scratch: temporary storage for a sample
 * @counts: u64[nr], temporary storage for counts
 * @spec: its requests, which do not change
 */
struct vcpc_set {
	struct kref refs;
	struct rcu_head rcu;
	struct vcpc_user *user;
	kuid_t creator;
	atomic_t pending;
	bool lost;
	struct vcpc_release release;

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

struct vcpc_set *vcpc_set_create(const struct vcpc_set_create_args *args, struct vcpc_user *user,
				 int *bad);
void vcpc_set_put(struct vcpc_set *set);
void vcpc_set_release(struct vcpc_set *set);
int vcpc_set_bind(struct vcpc_set *set, u32 flags, int *bad);
int vcpc_set_unbind(struct vcpc_set *set, bool all);
int vcpc_set_inherit(struct vcpc_set *set, const struct vcpc_start *start);
int vcpc_set_op(struct vcpc_set *set, enum vcpc_op op, const struct vcpc_preset_args *preset);
int vcpc_set_sample_own(struct vcpc_set *set, struct vcpc_sample *sample);
int vcpc_set_sample(struct vcpc_set *set, u32 flags, pid_t tid, struct vcpc_sample *sample);
int vcpc_set_list(struct vcpc_set *set, struct vcpc_instances_args *args,
		  struct vcpc_instance_info *info, u32 room);

#endif
