/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_HOTPLUG_H
#define VCPC_HOTPLUG_H

int vcpc_hotplug_init(void);
void vcpc_hotplug_exit(void);

#endif
