// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An archive with only the values that have changed has the same interpolated values as one with
 * all values, recorded at the same times.  The test generates the reader's results and the time.
 *
 * With KEEP=DIR in the environment, the archives DIR/0 (all values) and DIR/1 are not removed;
 * run only one test then.
 */
#include <errno.h>
#include <pcp/pmapi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shim/shim.h"
#include "kselftest_harness.h"
#include "live_rows.h"

#define TAGS	40
#define TICKS	130	/* so that two records in the middle have all values */
#define SECOND	1000000000ULL

static uint64_t now_ns;
static int64_t wall = 1800000000;	/* offset of the wall clock in s */

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	ts->tv_sec = now_ns / SECOND + (clock == CLOCK_REALTIME ? wall : 0);
	ts->tv_nsec = now_ns % SECOND;
	return 0;
}

int __wrap_shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **out,
				   size_t *n)
{
	(void)r;
	*out = NULL;
	*n = 0;
	return 0;
}

static void event(struct shim_bpf_stat *stat)
{
	uint64_t ns = 1000 + 1000 * (random() % 7);
	double value = random() % 5 ? random() % 100 : random() % 2 ? -0.0 : 1 / 0.0;

	stat->version = stat->total.last_ns = ++version;
	if (stat->key.kind == VC_TRANSACT && random() % 10 == 0) {
		stat->total.aborted++;
		return;
	}
	stat->total.count++;
	if (stat->key.kind != VC_TRANSACT) {
		memcpy(&stat->total.value, &value, sizeof(value));
		return;
	}
	stat->total.sum_ns += ns;
	stat->total.last_took_ns = ns;
	if (!stat->total.min_ns || ns < stat->total.min_ns)
		stat->total.min_ns = ns;
	if (ns > stat->total.max_ns)
		stat->total.max_ns = ns;
	stat->total.hist[vc_hist_slot(ns, 63 - __builtin_clzll(ns))]++;
	stat->slots.end = VC_HIST_SLOTS;
}

/* Assign a new tag to a row. */
static void begin(size_t i)
{
	static const uint32_t kinds[] = { VC_TRANSACT, VC_TRANSACT, VC_POINT, VC_OBSERVE, VC_COUNTER };

	tags[i] = (struct shim_bpf_tag) { .user = 5 };
	snprintf(tags[i].name, sizeof(tags[i].name), "tag %llu", (unsigned long long)++last_id);
	strcpy(tags[i].label, tags[i].name);
	stats[i] = (struct shim_bpf_stat) {
		.tag = &tags[i], .key = { .tag = last_id, .kind = kinds[i % 5] }
	};
	/* One tag has counts that a double cannot represent exactly after 0.5 is added. */
	if (i == 0)
		stats[i].total.count = (1ull << 52) + 1;
	event(&stats[i]);
}

/* Return the result of a tick whose writes fail. */
static int tick_without_space(struct shim_recorder *rec)
{
	struct rlimit old, none;
	int ret;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &old);
	none = old;
	none.rlim_cur = 1;
	setrlimit(RLIMIT_FSIZE, &none);
	ret = shim_record_tick(rec);
	setrlimit(RLIMIT_FSIZE, &old);
	return ret;
}

FIXTURE(changes) {
	char dir[64];
	char base[2][80];
};

FIXTURE_SETUP(changes)
{
	struct shim_recorder *rec[2];

	setenv("PCP_DERIVED_CONFIG", "", 1);
	srandom(5);
	nrows = TAGS;
	now_ns = 1000 * SECOND;
	strcpy(self->dir, "/tmp/vcpc-changes-XXXXXX");
	if (getenv("KEEP"))
		snprintf(self->dir, sizeof(self->dir), "%s", getenv("KEEP"));
	else
		ASSERT_NE(NULL, mkdtemp(self->dir));
	for (size_t i = 0; i < TAGS; i++)
		begin(i);
	for (int k = 0; k < 2; k++) {
		char dir[sizeof(self->dir)];

		/* The compiler warns if snprintf() reads a struct that it writes. */
		memcpy(dir, self->dir, sizeof(dir));
		snprintf(self->base[k], sizeof(self->base[k]), "%s/%d", dir, k);
		ASSERT_EQ(0, shim_record_open(self->base[k], NULL, &rec[k]));
		if (k)
			ASSERT_EQ(0, shim_record_changes(rec[k]));
		ASSERT_EQ(0, shim_record_add_trace(rec[k]));
	}
	for (int tick = 0; tick < TICKS; tick++) {
		now_ns += SECOND + random() % 1000000;
		for (size_t i = 0; i < TAGS; i++)
			if (random() % 8 == 0)
				event(&stats[i]);
		if (random() % 10 == 0)
			begin(random() % TAGS);
		/* Before some records, a write fails, and is tried again with the same sample. */
		for (int k = 0; k < 2; k++) {
			if (tick % 7 == 3)
				ASSERT_EQ(-EFBIG, tick_without_space(rec[k]));
			ASSERT_EQ(0, shim_record_tick(rec[k]));
		}
	}
	for (int k = 0; k < 2; k++) {
		EXPECT_EQ(TICKS, shim_record_count(rec[k]));
		ASSERT_EQ(0, shim_record_close(rec[k]));
	}
}

