/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_HARDWARE_H
#define VCPC_HARDWARE_H

#include <linux/types.h>
#include <linux/vcpc.h>

void vcpc_hardware_init(void);
int vcpc_hardware_check(const struct vcpc_request *req);
int vcpc_hardware_rehearse(const struct vcpc_request *reqs, unsigned int nr, int *bad);
bool vcpc_hardware_mixed(void);
unsigned int vcpc_hardware_slots(void);
void vcpc_hardware_saw(unsigned int nr);

/* KUnit's suites look for these. */
unsigned int vcpc_hardware_try_slots(void);

#endif
