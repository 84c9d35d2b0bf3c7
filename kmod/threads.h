/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_THREADS_H
#define VCPC_THREADS_H

#include <linux/types.h>

struct task_struct;
struct vcpc_instance;
struct vcpc_pace;

typedef void (*vcpc_threads_fn)(struct vcpc_instance *inst, void *arg);

int vcpc_threads_charge(struct task_struct *task, unsigned int nr, struct vcpc_pace **pace);
void vcpc_threads_uncharge(struct task_struct *task, unsigned int nr);
void vcpc_threads_add(struct vcpc_instance *inst);
bool vcpc_threads_del(struct vcpc_instance *inst);
void vcpc_threads_walk(const struct task_struct *task, vcpc_threads_fn fn, void *arg);

#endif
