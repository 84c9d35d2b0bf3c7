/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_HARDWARE_H
#define VCPC_HARDWARE_H

struct vcpc_request;

void vcpc_hardware_init(void);
void vcpc_hardware_exit(void);
int vcpc_hardware_check(const struct vcpc_request *req);
unsigned int vcpc_hardware_slots(void);

#endif
