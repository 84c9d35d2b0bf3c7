/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock for the times of transactions and waits. */
#ifndef SHIM_TRACE_CLOCK_H
#define SHIM_TRACE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t shim_clock__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

#endif /* SHIM_TRACE_CLOCK_H */
