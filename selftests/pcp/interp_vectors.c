// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Interpolated values equal PCP's to the last digit, regardless of the direction in which time
 * moves.
 */
#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "archive_file.h"

#define T	PM_ERR_TYPE
#define STEP	4

/*
 * The expected values at time @t, or -1 where there is none; the values of a metric's instances are
 * combined in one number
 */
struct row {
	int t;
	int64_t cu32, c32, cu64, c64;
	const char *cflt;
	double cdbl;
	int inst;
	const char *disc;
	int set[2];
	const char *istr;
};

static const struct row rows[] = {
	{ 0, 0, 0, 5, -1000, "0", 0, 100, "one", { 0, 1 }, "i0" },
	{ 4, 5, 3, 3435973842, -866, "0.039999999", 0.04, 100, "one", { 4, 5 }, "i0" },
	{ 8, 10, 6, 6871947679, -733, "0.079999998", 0.08, 101, "one", { 8, 9 }, "i0" },
	{ 12, 16, 8, 10307921515, -599, "0.12", 0.12, 101, "one", { 12, -1 }, "i1" },
	{ 16, 21, 11, 13743895352, -466, "0.16", 0.16, 102, "one", { 16, -1 }, "i1" },
	{ 20, 26, 14, 17179869189, -334, "0.2", 0.2, 102, "one", { 20, -1 }, "i2" },
	{ 24, -1, -1, -1, -1, NULL, -1, -1, "one", { -1, -1 }, NULL },
	{ 28, -1, -1, -1, -1, NULL, -1, -1, NULL, { -1, -1 }, NULL },
	{ 32, 37, 24, 29205777618, 132, "0.34", 0.34, 103, "two", { 34, 35 }, "i3" },
	{ 36, 46, 29, 36077725291, 399, "0.42000002", 0.42, 105, "two", { 42, 43 }, "i3" },
	{ 40, 55, 35, 42949672965, 665, "0.5", 0.5, 105, "two", { 50, 51 }, "i5" },
	{ 44, 49, 32, 39513699128, 532, "0.46000001", 0.46, 105, "two", { 46, 47 }, "i5" },
	{ 48, 44, 29, 36077725291, 399, "0.42000002", 0.42, 104, "two", { 42, 43 }, "i5" },
};

#define NROWS ((int)(sizeof(rows) / sizeof(rows[0])))

static pmID pmids[] = {
	AF_PMID(CU32), AF_PMID(C32), AF_PMID(CU64), AF_PMID(C64), AF_PMID(CFLT), AF_PMID(CDBL),
	AF_PMID(INSTANT), AF_PMID(DISCRETE), AF_PMID(SET), AF_PMID(CSTR), AF_PMID(ISTR),
};

#define N ((int)(sizeof(pmids) / sizeof(pmids[0])))

FIXTURE(vectors)
{
	char base[256];
};

FIXTURE_VARIANT(vectors)
{
	int version;
};

FIXTURE_VARIANT_ADD(vectors, v2)
{
	.version = 2,
};

FIXTURE_VARIANT_ADD(vectors, v3)
{
	.version = 3,
};

