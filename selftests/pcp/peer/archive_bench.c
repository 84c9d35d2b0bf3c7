// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure one pattern of reading an archive.  The program is built with libshim and with PCP's own
 * library; selftests/bench/archive.sh runs both alternately.
 *
 * usage: archive_bench ARCHIVE WHAT
 *
 * Print the CPU seconds per operation, the number of operations, the peak memory in kB, and a sum
 * over all values, which must be equal in both builds.  In the environment, PREFIX selects metrics
 * by the start of their names, EVERY=n selects every n-th of them, INTERVAL is the time between
 * records, and COUNT is the number of metrics to define.
 */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "archive_bench.h"

#define JUMPS		500
#define OPENS		20
#define CONTEXTS	50
#define MAX_SECONDS	4.0	/* per pattern; a longer measurement ends early */
#define LOOKUPS		2000
#define TIMES		100	/* number of repetitions of short operations */

struct bench b;

double bench_now(void)
{
	struct timespec t;

	/* Measure CPU time, because the machine is shared. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void add_metric(const char *name)
{
	if (b.n == b.room) {
		b.room = b.room ? 2 * b.room : 64;
		b.pmids = realloc(b.pmids, b.room * sizeof(*b.pmids));
	}
	if (b.pmids && pmLookupName(1, &name, &b.pmids[b.n]) >= 0)
		b.n++;
}

/* Add the archive's own metrics, but not event.*, which exists in every context of PCP. */
static void add_own(const char *name)
{
	if (strncmp(name, "event.", 6) && !strncmp(name, b.prefix, strlen(b.prefix)) &&
	    b.passed++ % b.every == 0)
		add_metric(name);
}

static void prepare(void)
{
	const char *every = getenv("EVERY");
	pmHighResLogLabel label;

	b.prefix = getenv("PREFIX") ? getenv("PREFIX") : "";
	b.every = every && atoi(every) > 0 ? atoi(every) : 1;
	if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0 ||
	    pmGetHighResArchiveLabel(&label) < 0 || pmGetHighResArchiveEnd(&b.end) < 0)
		exit(2);
	b.start = label.start;
	pmTraversePMNS("", add_own);
	if (!b.n)
		exit(2);
}

void bench_look_at(const pmHighResResult *r)
{
	for (int i = 0; i < r->numpmid; i++)
		b.sum = b.sum * 31 + (uint32_t)r->vset[i]->numval;
}

int bench_fetch(void)
{
	pmHighResResult *r;
	int err = pmFetchHighRes(b.n, b.pmids, &r);

	if (!err) {
		bench_look_at(r);
		pmFreeHighResResult(r);
	}
	return err;
}

static long run(void)
{
	double begin = bench_now();
	long n = 0;

	while (bench_fetch() != PM_ERR_EOL) {
		n++;
		if (n % 64 == 0 && bench_now() - begin > MAX_SECONDS)
			break;
	}
	return n;
}

/* Return the median of the time between records of the first metric that has more than a few. */
static int64_t interval(void)
{
	const struct timespec *from = &b.start;
	int64_t span = (b.end.tv_sec - b.start.tv_sec) * 1000000000LL + b.end.tv_nsec - b.start.tv_nsec;
	long records = 0;

	pmSetModeHighRes(PM_MODE_FORW, from, NULL);
	while (!bench_fetch())
		records++;
	return records > 1 ? span / (records - 1) : 1000000000;
}

static long sweep(int64_t ns)
{
	struct timespec delta = { ns / 1000000000, ns % 1000000000 };

	pmSetModeHighRes(PM_MODE_INTERP, &b.start, &delta);
	b.sum = 0;
	b.begun = bench_now();
	return run();
}

static int64_t given_interval(void)
{
	const char *ns = getenv("INTERVAL");

	return ns ? atoll(ns) : interval();
}

static long step_1(void)
{
	return sweep(given_interval());
}

static long step_10(void)
{
	return sweep(10 * given_interval());
}

static long step_360(void)
{
	return sweep(360 * given_interval());
}

/* Fetch a chart of 30 points, regardless of the archive's length. */
static long points_30(void)
{
	int64_t span = (b.end.tv_sec - b.start.tv_sec) * 1000000000LL + b.end.tv_nsec - b.start.tv_nsec;

	return sweep(span / 30) > 0;
}

