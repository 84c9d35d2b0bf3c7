/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read this CPU's counters, and the clock that perf's mmap pages refer to, in user mode. */
#ifndef SHIM_CORE_PERF_CPU_H
#define SHIM_CORE_PERF_CPU_H

#include "perf_page.h"

/* For struct shim_page_cpu.  On CPUs other than those below nothing can be read. */
__u64 shim_cpu__place(__u32 index, unsigned int width);
void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values);

static inline __u64 shim_cpu__clock(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	__u64 ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

static const struct shim_page_cpu shim_cpu__this __attribute__((unused)) = {
	.place = shim_cpu__place,
	.counters = shim_cpu__counters,
	.clock = shim_cpu__clock,
};

#endif /* SHIM_CORE_PERF_CPU_H */
