// SPDX-License-Identifier: GPL-2.0-or-later
/* Encode and decode each kind of record in both versions, and truncate it at every byte. */
#include "archive/record.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

FIXTURE(record) {
	const struct shim_format *f;
	struct shim_buf buf;
};

FIXTURE_VARIANT(record) {
	int version;
};

FIXTURE_VARIANT_ADD(record, v2) {
	.version = 2,
};

FIXTURE_VARIANT_ADD(record, v3) {
	.version = 3,
};

FIXTURE_SETUP(record)
{
	self->f = shim_format__of(variant->version);
	ASSERT_NE(NULL, self->f);
	memset(&self->buf, 0, sizeof(self->buf));
}

FIXTURE_TEARDOWN(record)
{
	shim_buf__free(&self->buf);
}

/*
 * Return the first @len bytes in a buffer of exactly this size, so that ASan detects reads beyond
 * it.
 */
static uint8_t *cut(const struct shim_buf *buf, size_t len)
{
	uint8_t *p = malloc(len ? len : 1);

	memcpy(p, buf->data, len);
	return p;
}

/* Return the first @len bytes, framed as a record of this length. */
static uint8_t *cut_frame(const struct shim_buf *buf, size_t len)
{
	uint8_t *p = cut(buf, len);

	shim_be32__put(p, len);
	shim_be32__put(p + len - 4, len);
	return p;
}

TEST(there_are_two_versions)
{
	EXPECT_EQ(NULL, shim_format__of(0));
	EXPECT_EQ(NULL, shim_format__of(1));
	EXPECT_EQ(2, shim_format__of(2)->version);
	EXPECT_EQ(3, shim_format__of(3)->version);
	EXPECT_EQ(NULL, shim_format__of(4));
}

TEST_F(record, stamp)
{
	static const struct row {
		int line;
		struct shim_ts ts;
		int versions;	/* versions that support it: 2, 3, or 5 for both */
	} rows[] = {
		{ __LINE__, { 0, 0 }, 5 },
		{ __LINE__, { 1000000000, 999999000 }, 5 },
		{ __LINE__, { -1, 999999000 }, 5 },
		{ __LINE__, { INT32_MAX, 1000 }, 5 },
		{ __LINE__, { INT32_MIN, 1000 }, 5 },
		{ __LINE__, { 1LL << 32, 999999999 }, 3 },
		{ __LINE__, { INT64_MIN, 1 }, 3 },
		{ __LINE__, { INT64_MAX, 0 }, 3 },
	};
	static const uint32_t bad[] = { 1000000001, 0x80000000, 0xffffffff };
	struct shim_ts got = { 1, 2 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].versions != 5 && rows[i].versions != variant->version)
			continue;
		shim_buf__reset(&self->buf);
		shim_stamp__encode(self->f, &self->buf, rows[i].ts);
		ASSERT_EQ(self->f->stamp_len, self->buf.len);
		EXPECT_EQ(0, shim_stamp__decode(self->f, self->buf.data, &got));
		EXPECT_EQ(0, shim_ts__cmp(rows[i].ts, got)) {
			TH_LOG("row at line %d", rows[i].line);
		}
	}
	got = (struct shim_ts){ 1, 2 };
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		shim_be32__put(self->buf.data + self->f->stamp_len - 4, bad[i]);
		EXPECT_EQ(-EBADMSG, shim_stamp__decode(self->f, self->buf.data, &got));
	}
	EXPECT_EQ(1, got.sec);
}

/* PCP writes some whole seconds as 10^9 ns, or 10^6 us, after the second before them. */
TEST_F(record, stamp_of_a_whole_second)
{
	const uint32_t second = variant->version == 2 ? 1000000 : 1000000000;
	struct shim_ts got;

	shim_stamp__encode(self->f, &self->buf, (struct shim_ts){ 4, 0 });
	shim_be32__put(self->buf.data + self->f->stamp_len - 4, second);
	ASSERT_EQ(0, shim_stamp__decode(self->f, self->buf.data, &got));
	EXPECT_EQ(5, got.sec);
	EXPECT_EQ(0, got.nsec);
	shim_be32__put(self->buf.data + self->f->stamp_len - 4, second + 1);
	EXPECT_EQ(-EBADMSG, shim_stamp__decode(self->f, self->buf.data, &got));
	if (variant->version == 2)
		return;
	shim_buf__reset(&self->buf);
	shim_stamp__encode(self->f, &self->buf, (struct shim_ts){ INT64_MAX, 0 });
	shim_be32__put(self->buf.data + self->f->stamp_len - 4, second);
	EXPECT_EQ(-EBADMSG, shim_stamp__decode(self->f, self->buf.data, &got));
}

