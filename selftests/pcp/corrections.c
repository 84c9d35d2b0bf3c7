// SPDX-License-Identifier: GPL-2.0-or-later
/* Test each deliberate difference from PCP 6.0.3; the table is in Documentation/api/pmapi.rst. */
#include "pcp_fixture.h"

/* Hours have 3600 s, and no unit overflows.  (mode_units.c tests all units.) */

TEST_F(archive, stamps_are_normalised)
{
	struct timeval when = { AF_START, 500000 };
	pmID pmid = AF_PMID(CU32);
	pmResult *r;

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &when, 500), 0);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
		EXPECT_EQ(ms_of(r->timestamp), 500 + 500 * i);
		EXPECT_LT(r->timestamp.tv_usec, 1000000);
		pmFreeResult(r);
	}
}

TEST_F(archive, a_metric_may_be_asked_for_twice)
{
	pmID pmids[] = { AF_PMID(CU32), AF_PMID(SET), AF_PMID(CU32), AF_PMID(CU32) };
	pmResult *r;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 5000, 0), 0);
	ASSERT_EQ(pmFetch(4, pmids, &r), 0);
	EXPECT_EQ(r->vset[0]->vlist[0].value.lval, 7);
	EXPECT_EQ(r->vset[1]->numval, 2);
	EXPECT_EQ(r->vset[2]->vlist[0].value.lval, 7);
	EXPECT_EQ(r->vset[3]->vlist[0].value.lval, 7);
	pmFreeResult(r);
}

/*
 * At exactly the time of a record, the text of that record is returned, whether the time is reached
 * forwards or backwards.
 */
TEST_F(archive, texts_at_the_time_of_a_record)
{
	pmID pmid = AF_PMID(ISTR);
	const char *want[] = { "i0", "i0", "i1", "i1" };
	pmAtomValue v;
	pmResult *r;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 2500, 2500), 0);
	for (int i = 1; i < 8; i++) {
		ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
		ASSERT_EQ(r->vset[0]->numval, 1);
		ASSERT_EQ(pmExtractValue(r->vset[0]->valfmt, r->vset[0]->vlist, PM_TYPE_STRING,
					 &v, PM_TYPE_STRING), 0);
		EXPECT_STREQ(v.cp, want[i / 4 * 2]);
		free(v.cp);
		pmFreeResult(r);
	}
}

/* A time up to one millisecond outside the archive counts as inside. */
TEST_F(archive, the_end_has_a_margin_at_the_first_fetch)
{
	struct timeval when = { AF_START + 50, 500 };
	pmID pmid = AF_PMID(DISCRETE);
	pmResult *r;

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &when, 0), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	EXPECT_EQ(r->vset[0]->numval, 1);
	pmFreeResult(r);
}

/*
 * pmSetMode() makes the context forget the previous fetch, so the next fetch returns the counter.
 */
TEST_F(archive, set_mode_forgets_the_fetch_before)
{
	ASSERT_EQ(go_to(PM_MODE_INTERP, 20000, 15000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 26);
	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, NULL, 15000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 44);
}

/* A jump across a mark does not interpolate across it. */
TEST_F(archive, jumps_see_marks)
{
	static const int times[] = { 45000, 22000, 5000, 28000, 50000, 24000 };

	for (int i = 0; i < 6; i++) {
		int got = number_at(AF_PMID(CU32), times[i]);

		EXPECT_EQ(got == NOTHING, times[i] > 20000 && times[i] < 30000) {
			TH_LOG("at %d: %d", times[i], got);
		}
	}
}

/*
 * If two lists are fetched alternately, each counter is missing once after the mark, whichever list
 * is fetched first after the mark.
 */
TEST_F(archive, lists_that_alternate_around_a_mark)
{
	static const struct {
		int step, want[8];
	} rows[] = {
		{ 5000, { 7, 7, 20, 14, NOTHING, NOTHING, 44, 35 } },	/* at 5, 10, 15 ... */
		{ 7000, { 7, 8, 25, NOTHING, NOTHING, 35, 45, PM_ERR_EOL } },
		{ -5000, { 48, 35, 44, 21, NOTHING, NOTHING, 20, 7 } },	/* at 45, 40, ... */
	};

	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(go_to(PM_MODE_INTERP, rows[i].step < 0 ? 45000 : 5000, rows[i].step), 0);
		for (int j = 0; j < 8; j++) {
			EXPECT_EQ(fetch_number(AF_PMID(j % 2 ? C32 : CU32), NULL), rows[i].want[j]) {
				TH_LOG("steps of %d, fetch %d", rows[i].step, j);
			}
		}
	}
}

