// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read values whose type differs from that of their metric, values of unknown metrics, and records
 * far from the start.
 */
#include "pcp_fixture.h"

#define ODD	AF_PMID(1)	/* 64-bit; its value is in place at 1 s, a float at 2 s */
#define GOOD	AF_PMID(2)
#define UNKNOWN	AF_PMID(3)	/* metric without a descriptor */
#define RECORDS	4

FIXTURE(odd) {
	char base[256];
};

static void add_record(struct af *a, int i)
{
	af_begin(a, i * AF_SEC);
	af_set(a, ODD, 0);
	if (i == 1)
		af_u32(a, -1, 77);
	else if (i == 2)
		af_float(a, -1, 1.5f);
	else
		af_u64(a, -1, PM_TYPE_U64, 1000 + (uint64_t)i);
	af_set(a, UNKNOWN, 0);
	af_u32(a, -1, 5);
	af_set(a, GOOD, 0);
	af_u32(a, -1, (uint32_t)i * 10);
	af_end(a);
}

FIXTURE_SETUP(odd)
{
	struct af a;

	af_folder(self->base, sizeof(self->base));
	af_open(&a, self->base, 3);
	af_desc(&a, ODD, PM_TYPE_U64, AF_NONE, PM_SEM_INSTANT, 0, "odd");
	af_desc(&a, GOOD, PM_TYPE_U32, AF_NONE, PM_SEM_COUNTER, 0, "good");
	af_index(&a, 0);
	for (int i = 0; i < RECORDS; i++)
		add_record(&a, i);
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
}

FIXTURE_TEARDOWN(odd)
{
	af_remove(self->base);
}

/*
 * Check the result of record @i: a value of another type is never interpreted as the metric's type.
 */
static void check_odd(struct __test_metadata *_metadata, const pmValueSet *set, int i)
{
	pmAtomValue v;
	int err;

	ASSERT_EQ(1, set->numval);
	err = pmExtractValue(set->valfmt, set->vlist, PM_TYPE_U64, &v, PM_TYPE_U64);
	if (i == 1) {
		EXPECT_EQ(PM_VAL_INSITU, set->valfmt);
		EXPECT_EQ(77, set->vlist[0].value.lval);
		EXPECT_EQ(PM_ERR_CONV, err);
		return;
	}
	EXPECT_EQ(PM_VAL_DPTR, set->valfmt);
	EXPECT_EQ(i == 2 ? PM_TYPE_FLOAT : PM_TYPE_U64, 0 + set->vlist[0].value.pval->vtype);
	EXPECT_EQ(i == 2 ? PM_ERR_CONV : 0, err);
	if (i != 2) {
		EXPECT_EQ(1000 + i, v.ull);
		return;
	}
	EXPECT_EQ(0, pmExtractValue(set->valfmt, set->vlist, PM_TYPE_FLOAT, &v, PM_TYPE_FLOAT));
	EXPECT_EQ(1.5f, v.f);
}

TEST_F(odd, as_they_are_in_records)
{
	pmID pmids[] = { ODD, GOOD };
	pmResult *r;

	for (int i = 0; i < RECORDS; i++) {
		ASSERT_EQ(0, pmFetch(2, pmids, &r));
		check_odd(_metadata, r->vset[0], i);
		EXPECT_EQ(10 * i, r->vset[1]->vlist[0].value.lval);
		pmFreeResult(r);
	}
	ASSERT_EQ(0, go_to(PM_MODE_BACK, 10000, 0));
	for (int i = RECORDS - 1; i >= 0; i--) {
		ASSERT_EQ(0, pmFetchArchive(&r));
		ASSERT_EQ(3, r->numpmid);
		check_odd(_metadata, r->vset[0], i);
		EXPECT_EQ(UNKNOWN, r->vset[1]->pmid);
		ASSERT_EQ(1, r->vset[1]->numval);
		EXPECT_EQ(5, r->vset[1]->vlist[0].value.lval);
		pmFreeResult(r);
	}
}

/*
 * A value of another type has an effect only where it would be used: there the metric has no value.
 */
