/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of sets on CPUs share.
 */
#ifndef CPU_H
#define CPU_H

#include <sched.h>

#include "vcpc_test.h"

static const struct vcpc_request cpu_clock UNUSED = {
	.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
	.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
};

static inline int cpu_bind(int set, __u32 flags, int cpu)
{
	return set_bind(set, VCPC_BIND_F_CPU | flags, cpu);
}

static inline int cpu_target(int set, unsigned long cmd, int cpu)
{
	struct vcpc_target_args args = {
		.size = sizeof(args), .flags = VCPC_TARGET_F_CPU, .tid = cpu,
	};

	return call(set, cmd, &args);
}

static inline int cpu_sample(int set, int cpu, struct room *room)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = VCPC_SAMPLE_F_CPU,
		.tid = cpu,
		.buf_size = sizeof(*room),
		.buf = pointer(room),
	};

	return call(set, VCPC_IOC_SAMPLE, &args);
}

static inline int run_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ? -errno : 0;
}

#endif /* CPU_H */
