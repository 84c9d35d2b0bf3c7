/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTC dates, with days of 86,400 seconds.  The C library's gmtime() and timegm() count leap seconds
 * if the zone in the process's TZ does, so they are not suitable for other zones.
 */
#ifndef SHIM_BASE_CIVIL_H
#define SHIM_BASE_CIVIL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* Like gmtime_r(); false if the year does not fit in an int, in which case @out is not written. */
bool shim_civil__date(int64_t t, struct tm *out);
/* Like timegm(), but does not change @tm, whose members may have any values. */
int64_t shim_civil__time(const struct tm *tm);

#endif /* SHIM_BASE_CIVIL_H */
