/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The environment variables of the trace calls, their clock, and the time of the next attempt after
 * a failed connection.
 */
#ifndef SHIM_TRACE_ENV_H
#define SHIM_TRACE_ENV_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Return the current time by the clock used for transactions and waits. */
static inline uint64_t shim_clock__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void shim_env__warn(const char *name, const char *value);
const char *shim_env__transport(void);
const char *shim_env__host(void);
uint16_t shim_env__port(void);
uint64_t shim_env__connect_ns(void);
uint64_t shim_env__answer_ns(void);
uint64_t shim_env__retry_ns(unsigned int failures);

/**
 * struct shim_retry - failed attempts to connect; initially all zero
 * @failures: number of consecutive failures
 * @at_ns: CLOCK_MONOTONIC before which no new attempt is made
 * @error: error from the last attempt
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

/* Record the result of an attempt, 0 or an error, and return it. */
static inline int shim_retry__see(struct shim_retry *retry, int err)
{
	if (err)
		shim_retry__failed(retry, err);
	else
		retry->failures = 0;
	return err;
}

#endif /* SHIM_TRACE_ENV_H */
