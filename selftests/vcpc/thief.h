/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Take all hardware counters of CPU 0 without the module. */
#ifndef VCPC_TEST_THIEF_H
#define VCPC_TEST_THIEF_H

#include <sched.h>

#include "calls.h"

#define LOOT	64

static inline int run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ? -errno : 0;
}

/* Take all counters of the CPU.  Events pinned to a CPU have priority over threads' events. */
static inline void take_all_counters(int fds[LOOT])
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};
	int i;

	for (i = 0; i < LOOT; i++)
		fds[i] = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static inline void give_counters_back(const int fds[LOOT])
{
	int i;

	for (i = 0; i < LOOT; i++)
		close(fds[i]);
}

#endif /* VCPC_TEST_THIEF_H */
