/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The value of a counter between two values: arithmetic alone, as PCP does it. */
#ifndef SHIM_ARCHIVE_LERP_H
#define SHIM_ARCHIVE_LERP_H

#include <stdbool.h>

#include "types.h"

/**
 * struct shim_span - where between two observations
 * @t: the time asked for
 * @p: of the observation before it, < @t
 * @n: of the one behind it, > @t; all in seconds since the archive's start
 * @wrap: a counter that decreases has wrapped
 */
struct shim_span {
	double t, p, n;
	bool wrap;
};

bool shim_lerp__can(int32_t type);
/* @a and @b have a type that can be; a with the value in between */
struct shim_value shim_lerp__value(const struct shim_span *span, const struct shim_value *a,
				   const struct shim_value *b);
/* The time of @ts after @start in seconds, rounded once, as PCP computes it */
double shim_lerp__seconds(struct shim_ts ts, struct shim_ts start);

#endif /* SHIM_ARCHIVE_LERP_H */
