// SPDX-License-Identifier: GPL-2.0-or-later
/* Each invalid call to a writer fails, and leaves the archive unchanged. */
#include "archive_writer.h"

static const char *const good_name[] = { "x.y" };
static const char *const no_name[] = { NULL };
static const char *const names_bad[][1] = {
	{ "" }, { "." }, { ".a" }, { "a." }, { "a..b" }, { "1a" }, { "a.1" }, { "a b" }, { "a-b" },
	{ "_a" }, { "a.\xc3\xa4" },
};

TEST_F(writer, refuses_bad_metrics)
{
	const struct row {
		int line;
		struct shim_desc desc;
		int err;
	} rows[] = {
#define D(err, ...) { __LINE__, { __VA_ARGS__ }, err }
#define P	PMID(60, 2, 1)
#define NONE	SHIM_INDOM_NULL
#define I	SHIM_SEM_INSTANT
		D(-EINVAL, 0x80000001, SHIM_TYPE_32, NONE, I, 0, 1, good_name),
		D(-EINVAL, 0xffffffff, SHIM_TYPE_32, NONE, I, 0, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_NOSUPPORT, NONE, I, 0, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_EVENT, NONE, I, 0, 1, good_name),
		D(-EINVAL, P, 99, NONE, I, 0, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, INDOM(61, 1), I, 0, 1, good_name),	/* other domain */
		D(-EINVAL, P, SHIM_TYPE_32, NONE, 0, 0, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, NONE, 2, 0, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, NONE, 5, 0, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0x30000000, 1, good_name),	/* dimension 3 */
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0xd0000000, 1, good_name),	/* -3 */
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0x10070000, 1, good_name),	/* zettabytes */
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0x01006000, 1, good_name),	/* time scale 6 */
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0x00010000, 1, good_name),	/* scale alone */
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0x00001000, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0x00000100, 1, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0, 0, good_name),
		D(-EINVAL, P, SHIM_TYPE_32, NONE, I, 0, 1, no_name),
		/* These rows reuse a PMID, a name, the name of a node, and a leaf as a node. */
		D(-EEXIST, PMID(60, 1, 0), SHIM_TYPE_U32, NONE, I, COUNT, 1, sample_names),
		D(-EEXIST, PMID(60, 1, 0), SHIM_TYPE_32, NONE, I, COUNT, 1, good_name),
		D(-EEXIST, PMID(60, 1, 0), SHIM_TYPE_32, NONE, I, COUNT, 1, sample_names + 1),
		D(-EEXIST, P, SHIM_TYPE_32, NONE, I, 0, 1, sample_names),
		D(-EEXIST, P, SHIM_TYPE_32, NONE, I, 0, 1, (const char *[]){ "demo" }),
		D(-EEXIST, P, SHIM_TYPE_32, NONE, I, 0, 1, (const char *[]){ "demo.set" }),
		D(-EEXIST, P, SHIM_TYPE_32, NONE, I, 0, 1, (const char *[]){ "demo.u32.x" }),
		/* The same metric can be declared again. */
		D(0, PMID(60, 1, 0), SHIM_TYPE_32, NONE, I, COUNT, 1, sample_names),
		/* These values are extreme, but valid. */
		D(0, PMID(60, 3, 2), SHIM_TYPE_32, NONE, I, 0xff, 1,	/* extra unit and its scale */
		  (const char *[]){ "extra" }),
		D(0, PMID(60, 3, 1), SHIM_TYPE_32, NONE, I, 0x20060000, 1,
		  (const char *[]){ "Z9_.z_" }),
		D(0, PMID(510, 4095, 1023), SHIM_TYPE_AGGREGATE_STATIC, NONE, I, 0xef165800, 1,
		  (const char *[]){ "e" }),
	};
	struct shim_desc desc = sample_desc(M_32);
	char longest[SHIM_NAME_MAX + 2];
	const char *name = longest;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(rows[i].err, shim_writer__desc(self->w, &rows[i].desc)) {
			TH_LOG("row at line %d", rows[i].line);
		}
	}
	desc.pmid = P;
	for (size_t i = 0; i < sizeof(names_bad) / sizeof(names_bad[0]); i++) {
		desc.names = names_bad[i];
		EXPECT_EQ(-EINVAL, shim_writer__desc(self->w, &desc)) {
			TH_LOG("name '%s'", names_bad[i][0]);
		}
	}
	memset(longest, 'n', sizeof(longest));
	longest[SHIM_NAME_MAX + 1] = '\0';
	desc.names = &name;
	EXPECT_EQ(-EINVAL, shim_writer__desc(self->w, &desc));
	longest[SHIM_NAME_MAX] = '\0';
	EXPECT_EQ(0, shim_writer__desc(self->w, &desc));
	ASSERT_EQ(0, sample_record(self->w, at(0), 0));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 1));
}

