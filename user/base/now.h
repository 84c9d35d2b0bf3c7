/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The time of CLOCK_MONOTONIC in nanoseconds */
#ifndef SHIM_BASE_NOW_H
#define SHIM_BASE_NOW_H

#include <stdint.h>
#include <time.h>

static inline int64_t shim_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

#endif /* SHIM_BASE_NOW_H */
