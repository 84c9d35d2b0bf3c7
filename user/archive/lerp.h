/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolate a counter between two observations: the arithmetic only, identical to PCP's. */
#ifndef SHIM_ARCHIVE_LERP_H
#define SHIM_ARCHIVE_LERP_H

#include <stdbool.h>

#include "types.h"

/**
 * struct shim_span - the times of two observations, and one in between
 * @t: the requested time
 * @p: time of the observation before it, < @t
 * @n: time of the observation after it, > @t; all in seconds since the archive's start
 * @wrap: a counter that decreases has wrapped around
 */
struct shim_span {
	double t, p, n;
	bool wrap;
};

bool shim_lerp__can(int32_t type);
/* @a with the value between @a and @b at @span->t; shim_lerp__can() must accept the type */
struct shim_value shim_lerp__value(const struct shim_span *span, const struct shim_value *a,
				   const struct shim_value *b);
/* Whether @span->t is nearer to the next observation; false if it is exactly halfway. */
static inline bool shim_lerp__is_past_middle(const struct shim_span *span)
{
	return span->t > (span->p + span->n) / 2;
}

/* Seconds from @start to @ts, rounded once, as in PCP */
double shim_lerp__seconds(struct shim_ts ts, struct shim_ts start);

#endif /* SHIM_ARCHIVE_LERP_H */
