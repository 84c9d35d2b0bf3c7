/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perform work with known counts, and measure the memory in use. */
#ifndef AIX_WORK_H
#define AIX_WORK_H

#include <stdio.h>

#include "aix_test.h"
#include "known_work.h"

/*
 * Return the number of private pages of the process from its page tables. The file statm is updated
 * late and includes file pages.
 */
static inline long resident(void)
{
	char line[128];
	long kb, pages = -1;
	FILE *f = fopen("/proc/self/smaps_rollup", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Anonymous: %ld kB", &kb) == 1)
			pages = kb / 4;
	if (f)
		fclose(f);
	return pages;
}

#endif /* AIX_WORK_H */
