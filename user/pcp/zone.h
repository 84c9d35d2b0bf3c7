/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times and dates in the reporting zone. */
#ifndef SHIM_PCP_ZONE_H
#define SHIM_PCP_ZONE_H

#include <time.h>

int shim_zone__local(time_t t, struct tm *out);
/* Like mktime(): @tm is normalized.  Returns 0, or -EOVERFLOW, in which case nothing is changed. */
int shim_zone__make(struct tm *tm, time_t *out);

#endif /* SHIM_PCP_ZONE_H */
