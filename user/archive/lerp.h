/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolation of a counter between two observations: only the arithmetic, as PCP does it. */
#ifndef SHIM_ARCHIVE_LERP_H
#define SHIM_ARCHIVE_LERP_H

#include <stdbool.h>

#include "types.h"

/**
 * struct shim_span - the times of two observations, and one in between
 * @t: the time asked for
 * @p: time of the observation before it, < @t
 * @n: time of the observation after it, > @t; all in seconds since the archive's start
 * @wrap: a counter that decreases has wrapped around
 */
struct shim_span {
	double t, p, n;
	bool wrap;
};

bool shim_lerp__can(int32_t type);
/* @a, with the value between those of @a and @b, whose type is one that shim_lerp__can() accepts */
struct shim_value shim_lerp__value(const struct shim_span *span, const struct shim_value *a,
				   const struct shim_value *b);
/* Whether @span's time is nearer to the next observation; halfway is not. */
static inline bool shim_lerp__is_past_middle(const struct shim_span *span)
{
	return span->t > (span->p + span->n) / 2;
}

/* Seconds from @start to @ts, rounded once, as PCP computes it */
double shim_lerp__seconds(struct shim_ts ts, struct shim_ts start);

#endif /* SHIM_ARCHIVE_LERP_H */
