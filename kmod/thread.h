/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_THREAD_H
#define VCPC_THREAD_H

#include <linux/types.h>

struct vcpc_instance;

typedef void (*vcpc_thread_fn)(struct vcpc_instance *inst, void *arg);

int vcpc_thread_add(struct vcpc_instance *inst);
void vcpc_thread_del(struct vcpc_instance *inst);
bool vcpc_thread_any_inherits(void);
void vcpc_thread_walk(vcpc_thread_fn fn, void *arg);

#endif