TEST_F(writer, refuses_bad_domains)
{
	static const int32_t down[] = { 3, 1 }, twice[] = { 1, 1 }, negative[] = { -1, 1 };
	static const char *const names[] = { "a", "b" }, *const same[] = { "a", "a" };
	static const char *const empty[] = { "a", "" }, *const null[] = { "a", NULL };
	static const struct row {
		int line;
		struct shim_indom indom;
	} rows[] = {
		{ __LINE__, { { START + 1, 0 }, SAMPLE_INDOM, 2, down, names, false } },
		{ __LINE__, { { START + 1, 0 }, SAMPLE_INDOM, 2, twice, names, false } },
		{ __LINE__, { { START + 1, 0 }, SAMPLE_INDOM, 2, negative, names, false } },
		{ __LINE__, { { START + 1, 0 }, SAMPLE_INDOM, 2, sample_inst, same, false } },
		{ __LINE__, { { START + 1, 0 }, SAMPLE_INDOM, 2, sample_inst, empty, false } },
		{ __LINE__, { { START + 1, 0 }, SAMPLE_INDOM, 2, sample_inst, null, false } },
		{ __LINE__, { { START + 1, 0 }, SHIM_INDOM_NULL, 2, sample_inst, names, false } },
		{ __LINE__, { { START + 1, 1000000000 }, SAMPLE_INDOM, 2, sample_inst, names, false } },
		{ __LINE__, { { START + 1, -1 }, SAMPLE_INDOM, 2, sample_inst, names, false } },
		{ __LINE__, { { START - 1, 0 }, SAMPLE_INDOM, 2, sample_inst, names, false } },
	};
	struct shim_indom good = sample_indom(at(0));

	ASSERT_EQ(0, sample_record(self->w, at(0), 0));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(-EINVAL, shim_writer__indom(self->w, &rows[i].indom)) {
			TH_LOG("row at line %d", rows[i].line);
		}
	}
	/* The call is invalid within a record. */
	ASSERT_EQ(0, shim_writer__begin(self->w, at(1)));
	EXPECT_EQ(-EINVAL, shim_writer__indom(self->w, &good));
	shim_writer__cancel(self->w);
	EXPECT_EQ(0, shim_writer__indom(self->w, &good));
	ASSERT_EQ(0, sample_record(self->w, at(1), 1));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 2));
}

TEST_F(writer, refuses_bad_times)
{
	struct shim_label label = sample_label(2);
	struct shim_writer *w;
	char base[128];

	ASSERT_EQ(0, sample_record(self->w, at(5), 0));
	EXPECT_EQ(-EINVAL, shim_writer__begin(self->w, at(4.999)));
	EXPECT_EQ(-EINVAL, shim_writer__begin(self->w, (struct shim_ts){ START + 6, 1000000000 }));
	EXPECT_EQ(-EINVAL, shim_writer__begin(self->w, (struct shim_ts){ START + 6, -1 }));
	ASSERT_EQ(0, sample_record(self->w, at(5), 1));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 2));

	snprintf(base, sizeof(base), "%s/b", self->place.dir);
	label.start = at(10);
	ASSERT_EQ(0, shim_writer__open(base, &label, &w));
	EXPECT_EQ(-EINVAL, sample_declare(w, at(9)));
	EXPECT_EQ(-EINVAL, shim_writer__begin(w, at(9)));
	EXPECT_EQ(-EINVAL, shim_writer__begin(w, (struct shim_ts){ 1LL << 31, 0 }));
	ASSERT_EQ(0, sample_declare(w, at(10)));
	ASSERT_EQ(0, sample_record(w, at(10), 0));
	EXPECT_TRUE(is_sample(w, base, 1));
}

