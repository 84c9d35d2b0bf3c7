/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Count events in calls of traced functions, in the threads of one process. */
#ifndef SHIM_CORE_BPF_FUNCTION_COUNTS_H
#define SHIM_CORE_BPF_FUNCTION_COUNTS_H

#include <stdint.h>
#include <sys/types.h>

#include "bpf/function.h"

int shim_function_counts__wanted(struct vc_events *events);
int shim_function_counts__open(pid_t pid, const struct vc_events *events, int counter_map,
			       int thread_map, int events_map);

#endif /* SHIM_CORE_BPF_FUNCTION_COUNTS_H */
