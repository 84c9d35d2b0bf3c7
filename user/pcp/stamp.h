/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convert between the C library's two time structures and struct shim_ts. */
#ifndef SHIM_PCP_STAMP_H
#define SHIM_PCP_STAMP_H

#include <sys/time.h>
#include <time.h>

#include "base/tstamp.h"

/* Make a normalized stamp, even from a fraction that is negative or at least a second. */
static inline struct shim_ts shim_stamp__make(int64_t sec, int64_t nsec)
{
	struct shim_ts ts;
	int64_t carry = nsec / 1000000000;

	nsec %= 1000000000;
	if (nsec < 0) {
		nsec += 1000000000;
		carry--;
	}
	if (__builtin_add_overflow(sec, carry, &ts.sec))
		ts.sec = carry < 0 ? INT64_MIN : INT64_MAX;
	ts.nsec = nsec;
	return ts;
}

static inline struct shim_ts shim_stamp__from_timeval(const struct timeval *tv)
{
	int64_t usec = tv->tv_usec, sec;

	if (__builtin_add_overflow((int64_t)tv->tv_sec, usec / 1000000, &sec))
		sec = usec < 0 ? INT64_MIN : INT64_MAX;
	return shim_stamp__make(sec, usec % 1000000 * 1000);
}

static inline struct timespec shim_stamp__to_timespec(struct shim_ts ts)
{
	return (struct timespec){ .tv_sec = ts.sec, .tv_nsec = ts.nsec };
}

static inline struct timeval shim_stamp__to_timeval(struct shim_ts ts)
{
	return (struct timeval){ .tv_sec = ts.sec, .tv_usec = ts.nsec / 1000 };
}

#endif /* SHIM_PCP_STAMP_H */
