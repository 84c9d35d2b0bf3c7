// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one kind of reading an archive costs; built against libshim and against
 * PCP's own library, and run in turn by selftests/bench/archive.sh.
 *
 * usage: archive_bench ARCHIVE WHAT
 *
 * Prints the seconds of CPU time of one operation, how many there were, the peak of memory
 * in kB, and a sum over all values that were seen, which both builds must share.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <pcp/pmapi.h>

#define JUMPS		500
#define OPENS		20
#define CONTEXTS	50
#define MAX_SECONDS	4.0	/* of one kind; what it came to in that time counts */

static struct {
	const char *archive;
	pmID *pmids;
	int n;
	int room;
	struct timespec start, end;
	uint64_t sum;
	double begun;
} b;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);	/* others use the machine, too */
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

/* The archive's own metrics: event.* is there in any context of PCP's */
static void add_own(const char *name)
{
	if (strncmp(name, "event.", 6))
		add_metric(name);
}

static void prepare(void)
{
	pmHighResLogLabel label;

	if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0 ||
	    pmGetHighResArchiveLabel(&label) < 0 || pmGetHighResArchiveEnd(&b.end) < 0)
		exit(2);
	b.start = label.start;
	pmTraversePMNS("", add_own);
	if (!b.n)
		exit(2);
}

static void look_at(const pmHighResResult *r)
{
	for (int i = 0; i < r->numpmid; i++)
		b.sum = b.sum * 31 + (uint32_t)r->vset[i]->numval;
}

static int fetch(void)
{
	pmHighResResult *r;
	int err = pmFetchHighRes(b.n, b.pmids, &r);

	if (!err) {
		look_at(r);
		pmFreeHighResResult(r);
	}
	return err;
}

static long run(void)
{
	double begin = now();
	long n = 0;

	while (fetch() != PM_ERR_EOL) {
		n++;
		if (n % 64 == 0 && now() - begin > MAX_SECONDS)
			break;
	}
	return n;
}

/* The median of the time between records with the first metric that has more than a few */
static int64_t interval(void)
{
	const struct timespec *from = &b.start;
	int64_t span = (b.end.tv_sec - b.start.tv_sec) * 1000000000LL + b.end.tv_nsec - b.start.tv_nsec;
	long records = 0;

	pmSetModeHighRes(PM_MODE_FORW, from, NULL);
	while (!fetch())
		records++;
	return records > 1 ? span / (records - 1) : 1000000000;
}

static long sweep(int64_t ns)
{
	struct timespec delta = { ns / 1000000000, ns % 1000000000 };

	pmSetModeHighRes(PM_MODE_INTERP, &b.start, &delta);
	b.sum = 0;
	b.begun = now();
	return run();
}

static long step_10(void)
{
	const char *ns = getenv("INTERVAL");

	return sweep(10 * (ns ? atoll(ns) : interval()));
}

static long step_360(void)
{
	const char *ns = getenv("INTERVAL");

	return sweep(360 * (ns ? atoll(ns) : interval()));
}

/* Once more in a context beside the first, by what was learnt the first time */
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
	b.begun = now();
	return run();
}

static long backward(void)
{
	pmSetModeHighRes(PM_MODE_BACK, &b.end, NULL);
	b.begun = now();
	return run();
}

static long jump(void)
{
	static const struct timespec delta = { .tv_sec = 1 };
	int64_t span = b.end.tv_sec - b.start.tv_sec;
	long n;

	srandom(1);
	b.begun = now();
	for (n = 0; n < JUMPS && now() - b.begun < MAX_SECONDS; n++) {
		struct timespec when = { b.start.tv_sec + random() % (span > 0 ? span : 1), 500000000 };

		pmSetModeHighRes(PM_MODE_INTERP, &when, &delta);
		fetch();
	}
	return n;
}

/* A context each, as for programs that look at many archives one by one */
static long open_close(void)
{
	long n;

	pmDestroyContext(pmWhichContext());
	b.begun = now();
	for (n = 0; n < OPENS && now() - b.begun < MAX_SECONDS; n++) {
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

	b.begun = now();
	for (n = 0; n < CONTEXTS; n++) {
		struct timespec when = b.start;

		when.tv_sec += (b.end.tv_sec - b.start.tv_sec) * n / CONTEXTS;
		if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0)
			exit(2);
		pmSetModeHighRes(PM_MODE_INTERP, &when, &delta);
		fetch();
	}
	return n;
}

static long just_interval(void)
{
	printf("%lld\n", (long long)interval());
	exit(0);
}

static const struct {
	const char *name;
	long (*run)(void);
} kinds[] = {
	{ "interval", just_interval },
	{ "open", open_close },
	{ "interp-10", step_10 },
	{ "interp-360", step_360 },
	{ "again-360", step_360_again },
	{ "forw", forward },
	{ "back", backward },
	{ "jump", jump },
	{ "contexts", many_contexts },
};

int main(int argc, char **argv)
{
	struct rusage usage;
	double elapsed;
	long n;

	if (argc != 3)
		return 2;
	b.archive = argv[1];
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].name, argv[2]))
			continue;
		prepare();
		b.sum = 0;
		n = kinds[i].run();
		elapsed = now() - b.begun;
		getrusage(RUSAGE_SELF, &usage);
		printf("%.9f %ld %ld %016llx\n", n ? elapsed / n : 0, n, usage.ru_maxrss,
		       (unsigned long long)b.sum);
		return n ? 0 : 1;
	}
	return 2;
}
