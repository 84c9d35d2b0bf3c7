/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_MUX_H
#define VCPC_MUX_H

#include <linux/types.h>
#include <linux/vcpc.h>

#include "rotation.h"

struct vcpc_alarm;
struct vcpc_errand;
struct vcpc_instance;
struct vcpc_set;

/**
 * struct vcpc_mux - the groups of an instance, which take turns
 * @errand: changes over to the next group
 * @set: whose
 * @inst: of which instance
 * @period: after which the clock rings; under the set's lock
 * @time: of the last look at the present turn; under the instance's lock, as
 *	all that follows
 * @tick: likewise
 * @unseen: nobody saw when the present turn began
 * @gap: between two turns: no group counts
 * @rotation: whose turn it is
 */
struct vcpc_mux {
	struct vcpc_errand *errand;
	struct vcpc_set *set;
	struct vcpc_instance *inst;
	u64 period;

	u64 time;
	u64 tick;
	bool unseen;
	bool gap;
	struct vcpc_rotation rotation;
};

struct vcpc_mux *vcpc_mux_create(struct vcpc_set *set, struct vcpc_instance *inst, u32 birth);
void vcpc_mux_close(struct vcpc_mux *m);
void vcpc_mux_alarm(struct vcpc_mux *m, struct vcpc_alarm *alarm);
void vcpc_mux_arm(struct vcpc_mux *m);

int vcpc_mux_read(struct vcpc_mux *m, struct vcpc_sample *sample);
void vcpc_mux_resume(struct vcpc_mux *m, struct vcpc_sample *sample);
int vcpc_mux_end_turn(struct vcpc_mux *m, struct vcpc_sample *sample);
void vcpc_mux_begin_turn(struct vcpc_mux *m, struct vcpc_sample *sample);
void vcpc_mux_turns(const struct vcpc_mux *m, struct vcpc_group_sample *groups);
void vcpc_mux_fold(const struct vcpc_mux *m, struct vcpc_group_sample *sum);
void vcpc_mux_add_up(struct vcpc_group_sample *sum, const struct vcpc_group_sample *one, u32 nr,
		     bool cpu);

#endif
