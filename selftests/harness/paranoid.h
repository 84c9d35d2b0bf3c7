/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skip tests of unprivileged programs if they cannot use perf, because kernel.perf_event_paranoid
 * is 3 (Debian's default) or more.
 */
#ifndef SELFTESTS_PARANOID_H
#define SELFTESTS_PARANOID_H

#include <stdio.h>

static inline int perf_event_paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 3;

	if (!f)
		return level;
	if (fscanf(f, "%d", &level) != 1)
		level = 3;
	fclose(f);
	return level;
}

/* Skip the test if perf_event_paranoid is above 2; must be the test's first statement. */
#define NEEDS_PARANOID_2() \
	do { \
		if (perf_event_paranoid() > 2) \
			SKIP(return, "kernel.perf_event_paranoid is greater than 2"); \
	} while (0)

#endif /* SELFTESTS_PARANOID_H */
