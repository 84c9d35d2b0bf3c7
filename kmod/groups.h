/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_GROUPS_H
#define VCPC_GROUPS_H

#include <linux/types.h>
#include <linux/vcpc.h>

#include "rotation.h"

struct vcpc_counters;
struct vcpc_spec;

/**
 * struct vcpc_groups - groups of one thread's or CPU's counters, of which one counts at a time
 * @spec: which requests are in which
 * @period: after which the clock's alarm comes; under the set's lock
 * @time: of the last look at the present turn; under the instance's lock, as
 *	all that follows
 * @tick: likewise
 * @unseen: nobody saw when the present turn began
 * @gap: between two turns: no group counts
 * @rotation: whose turn it is
 */
struct vcpc_groups {
	const struct vcpc_spec *spec;
	u64 period;

	u64 time;
	u64 tick;
	bool unseen;
	bool gap;
	struct vcpc_rotation rotation;
};

struct vcpc_groups *vcpc_groups_create(const struct vcpc_spec *spec, u32 birth);
void vcpc_groups_free(struct vcpc_groups *g);

u64 vcpc_groups_left(const struct vcpc_groups *g);
void vcpc_groups_read(struct vcpc_groups *g, struct vcpc_counters *c, struct vcpc_sample *kept,
		      struct vcpc_sample *sample);
void vcpc_groups_resume(struct vcpc_groups *g, struct vcpc_counters *c,
			const struct vcpc_sample *kept, struct vcpc_sample *sample);
int vcpc_groups_end_turn(struct vcpc_groups *g, struct vcpc_counters *c, struct vcpc_sample *kept,
			 struct vcpc_sample *sample);
void vcpc_groups_begin_turn(struct vcpc_groups *g, struct vcpc_counters *c,
			    const struct vcpc_sample *kept, struct vcpc_sample *sample);

void vcpc_groups_fill(const struct vcpc_groups *g, struct vcpc_group_sample *groups);
void vcpc_groups_fold(const struct vcpc_groups *g, struct vcpc_group_sample *sum);
void vcpc_groups_add_up(struct vcpc_group_sample *sum, const struct vcpc_group_sample *one, u32 nr,
			bool cpu);

#endif