FIXTURE_SETUP(vectors)
{
	af_folder(self->base, sizeof(self->base));
	af_vectors(self->base, variant->version);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(vectors)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

static pmAtomValue value(const pmValueSet *set, int i, int type)
{
	pmAtomValue v;

	if (pmExtractValue(set->valfmt, &set->vlist[i], type, &v, type))
		memset(&v, 0xff, sizeof(v));
	return v;
}

static void check_string(struct __test_metadata *_metadata, const pmValueSet *set, const char *want)
{
	pmAtomValue v;

	ASSERT_EQ(set->numval, want ? 1 : 0);
	if (!want)
		return;
	v = value(set, 0, PM_TYPE_STRING);
	EXPECT_STREQ(v.cp, want);
	free(v.cp);
}

static void check_number(struct __test_metadata *_metadata, const pmValueSet *set, int type,
			 int64_t want)
{
	pmAtomValue v;

	ASSERT_EQ(set->numval, want == -1 ? 0 : 1);
	if (want == -1)
		return;
	EXPECT_EQ(set->vlist[0].inst, (int)PM_IN_NULL);
	EXPECT_EQ(set->valfmt, type <= PM_TYPE_U32 ? PM_VAL_INSITU : PM_VAL_DPTR);
	v = value(set, 0, type);
	EXPECT_EQ(type <= PM_TYPE_U32 ? v.l : v.ll, want);
}

static void check_row(struct __test_metadata *_metadata, const pmResult *r, const struct row *row)
{
	int n = (row->set[0] != -1) + (row->set[1] != -1);
	pmValueSet *const *s = r->vset;
	char text[32];

	ASSERT_EQ(r->timestamp.tv_sec, AF_START + row->t);
	ASSERT_EQ(r->timestamp.tv_usec, 0);
	ASSERT_EQ(r->numpmid, N);
	check_number(_metadata, s[0], PM_TYPE_U32, row->cu32);
	check_number(_metadata, s[1], PM_TYPE_32, row->c32);
	check_number(_metadata, s[2], PM_TYPE_U64, row->cu64);
	check_number(_metadata, s[3], PM_TYPE_64, row->c64);
	ASSERT_EQ(s[4]->numval, row->cdbl != -1);
	ASSERT_EQ(s[5]->numval, row->cdbl != -1);
	if (row->cdbl != -1) {
		snprintf(text, sizeof(text), "%.8g", (double)value(s[4], 0, PM_TYPE_FLOAT).f);
		EXPECT_STREQ(text, row->cflt);
		EXPECT_LT(value(s[5], 0, PM_TYPE_DOUBLE).d - row->cdbl, 1e-15);
		EXPECT_GT(value(s[5], 0, PM_TYPE_DOUBLE).d - row->cdbl, -1e-15);
	}
	check_number(_metadata, s[6], PM_TYPE_U32, row->inst);
	check_string(_metadata, s[7], row->disc);
	ASSERT_EQ(s[8]->numval, n);
	for (int i = 0; i < n; i++) {
		EXPECT_EQ(s[8]->vlist[i].inst, i);
		EXPECT_EQ(s[8]->vlist[i].value.lval, row->set[i]);
	}
	EXPECT_EQ(s[9]->numval, row->cdbl != -1 ? T : 0);
	check_string(_metadata, s[10], row->istr);
}

static void check_fetch(struct __test_metadata *_metadata, const struct row *row)
{
	pmResult *r;

	ASSERT_EQ(pmFetch(N, pmids, &r), 0);
	check_row(_metadata, r, row);
	pmFreeResult(r);
}

TEST_F(vectors, forwards)
{
	struct timeval start = { AF_START, 0 };
	pmResult *r = NULL;

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &start, STEP * 1000), 0);
	for (int i = 0; i < NROWS; i++)
		check_fetch(_metadata, &rows[i]);
	EXPECT_EQ(pmFetch(N, pmids, &r), PM_ERR_EOL);
	EXPECT_EQ(r, NULL);
}

TEST_F(vectors, backwards)
{
	struct timeval end = { AF_START + 52, 0 };
	pmResult *r;

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP | PM_XTB_SET(PM_TIME_SEC), &end, -STEP), 0);
	EXPECT_EQ(pmFetch(N, pmids, &r), PM_ERR_EOL);
	for (int i = NROWS - 1; i >= 0; i--)
		check_fetch(_metadata, &rows[i]);
	EXPECT_EQ(pmFetch(N, pmids, &r), PM_ERR_EOL);
}

/* Jump to each time separately, in an order that crosses the mark many times. */
TEST_F(vectors, jumps)
{
	for (int i = 0; i < 5 * NROWS; i++) {
		const struct row *row = &rows[i * 5 % NROWS];
		struct timeval when = { AF_START + row->t, 0 };

		ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &when, 0), 0);
		check_fetch(_metadata, row);
		check_fetch(_metadata, row);
	}
}

/*
 * Fetching other lists of metrics in between does not change the values: the cached state of the
 * metrics that are left out stays valid.
 */
TEST_F(vectors, changing_lists)
{
	struct timeval start = { AF_START, 0 };
	pmResult *r;

	for (int i = 0; i < NROWS; i++) {
		struct timeval when = { AF_START + rows[i * 3 % NROWS].t, 0 };

		ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &when, 0), 0);
		ASSERT_EQ(pmFetch(1, &pmids[i % N], &r), 0);
		pmFreeResult(r);
		ASSERT_EQ(pmSetMode(PM_MODE_INTERP, &start, STEP * 1000), 0);
		for (int j = 0; j <= i; j++)
			check_fetch(_metadata, &rows[j]);
	}
}

static void check_cu32(struct __test_metadata *_metadata, int t, int step, int n,
		       const int64_t *want)
{
	pmID list[] = { AF_PMID(CU32), AF_PMID(INSTANT) };
	struct timeval when = { AF_START + t, 0 };
	pmResult *r;

	ASSERT_EQ(pmSetMode(PM_MODE_INTERP | PM_XTB_SET(PM_TIME_SEC), &when, step), 0);
	for (int i = 0; i < n; i++) {
		ASSERT_EQ(pmFetch(2, list, &r), 0);
		check_number(_metadata, r->vset[0], PM_TYPE_U32, want[i]);
		EXPECT_EQ(r->vset[1]->numval, 1) {
			TH_LOG("instantaneous at %ld", (long)r->timestamp.tv_sec - AF_START);
		}
		pmFreeResult(r);
	}
}

/* A counter is never interpolated across a mark. */
TEST_F(vectors, counter_after_mark)
{
	const int64_t from20[] = { 26, -1, 41 };
	const int64_t from15[] = { 20, -1, 48 };
	const int64_t from45[] = { 48, 32, -1 };

	check_cu32(_metadata, 20, 15, 3, from20);
	check_cu32(_metadata, 15, 15, 3, from15);
	check_cu32(_metadata, 45, -15, 3, from45);
}

TEST_HARNESS_MAIN
