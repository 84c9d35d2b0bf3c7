/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TASKTABLE_H
#define VCPC_TASKTABLE_H

struct task_struct;
struct vcpc_instance;

typedef void (*vcpc_tasktable_fn)(struct vcpc_instance *inst, void *arg);

void vcpc_tasktable_add(struct vcpc_instance *inst);
void vcpc_tasktable_del(struct vcpc_instance *inst);
void vcpc_tasktable_walk(const struct task_struct *task, vcpc_tasktable_fn fn, void *arg);

#endif
