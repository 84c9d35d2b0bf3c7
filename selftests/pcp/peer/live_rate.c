// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetch repeatedly from a host's pmcd, and print the CPU time (user and system) of this process per
 * fetch, in ns.
 *
 * usage: live_rate SPEC TIMES METRIC...
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pcp/pmapi.h>

#define MAX_METRICS 64

static double cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int fetch(int n, pmID *pmids)
{
	pmHighResResult *r;
	int err = pmFetchHighRes(n, pmids, &r);

	if (err >= 0)
		pmFreeHighResResult(r);
	return err;
}

int main(int argc, char **argv)
{
	int times = argc > 3 ? atoi(argv[2]) : 0, n = argc - 3;
	pmID pmids[MAX_METRICS];
	double before;

	if (times < 1 || n > MAX_METRICS)
		return 2;
	if (pmNewContext(PM_CONTEXT_HOST, argv[1]) < 0 ||
	    pmLookupName(n, (const char **)argv + 3, pmids) != n || fetch(n, pmids) < 0)
		return 1;
	before = cpu_ns();
	for (int i = 0; i < times; i++)
		if (fetch(n, pmids) < 0)
			return 1;
	printf("%.0f\n", (cpu_ns() - before) / times);
	return 0;
}