TEST_F(odd, they_matter_where_they_count)
{
	pmID odd = ODD, both[] = { ODD, GOOD };
	pmResult *r;

	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 3000, -2500));
	ASSERT_EQ(0, pmFetch(2, both, &r));
	check_odd(_metadata, r->vset[0], 3);
	EXPECT_EQ(30, r->vset[1]->vlist[0].value.lval);
	pmFreeResult(r);
	EXPECT_EQ(PM_ERR_LOGREC, pmFetch(1, &odd, &r));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 0, 3000));
	for (int i = 0; i < RECORDS; i += 3) {
		ASSERT_EQ(0, pmFetch(2, both, &r));
		check_odd(_metadata, r->vset[0], i);
		pmFreeResult(r);
	}
	EXPECT_EQ(15, number_at(GOOD, 1500));
}

#define NO_VALUE	(-1)

/* A block whose size or type does not match the metric's, and the results of FORW and INTERP */
static const struct block {
	int type, block_type;
	size_t len;
	int err[2], got_type[2];	/* first FORW, then INTERP */
} blocks[] = {
	{ PM_TYPE_U64, PM_TYPE_U64, 8, { 0, 0 }, { PM_TYPE_U64, PM_TYPE_U64 } },
	{ PM_TYPE_U64, PM_TYPE_DOUBLE, 8, { 0, 0 }, { PM_TYPE_U64, PM_TYPE_U64 } },
	{ PM_TYPE_FLOAT, PM_TYPE_DOUBLE, 8, { 0, PM_ERR_LOGREC }, { PM_TYPE_DOUBLE, NO_VALUE } },
	{ PM_TYPE_U64, PM_TYPE_U64, 0, { PM_ERR_LOGREC, PM_ERR_LOGREC }, { NO_VALUE, NO_VALUE } },
	{ PM_TYPE_U64, PM_TYPE_U64, 4, { PM_ERR_LOGREC, PM_ERR_LOGREC }, { NO_VALUE, NO_VALUE } },
	{ PM_TYPE_U64, PM_TYPE_U64, 12, { PM_ERR_LOGREC, PM_ERR_LOGREC }, { NO_VALUE, NO_VALUE } },
	{ PM_TYPE_FLOAT, PM_TYPE_FLOAT, 0, { PM_ERR_LOGREC, PM_ERR_LOGREC }, { NO_VALUE, NO_VALUE } },
	{ PM_TYPE_U32, PM_TYPE_U32, 4, { PM_ERR_LOGREC, PM_ERR_LOGREC }, { NO_VALUE, NO_VALUE } },
	{ PM_TYPE_U64, PM_TYPE_U32, 4, { PM_ERR_LOGREC, PM_ERR_LOGREC }, { NO_VALUE, NO_VALUE } },
};

static void check_block(struct __test_metadata *_metadata, const struct block *b, pmID derived)
{
	static const int modes[] = { PM_MODE_FORW, PM_MODE_INTERP };
	pmID pmids[] = { ODD, derived };
	pmResult *r;

	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, go_to(modes[i], 0, 0));
		ASSERT_EQ(b->err[i], pmFetch(1, pmids, &r));
		ASSERT_EQ(0, go_to(modes[i], 0, 0));
		if (b->err[i]) {
			EXPECT_EQ(b->err[i], pmFetch(1, &pmids[1], &r));
			continue;
		}
		EXPECT_EQ(b->got_type[i], 0 + r->vset[0]->vlist[0].value.pval->vtype);
		pmFreeResult(r);
		ASSERT_EQ(0, pmFetch(1, &pmids[1], &r));
		EXPECT_EQ(1, r->vset[0]->numval);
		pmFreeResult(r);
	}
}

TEST(blocks_of_other_sizes_and_types)
{
	static const unsigned char bytes[12] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const char *name = "sum.of.odd";
	char base[256];
	pmID derived;
	struct af a;

	ASSERT_EQ(NULL, pmRegisterDerived(name, "odd + 1"));
	for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
		af_folder(base, sizeof(base));
		af_open(&a, base, 3);
		af_desc(&a, ODD, blocks[i].type, AF_NONE, PM_SEM_INSTANT, 0, "odd");
		af_index(&a, 0);
		af_begin(&a, 0);
		af_set(&a, ODD, 0);
		af_block(&a, -1, blocks[i].block_type, bytes, blocks[i].len);
		af_end(&a);
		af_close(&a);
		ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
		ASSERT_EQ(1, pmLookupName(1, &name, &derived));
		check_block(_metadata, &blocks[i], derived);
		pmDestroyContext(pmWhichContext());
		af_remove(base);
	}
}

