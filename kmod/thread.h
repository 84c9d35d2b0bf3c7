/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_THREAD_H
#define VCPC_THREAD_H

#include <linux/types.h>

struct vcpc_instance;
struct vcpc_set;

typedef void (*vcpc_thread_fn)(struct vcpc_instance *inst, void *arg);

int vcpc_thread_add(struct vcpc_instance *inst);
void vcpc_thread_del(struct vcpc_instance *inst);
struct vcpc_instance *vcpc_thread_find(const struct vcpc_set *set);
void vcpc_thread_walk(vcpc_thread_fn fn, void *arg);

#endif