/*
 * numbered() - write an archive whose i-th record contains the number i
 * @seconds: time of each of the @n records
 * @index: called before each record and at the end; adds index entries
 */
static void numbered(struct af *a, char *base, size_t size, const int *seconds, int n,
		     void (*index)(struct af *a, int i))
{
	af_folder(base, size);
	af_open(a, base, 3);
	af_desc(a, AF_PMID(CU32), 1, AF_NONE, 3, 0, "x");
	for (int i = 0; i <= n; i++) {
		index(a, i);
		if (i == n)
			break;
		af_begin(a, seconds[i] * AF_SEC);
		af_set(a, AF_PMID(CU32), 0);
		af_u32(a, -1, (uint32_t)i);
		af_end(a);
	}
	af_close(a);
}

static int open_instead(const char *base)
{
	int err = pmDestroyContext(pmWhichContext());

	return err ? err : pmNewContext(PM_CONTEXT_ARCHIVE, base);
}

static void index_of_the_first(struct af *a, int i)
{
	if (i == 0)
		af_index(a, 0);
}

/*
 * Add an entry for record 2 with a slightly later time, and one for the end with the time of record
 * 3.
 */
static void index_that_is_near(struct af *a, int i)
{
	index_of_the_first(a, i);
	if (i == 2)
		af_index(a, 20 * AF_SEC + AF_SEC / 1000);
	if (i == 4)
		af_index(a, 30 * AF_SEC);
}

TEST_F(archive, an_unknown_metric_does_no_harm)
{
	struct af a;
	char base[256];
	pmID pmids[] = { AF_PMID(NEVER), AF_PMID(CU32) };
	pmResult *r;

	af_folder(base, sizeof(base));
	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(CU32), 1, AF_NONE, 1, 0, "x");
	for (int i = 0; i < 3; i++) {
		af_begin(&a, i * AF_SEC);
		af_set(&a, AF_PMID(NEVER), 0);		/* a metric without a descriptor */
		af_u32(&a, -1, 7);
		af_set(&a, AF_PMID(CU32), 0);
		af_u32(&a, -1, (uint32_t)i * 10);
		af_end(&a);
		if (i == 0)
			af_index(&a, 0);
	}
	af_close(&a);
	ASSERT_GE(open_instead(base), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 500, 500), 0);
	for (int i = 1; i < 4; i++) {
		ASSERT_EQ(pmFetch(2, pmids, &r), 0);
		EXPECT_EQ(r->vset[0]->numval, PM_ERR_PMID_LOG);
		EXPECT_EQ(r->vset[1]->vlist[0].value.lval, 5 * i);
		pmFreeResult(r);
	}
	ASSERT_EQ(go_to(PM_MODE_FORW, 0, 0), 0);
	EXPECT_EQ(pmFetch(2, pmids, &r), PM_ERR_PMID_LOG);
	af_remove(base);
}

/*
 * If several records have the same time, FORW returns all of them, starting with the first; INTERP
 * uses the last one.
 */
TEST_F(archive, equal_stamps)
{
	static const int seconds[] = { 0, 0, 10, 10, 10, 20 };
	struct af a;
	char base[256];

	numbered(&a, base, sizeof(base), seconds, 6, index_of_the_first);
	ASSERT_GE(open_instead(base), 0);
	ASSERT_EQ(go_to(PM_MODE_FORW, 10000, 0), 0);
	for (int i = 2; i < 6; i++)
		EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), i);
	ASSERT_EQ(go_to(PM_MODE_BACK, 10000, 0), 0);
	for (int i = 4; i >= 0; i--)
		EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), i);
	EXPECT_EQ(number_at(AF_PMID(CU32), 10000), 4);
	EXPECT_EQ(number_at(AF_PMID(CU32), 4999), 1);
	EXPECT_EQ(number_at(AF_PMID(CU32), 9999), 2);
	EXPECT_EQ(number_at(AF_PMID(CU32), 10001), 4);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 0, 5000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 1);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 1);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 4);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 4);
	af_remove(base);
}

/* Begin an archive of two counters. */
static void begin_of_two(struct af *a, char *base, size_t size)
{
	af_folder(base, size);
	af_open(a, base, 3);
	af_desc(a, AF_PMID(CU32), PM_TYPE_U32, AF_NONE, PM_SEM_COUNTER, 0, "often");
	af_desc(a, AF_PMID(LATE), PM_TYPE_U32, AF_NONE, PM_SEM_COUNTER, 0, "late");
}

