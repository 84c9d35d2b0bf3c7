// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read records of the same length with PM_MODE_FORW and PM_MODE_BACK.  Most records differ only in
 * their values.  Some differ in metrics, in instances, or in the number or order of values.
 */
#include "pcp_fixture.h"

#define RECORDS		400
#define DOMAIN		AF_PMID(1)
#define SETS		5

enum { A = 1, B, C, LONG, TEXT, REAL };

/*
 * The contents of a record: @sets ends with metric 0, and inst[1] is 0 if the metric has only one
 * instance.
 */
struct kind {
	int crossed;		/* the first two blocks are swapped */
	struct {
		int metric, inst[2];
	} sets[SETS];
};

static const struct kind kinds[] = {
	{ 0, { { A, { 1, 2 } }, { B, { 1 } }, { LONG, { 1, 2 } }, { TEXT, { 1 } }, { REAL, { 1 } } } },
	{ 0, { { A, { 1, 3 } }, { B, { 1 } }, { LONG, { 1, 2 } }, { TEXT, { 1 } }, { REAL, { 1 } } } },
	{ 0, { { C, { 1, 2 } }, { B, { 1 } }, { LONG, { 1, 2 } }, { TEXT, { 1 } }, { REAL, { 1 } } } },
	{ 0, { { A, { 1 } }, { B, { 1, 2 } }, { LONG, { 1, 2 } }, { TEXT, { 1 } }, { REAL, { 1 } } } },
	{ 1, { { A, { 1, 2 } }, { B, { 1 } }, { LONG, { 1, 2 } }, { TEXT, { 1 } }, { REAL, { 1 } } } },
	{ 0, { { A, { 1, 2 } }, { B, { 1 } }, { TEXT, { 1 } }, { LONG, { 1, 2 } }, { REAL, { 1 } } } },
	{ 0, { { A, { 1, 2 } }, { B, { 2 } }, { LONG, { 1, 2 } }, { TEXT, { 3 } }, { REAL, { 2 } } } },
	{ 0, { { B, { 1 } } } },
	{ 0, { { B, { 2 } } } },
};

#define KINDS	((int)(sizeof(kinds) / sizeof(kinds[0])))

/*
 * Return the kind of record @i: long runs of the first kind, interrupted by single other records,
 * then short runs, then a mixture.
 */
static const struct kind *kind_of(int i)
{
	if (i < RECORDS / 2)
		return &kinds[i % 10 == 9 ? 1 + i / 10 % (KINDS - 1) : 0];
	return &kinds[(i < RECORDS * 3 / 4 ? i / 4 : i) % KINDS];
}

static int number(int metric, int inst, int i)
{
	return metric * 1000000 + inst * 100000 + i;
}

static void text(char *out, size_t size, int inst, int i)
{
	/* Sometimes the text is longer, but its block has the same size. */
	snprintf(out, size, i % 10 == 4 ? "%d is %4d" : "%d is %3d", inst, i);
}

static void add_value(struct af *a, int metric, int inst, int i)
{
	char s[32];

	text(s, sizeof(s), inst, i);
	if (metric == LONG)
		af_u64(a, inst, PM_TYPE_U64, (uint64_t)number(metric, inst, i) << 20);
	else if (metric == TEXT)
		af_string(a, inst, s);
	else if (metric == REAL)
		af_float(a, inst, (float)i / 4);
	else
		af_u32(a, inst, (uint32_t)number(metric, inst, i));
}

/* Swap two blocks in the record, and the references to them. */
static void cross(struct af *a)
{
	unsigned char *first = a->sets.data + a->refs[0], *second = a->sets.data + a->refs[1];
	unsigned char ref[4], block[12];

	memcpy(ref, first, 4);
	memcpy(first, second, 4);
	memcpy(second, ref, 4);
	memcpy(block, a->blocks.data, 12);
	memcpy(a->blocks.data, a->blocks.data + 12, 12);
	memcpy(a->blocks.data + 12, block, 12);
}

static void add_record(struct af *a, int i)
{
	const struct kind *kind = kind_of(i);

	af_begin(a, i * AF_SEC);
	for (int s = 0; s < SETS && kind->sets[s].metric; s++) {
		af_set(a, AF_PMID(kind->sets[s].metric), 0);
		for (int j = 0; j < 2 && kind->sets[s].inst[j]; j++)
			add_value(a, kind->sets[s].metric, kind->sets[s].inst[j], i);
	}
	if (kind->crossed)
		cross(a);
	af_end(a);
}

FIXTURE(alike) {
	char base[256];
};

FIXTURE_SETUP(alike)
{
	static const int ids[] = { 1, 2, 3 };
	struct af a;

	af_folder(self->base, sizeof(self->base));
	af_open(&a, self->base, 3);
	af_desc(&a, AF_PMID(A), PM_TYPE_U32, DOMAIN, PM_SEM_COUNTER, 0, "a");
	af_desc(&a, AF_PMID(B), PM_TYPE_U32, DOMAIN, PM_SEM_COUNTER, 0, "b");
	af_desc(&a, AF_PMID(C), PM_TYPE_U32, DOMAIN, PM_SEM_COUNTER, 0, "c");
	af_desc(&a, AF_PMID(LONG), PM_TYPE_U64, DOMAIN, PM_SEM_COUNTER, 0, "long");
	af_desc(&a, AF_PMID(TEXT), PM_TYPE_STRING, DOMAIN, PM_SEM_DISCRETE, 0, "text");
	af_desc(&a, AF_PMID(REAL), PM_TYPE_FLOAT, DOMAIN, PM_SEM_INSTANT, 0, "real");
	af_indom(&a, 0, DOMAIN, 3, ids);
	af_index(&a, 0);
	for (int i = 0; i < RECORDS; i++)
		add_record(&a, i);
	af_close(&a);
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
}

