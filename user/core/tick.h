/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU's counter as a clock: read it in user mode and convert its ticks to nanoseconds. */
#ifndef SHIM_CORE_TICK_H
#define SHIM_CORE_TICK_H

#include "bpf/trace.h"
#include "clock.h"

static inline uint64_t shim_tick__now(const struct vc_tick *tick)
{
	if (!tick->usable)
		return shim_clock__ns();
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return shim_clock__ns();
#endif
}

static inline uint64_t shim_tick__to_ns(const struct vc_tick *tick, uint64_t ticks)
{
	if (!tick->usable)
		return ticks;
	return (unsigned __int128)ticks * tick->mult >> 32;
}

void shim_tick__calibrate(struct vc_tick *tick);

#endif /* SHIM_CORE_TICK_H */