/* Other metrics of a fetch do not change which of several observations of a time is used. */
TEST_F(archive, equal_stamps_and_a_rare_metric)
{
	static const int seconds[] = { 0, 10, 10, 20, 20, 30 };
	pmID pmids[] = { AF_PMID(CU32), AF_PMID(LATE) };
	struct af a;
	char base[256];

	begin_of_two(&a, base, sizeof(base));
	af_index(&a, 0);
	for (int i = 0; i < 6; i++) {
		af_begin(&a, seconds[i] * AF_SEC);
		af_set(&a, AF_PMID(i < 5 ? CU32 : LATE), 0);
		af_u32(&a, -1, 10 * (uint32_t)(i * i));
		af_end(&a);
	}
	af_close(&a);
	ASSERT_GE(open_instead(base), 0);
	for (int n = 1; n <= 2; n++) {
		pmResult *r;

		ASSERT_EQ(go_to(PM_MODE_INTERP, 15000, 0), 0);
		ASSERT_EQ(pmFetch(n, pmids, &r), 0);
		ASSERT_EQ(r->vset[0]->numval, 1);
		/* The values are 40, the last one at 10 s, and 90, the first one at 20 s. */
		EXPECT_EQ(r->vset[0]->vlist[0].value.lval, 65);
		pmFreeResult(r);
	}
	af_remove(base);
}

/*
 * Earlier fetches of another metric, and index entries of later observations, do not hide any
 * observation.
 */
TEST_F(archive, earlier_fetches_hide_nothing)
{
	static const struct {
		int seconds, metric;
		uint32_t value;
	} records[] = {
		{ 0, LATE, 0 }, { 5, CU32, 50 }, { 30, CU32, 300 }, { 40, LATE, 40 },
		{ 50, CU32, 1000 }, { 60, LATE, 60 },
	};
	struct af a;
	char base[256];

	begin_of_two(&a, base, sizeof(base));
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		if (i == 0 || i == 4)
			af_index(&a, records[i].seconds * AF_SEC);
		af_begin(&a, records[i].seconds * AF_SEC);
		af_set(&a, AF_PMID(records[i].metric), 0);
		af_u32(&a, -1, records[i].value);
		af_end(&a);
	}
	af_close(&a);
	ASSERT_GE(open_instead(base), 0);
	EXPECT_EQ(number_at(AF_PMID(CU32), 10000), 100);
	EXPECT_EQ(number_at(AF_PMID(LATE), 45000), 45);
	EXPECT_EQ(number_at(AF_PMID(CU32), 20000), 200);
	af_remove(base);
}

