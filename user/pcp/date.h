/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dates and times of day from words, in the reporting zone. */
#ifndef SHIM_PCP_DATE_H
#define SHIM_PCP_DATE_H

#include <stddef.h>
#include <time.h>

/*
 * As ctime(3) writes them.  NULL, or what is wrong with the text's @at-th byte; what
 * is left out of it follows from @start.
 */
const char *shim_date__fixed(const char *text, const struct timespec *start,
			     struct timespec *out, size_t *at);

/*
 * Any order, and relative ones: "yesterday 10:00", "2 weeks ago".  Relative to @now.
 * 0 or -EINVAL.
 */
int shim_date__free(const char *text, time_t now, time_t *out);

#endif /* SHIM_PCP_DATE_H */
