/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TARGET_H
#define VCPC_TARGET_H

#include <linux/sched.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "instance.h"
#include "set.h"

struct vcpc_binding;

struct vcpc_instance *vcpc_target_cpu(struct vcpc_set *set, int cpu);
int vcpc_target_unbind(struct vcpc_set *set, pid_t tid, u32 flags);
int vcpc_target_do(struct vcpc_set *set, pid_t tid, enum vcpc_op op, struct vcpc_sample *sample);
int vcpc_target_do_all(struct vcpc_set *set, pid_t tid, enum vcpc_op op);
int vcpc_target_preset(struct vcpc_set *set, const struct vcpc_preset_args *args);
int vcpc_target_sample_groups(struct vcpc_set *set, pid_t tid, struct vcpc_sample *sample,
			      struct vcpc_group_sample *groups);
int vcpc_target_total(struct vcpc_set *set, pid_t tid, struct vcpc_sample *total,
		      struct vcpc_group_sample *groups);
void vcpc_target_destroy(struct vcpc_set *set);

/**
 * vcpc_target_sample() - sample one of the instances of a set without groups
 * @set: the set
 * @tid: the instance's thread, or 0
 * @sample: room for a sample; filled on success
 *
 * The calling thread's own instance is the fast case: no lock but its own.
 *
 * Context: sleeps, but not in the fast case.
 * Return: as vcpc_target_do().
 */
static __always_inline int vcpc_target_sample(struct vcpc_set *set, pid_t tid,
					      struct vcpc_sample *sample)
{
	struct vcpc_instance *inst;
	int ret;

	if (!tid) {
		local_irq_disable();
		inst = vcpc_set_find_task(set, current);
		if (likely(inst)) {
			ret = vcpc_instance_sample_own(inst, sample, NULL);
			local_irq_enable();
			return ret;
		}
		local_irq_enable();
	}
	return vcpc_target_do(set, tid, VCPC_OP_SAMPLE, sample);
}

#endif