FIXTURE_TEARDOWN(changes)
{
	char command[96];

	if (getenv("KEEP"))
		return;
	snprintf(command, sizeof(command), "rm -r '%s'", self->dir);
	EXPECT_EQ(0, system(command));
}

static char *names[64];
static int nnames;

static void add_name(const char *name)
{
	if (strncmp(name, "event.", 6) && nnames < 64)
		names[nnames++] = strdup(name);
}

/* The values of one fetch of all metrics, sorted by metric and instance */
struct value {
	pmID pmid;
	int inst;
	uint64_t bits;
};

static int by_inst(const void *a, const void *b)
{
	const struct value *x = a, *y = b;

	return x->pmid != y->pmid ? (x->pmid > y->pmid) - (x->pmid < y->pmid) :
	       (x->inst > y->inst) - (x->inst < y->inst);
}

/* Fetch the next values.  Return their number, or an error. */
static int fetch(int context, int n, pmID *pmids, struct value *values)
{
	pmHighResResult *r;
	int ret = pmUseContext(context), nvalues = 0;

	if (!ret)
		ret = pmFetchHighRes(n, pmids, &r);
	if (ret < 0)
		return ret;
	for (int i = 0; i < r->numpmid; i++) {
		const pmValueSet *set = r->vset[i];
		pmDesc desc;

		if (pmLookupDesc(set->pmid, &desc))
			return -EIO;
		for (int j = 0; j < set->numval; j++) {
			pmAtomValue atom = { .ull = 0 };

			if (pmExtractValue(set->valfmt, &set->vlist[j], desc.type, &atom, desc.type))
				return -EIO;
			values[nvalues++] = (struct value) { set->pmid, set->vlist[j].inst, atom.ull };
		}
	}
	pmFreeHighResResult(r);
	qsort(values, nvalues, sizeof(*values), by_inst);
	return nvalues;
}

/* Compare all values at each step.  Return the number of points that differ, or an error. */
static int compare(FIXTURE_DATA(changes) *self, long step_ms, bool back, int *points)
{
	static struct value values[2][4096];
	int context[2], n[2], bad = 0;
	pmID pmids[64];

	for (int k = 0; k < 2; k++) {
		struct timespec at, delta = { step_ms / 1000, step_ms % 1000 * 1000000 };
		pmHighResLogLabel label;

		context[k] = pmNewContext(PM_CONTEXT_ARCHIVE, self->base[k]);
		if (context[k] < 0 || pmGetHighResArchiveLabel(&label) < 0)
			return -EIO;
		at = label.start;
		if (back && pmGetHighResArchiveEnd(&at) < 0)
			return -EIO;
		if (back)
			delta = (struct timespec) { -delta.tv_sec, -delta.tv_nsec };
		if (!nnames)
			pmTraversePMNS("", add_name);
		if (pmLookupName(nnames, (const char **)names, pmids) != nnames ||
		    pmSetModeHighRes(PM_MODE_INTERP, &at, &delta))
			return -EIO;
	}
	for (*points = 0;; ++*points) {
		for (int k = 0; k < 2; k++)
			n[k] = fetch(context[k], nnames, pmids, values[k]);
		if (n[0] < 0 || n[1] < 0)
			break;
		bad += n[0] != n[1] || memcmp(values[0], values[1], n[0] * sizeof(values[0][0]));
	}
	for (int k = 0; k < 2; k++) {
		if (n[k] != PM_ERR_EOL)
			return -EIO;
		pmDestroyContext(context[k]);
	}
	return bad;
}

