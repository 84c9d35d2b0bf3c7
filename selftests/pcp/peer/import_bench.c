// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure one pattern of writing archives through LOGIMPORT.  The program is built with libshim and
 * with PCP's library; selftests/bench/archive.sh runs both alternately.
 *
 * usage: import_bench ARCHIVE WHAT
 *
 * Print the CPU seconds per archive, the number of archives, the peak memory in kB, and "-".  The
 * last archive remains.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/import.h>

#define START		1000000000
#define DOMAIN		245
#define METRICS		20
#define INSTANCES	50
#define TEXTS		1000

/* Texts are created in advance, because only the library's work is measured. */
static char numbers[TEXTS][8];
static char names[TEXTS][32];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int need(int code, const char *what)
{
	if (code < 0) {
		fprintf(stderr, "%s: %s\n", what, pmiErrStr(code));
		exit(1);
	}
	return code;
}

static pmID add_metric(int i, int type, pmInDom indom)
{
	pmID pmid = pmiID(DOMAIN, i / 1000, i % 1000 + 1);

	need(pmiAddMetric(names[i], pmid, type, indom, PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)),
	     names[i]);
	return pmid;
}

static pmInDom add_instances(int serial, int n)
{
	pmInDom indom = pmiInDom(DOMAIN, serial);

	for (int i = 0; i < n; i++)
		need(pmiAddInstance(indom, names[i], i), names[i]);
	return indom;
}

static void write_record(int i)
{
	need(pmiWrite(START + i, 0), "pmiWrite");
}

/* One metric and a few records, as in a note of a job */
static void write_small(void)
{
	add_metric(0, PM_TYPE_U32, PM_INDOM_NULL);
	for (int t = 0; t < 10; t++) {
		need(pmiPutValue(names[0], NULL, numbers[t]), "pmiPutValue");
		write_record(t);
	}
}

static void write_strings(void)
{
	int handles[METRICS];

	for (int i = 0; i < METRICS; i++) {
		add_metric(i, PM_TYPE_STRING, PM_INDOM_NULL);
		handles[i] = need(pmiGetHandle(names[i], NULL), names[i]);
	}
	for (int t = 0; t < 1000; t++) {
		for (int i = 0; i < METRICS; i++)
			need(pmiPutValueHandle(handles[i], names[(t + i) % TEXTS]), names[i]);
		write_record(t);
	}
}

static void write_instances(void)
{
	static int handles[METRICS][INSTANCES];
	pmInDom indom = add_instances(1, INSTANCES);

	for (int i = 0; i < METRICS; i++) {
		add_metric(i, PM_TYPE_U64, indom);
		for (int j = 0; j < INSTANCES; j++)
			handles[i][j] = need(pmiGetHandle(names[i], names[j]), names[i]);
	}
	for (int t = 0; t < 100; t++) {
		for (int i = 0; i < METRICS; i++)
			for (int j = 0; j < INSTANCES; j++)
				need(pmiPutValueHandle(handles[i][j], numbers[(t + i + j) % TEXTS]),
				     names[i]);
		write_record(t);
	}
}

static pmValueSet *new_set(pmID pmid)
{
	pmValueSet *set = calloc(1, sizeof(*set) + INSTANCES * sizeof(set->vlist[0]));

	if (!set)
		exit(1);
	set->pmid = pmid;
	set->numval = INSTANCES;
	set->valfmt = PM_VAL_INSITU;
	for (int i = 0; i < INSTANCES; i++) {
		set->vlist[i].inst = i;
		set->vlist[i].value.lval = i;
	}
	return set;
}

static void write_results(void)
{
	pmResult *r = calloc(1, sizeof(*r) + METRICS * sizeof(r->vset[0]));
	pmInDom indom = add_instances(1, INSTANCES);

	if (!r)
		exit(1);
	r->numpmid = METRICS;
	for (int i = 0; i < METRICS; i++)
		r->vset[i] = new_set(add_metric(i, PM_TYPE_U32, indom));
	for (int t = 0; t < 300; t++) {
		r->timestamp.tv_sec = START + t;
		need(pmiPutResult(r), "pmiPutResult");
	}
	for (int i = 0; i < METRICS; i++)
		free(r->vset[i]);
	free(r);
}

/* Many small results, as a sampler writes */
static void write_samples(void)
{
	pmResult *r = calloc(1, sizeof(*r));
	pmValueSet set = { .pmid = add_metric(0, PM_TYPE_U32, PM_INDOM_NULL), .numval = 1 };

	if (!r)
		exit(1);
	r->numpmid = 1;
	r->vset[0] = &set;
	set.vlist[0].inst = PM_IN_NULL;
	for (int t = 0; t < 20000; t++) {
		r->timestamp.tv_sec = START + t;
		set.vlist[0].value.lval = t;
		need(pmiPutResult(r), "pmiPutResult");
	}
	free(r);
}

/* Many metrics with a domain, a text and a label each, and one record */
static void write_metadata(void)
{
	for (int i = 0; i < 500; i++) {
		pmInDom indom = add_instances(i + 1, 10);
		pmID pmid = add_metric(i, PM_TYPE_U32, indom);

		need(pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmid, names[i]), "pmiPutText");
		need(pmiPutLabel(PM_LABEL_ITEM, pmid, 0, "number", numbers[i]), "pmiPutLabel");
		for (int j = 0; j < 10; j++)
			need(pmiPutValue(names[i], names[j], numbers[j]), names[i]);
	}
	write_record(0);
}

static const struct {
	const char *name;
	void (*write)(void);
	int archives;
} kinds[] = {
	{ "small", write_small, 50 },
	{ "strings", write_strings, 10 },
	{ "instances", write_instances, 10 },
	{ "results", write_results, 10 },
	{ "samples", write_samples, 5 },
	{ "metadata", write_metadata, 10 },
};

static void delete(const char *archive)
{
	static const char *const parts[] = { "0", "meta", "index" };

	for (int i = 0; i < 3; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s.%s", archive, parts[i]);
		unlink(path);
	}
}

static double one(const char *archive, void (*write)(void))
{
	double begin;

	delete(archive);
	begin = now();
	need(pmiStart(archive, 0), archive);
	write();
	need(pmiEnd(), "pmiEnd");
	return now() - begin;
}

int main(int argc, char **argv)
{
	struct rusage usage;
	double seconds = 0;
	size_t k = 0;

	while (argc == 3 && k < sizeof(kinds) / sizeof(kinds[0]) && strcmp(kinds[k].name, argv[2]))
		k++;
	if (argc != 3 || k == sizeof(kinds) / sizeof(kinds[0]))
		return 2;
	for (int i = 0; i < TEXTS; i++) {
		snprintf(numbers[i], sizeof(numbers[i]), "%d", i);
		snprintf(names[i], sizeof(names[i]), "bench.group%d.metric%d", i % 10, i);
	}
	for (int i = 0; i < kinds[k].archives; i++)
		seconds += one(argv[1], kinds[k].write);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.9f %d %ld -\n", seconds / kinds[k].archives, kinds[k].archives, usage.ru_maxrss);
	return 0;
}
