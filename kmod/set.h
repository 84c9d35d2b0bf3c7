/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SET_H
#define VCPC_SET_H

#include <linux/hashtable.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "instance.h"

struct vcpc_user;

#define VCPC_SET_HASH_BITS	6

/**
 * struct vcpc_set - requests that count together
 * @user: whom it is accounted to
 * @flags: VCPC_SET_F_*
 * @nr: number of requests
 * @lock: serializes all operations but a thread's sample of itself
 * @bound: number of instances; under @lock
 * @instances: by thread; changed under @lock, read under RCU
 * @requests: what it counts; fixed
 */
struct vcpc_set {
	struct vcpc_user *user;
	u32 flags;
	u32 nr;
	struct mutex lock;	/* see above */
	unsigned int bound;
	DECLARE_HASHTABLE(instances, VCPC_SET_HASH_BITS);
	struct vcpc_request requests[];
};

struct vcpc_set *vcpc_set_create(const struct vcpc_set_create_args *args, struct vcpc_user *user,
				 int *bad);
void vcpc_set_destroy(struct vcpc_set *set);
int vcpc_set_bind(struct vcpc_set *set, const struct vcpc_bind_args *args, int *bad);
int vcpc_set_unbind(struct vcpc_set *set, pid_t tid);
int vcpc_set_do(struct vcpc_set *set, pid_t tid, enum vcpc_op op, struct vcpc_sample *sample);
int vcpc_set_sample(struct vcpc_set *set, pid_t tid, struct vcpc_sample *sample);

#endif
