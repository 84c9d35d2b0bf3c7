/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dates and times of day from words, in the reporting zone. */
#ifndef SHIM_PCP_DATE_H
#define SHIM_PCP_DATE_H

#include <stddef.h>
#include <time.h>

/*
 * Parses a date in the order of ctime(3).  Fields that are left out follow from @start.  Returns
 * NULL on success, or what is wrong at byte @at of the text.
 */
const char *shim_date__fixed(const char *text, const struct timespec *start,
			     struct timespec *out, size_t *at);

/*
 * Parses a date in any order, or one relative to @now: "yesterday 10:00", "2 weeks ago".
 * 0 or -EINVAL.
 */
int shim_date__free(const char *text, time_t now, time_t *out);

#endif /* SHIM_PCP_DATE_H */