TEST_F(record, label)
{
	struct shim_label label = sample_label(variant->version), got = { .pid = 7 };

	label.start = at(1.5);
	label.features = variant->version == 3 ? 0x80000000 : 0;
	memset(label.host, 'h', self->f->host_len - 1);
	memset(label.tz, 't', self->f->tz_len - 1);
	if (variant->version == 2)
		memset(label.zoneinfo, 0, sizeof(label.zoneinfo));
	shim_rec_label__encode(&self->buf, &label, 5);
	ASSERT_EQ(self->f->label_len, self->buf.len);
	for (size_t len = 0; len < self->buf.len; len++) {
		uint8_t *p = cut(&self->buf, len);

		ASSERT_EQ(len < 8 ? -ENODATA : -EILSEQ, shim_rec_label__decode(p, len, 5, &got));
		free(p);
	}
	EXPECT_EQ(7, got.pid);
	EXPECT_EQ(-EILSEQ, shim_rec_label__decode(self->buf.data, self->buf.len, 6, &got));
	ASSERT_EQ(0, shim_rec_label__decode(self->buf.data, self->buf.len, 5, &got));
	EXPECT_EQ(label.version, got.version);
	EXPECT_EQ(label.pid, got.pid);
	EXPECT_EQ(label.features, got.features);
	EXPECT_EQ(0, shim_ts__cmp(label.start, got.start));
	EXPECT_STREQ(label.host, got.host);
	EXPECT_STREQ(label.tz, got.tz);
	EXPECT_STREQ(label.zoneinfo, got.zoneinfo);
	/* A host name without a NUL is still a valid string. */
	self->buf.data[variant->version == 3 ? 36 + 255 : 24 + 63] = 'h';
	ASSERT_EQ(0, shim_rec_label__decode(self->buf.data, self->buf.len, 5, &got));
	EXPECT_EQ(variant->version == 3 ? 255 : 64, strlen(got.host));
}

TEST_F(record, desc)
{
	static const char *const names[] = { "a.b", "c" };
	struct shim_desc desc = { PMID(60, 1, 2), SHIM_TYPE_U64, INDOM(60, 3), SHIM_SEM_COUNTER,
				  0x1f023000, 2, names };
	struct shim_rec_desc got = { .pmid = 9 };
	const uint8_t *name;
	uint32_t len;

	shim_rec_desc__encode(&self->buf, &desc);
	ASSERT_EQ(36 + 4 + 3 + 4 + 1, self->buf.len);
	for (len = 12; len < self->buf.len; len++) {
		uint8_t *p = cut_frame(&self->buf, len);

		ASSERT_EQ(-EBADMSG, shim_rec_desc__decode(p, len, &got));
		free(p);
	}
	EXPECT_EQ(9, got.pmid);
	ASSERT_EQ(0, shim_rec_desc__decode(self->buf.data, self->buf.len, &got));
	EXPECT_EQ(desc.pmid, got.pmid);
	EXPECT_EQ(desc.type, got.type);
	EXPECT_EQ(desc.indom, got.indom);
	EXPECT_EQ(desc.sem, got.sem);
	EXPECT_EQ(desc.units, got.units);
	ASSERT_EQ(2, got.nnames);
	name = shim_rec_desc__name(&got.names, &len);
	EXPECT_EQ(3, len);
	EXPECT_EQ(0, memcmp(name, "a.b", 3));
	name = shim_rec_desc__name(&got.names, &len);
	EXPECT_EQ(1, len);
	EXPECT_EQ(0, memcmp(name, "c", 1));
	/* The number of names differs from the count. */
	shim_be32__put(self->buf.data + 28, 1);
	EXPECT_EQ(-EBADMSG, shim_rec_desc__decode(self->buf.data, self->buf.len, &got));
	shim_be32__put(self->buf.data + 28, 0xffffffff);
	EXPECT_EQ(-EBADMSG, shim_rec_desc__decode(self->buf.data, self->buf.len, &got));
}

