/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SETPAGE_H
#define VCPC_SETPAGE_H

struct pid;
struct vcpc_instance;
struct vcpc_sample;
struct vcpc_set;
struct vcpc_setpage;
struct vm_area_struct;

int vcpc_setpage_map(struct vcpc_set *set, struct vm_area_struct *vma);
void vcpc_setpage_free(struct vcpc_set *set);

void vcpc_setpage_enter(struct vcpc_instance *inst);
void vcpc_setpage_leave(struct vcpc_instance *inst);
void vcpc_setpage_publish(struct vcpc_instance *inst, const struct vcpc_sample *sample,
			  struct pid *pid);

#endif
