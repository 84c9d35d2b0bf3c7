/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The clock for sample times: CLOCK_MONOTONIC, in nanoseconds. */
#ifndef SHIM_CORE_CLOCK_H
#define SHIM_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* clock_gettime(2) of the C library or of the vDSO, see shim_clock__find() */
extern int (*shim_clock__gettime)(clockid_t clock, struct timespec *ts)
	__attribute__((visibility("hidden")));

static inline uint64_t shim_clock__ns(void)
{
	struct timespec ts;

	shim_clock__gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void shim_clock__find(void);

#endif /* SHIM_CORE_CLOCK_H */