static long step_back(void)
{
	int64_t ns = -10 * given_interval();
	struct timespec delta = { ns / 1000000000, ns % 1000000000 };

	pmSetModeHighRes(PM_MODE_INTERP, &b.end, &delta);
	b.sum = 0;
	b.begun = bench_now();
	return run();
}

/* Measure a second context, which benefits from data that the first one cached. */
static long step_360_again(void)
{
	step_360();
	if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0)
		exit(2);
	return step_360();
}

static long forward(void)
{
	pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
	b.begun = bench_now();
	return run();
}

static long backward(void)
{
	pmSetModeHighRes(PM_MODE_BACK, &b.end, NULL);
	b.begun = bench_now();
	return run();
}

static long jump(void)
{
	static const struct timespec delta = { .tv_sec = 1 };
	int64_t span = b.end.tv_sec - b.start.tv_sec;
	long n;

	srandom(1);
	b.begun = bench_now();
	for (n = 0; n < JUMPS && bench_now() - b.begun < MAX_SECONDS; n++) {
		struct timespec when = { b.start.tv_sec + random() % (span > 0 ? span : 1), 500000000 };

		pmSetModeHighRes(PM_MODE_INTERP, &when, &delta);
		bench_fetch();
	}
	return n;
}

/* Open one context after the other, as programs that visit many archives do. */
static long open_close(void)
{
	long n;

	pmDestroyContext(pmWhichContext());
	b.begun = bench_now();
	for (n = 0; n < OPENS && bench_now() - b.begun < MAX_SECONDS; n++) {
		int handle = pmNewContext(PM_CONTEXT_ARCHIVE, b.archive);

		if (handle < 0)
			exit(2);
		pmDestroyContext(handle);
	}
	return n;
}

static long many_contexts(void)
{
	static const struct timespec delta = { .tv_sec = 1 };
	long n;

	b.begun = bench_now();
	for (n = 0; n < CONTEXTS; n++) {
		struct timespec when = b.start;

		when.tv_sec += (b.end.tv_sec - b.start.tv_sec) * n / CONTEXTS;
		if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0)
			exit(2);
		pmSetModeHighRes(PM_MODE_INTERP, &when, &delta);
		bench_fetch();
	}
	return n;
}

/* Read record by record, with all metrics. */
static long whole_records(void)
{
	pmHighResResult *r;
	long n = 0;

	pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
	b.begun = bench_now();
	while (!pmFetchHighResArchive(&r)) {
		bench_look_at(r);
		pmFreeHighResResult(r);
		if (++n % 64 == 0 && bench_now() - b.begun > MAX_SECONDS)
			break;
	}
	return n;
}

/* Open the archive, and read it once from start to end. */
static long open_and_scan(void)
{
	pmDestroyContext(pmWhichContext());
	b.begun = bench_now();
	if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0)
		exit(2);
	pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
	return run() > 0;
}

static void look_up(const char *name)
{
	pmID pmid;
	pmDesc desc;
	char *again;

	if (!strncmp(name, "event.", 6) || pmLookupName(1, &name, &pmid) < 0)
		return;
	if (pmLookupDesc(pmid, &desc) >= 0)
		b.sum = b.sum * 31 + desc.indom + (unsigned int)desc.type;
	if (pmNameID(pmid, &again) >= 0) {
		b.sum = b.sum * 31 + strlen(again);
		free(again);
	}
	b.passed++;
}

/* For every name of the archive, look up its metric, the descriptor, and the name again. */
static long names(void)
{
	b.passed = 0;
	b.begun = bench_now();
	while (bench_now() - b.begun < MAX_SECONDS / 4)
		pmTraversePMNS("", look_up);
	b.sum = 0;
	return b.passed;
}

