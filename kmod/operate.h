/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_OPERATE_H
#define VCPC_OPERATE_H

#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/vcpc.h>

#include "counter.h"
#include "instance.h"

/* What can be done with an instance where its counters can be read */
enum vcpc_op {
	VCPC_OP_CHECK,		/* only see whether the counters are whole */
	VCPC_OP_SAMPLE,
	VCPC_OP_ENABLE,
	VCPC_OP_DISABLE,
	VCPC_OP_RESTART,	/* count from the presets */
	VCPC_OP_END_TURN,	/* -EINPROGRESS if it is not over */
	VCPC_OP_BEGIN_TURN,
};

int vcpc_operate_on(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample);
int vcpc_operate_groups(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample,
			struct vcpc_group_sample *groups);
int vcpc_operate_sample(struct vcpc_instance *inst, struct vcpc_sample *sample,
			struct vcpc_group_sample *groups);
void vcpc_operate_offline(struct vcpc_instance *inst);

/**
 * vcpc_operate_sample_self() - sample the calling thread's own instance
 * @inst: the instance
 * @sample: filled on success
 * @groups: filled on success if it has groups and this is not NULL
 *
 * Context: interrupts off.
 * Return: 0; -EINVAL if it is being closed; -EAGAIN if counts were lost.
 */
static __always_inline int vcpc_operate_sample_self(struct vcpc_instance *inst,
						    struct vcpc_sample *sample,
						    struct vcpc_group_sample *groups)
{
	int ret;

	raw_spin_lock(&inst->lock);
	if (likely(!inst->state)) {
		ret = vcpc_counter_read(inst->counters, ktime_get_ns(), sample);
		if (unlikely(ret))
			inst->state |= VCPC_INSTANCE_INVALID;
	} else {
		ret = vcpc_operate_sample(inst, sample, groups);
	}
	raw_spin_unlock(&inst->lock);
	return ret;
}

#endif
