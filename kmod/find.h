/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_FIND_H
#define VCPC_FIND_H

#include <linux/types.h>

struct vcpc_binding;
struct vcpc_instance;
struct vcpc_set;

struct vcpc_instance *vcpc_find_instance(struct vcpc_set *set, pid_t tid);
struct vcpc_instance *vcpc_find_cpu(struct vcpc_set *set, int cpu);
int vcpc_find_bindings(struct vcpc_set *set, pid_t tid, struct vcpc_binding **named);

/* What vcpc_find_bindings() named is one, or NULL for all. */
static inline bool vcpc_find_is_meant(const struct vcpc_binding *b,
				      const struct vcpc_binding *named)
{
	return !named || b == named;
}

#endif
