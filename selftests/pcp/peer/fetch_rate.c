// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many fetches a second of CPU time, in each mode; built against libshim
 * and against PCP's own library, and run in turn.
 *
 * usage: fetch_rate ARCHIVE
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <pcp/pmapi.h>

#define METRICS	48

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int run(pmID *pmids, int n)
{
	pmResult *r;
	int fetches = 0;

	while (pmFetch(n, pmids, &r) >= 0) {
		pmFreeResult(r);
		fetches++;
	}
	return fetches;
}

static void measure(const char *what, int mode, const struct timeval *from, int seconds,
		    pmID *pmids, int n)
{
	double start, best = 1e9;
	int fetches = 0;

	for (int i = 0; i < 3; i++) {
		pmSetMode(mode | PM_XTB_SET(PM_TIME_SEC), from, seconds);
		start = now();
		fetches = run(pmids, n);
		start = now() - start;
		best = start < best ? start : best;
	}
	printf("%-28s %8d fetches %10.0f a second\n", what, fetches, fetches / best);
}

/* Random jumps over the whole archive */
static void measure_jumps(const char *what, int jumps, const struct timeval *start,
			  const struct timeval *end, pmID *pmids, int n)
{
	double begin = now();
	long span = end->tv_sec - start->tv_sec;
	pmResult *r;

	srandom(1);
	for (int i = 0; i < jumps; i++) {
		struct timeval when = { start->tv_sec + random() % span, 500000 };

		pmSetMode(PM_MODE_INTERP, &when, 1000);
		if (pmFetch(n, pmids, &r) >= 0)
			pmFreeResult(r);
	}
	printf("%-28s %8d fetches %10.0f a second\n", what, jumps, jumps / (now() - begin));
}

int main(int argc, char **argv)
{
	pmID pmids[METRICS];
	struct timeval end;
	const char *name;
	pmLogLabel label;
	double start = now();

	if (argc != 2 || pmNewContext(PM_CONTEXT_ARCHIVE, argv[1]) < 0)
		return 2;
	pmGetArchiveLabel(&label);
	pmGetArchiveEnd(&end);
	printf("open %.3f ms\n", (now() - start) * 1e3);
	for (int i = 0; i < METRICS; i++) {
		char text[32];

		snprintf(text, sizeof(text), "big.m%d", i);
		name = text;
		if (pmLookupName(1, &name, &pmids[i]) < 0)
			return 2;
	}
	measure("FORW", PM_MODE_FORW, &label.ll_start, 0, pmids, METRICS);
	measure("BACK", PM_MODE_BACK, &end, 0, pmids, METRICS);
	measure("FORW one metric", PM_MODE_FORW, &label.ll_start, 0, pmids, 1);
	measure("INTERP 1/10 record a step", PM_MODE_INTERP, &label.ll_start, 1, pmids, METRICS);
	measure("INTERP 1 record a step", PM_MODE_INTERP, &label.ll_start, 10, pmids, METRICS);
	measure("INTERP 10 records a step", PM_MODE_INTERP, &label.ll_start, 100, pmids, METRICS);
	measure("INTERP 360 records a step", PM_MODE_INTERP, &label.ll_start, 3600, pmids, METRICS);
	measure("INTERP back, 1.5 records", PM_MODE_INTERP, &end, -15, pmids, METRICS);
	measure_jumps("INTERP random jumps", 5000, &label.ll_start, &end, pmids, METRICS);
	name = "big.never";
	if (pmLookupName(1, &name, &pmids[0]) < 0)
		return 2;
	measure("INTERP one that never occurs", PM_MODE_INTERP, &label.ll_start, 10, pmids, 1);
	measure_jumps("the same with random jumps", 100, &label.ll_start, &end, pmids, 1);
	return 0;
}
