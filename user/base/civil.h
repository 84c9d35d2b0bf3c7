/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dates of UTC, by days of 86,400 seconds.  The C library's gmtime() and timegm() count leap seconds
 * if those of the process' TZ do, which is no matter of other zones.
 */
#ifndef SHIM_BASE_CIVIL_H
#define SHIM_BASE_CIVIL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/* As gmtime_r(); false if the year is none of an int's, and then @out is not written */
bool shim_civil__date(int64_t t, struct tm *out);
/* As timegm(), but @tm is left as it is: its members may have any values */
int64_t shim_civil__time(const struct tm *tm);

#endif /* SHIM_BASE_CIVIL_H */
