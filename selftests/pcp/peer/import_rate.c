// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive with a given number of metrics and samples through LOGIMPORT, and print the
 * seconds and the peak memory.  The program is built with libshim and with PCP's library.
 *
 * usage: import_rate ARCHIVE METRICS SAMPLES VERSION
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <pcp/pmapi.h>
#include <pcp/import.h>

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + t.tv_nsec / 1e9;
}

static void need(int code, const char *what)
{
	if (code >= 0)
		return;
	fprintf(stderr, "%s: %s\n", what, pmiErrStr(code));
	exit(1);
}

#define TEXTS	10007

/* The texts are created in advance, because only the library's work is measured. */
static char texts[TEXTS][16];

/* Add equal shares of 32-bit numbers, 64-bit numbers, and doubles with instances. */
static int add_metric(int i)
{
	static const int types[] = { PM_TYPE_U32, PM_TYPE_U64, PM_TYPE_DOUBLE };
	pmInDom indom = i % 3 == 2 ? pmiInDom(245, 1) : PM_INDOM_NULL;
	char name[64], instance[16];

	snprintf(name, sizeof(name), "bench.group%d.metric%d", i % 10, i);
	need(pmiAddMetric(name, pmiID(245, i / 1000, i % 1000), types[i % 3], indom,
			  PM_SEM_INSTANT, pmiUnits(0, 0, 1, 0, 0, PM_COUNT_ONE)), name);
	snprintf(instance, sizeof(instance), "inst%d", i % 4);
	i = pmiGetHandle(name, indom == PM_INDOM_NULL ? NULL : instance);
	need(i, name);
	return i;
}

int main(int argc, char **argv)
{
	int metrics = argc > 2 ? atoi(argv[2]) : 0, samples = argc > 3 ? atoi(argv[3]) : 0;
	int *handles = calloc((size_t)metrics + 1, sizeof(*handles));
	struct rusage usage;
	double start;

	if (argc != 5 || !handles)
		return 2;
	for (int i = 0; i < TEXTS; i++)
		snprintf(texts[i], sizeof(texts[i]), "%d", i * 54321);
	start = seconds();
	need(pmiStart(argv[1], 0), argv[1]);
	need(pmiSetVersion(atoi(argv[4])), "version");
	for (int i = 0; i < 4; i++) {
		char instance[16];

		snprintf(instance, sizeof(instance), "inst%d", i);
		need(pmiAddInstance(pmiInDom(245, 1), instance, i), instance);
	}
	for (int i = 0; i < metrics; i++)
		handles[i] = add_metric(i);
	for (int s = 0; s < samples; s++) {
		for (int i = 0; i < metrics; i++)
			need(pmiPutValueHandle(handles[i], texts[(s * 7 + i) % TEXTS]), "value");
		need(pmiWrite(1700000000 + s, 0), "record");
	}
	need(pmiEnd(), "end");
	getrusage(RUSAGE_SELF, &usage);
	printf("%.3f %ld\n", seconds() - start, usage.ru_maxrss);
	free(handles);
	return 0;
}
