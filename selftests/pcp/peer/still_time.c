// SPDX-License-Identifier: GPL-2.0-or-later
/* When preloaded, always return the same time of day, so that two programs print the same times. */
#include <sys/time.h>
#include <time.h>

#define NOW 1700000000

time_t time(time_t *t)
{
	if (t)
		*t = NOW;
	return NOW;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	(void)zone;
	tv->tv_sec = NOW;
	tv->tv_usec = 0;
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	ts->tv_sec = NOW;
	ts->tv_nsec = 0;
	return 0;
}