TEST_F(writer, refuses_what_is_out_of_order)
{
	struct shim_value v = { .inst = SHIM_IN_NULL, .type = SHIM_TYPE_32, .l = 1 };

	EXPECT_EQ(-EINVAL, shim_writer__vset(self->w, sample_pmid(M_32), 0));
	EXPECT_EQ(-EINVAL, shim_writer__value(self->w, &v));
	EXPECT_EQ(-EINVAL, shim_writer__commit(self->w));
	ASSERT_EQ(0, shim_writer__begin(self->w, at(0)));
	EXPECT_EQ(-EINVAL, shim_writer__begin(self->w, at(0)));
	EXPECT_EQ(-EINVAL, shim_writer__value(self->w, &v));
	EXPECT_EQ(-EINVAL, shim_writer__next_volume(self->w));
	EXPECT_EQ(-EINVAL, shim_writer__vset(self->w, sample_pmid(99), 0));
	EXPECT_EQ(-EINVAL, shim_writer__vset(self->w, sample_pmid(M_32), 1));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_32), 0));
	ASSERT_EQ(0, shim_writer__value(self->w, &v));
	EXPECT_EQ(-EINVAL, shim_writer__vset(self->w, sample_pmid(M_32), 0));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_U32), -12350));
	v.type = SHIM_TYPE_U32;
	EXPECT_EQ(-EINVAL, shim_writer__value(self->w, &v));
	shim_writer__cancel(self->w);
	/* The call is invalid after the record has ended. */
	EXPECT_EQ(-EINVAL, shim_writer__vset(self->w, sample_pmid(M_32), 0));
	ASSERT_EQ(0, sample_record(self->w, at(0), 0));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 1));
}

/*
 * A metric without an instance domain can be in a record without a value, as in archives of PCP's
 * logger.
 */
TEST_F(writer, a_single_value_may_be_missing)
{
	struct shim_value v = { .inst = SHIM_IN_NULL, .type = SHIM_TYPE_U32, .ul = 1 };
	struct shim_cursor cursor;
	struct shim_archive *ar;
	struct shim_record rec;
	struct shim_vset vset;

	ASSERT_EQ(0, shim_writer__begin(self->w, at(0)));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_32), 0));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_U32), 0));
	ASSERT_EQ(0, shim_writer__value(self->w, &v));
	ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_64), 0));
	ASSERT_EQ(0, shim_writer__commit(self->w));
	ASSERT_EQ(0, shim_writer__close(self->w));
	self->w = NULL;
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cursor, ar);
	ASSERT_EQ(0, shim_cursor__next(&cursor, &rec));
	EXPECT_EQ(3, rec.npmids);
	EXPECT_EQ(0, shim_record__check(&rec));
	for (int i = M_32; i <= M_64; i++) {
		ASSERT_EQ(0, shim_record__find(&rec, sample_pmid(i), &vset));
		EXPECT_EQ(i == M_U32, vset.numval);
	}
	shim_archive__put(ar);
}

/* If values are rejected, the record with the remaining values is valid. */
TEST_F(writer, refuses_bad_values)
{
	static const struct row {
		int line;
		int metric;
		struct shim_value v;
	} rows[] = {
#define V(metric, inst, type, ...) { __LINE__, metric, { inst, type, __VA_ARGS__ } }
		V(M_32, -1, SHIM_TYPE_U32, 4, { .ul = 1 }),
		V(M_32, 0, SHIM_TYPE_32, 4, { .l = 1 }),
		V(M_32, 3, SHIM_TYPE_32, 4, { .l = 1 }),
		V(M_64, -1, SHIM_TYPE_U64, 8, { .ull = 1 }),
		V(M_DOUBLE, -1, SHIM_TYPE_FLOAT, 4, { .f = 1 }),
		V(M_SET, -1, SHIM_TYPE_U64, 8, { .ull = 1 }),
		V(M_SET, 1, SHIM_TYPE_U64, 8, { .ull = 1 }),
		V(M_SET, 8, SHIM_TYPE_U64, 8, { .ull = 1 }),
		V(M_STRING, -1, SHIM_TYPE_AGGREGATE, 2, { .bytes = "a" }),
		V(M_STRING, -1, SHIM_TYPE_STRING, 0, { .bytes = "" }),
		V(M_STRING, -1, SHIM_TYPE_STRING, 1, { .bytes = "a" }),
		V(M_STRING, -1, SHIM_TYPE_STRING, 3, { .bytes = "a\0" }),
		V(M_STRING, -1, SHIM_TYPE_STRING, 0x00fffffc, { .bytes = "a" }),
		V(M_AGGREGATE, -1, SHIM_TYPE_AGGREGATE, 0x00fffffc, { .bytes = "a" }),
	};
	struct shim_value v;
	char text[32];

	ASSERT_EQ(0, shim_writer__begin(self->w, at(0)));
	for (int i = 0; i < NMETRICS; i++) {
		ASSERT_EQ(0, shim_writer__vset(self->w, sample_pmid(i), 0));
		for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
			if (rows[k].metric != i)
				continue;
			EXPECT_EQ(-EINVAL, shim_writer__value(self->w, &rows[k].v)) {
				TH_LOG("row at line %d", rows[k].line);
			}
		}
		for (int k = 0; k < (i < M_SET ? 1 : 3); k++) {
			v = sample_value(i, i < M_SET ? SHIM_IN_NULL : sample_inst[k], 0, text);
			ASSERT_EQ(0, shim_writer__value(self->w, &v));
			/* A value must not occur twice. */
			ASSERT_EQ(-EINVAL, shim_writer__value(self->w, &v));
		}
	}
	ASSERT_EQ(0, shim_writer__commit(self->w));
	EXPECT_TRUE(is_sample(self->w, self->place.base, 1));
}