static void look_at_labels(pmID pmid)
{
	pmLabelSet *sets = NULL;
	char *text;
	int n;

	if (pmLookupText(pmid, PM_TEXT_ONELINE, &text) >= 0) {
		b.sum += strlen(text);
		free(text);
	}
	n = pmLookupLabels(pmid, &sets);
	for (int i = 0; i < n; i++)
		b.sum += (unsigned int)sets[i].nlabels;
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

static long texts(void)
{
	b.begun = bench_now();
	for (int n = 0; n < TIMES; n++)
		for (int i = 0; i < b.n; i++)
			look_at_labels(b.pmids[i]);
	return (long)TIMES * b.n;
}

/* Read the domains of all metrics: for each domain, its instances and their names. */
static long domains(int (*instances)(pmInDom, int **, char ***), const struct timespec *when)
{
	long n = 0;

	pmSetModeHighRes(PM_MODE_FORW, when, NULL);
	b.begun = bench_now();
	for (int t = 0; t < TIMES && bench_now() - b.begun < MAX_SECONDS; t++) {
		for (int i = 0; i < b.n; i++) {
			char **names;
			pmDesc desc;
			int *ids, got;

			if (pmLookupDesc(b.pmids[i], &desc) < 0 || desc.indom == PM_INDOM_NULL)
				continue;
			got = instances(desc.indom, &ids, &names);
			for (int j = 0; j < got; j++)
				b.sum = b.sum * 31 + (unsigned int)ids[j] + (unsigned char)names[j][1];
			if (got > 0) {
				free(ids);
				free(names);
			}
			n++;
		}
	}
	return n;
}

static long domains_now(void)
{
	return domains(pmGetInDom, &b.end);
}

static long domains_ever(void)
{
	return domains(pmGetInDomArchive, &b.end);
}

/* Return the number of instances that the first metric's domain has at any time. */
static int instances(pmInDom *indom, int **ids, char ***names)
{
	pmDesc desc;

	if (pmLookupDesc(b.pmids[0], &desc) < 0)
		exit(2);
	*indom = desc.indom;
	return pmGetInDomArchive(desc.indom, ids, names);
}

static long lookups(void)
{
	pmInDom indom;
	char **names;
	int *ids, n = instances(&indom, &ids, &names);

	srandom(1);
	b.begun = bench_now();
	for (int i = 0; n > 0 && i < LOOKUPS; i++)
		b.sum = b.sum * 31 + (unsigned int)pmLookupInDomArchive(indom, names[random() % n]);
	if (n > 0) {
		free(ids);
		free(names);
	}
	return n > 0 ? LOOKUPS : 0;
}

static long names_of_instances(void)
{
	pmInDom indom;
	char **names, *name;
	int *ids, n = instances(&indom, &ids, &names);

	srandom(1);
	b.begun = bench_now();
	for (int i = 0; n > 0 && i < LOOKUPS; i++) {
		if (pmNameInDomArchive(indom, ids[random() % n], &name) < 0)
			continue;
		b.sum = b.sum * 31 + strlen(name);
		free(name);
	}
	if (n > 0) {
		free(ids);
		free(names);
	}
	return n > 0 ? LOOKUPS : 0;
}

static size_t allocated(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Measure the memory that a context uses after INTERP, in bytes instead of seconds. */
static long memory(void)
{
	size_t before;

	pmDestroyContext(pmWhichContext());
	before = allocated();
	if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0)
		exit(2);
	step_10();
	printf("%zu 1 0 %016llx\n", allocated() - before, (unsigned long long)b.sum);
	exit(0);
}

static void derive(int i)
{
	char name[64], expr[256], *metric;
	const char *again = name;
	bool wrong;

	if (pmNameID(b.pmids[i], &metric) < 0)
		return;
	snprintf(name, sizeof(name), "bench.d%d", i);
	snprintf(expr, sizeof(expr), i % 3 ? "rate(%s)" : "%s * 8 + 1", metric);
	wrong = pmAddDerived(name, expr) != NULL;
	free(metric);
	if (!wrong)
		pmLookupName(1, &again, &b.pmids[i]);
}

/* Derive rates and sums from each metric, and measure steps. */
static long derived(void)
{
	for (int i = 0; i < b.n; i++)
		derive(i);
	return step_10();
}

/* Define COUNT (1000) derived metrics, and look up their names.  Return false if one is refused. */
static bool define_all(void)
{
	const char *count = getenv("COUNT");
	long n = count ? atol(count) : 1000;
	char name[64], expr[256], *metric;
	const char *again = name;
	pmID pmid;

	for (long i = 0; i < n; i++) {
		if (pmNameID(b.pmids[i % b.n], &metric) < 0)
			return false;
		snprintf(name, sizeof(name), "bench.d%ld", i);
		snprintf(expr, sizeof(expr), "delta(%s)", metric);
		free(metric);
		if (pmAddDerived(name, expr) || pmLookupName(1, &again, &pmid) < 0)
			return false;
	}
	return true;
}

static long define(void)
{
	b.begun = bench_now();
	return define_all();
}

static void add_to_sum(const char *name)
{
	for (; *name; name++)
		b.sum = b.sum * 31 + (unsigned char)*name;
}

/* List the names of derived metrics: all at once, and those of their group. */
static long names_derived(void)
{
	char **children;
	int n;

	if (!define_all())
		return 0;
	b.begun = bench_now();
	pmTraversePMNS("", add_to_sum);
	n = pmGetChildren("bench", &children);
	for (int i = 0; i < n; i++)
		add_to_sum(children[i]);
	if (n > 0)
		free(children);
	return 1;
}

static long fetch_group(void)
{
	int64_t ns = 10 * given_interval();
	struct timespec delta = { ns / 1000000000, ns % 1000000000 };
	pmAtomValue *values = calloc((size_t)b.n, sizeof(*values));
	int *codes = calloc((size_t)b.n, sizeof(*codes));
	long n = 0;
	pmFG fg;

	if (!values || !codes || pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, b.archive) < 0)
		exit(2);
	pmUseContext(pmGetFetchGroupContext(fg));
	pmSetModeHighRes(PM_MODE_INTERP, &b.start, &delta);
	for (int i = 0; i < b.n; i++) {
		char *name;

		if (pmNameID(b.pmids[i], &name) < 0)
			continue;
		pmExtendFetchGroup_item(fg, name, NULL, NULL, &values[i], PM_TYPE_DOUBLE, &codes[i]);
		free(name);
	}
	b.begun = bench_now();
	while (pmFetchGroup(fg) >= 0) {
		for (int i = 0; i < b.n; i++)
			b.sum = b.sum * 31 + (uint64_t)(codes[i] ? 7 : values[i].d);
		if (++n % 64 == 0 && bench_now() - b.begun > MAX_SECONDS)
			break;
	}
	return n;
}

