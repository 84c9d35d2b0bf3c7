/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When to try a failed connection again. */
#ifndef SHIM_TRACE_RETRY_H
#define SHIM_TRACE_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"
#include "env.h"

/**
 * struct shim_retry - failed attempts to connect; initially all zero
 * @failures: number of consecutive failures
 * @at_ns: CLOCK_MONOTONIC before which no new attempt is made
 * @error: error of the last one
 */
struct shim_retry {
	unsigned int failures;
	uint64_t at_ns;
	int error;
};

static inline bool shim_retry__is_early(const struct shim_retry *retry)
{
	return retry->failures && shim_clock__now() < retry->at_ns;
}

static inline void shim_retry__failed(struct shim_retry *retry, int err)
{
	retry->error = err;
	retry->failures++;
	retry->at_ns = shim_clock__now() + shim_env__retry_ns(retry->failures);
}

/* Note the result of an attempt, 0 or an error, and return it. */
static inline int shim_retry__see(struct shim_retry *retry, int err)
{
	if (err)
		shim_retry__failed(retry, err);
	else
		retry->failures = 0;
	return err;
}

#endif /* SHIM_TRACE_RETRY_H */