/* A record cannot have instances of a state that begins after the record's time. */
TEST_F(writer, refuses_instances_of_later)
{
	struct shim_indom later = { at(10), SAMPLE_INDOM, 1, sample_inst, sample_inst_names, false };
	struct shim_value v = { .inst = 0, .type = SHIM_TYPE_U64, .ull = 1 };

	ASSERT_EQ(0, sample_record(self->w, at(0), 0));
	ASSERT_EQ(0, shim_writer__indom(self->w, &later));
	ASSERT_EQ(0, shim_writer__begin(self->w, at(9)));
	EXPECT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_SET), 0));
	EXPECT_EQ(-EINVAL, shim_writer__value(self->w, &v));
	shim_writer__cancel(self->w);
	ASSERT_EQ(0, shim_writer__begin(self->w, at(10)));
	EXPECT_EQ(0, shim_writer__vset(self->w, sample_pmid(M_SET), 0));
	EXPECT_EQ(0, shim_writer__value(self->w, &v));
	shim_writer__cancel(self->w);
	EXPECT_TRUE(is_sample(self->w, self->place.base, 1));
}

/* A metric's instance domain need not be known until the metric has values. */
TEST_F(writer, takes_no_values_without_a_domain)
{
	struct shim_value v = { .inst = 0, .type = SHIM_TYPE_U64, .ull = 1 };
	struct shim_label label = sample_label(3);
	struct shim_desc desc = sample_desc(M_SET);
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_vset vset;
	struct shim_writer *w;
	char base[128];

	snprintf(base, sizeof(base), "%s/b", self->place.dir);
	ASSERT_EQ(0, shim_writer__open(base, &label, &w));
	ASSERT_EQ(0, shim_writer__desc(w, &desc));
	ASSERT_EQ(0, shim_writer__begin(w, at(0)));
	ASSERT_EQ(0, shim_writer__vset(w, desc.pmid, 0));
	EXPECT_EQ(-EINVAL, shim_writer__value(w, &v));
	ASSERT_EQ(0, shim_writer__commit(w));
	ASSERT_EQ(0, shim_writer__close(w));
	ASSERT_EQ(0, shim_archive__open(base, &ar));
	shim_cursor__init(&cur, ar);
	ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
	ASSERT_EQ(0, shim_record__find(&rec, desc.pmid, &vset));
	EXPECT_EQ(0, vset.numval);
	EXPECT_EQ(0, shim_archive__nindoms(ar, SAMPLE_INDOM));
	shim_archive__put(ar);
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
}

TEST_F(writer, needs_a_metric_before_a_record)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w;
	char base[128];

	snprintf(base, sizeof(base), "%s/b", self->place.dir);
	ASSERT_EQ(0, shim_writer__open(base, &label, &w));
	ASSERT_EQ(0, shim_writer__begin(w, at(0)));
	EXPECT_EQ(-EINVAL, shim_writer__commit(w));
	ASSERT_EQ(0, sample_declare(w, at(0)));
	ASSERT_EQ(0, sample_record(w, at(0), 0));
	EXPECT_TRUE(is_sample(w, base, 1));
	EXPECT_EQ(-ENODATA, shim_writer__close(self->w));
}

TEST_HARNESS_MAIN