FIXTURE_TEARDOWN(alike)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

static bool value_is(const pmValueSet *set, const pmValue *v, int metric, int inst, int i)
{
	char s[32];
	uint64_t ull;
	float f;

	if (v->inst != inst)
		return false;
	if (metric < LONG)
		return set->valfmt == PM_VAL_INSITU && v->value.lval == number(metric, inst, i);
	text(s, sizeof(s), inst, i);
	memcpy(&f, v->value.pval->vbuf, sizeof(f));
	switch (v->value.pval->vtype) {
	case PM_TYPE_U64:
		memcpy(&ull, v->value.pval->vbuf, sizeof(ull));
		return metric == LONG && ull == (uint64_t)number(metric, inst, i) << 20 &&
		       v->value.pval->vlen == PM_VAL_HDR_SIZE + sizeof(ull);
	case PM_TYPE_STRING:
		return metric == TEXT && !strcmp(v->value.pval->vbuf, s) &&
		       v->value.pval->vlen == PM_VAL_HDR_SIZE + strlen(s) + 1;
	case PM_TYPE_FLOAT:
		return metric == REAL && f == (float)i / 4;
	}
	return false;
}

/* Check a value set of record @i; the profile excludes instance @without. */
static bool set_is(const pmValueSet *set, int i, int without)
{
	const struct kind *kind = kind_of(i);
	int n = 0;

	for (int s = 0; s < SETS; s++) {
		if (set->pmid != AF_PMID(kind->sets[s].metric))
			continue;
		for (int j = 0; j < 2 && kind->sets[s].inst[j]; j++) {
			int inst = kind->sets[s].inst[j];

			if (inst == without)
				continue;
			if (n >= set->numval ||
			    !value_is(set, &set->vlist[n++], kind->sets[s].metric, inst, i))
				return false;
		}
	}
	return set->numval == n;
}

/* Overwrite a result, as a caller may do; this must not affect later fetches. */
static void spoil(pmResult *r)
{
	for (int s = 0; s < r->numpmid; s++) {
		pmValueSet *set = r->vset[s];

		for (int j = 0; j < set->numval; j++) {
			if (set->valfmt != PM_VAL_INSITU)
				memset(set->vlist[j].value.pval, 0xee, sizeof(pmValueBlock));
			set->vlist[j].inst = -7;
		}
		set->numval = 0;
		r->vset[s] = NULL;
	}
}

static bool result_is(pmResult *r, int n, const pmID *pmids, int i, int without)
{
	bool same = r->numpmid == n && ms_of(r->timestamp) == i * 1000;

	for (int s = 0; s < n && same; s++)
		same = r->vset[s]->pmid == pmids[s] && set_is(r->vset[s], i, without);
	if (same)
		spoil(r);
	pmFreeResult(r);
	return same;
}

static bool fetch_is(int n, pmID *pmids, int i, int without)
{
	pmResult *r;

	return !pmFetch(n, pmids, &r) && result_is(r, n, pmids, i, without);
}

static pmID all[] = {
	AF_PMID(REAL), AF_PMID(A), AF_PMID(B), AF_PMID(C), AF_PMID(LONG), AF_PMID(TEXT), AF_PMID(A),
};

#define ALL	((int)(sizeof(all) / sizeof(all[0])))

TEST_F(alike, forward_and_backward)
{
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < RECORDS; i++) {
		ASSERT_TRUE(fetch_is(ALL, all, i, 0)) {
			TH_LOG("record %d", i);
		}
	}
	ASSERT_EQ(0, pmSetMode(PM_MODE_BACK, NULL, 0));
	for (int i = RECORDS - 1; i >= 0; i--) {
		ASSERT_TRUE(fetch_is(ALL, all, i, 0)) {
			TH_LOG("record %d on the way back", i);
		}
	}
}

/* Records of other kinds do not contain C, and are skipped. */
TEST_F(alike, only_some_have_it)
{
	pmID c = AF_PMID(C);

	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < RECORDS; i++) {
		if (kind_of(i)->sets[0].metric != C)
			continue;
		ASSERT_TRUE(fetch_is(1, &c, i, 0)) {
			TH_LOG("record %d", i);
		}
	}
	ASSERT_EQ(PM_ERR_EOL, fetch_number(c, NULL));
}

TEST_F(alike, other_metrics_and_instances_every_while)
{
	int one[] = { 1 };

	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < RECORDS; i++) {
		int first = i / 7 % 3, without = i / 20 % 2;

		if (i && i % 20 == 0)
			ASSERT_EQ(0, (without ? pmDelProfile : pmAddProfile)(DOMAIN, 1, one));
		ASSERT_TRUE(fetch_is(3, all + first, i, without)) {
			TH_LOG("record %d", i);
		}
	}
}

TEST_F(alike, whole_records)
{
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	for (int i = 0; i < RECORDS; i++) {
		const struct kind *kind = kind_of(i);
		pmID pmids[SETS];
		pmResult *r;
		int n = 0;

		for (; n < SETS && kind->sets[n].metric; n++)
			pmids[n] = AF_PMID(kind->sets[n].metric);
		ASSERT_EQ(0, pmFetchArchive(&r));
		ASSERT_TRUE(result_is(r, n, pmids, i, 0)) {
			TH_LOG("record %d", i);
		}
		/* Fetch metrics other than those above. */
		if (i % 9 == 0 && ++i < RECORDS) {
			ASSERT_TRUE(fetch_is(3, all + i % 3, i, 0));
		}
	}
}

TEST_HARNESS_MAIN
