/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse dates and times of day in words, in the reporting zone. */
#ifndef SHIM_PCP_DATE_H
#define SHIM_PCP_DATE_H

#include <stddef.h>
#include <time.h>

/*
 * Parse a date in the order of ctime(3).  Missing fields are derived from @start.  Returns NULL on
 * success, or a message about the error at byte @at of the text.
 */
const char *shim_date__fixed(const char *text, const struct timespec *start,
			     struct timespec *out, size_t *at);

/* Parse a date in any order, or relative to @now: "2 weeks ago".  Returns 0 or -EINVAL. */
int shim_date__free(const char *text, time_t now, time_t *out);

#endif /* SHIM_PCP_DATE_H */
