// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a mark and an observation have the same time, their order in the file determines which of them
 * comes first.
 */
#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "archive_file.h"

#define NONE		-1
#define FETCHES		6

enum { A_COUNTER, AN_INSTANT, A_DISCRETE, METRICS };

static const int semantics[METRICS] = { PM_SEM_COUNTER, PM_SEM_INSTANT, PM_SEM_DISCRETE };

/*
 * An archive, and the values that PCP 6.3.8 and 7.2.2 return.  In @records, r is an observation and
 * m is a mark, followed by the time in seconds.  The observations have the values 100, 200 and so
 * on.
 */
static const struct row {
	const char *records;
	int start, step;
	int want[FETCHES][METRICS];
} rows[] = {
	{ "r0 r10 m10 r20 r30", 5100, 5000, {
		{ 151, 200, 200 }, { NONE, NONE, NONE }, { NONE, NONE, NONE }, { 301, 300, 300 },
		{ 351, 400, 400 }, { NONE, NONE, NONE } } },
	{ "r0 r10 m10 r20 r30", 25000, -5000, {
		{ 350, 300, 300 }, { 300, 300, 300 }, { NONE, NONE, NONE }, { NONE, NONE, NONE },
		{ 150, 100, 100 }, { 100, 100, 100 } } },
	{ "r0 r10 m20 r20 r30", 5100, 5000, {
		{ 151, 200, 200 }, { NONE, NONE, 200 }, { NONE, NONE, 200 }, { 301, 300, 300 },
		{ 351, 400, 400 }, { NONE, NONE, NONE } } },
	{ "r0 r10 m20 r20 r30", 30000, -5000, {
		{ 400, 400, 400 }, { 350, 300, 300 }, { 300, 300, 300 }, { NONE, NONE, 200 },
		{ 200, 200, 200 }, { 150, 100, 100 } } },
	/* After a step across the mark the counter is missing once. */
	{ "r0 r10 m20 r20 r30", 20000, -10000, {
		{ 300, 300, 300 }, { NONE, 200, 200 }, { 100, 100, 100 } } },
	{ "r0 r10 m20 r20 r30 r40", 5100, 15000, {
		{ 151, 200, 200 }, { NONE, 300, 300 }, { 451, 500, 500 } } },
	{ "r0 r10 m10 m20 r20 r30", 25000, -3000, {
		{ 350, 300, 300 }, { 320, 300, 300 }, { NONE, NONE, NONE }, { NONE, NONE, NONE },
		{ NONE, NONE, NONE }, { NONE, NONE, NONE } } },
	{ "r0 m0 r10 r20", 1000, 3000, {
		{ NONE, NONE, NONE }, { NONE, NONE, NONE }, { NONE, NONE, NONE }, { 200, 200, 200 },
		{ 230, 200, 200 }, { 260, 300, 300 } } },
};

static void observe(struct af *a, int64_t ns, int value)
{
	af_begin(a, ns);
	for (int i = 0; i < METRICS; i++) {
		af_set(a, AF_PMID(i), 0);
		af_u32(a, -1, (uint32_t)value);
	}
	af_end(a);
}

static void make(const char *base, const char *records)
{
	int64_t ns = 0;
	char name[16];
	int n = 0;
	struct af a;

	af_open(&a, base, 3);
	for (int i = 0; i < METRICS; i++) {
		snprintf(name, sizeof(name), "m.m%d", i);
		af_desc(&a, AF_PMID(i), PM_TYPE_U32, AF_NONE, semantics[i], 0, name);
	}
	af_index(&a, 0);
	for (const char *p = records; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
		ns = atoi(p + 1) * AF_SEC;
		if (*p == 'm')
			af_mark(&a, ns);
		else
			observe(&a, ns, 100 * ++n);
	}
	af_index(&a, ns);
	af_close(&a);
}

static int value_of(const pmResult *r, int metric)
{
	const pmValueSet *s = r->vset[metric];

	return s->numval == 1 ? (int)s->vlist[0].value.lval : NONE;
}

static void check(struct __test_metadata *_metadata, const struct row *row)
{
	static const pmID pmids[METRICS] = { AF_PMID(0), AF_PMID(1), AF_PMID(2) };
	struct timeval when = { AF_START + row->start / 1000, row->start % 1000 * 1000 };
	pmResult *r;

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &when, row->step), 0);
	for (int i = 0; i < FETCHES; i++) {
		int err = pmFetch(METRICS, (pmID *)pmids, &r);

		if (err == PM_ERR_EOL)
			return;
		ASSERT_EQ(err, 0);
		for (int m = 0; m < METRICS; m++) {
			EXPECT_EQ(value_of(r, m), row->want[i][m]) {
				TH_LOG("%s: metric %d at %d ms", row->records, m,
				       row->start + i * row->step);
			}
		}
		pmFreeResult(r);
	}
}

TEST(each_row)
{
	char base[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		af_folder(base, sizeof(base));
		make(base, rows[i].records);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, base), 0);
		check(_metadata, &rows[i]);
		pmDestroyContext(pmWhichContext());
		af_remove(base);
	}
}

TEST_HARNESS_MAIN
