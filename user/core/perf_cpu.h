/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Read this CPU's counters, and the clock that perf's mapped pages refer to, in user mode. */
#ifndef SHIM_CORE_PERF_CPU_H
#define SHIM_CORE_PERF_CPU_H

#include <linux/types.h>

#if defined(__x86_64__)

static inline __u64 shim_cpu__counter(__u32 index)
{
	return __builtin_ia32_rdpmc(index);
}

static inline __u64 shim_cpu__clock(void)
{
	return __builtin_ia32_rdtsc();
}

#elif defined(__aarch64__)

#define SHIM_CPU_EVENT(n)							\
	case n:									\
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));	\
		break

static inline __attribute__((always_inline)) __u64 shim_cpu__counter(__u32 index)
{
	__u64 value = 0;

	switch (index) {
	SHIM_CPU_EVENT(0);
	SHIM_CPU_EVENT(1);
	SHIM_CPU_EVENT(2);
	SHIM_CPU_EVENT(3);
	SHIM_CPU_EVENT(4);
	SHIM_CPU_EVENT(5);
	SHIM_CPU_EVENT(6);
	SHIM_CPU_EVENT(7);
	SHIM_CPU_EVENT(8);
	SHIM_CPU_EVENT(9);
	SHIM_CPU_EVENT(10);
	SHIM_CPU_EVENT(11);
	SHIM_CPU_EVENT(12);
	SHIM_CPU_EVENT(13);
	SHIM_CPU_EVENT(14);
	SHIM_CPU_EVENT(15);
	SHIM_CPU_EVENT(16);
	SHIM_CPU_EVENT(17);
	SHIM_CPU_EVENT(18);
	SHIM_CPU_EVENT(19);
	SHIM_CPU_EVENT(20);
	SHIM_CPU_EVENT(21);
	SHIM_CPU_EVENT(22);
	SHIM_CPU_EVENT(23);
	SHIM_CPU_EVENT(24);
	SHIM_CPU_EVENT(25);
	SHIM_CPU_EVENT(26);
	SHIM_CPU_EVENT(27);
	SHIM_CPU_EVENT(28);
	SHIM_CPU_EVENT(29);
	SHIM_CPU_EVENT(30);
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	}
	return value;
}

static inline __u64 shim_cpu__clock(void)
{
	__u64 ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

#else
#define SHIM_CPU_IS_NOT_READ
#endif

#endif /* SHIM_CORE_PERF_CPU_H */
