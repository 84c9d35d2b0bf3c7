/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Time stamps: seconds and nanoseconds since the epoch, with comparison and addition */
#ifndef SHIM_BASE_TSTAMP_H
#define SHIM_BASE_TSTAMP_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/**
 * struct shim_ts - a point in time, or a signed difference between two
 * @sec: seconds, may be negative
 * @nsec: always 0 .. 999999999, even if @sec is negative
 */
struct shim_ts {
	int64_t sec;
	int32_t nsec;
};

/* Return -1, 0 or 1 if a is before, at or after b. */
static inline int shim_ts__cmp(struct shim_ts a, struct shim_ts b)
{
	if (a.sec != b.sec)
		return a.sec < b.sec ? -1 : 1;
	if (a.nsec != b.nsec)
		return a.nsec < b.nsec ? -1 : 1;
	return 0;
}

struct shim_ts shim_ts__add(struct shim_ts a, struct shim_ts b);
struct shim_ts shim_ts__sub(struct shim_ts a, struct shim_ts b);
struct shim_ts shim_ts__from_ns(int64_t ns);
double shim_ts__seconds(struct shim_ts difference);

/*
 * UTC dates, with days of 86,400 seconds.  The C library's gmtime() and timegm() count leap seconds
 * if the zone in the process's TZ does, so they are not suitable for other zones.
 */

/* Like gmtime_r().  Return false, and do not write @out, if the year does not fit into an int. */
bool shim_civil__date(int64_t t, struct tm *out);
/* Like timegm(), but does not change @tm, whose members may have any values. */
int64_t shim_civil__time(const struct tm *tm);

#endif /* SHIM_BASE_TSTAMP_H */
