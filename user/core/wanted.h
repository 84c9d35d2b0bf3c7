/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The events that the tracing session wants each traced thread to count. */
#ifndef SHIM_CORE_WANTED_H
#define SHIM_CORE_WANTED_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/vcpc.h>

#include "bpf/trace.h"

int shim_wanted__set(const struct vc_events *events);
void shim_wanted__forget(void);
uint64_t shim_wanted__id(void);
int shim_wanted__read(struct vcpc_request reqs[VC_MAX_COUNTERS], unsigned int *n, bool user_only);

#endif /* SHIM_CORE_WANTED_H */
