/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_HOTPLUG_H
#define VCPC_HOTPLUG_H

struct vcpc_instance;

int vcpc_hotplug_init(void);
void vcpc_hotplug_exit(void);
void vcpc_hotplug_add(struct vcpc_instance *inst);
void vcpc_hotplug_del(struct vcpc_instance *inst);

#endif
