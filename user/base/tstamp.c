// SPDX-License-Identifier: LGPL-2.1-or-later
/* Arithmetic of time stamps; seconds saturate instead of wrapping. */
#include "tstamp.h"

#define NSEC_PER_SEC	1000000000

static const struct shim_ts ts_min = { INT64_MIN, 0 };
static const struct shim_ts ts_max = { INT64_MAX, NSEC_PER_SEC - 1 };

/* Normalize nsec to 0 .. 999999999, then saturate sec to 64 bits. */
static struct shim_ts finish(__int128 sec, int64_t nsec)
{
	if (nsec < 0) {
		nsec += NSEC_PER_SEC;
		sec--;
	} else if (nsec >= NSEC_PER_SEC) {
		nsec -= NSEC_PER_SEC;
		sec++;
	}
	if (sec < INT64_MIN)
		return ts_min;
	if (sec > INT64_MAX)
		return ts_max;
	return (struct shim_ts){ (int64_t)sec, (int32_t)nsec };
}

struct shim_ts shim_ts__add(struct shim_ts a, struct shim_ts b)
{
	return finish((__int128)a.sec + b.sec, (int64_t)a.nsec + b.nsec);
}

struct shim_ts shim_ts__sub(struct shim_ts a, struct shim_ts b)
{
	return finish((__int128)a.sec - b.sec, (int64_t)a.nsec - b.nsec);
}

struct shim_ts shim_ts__from_ns(int64_t ns)
{
	return finish(ns / NSEC_PER_SEC, ns % NSEC_PER_SEC);
}

double shim_ts__seconds(struct shim_ts difference)
{
	return (double)difference.sec + difference.nsec / 1e9;
}