TEST_F(changes, interpolated_values_are_the_same)
{
	static const long steps[] = { 250, 1000, 3333, 70000 };
	int points = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		for (int back = 0; back < 2; back++) {
			EXPECT_EQ(0, compare(self, steps[i], back, &points));
			EXPECT_LE((TICKS - 1) * 1000 / steps[i], points);
		}
}

static long size(const char *base)
{
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "%s.0", base);
	return stat(path, &st) ? -1 : st.st_size;
}

TEST_F(changes, the_archive_is_smaller)
{
	EXPECT_LT(0, size(self->base[1]));
	EXPECT_LT(size(self->base[1]), size(self->base[0]) / 2);
}

/* A record has a value of an interval, such as a rate, only if there were events. */
TEST_F(changes, intervals_are_recorded_alike)
{
	const char *name = "trace.transact.rate";
	struct value values[2][TAGS];
	int context[2], n;
	pmID pmid;

	for (int k = 0; k < 2; k++) {
		context[k] = pmNewContext(PM_CONTEXT_ARCHIVE, self->base[k]);
		ASSERT_LE(0, context[k]);
		ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	}
	for (int tick = 0; tick < TICKS; tick++) {
		n = fetch(context[0], 1, &pmid, values[0]);
		ASSERT_LE(0, n);
		/* An additional record does not contain the metric, so it is skipped. */
		ASSERT_EQ(n, fetch(context[1], 1, &pmid, values[1]));
		EXPECT_EQ(0, memcmp(values[0], values[1], n * sizeof(values[0][0])));
	}
	for (int k = 0; k < 2; k++)
		pmDestroyContext(context[k]);
}

static int64_t start_of(const char *base, int64_t *end)
{
	struct timespec last = { 0 };
	pmHighResLogLabel label = { 0 };
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, base);

	if (context < 0 || pmGetHighResArchiveLabel(&label) < 0 || pmGetHighResArchiveEnd(&last) < 0)
		return 0;
	pmDestroyContext(context);
	*end = last.tv_sec;
	return label.start.tv_sec;
}

/*
 * Record an archive, then a second one that continues it after the wall clock was set back.  Return
 * the seconds from the end of the first one to the start of the second one, or 0 after a failure.
 */
static int64_t record_set_back(const char *dir, int seconds)
{
	struct shim_record_options options = { .size = sizeof(options) };
	struct shim_recorder *rec[2] = { NULL };
	int64_t end, none, start;
	char base[2][96];

	nrows = 1;
	begin(0);
	for (int k = 0; k < 2; k++) {
		snprintf(base[k], sizeof(base[k]), "%s/back%d.%d", dir, seconds, k);
		options.after = rec[0];
		if (shim_record_open(base[k], &options, &rec[k]) || shim_record_add_trace(rec[k]))
			return 0;
		for (int tick = 0; tick < 3; tick++) {
			now_ns += SECOND;
			if (shim_record_tick(rec[k]))
				return 0;
		}
		wall -= k ? 0 : seconds;
	}
	wall += seconds;
	if (shim_record_close(rec[0]) || shim_record_close(rec[1]) || !start_of(base[0], &end))
		return 0;
	start = start_of(base[1], &none);
	return start ? start - end : 0;
}

/* Archives of one recording do not overlap if the wall clock is set back a little. */
TEST(wall_clock_is_set_back)
{
	char dir[] = "/tmp/vcpc-changes-XXXXXX", command[64];

	ASSERT_NE(NULL, mkdtemp(dir));
	EXPECT_EQ(1, record_set_back(dir, 0));
	EXPECT_EQ(1, record_set_back(dir, 5));
	EXPECT_EQ(1, record_set_back(dir, 60));
	EXPECT_EQ(1 - 3600, record_set_back(dir, 3600));
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	EXPECT_EQ(0, system(command));
}

TEST(wrong_calls)
{
	struct shim_recorder *rec;
	char base[64];

	snprintf(base, sizeof(base), "/tmp/vcpc-changes-%d", getpid());
	EXPECT_EQ(-EINVAL, shim_record_changes(NULL));
	ASSERT_EQ(0, shim_record_open(base, NULL, &rec));
	EXPECT_EQ(0, shim_record_changes(rec));
	EXPECT_EQ(0, shim_record_changes(rec));
	EXPECT_EQ(0, shim_record_add_trace(rec));
	EXPECT_EQ(-EINVAL, shim_record_changes(rec));
	shim_record_discard(rec);
}

TEST_HARNESS_MAIN
