/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_CAPS_H
#define VCPC_CAPS_H

#include <linux/types.h>

struct task_struct;
struct vcpc_request;

void vcpc_caps_init(void);
int vcpc_caps_request(const struct vcpc_request *req);
int vcpc_caps_target(struct task_struct *task);
int vcpc_caps_cpu(void);
bool vcpc_caps_mixed(void);
unsigned int vcpc_caps_slots(void);
void vcpc_caps_saw(unsigned int hw);

#endif