TEST_F(record, indom)
{
	struct shim_indom indom = sample_indom(at(2.5));
	struct shim_rec_indom got = { .n = 9 };
	uint32_t strings = 5 + 6 + 3, head = 8 + self->f->stamp_len + 8;

	shim_rec_indom__encode(self->f, &self->buf, &indom, false);
	ASSERT_EQ(head + 3 * 8 + strings + 4, self->buf.len);
	for (uint32_t len = 12; len < self->buf.len; len++) {
		uint8_t *p = cut_frame(&self->buf, len);

		/* Every truncation is detected, even if only the last name's NUL is missing. */
		ASSERT_EQ(-EBADMSG, shim_rec_indom__decode(p, len, &got)) {
			TH_LOG("length %u", len);
		}
		free(p);
	}
	EXPECT_EQ(9, got.n);
	ASSERT_EQ(0, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	EXPECT_EQ(0, shim_ts__cmp(at(2.5), got.stamp));
	EXPECT_EQ(SAMPLE_INDOM, got.indom);
	EXPECT_FALSE(got.delta);
	ASSERT_EQ(3, got.n);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(sample_inst[i], shim_rec_indom__id(&got, i));
		EXPECT_STREQ(sample_inst_names[i], shim_rec_indom__name(&got, i));
	}
	self->buf.data[self->buf.len - 5] = 'x';	/* remove the last NUL */
	EXPECT_EQ(-EBADMSG, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	self->buf.data[self->buf.len - 5] = 0;
	shim_be32__put(self->buf.data + head, -1);	/* make an ID invalid */
	EXPECT_EQ(-EBADMSG, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	shim_be32__put(self->buf.data + head, 0);
	/* Make the offset of a name invalid. */
	shim_be32__put(self->buf.data + head + 12, strings);
	EXPECT_EQ(-EBADMSG, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	/* In a full record, an instance cannot be marked as deleted. */
	shim_be32__put(self->buf.data + head + 12, -1);
	EXPECT_EQ(-EBADMSG, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	shim_be32__put(self->buf.data + head + 12, strings - 1);	/* names may overlap */
	EXPECT_EQ(0, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	EXPECT_STREQ("", shim_rec_indom__name(&got, 0));
}

TEST_F(record, indom_delta)
{
	static const char *const names[] = { NULL, "new", NULL };
	struct shim_indom indom = { at(0), SAMPLE_INDOM, 3, sample_inst, names, false };
	struct shim_rec_indom got;

	shim_rec_indom__encode(shim_format__of(3), &self->buf, &indom, true);
	ASSERT_EQ(0, shim_rec_indom__decode(self->buf.data, self->buf.len, &got));
	EXPECT_TRUE(got.delta);
	EXPECT_EQ(NULL, shim_rec_indom__name(&got, 0));
	EXPECT_STREQ("new", shim_rec_indom__name(&got, 1));
	EXPECT_EQ(NULL, shim_rec_indom__name(&got, 2));
}

TEST_F(record, index)
{
	struct shim_entry entry = { at(3.25), 7, 1234, 5678 }, got;

	if (variant->version == 3)
		entry.off_data += 1ULL << 40;
	shim_rec_index__encode(self->f, &self->buf, &entry);
	ASSERT_EQ(self->f->entry_len, self->buf.len);
	ASSERT_EQ(0, shim_rec_index__decode(self->f, self->buf.data, &got));
	EXPECT_EQ(0, shim_ts__cmp(entry.stamp, got.stamp));
	EXPECT_EQ(entry.volume, got.volume);
	EXPECT_EQ(entry.off_meta, got.off_meta);
	EXPECT_EQ(entry.off_data, got.off_data);
	memset(self->buf.data + self->f->stamp_len - 4, 0xff, 4);
	EXPECT_EQ(-EBADMSG, shim_rec_index__decode(self->f, self->buf.data, &got));
}

/* Encode a record with a metric of each type.  One metric has several values. */
static void encode_result(const struct shim_format *f, struct shim_rec_result *r)
{
	struct shim_value v;
	char text[32];

	shim_rec_result__begin(f, r, at(4));
	for (int i = 0; i < NMETRICS; i++) {
		shim_rec_result__set(r, sample_pmid(i), 0);
		for (int k = 0; k < (i < M_SET ? 1 : 3); k++) {
			v = sample_value(i, i < M_SET ? SHIM_IN_NULL : sample_inst[k], 4, text);
			if (!v.len)
				v.len = v.type == SHIM_TYPE_64 || v.type == SHIM_TYPE_U64 ||
					v.type == SHIM_TYPE_DOUBLE ? 8 : 4;
			shim_rec_result__value(r, &v);
		}
	}
	shim_rec_result__end(f, r);
}

TEST_F(record, result)
{
	struct shim_rec_result r = { 0 };
	struct shim_record got;
	size_t len;

	encode_result(self->f, &r);
	ASSERT_EQ(0, r.sets.err);
	len = r.sets.len;
	EXPECT_EQ(0, len % 4);
	for (size_t n = 0; n < len; n++) {
		uint8_t *p = cut(&r.sets, n);

		ASSERT_EQ(-ENODATA, shim_rec_result__decode(self->f, p, n, &got));
		free(p);
	}
	/*
	 * If a record is framed as a shorter one, its header can be valid, but the record is not.
	 */
	for (size_t n = self->f->record_min; n < len; n++) {
		uint8_t *p = cut_frame(&r.sets, n);
		int err = shim_rec_result__decode(self->f, p, n, &got);

		ASSERT_TRUE(err == -EBADMSG || (!err && shim_record__check(&got) == -EBADMSG));
		free(p);
	}
	ASSERT_EQ(0, shim_rec_result__decode(self->f, r.sets.data, len, &got));
	EXPECT_EQ(0, shim_ts__cmp(at(4), got.stamp));
	EXPECT_EQ(len, got.len);
	EXPECT_TRUE(sample_matches(&got, 4));
	/* The memory of the encoder and that of the decoder can be reused. */
	encode_result(self->f, &r);
	ASSERT_EQ(len, r.sets.len);
	ASSERT_EQ(0, shim_rec_result__decode(self->f, r.sets.data, len, &got));
	EXPECT_TRUE(sample_matches(&got, 4));
	shim_rec_result__free(&r);
}

TEST_F(record, result_errors_and_marks)
{
	struct shim_rec_result r = { 0 };
	struct shim_record got;
	struct shim_vset vset;

	shim_rec_result__begin(self->f, &r, at(4));
	ASSERT_EQ(0, shim_rec_result__end(self->f, &r));
	EXPECT_EQ(self->f->record_min, r.sets.len);
	ASSERT_EQ(0, shim_rec_result__decode(self->f, r.sets.data, r.sets.len, &got));
	EXPECT_EQ(0, got.npmids);
	EXPECT_EQ(0, shim_record__check(&got));
	EXPECT_EQ(-ENOENT, shim_record__first(&got, &vset));

	shim_rec_result__begin(self->f, &r, at(4));
	shim_rec_result__set(&r, 1, -12350);
	shim_rec_result__set(&r, 2, 0);
	ASSERT_EQ(0, shim_rec_result__end(self->f, &r));
	EXPECT_EQ(self->f->record_min + 16, r.sets.len);
	ASSERT_EQ(0, shim_rec_result__decode(self->f, r.sets.data, r.sets.len, &got));
	EXPECT_EQ(0, shim_record__check(&got));
	ASSERT_EQ(0, shim_record__find(&got, 1, &vset));
	EXPECT_EQ(-12350, vset.numval);
	ASSERT_EQ(0, shim_record__find(&got, 2, &vset));
	EXPECT_EQ(0, vset.numval);
	shim_rec_result__free(&r);
}

/* Old writers store a float in place. */
TEST_F(record, result_float_in_place)
{
	static const struct shim_value one = { .inst = -1, .type = SHIM_TYPE_U32, .ul = 0x3f800000 };
	struct shim_rec_result r = { 0 };
	struct shim_record got;
	struct shim_vset vset;
	struct shim_value v;

	shim_rec_result__begin(self->f, &r, at(4));
	shim_rec_result__set(&r, 1, 0);
	shim_rec_result__value(&r, &one);
	ASSERT_EQ(0, shim_rec_result__end(self->f, &r));
	ASSERT_EQ(0, shim_rec_result__decode(self->f, r.sets.data, r.sets.len, &got));
	ASSERT_EQ(0, shim_record__first(&got, &vset));
	EXPECT_EQ(0, shim_vset__value(&got, &vset, 0, SHIM_TYPE_FLOAT, &v));
	EXPECT_EQ(1.0, v.f);
	EXPECT_EQ(-EBADMSG, shim_vset__value(&got, &vset, 0, SHIM_TYPE_DOUBLE, &v));
	EXPECT_EQ(0, shim_vset__raw(&got, &vset, 0, &v));
	EXPECT_EQ(0x3f800000, v.ul);
	shim_rec_result__free(&r);
}

TEST_HARNESS_MAIN