/* If an index entry points before or after its record, the record is still found. */
TEST_F(archive, the_index_is_only_near)
{
	static const int seconds[] = { 0, 10, 20, 30 };
	struct af a;
	char base[256];

	numbered(&a, base, sizeof(base), seconds, 4, index_that_is_near);
	ASSERT_GE(open_instead(base), 0);
	ASSERT_EQ(go_to(PM_MODE_FORW, 30000, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 3);
	ASSERT_EQ(go_to(PM_MODE_BACK, 20000, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 2);
	af_remove(base);
}

TEST_F(archive, a_copy_has_the_profile)
{
	pmID pmid = AF_PMID(SET);
	int inst = 1;
	pmResult *r;

	ASSERT_EQ(pmAddProfile(AF_INDOM, 1, &inst), 0);
	ASSERT_GE(pmDupContext(), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 5000, 0), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	ASSERT_EQ(r->vset[0]->numval, 1);
	EXPECT_EQ(r->vset[0]->vlist[0].inst, 1);
	pmFreeResult(r);
}

TEST_F(archive, del_profile_keeps_the_others)
{
	pmID pmid = AF_PMID(SET);
	int inst = 1;
	pmResult *r;

	ASSERT_EQ(pmDelProfile(AF_INDOM, 1, &inst), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 5000, 0), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	ASSERT_EQ(r->vset[0]->numval, 1);
	EXPECT_EQ(r->vset[0]->vlist[0].inst, 0);
	pmFreeResult(r);
}

TEST_F(archive, an_illegal_type_keeps_the_context)
{
	int handle = pmWhichContext();

	EXPECT_EQ(pmNewContext(99, self->base), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmWhichContext(), handle);
}

static uint64_t wide_at(pmID pmid, int64_t ms)
{
	pmAtomValue v = { .ull = 0 };
	pmResult *r;

	if (go_to(PM_MODE_INTERP, ms, 0) || pmFetch(1, &pmid, &r) < 0)
		return 0;
	if (r->vset[0]->numval == 1)
		pmExtractValue(r->vset[0]->valfmt, r->vset[0]->vlist, PM_TYPE_U64, &v, PM_TYPE_U64);
	pmFreeResult(r);
	return v.ull;
}

/*
 * With PCP_COUNTER_WRAP, counters that wrap are interpolated.  A 64-bit counter may even increase
 * by more than half of its range.
 */
TEST_F(archive, wrapping_counters)
{
	struct af a;
	char base[256];
	static const uint32_t values[] = { 0x7ffffff0u, 0x80000010u, 0xfffffff0u, 0x10u };

	af_folder(base, sizeof(base));
	af_open(&a, base, 3);
	af_desc(&a, AF_PMID(C32), 0, AF_NONE, 1, 0, "signed");
	af_desc(&a, AF_PMID(CU32), 1, AF_NONE, 1, 0, "unsigned");
	af_desc(&a, AF_PMID(CU64), 3, AF_NONE, 1, 0, "wide");
	af_desc(&a, AF_PMID(C64), 3, AF_NONE, 1, 0, "wider");
	for (int i = 0; i < 2; i++) {
		if (i == 0)
			af_index(&a, 0);
		af_begin(&a, i * 10 * AF_SEC);
		af_set(&a, AF_PMID(C32), 0);
		af_u32(&a, -1, values[i]);
		af_set(&a, AF_PMID(CU32), 0);
		af_u32(&a, -1, values[2 + i]);
		af_set(&a, AF_PMID(CU64), 1);
		af_u64(&a, -1, 3, i ? 1ull << 62 : 1ull << 63);
		af_set(&a, AF_PMID(C64), 1);
		af_u64(&a, -1, 3, i ? 1ull << 61 : 1ull << 62);
		af_end(&a);
	}
	af_close(&a);
	setenv("PCP_COUNTER_WRAP", "", 1);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, base), 0);
	EXPECT_EQ(number_at(AF_PMID(C32), 2500), 0x7ffffff8);
	EXPECT_EQ(number_at(AF_PMID(C32), 5000), INT32_MIN);
	EXPECT_EQ((uint32_t)number_at(AF_PMID(CU32), 2500), 0xfffffff8u);
	EXPECT_EQ(number_at(AF_PMID(CU32), 7500), 8);
	EXPECT_EQ(wide_at(AF_PMID(CU64), 5000), 7ull << 61);
	EXPECT_EQ(wide_at(AF_PMID(CU64), 7500), 1ull << 60);
	EXPECT_EQ(wide_at(AF_PMID(C64), 5000), 11ull << 60);
	EXPECT_EQ(wide_at(AF_PMID(C64), 9375), 9ull << 57);
	af_remove(base);
}

/*
 * After a domain has stopped listing an instance, the values of this instance are not used, even if
 * an earlier fetch has read them.
 */
TEST(values_of_an_instance_that_is_no_longer_listed)
{
	int insts[20], want[] = { 20, 20, 19, 19 };
	pmID pmid = AF_PMID(SET);
	char base[256];
	pmResult *r;
	struct af a;

	for (int i = 0; i < 20; i++)
		insts[i] = i;
	af_folder(base, sizeof(base));
	af_open(&a, base, 3);
	af_desc(&a, pmid, 1, AF_INDOM, 1, 0, "many");
	af_indom(&a, 0, AF_INDOM, 20, insts);
	af_indom(&a, 20 * AF_SEC, AF_INDOM, 19, insts);
	for (int i = 0; i < 5; i++) {
		if (i == 0 || i == 4)
			af_index(&a, i * 10 * AF_SEC);
		af_begin(&a, i * 10 * AF_SEC);
		af_set(&a, pmid, 0);
		for (int j = 0; j < 20; j++)
			if (j < 19 || i == 0 || i == 4)
				af_u32(&a, j, (uint32_t)(i * 10));
		af_end(&a);
	}
	af_close(&a);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, base), 0);
	for (int step = 0; step < 2; step++) {
		ASSERT_EQ(go_to(PM_MODE_INTERP, 5000, 10000), 0);
		for (int i = 0; i < 4; i++) {
			if (!step)
				ASSERT_EQ(go_to(PM_MODE_INTERP, 5000 + 10000 * i, 10000), 0);
			ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
			EXPECT_EQ(want[i], r->vset[0]->numval);
			pmFreeResult(r);
		}
	}
	af_remove(base);
}

TEST_HARNESS_MAIN
