// SPDX-License-Identifier: GPL-2.0-or-later
/* When preloaded, advance CLOCK_MONOTONIC by STEP_MS ms (default 200) with each query. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS_PER_S 1000

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	static int64_t ms = 1000000;
	const char *step = getenv("STEP_MS");

	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, ts);
	ms += step ? atoi(step) : 200;
	ts->tv_sec = ms / MS_PER_S;
	ts->tv_nsec = ms % MS_PER_S * 1000000;
	return 0;
}