/* Between two records, both kinds of aggregates have the bytes of the earlier record. */
TEST(aggregates)
{
	char base[256], bytes[] = "abc";
	pmID pmid = ODD;
	pmResult *r;
	struct af a;

	for (int type = PM_TYPE_AGGREGATE; type <= PM_TYPE_AGGREGATE_STATIC; type++) {
		af_folder(base, sizeof(base));
		af_open(&a, base, 3);
		af_desc(&a, ODD, type, AF_NONE, PM_SEM_INSTANT, 0, "odd");
		af_index(&a, 0);
		for (int i = 0; i < 3; i++) {
			af_begin(&a, i * AF_SEC);
			af_set(&a, ODD, 0);
			af_block(&a, -1, type, bytes + i, 3 - i);
			af_end(&a);
		}
		af_close(&a);
		ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
		ASSERT_EQ(0, go_to(PM_MODE_INTERP, 1900, 0));
		ASSERT_EQ(0, pmFetch(1, &pmid, &r));
		ASSERT_EQ(1, r->vset[0]->numval);
		EXPECT_EQ(type, 0 + r->vset[0]->vlist[0].value.pval->vtype);
		ASSERT_EQ(PM_VAL_HDR_SIZE + 2, 0 + r->vset[0]->vlist[0].value.pval->vlen);
		EXPECT_EQ(0, memcmp(r->vset[0]->vlist[0].value.pval->vbuf, "bc", 2));
		pmFreeResult(r);
		pmDestroyContext(pmWhichContext());
		af_remove(base);
	}
}

#define MANY	7

static uint64_t many_value(int record, int i)
{
	return 1000 * (uint64_t)record + i;
}

/* Return the number of the block that the @i-th value of a record uses. */
static uint32_t block_of(int record, int i)
{
	switch (record) {
	case 1:
		return MANY - 1 - i;	/* the order is reversed */
	case 2:
		return i < 4 ? i : 4;	/* the last values share one block */
	case 3:
		return i == 3 ? 5 : i == 5 ? 3 : i;	/* two blocks are swapped */
	}
	return i;
}

static void add_blocks(struct af *a, int record, int type, int len)
{
	size_t first = a->nrefs, at;

	af_set(a, len == 8 ? ODD : GOOD, 0);
	at = a->blocks.len;
	for (int i = 0; i < MANY; i++) {
		if (len == 8)
			af_u64(a, i, type, many_value(record, i));
		else
			af_float(a, i, (float)many_value(record, i));
	}
	for (int i = 0; i < MANY; i++)
		af_patch32(&a->sets, a->refs[first + i],
			   (uint32_t)at + block_of(record, i) * (4 + (uint32_t)len));
}

/*
 * Writers store the blocks of a set in order, but a reader must use the block to which a value
 * refers.
 */
TEST(blocks_in_any_order)
{
	char base[256];
	pmResult *r;
	struct af a;

	af_folder(base, sizeof(base));
	af_open(&a, base, 3);
	af_desc(&a, ODD, PM_TYPE_U64, AF_NONE, PM_SEM_INSTANT, 0, "odd");
	af_desc(&a, GOOD, PM_TYPE_FLOAT, AF_NONE, PM_SEM_INSTANT, 0, "good");
	af_index(&a, 0);
	for (int i = 0; i < 5; i++) {
		af_begin(&a, i * AF_SEC);
		add_blocks(&a, i, PM_TYPE_U64, 8);
		add_blocks(&a, i, PM_TYPE_FLOAT, 4);
		af_end(&a);
	}
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int record = 0; record < 5; record++) {
		ASSERT_EQ(0, pmFetchArchive(&r));
		ASSERT_EQ(2, r->numpmid);
		for (int i = 0; i < MANY; i++) {
			const pmValueBlock *wide = r->vset[0]->vlist[i].value.pval;
			const pmValueBlock *narrow = r->vset[1]->vlist[i].value.pval;
			uint64_t want = many_value(record, (int)block_of(record, i)), v;
			float f;

			EXPECT_EQ(i, r->vset[0]->vlist[i].inst);
			EXPECT_EQ(12, 0 + wide->vlen);
			EXPECT_EQ(8, 0 + narrow->vlen);
			memcpy(&v, wide->vbuf, sizeof(v));
			memcpy(&f, narrow->vbuf, sizeof(f));
			EXPECT_EQ(want, v);
			EXPECT_EQ((float)want, f);
		}
		pmFreeResult(r);
	}
	pmDestroyContext(pmWhichContext());
	af_remove(base);
}

