/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Convert local times in any time zone without changing TZ, which other threads may be reading. */
#ifndef SHIM_BASE_TZ_H
#define SHIM_BASE_TZ_H

#include <time.h>

struct shim_tz;

int shim_tz__open(const char *name, struct shim_tz **out);
int shim_tz__open_foreign(const char *name, struct shim_tz **out);
void shim_tz__close(struct shim_tz *tz);
int shim_tz__local(const struct shim_tz *tz, time_t t, struct tm *out);
int shim_tz__make(const struct shim_tz *tz, struct tm *tm, time_t *out);

#endif /* SHIM_BASE_TZ_H */
