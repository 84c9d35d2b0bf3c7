/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sleep for a whole time, although signals arrive. */
#ifndef SHIM_BASE_NAP_H
#define SHIM_BASE_NAP_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

/*
 * Callers limit a wait by the number of their naps, so a signal must not shorten one.  This is a
 * cancellation point.
 */
static inline void shim_nap(int64_t ns)
{
	struct timespec left = { .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

#endif /* SHIM_BASE_NAP_H */
