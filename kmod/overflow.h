/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_OVERFLOW_H
#define VCPC_OVERFLOW_H

#include <linux/types.h>

struct vcpc_alarm;
struct vcpc_instance;
struct vcpc_overflow;

struct vcpc_overflow *vcpc_overflow_create(struct vcpc_instance *inst);
void vcpc_overflow_close(struct vcpc_overflow *o);
bool vcpc_overflow_alarm(struct vcpc_overflow *o, u32 i, struct vcpc_alarm *alarm);
void vcpc_overflow_from(struct vcpc_overflow *o, const u64 *values);
void vcpc_overflow_arm(struct vcpc_overflow *o);
void vcpc_overflow_late(struct vcpc_instance *inst);
void vcpc_overflow_born(struct vcpc_instance *inst);
void vcpc_overflow_counts(const struct vcpc_overflow *o, u64 *counts);

#endif
