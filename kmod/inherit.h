/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_INHERIT_H
#define VCPC_INHERIT_H

#include <linux/types.h>

void vcpc_inherit_init(void);
void vcpc_inherit_exit(void);
bool vcpc_inherit_can(void);

#endif
