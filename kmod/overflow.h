/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_OVERFLOW_H
#define VCPC_OVERFLOW_H

#include <linux/types.h>

struct perf_event;
struct perf_sample_data;
struct pt_regs;
struct vcpc_instance;

int vcpc_overflow_open(struct vcpc_instance *inst);
void vcpc_overflow_close(struct vcpc_instance *inst);
void vcpc_overflow_interrupt(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs);
bool vcpc_overflow_restart(struct vcpc_instance *inst, const u64 *from);
void vcpc_overflow_inherited(struct vcpc_instance *inst);
void vcpc_instance_lost(struct vcpc_instance *inst);

#endif