/* Start an archive of the metric "good", and set @base to its name. */
static void begin_good(struct af *a, char base[256])
{
	af_folder(base, 256);
	af_open(a, base, 3);
	af_desc(a, GOOD, PM_TYPE_U32, AF_NONE, PM_SEM_INSTANT, 0, "good");
}

/* Far from the start, interpolation is not accurate to nanoseconds. */
TEST(far_from_the_start)
{
	const int64_t far = 20000LL * 24 * 3600 * AF_SEC;
	struct timespec when = { AF_START + far / AF_SEC, 13 };
	pmID pmid = GOOD;
	pmHighResResult *r;
	char base[256];
	struct af a;

	begin_good(&a, base);
	af_index(&a, far);
	for (int i = 0; i < 2; i++) {
		af_begin(&a, far + i * AF_SEC);
		af_set(&a, i ? UNKNOWN : GOOD, 0);
		af_u32(&a, -1, 7);
		af_end(&a);
	}
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	for (int i = 0; i < 2; i++, when.tv_nsec = 0) {
		ASSERT_EQ(0, pmSetModeHighRes(PM_MODE_INTERP, &when, NULL));
		ASSERT_EQ(0, pmFetchHighRes(1, &pmid, &r));
		EXPECT_EQ(i, r->vset[0]->numval);	/* 13 ns after a record there is no value */
		pmFreeHighResResult(r);
	}
	af_remove(base);
}

/* The values of a record whose value sets exceed it are unknown, so a metric has no value next to it. */
TEST(sets_that_exceed_their_record)
{
	char base[256];
	struct af a;

	begin_good(&a, base);
	af_index(&a, 0);
	for (int i = 0; i < RECORDS; i++) {
		af_begin(&a, i * AF_SEC);
		af_set(&a, i == 1 ? UNKNOWN : GOOD, 0);
		af_u32(&a, -1, 7);
		if (i == 1)
			af_patch32(&a.sets, a.numval_at, 1000);
		af_end(&a);
	}
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	EXPECT_EQ(PM_ERR_LOGREC, number_at(GOOD, 500));
	EXPECT_EQ(PM_ERR_LOGREC, number_at(GOOD, 1500));
	EXPECT_EQ(7, number_at(GOOD, 2500));
	pmDestroyContext(pmWhichContext());
	af_remove(base);
}

/* Return the instance of the only value of a derived metric. */
static int instance_of(struct __test_metadata *_metadata, const char *name, const char *expression)
{
	int inst = NOTHING;
	pmResult *r;
	pmID pmid;

	ASSERT_EQ(NULL, pmAddDerived(name, expression));
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	ASSERT_LE(0, pmFetch(1, &pmid, &r));
	if (r->vset[0]->numval == 1)
		inst = r->vset[0]->vlist[0].inst;
	pmFreeResult(r);
	return inst;
}

/* A metric without an instance domain has an instance in its records, as in archives of PCP 1. */
TEST(instances_without_a_domain)
{
	char base[256];
	struct af a;

	begin_good(&a, base);
	af_index(&a, 0);
	for (int i = 0; i < 8; i++) {
		af_begin(&a, i * AF_SEC);
		af_set(&a, GOOD, 0);
		af_u32(&a, 1, 7);
		af_end(&a);
	}
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	EXPECT_EQ(1, instance_of(_metadata, "d.one", "-good"));
	EXPECT_EQ(PM_IN_NULL, instance_of(_metadata, "d.left", "good + 1"));
	EXPECT_EQ(1, instance_of(_metadata, "d.right", "1 + good"));
	EXPECT_EQ(1, instance_of(_metadata, "d.both", "good + good"));
	EXPECT_EQ(PM_IN_NULL, instance_of(_metadata, "d.sum", "good > sum(good)"));
	EXPECT_EQ(1, instance_of(_metadata, "d.reverse", "sum(good) > good"));
	pmDestroyContext(pmWhichContext());
	af_remove(base);
}

TEST_HARNESS_MAIN