static long just_interval(void)
{
	printf("%lld\n", (long long)interval());
	exit(0);
}

static const struct bench_kind kinds[] = {
	{ "interval", just_interval },
	{ "open", open_close },
	{ "steps", step_1 },
	{ "interp-10", step_10 },
	{ "interp-360", step_360 },
	{ "again-360", step_360_again },
	{ "points-30", points_30 },
	{ "interp-back", step_back },
	{ "archive", whole_records },
	{ "scan", open_and_scan },
	{ "names", names },
	{ "texts", texts },
	{ "domains", domains_now },
	{ "domains-ever", domains_ever },
	{ "lookups", lookups },
	{ "instance-names", names_of_instances },
	{ "derived", derived },
	{ "define", define },
	{ "names-derived", names_derived },
	{ "fetchgroup", fetch_group },
	{ "memory", memory },
	{ "forw", forward },
	{ "back", backward },
	{ "jump", jump },
	{ "contexts", many_contexts },
};

static const struct bench_kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	for (const struct bench_kind *kind = bench_calls; kind->name; kind++)
		if (!strcmp(kind->name, name))
			return kind;
	return NULL;
}

int main(int argc, char **argv)
{
	const struct bench_kind *kind = argc == 3 ? find_kind(argv[2]) : NULL;
	struct rusage usage;
	double elapsed;
	long n;

	if (!kind)
		return 2;
	b.archive = argv[1];
	prepare();
	b.sum = 0;
	n = kind->run();
	elapsed = bench_now() - b.begun;
	getrusage(RUSAGE_SELF, &usage);
	printf("%.9f %ld %ld %016llx\n", n ? elapsed / n : 0, n, usage.ru_maxrss,
	       (unsigned long long)b.sum);
	return n ? 0 : 1;
}
