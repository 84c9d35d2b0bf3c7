/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_PROBE_H
#define VCPC_PROBE_H

#include <linux/vcpc.h>

int vcpc_probe_check(const struct vcpc_request *req);
int vcpc_probe_rehearse(const struct vcpc_request *reqs, unsigned int nr, int *bad);
int vcpc_probe_core_type(int cpu);
unsigned int vcpc_probe_slots(void);

#endif
