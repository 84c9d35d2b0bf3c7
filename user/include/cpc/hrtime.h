/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Solaris' high-resolution clock, in nanoseconds.
 *
 * A program with its own hrtime_t or gethrtime() defines SHIM_NO_HRTIME.
 */
#ifndef SHIM_HRTIME_H
#define SHIM_HRTIME_H

typedef long long shim_hrtime_t;

#ifndef SHIM_NO_HRTIME
#ifdef __cplusplus
extern "C" {
#endif

typedef long long hrtime_t;

/* Return the time of CLOCK_MONOTONIC in nanoseconds, the clock of cpc_buf_hrtime(). */
hrtime_t gethrtime(void);

#ifdef __cplusplus
}
#endif
#endif

#endif /* SHIM_HRTIME_H */
