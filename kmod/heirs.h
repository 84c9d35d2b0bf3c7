/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_HEIRS_H
#define VCPC_HEIRS_H

#include <linux/types.h>

struct vcpc_set;

void vcpc_heirs_init(void);
void vcpc_heirs_exit(void);
bool vcpc_heirs_can(void);
int vcpc_heirs_watch(struct vcpc_set *set);
void vcpc_heirs_unwatch(struct vcpc_set *set);

#endif
