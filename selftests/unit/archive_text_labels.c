// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts and labels can be read at the times for which they were written, and invalid ones are
 * rejected.
 */
#include "archive/record.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

/* Number of allocations that succeed before all fail; negative: all succeed */
static long left = -1;

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	if (!left)
		return NULL;
	left -= left > 0;
	return __real_calloc(n, size);
}

FIXTURE(notes) {
	struct place place;
	struct shim_writer *w;
	struct shim_archive *ar;
};

FIXTURE_VARIANT(notes) {
	int version;
};

FIXTURE_VARIANT_ADD(notes, v2) {
	.version = 2,
};

FIXTURE_VARIANT_ADD(notes, v3) {
	.version = 3,
};

FIXTURE_SETUP(notes)
{
	struct shim_label label = sample_label(variant->version);

	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &self->w));
	ASSERT_EQ(0, sample_declare(self->w, at(0)));
}

FIXTURE_TEARDOWN(notes)
{
	if (self->w)
		shim_writer__close(self->w);
	shim_archive__put(self->ar);
	place_remove(&self->place);
}

static int write_labels(struct shim_writer *w, double when, enum shim_level level, uint32_t ident,
			const char *json)
{
	const struct shim_labels labels = { at(when), level, ident, 1, NULL, &json };

	return shim_writer__labels(w, &labels);
}

static int finish(struct shim_writer **w, const char *base, struct shim_archive **ar)
{
	int err = sample_record(*w, at(0), 0);

	err = err ? err : sample_record(*w, at(10), 1);
	err = err ? err : shim_writer__close(*w);
	*w = NULL;
	return err ? err : shim_archive__open(base, ar);
}

/* Return the text of the first set of labels at @when, or NULL if there is none. */
static const char *json_at(struct shim_archive *ar, double when, enum shim_level level,
			   uint32_t ident)
{
	static char text[256];
	struct shim_labels_iter iter;
	struct shim_labelset set;

	if (!shim_archive__labels(ar, level, ident, at(when), &iter) || !iter.n)
		return NULL;
	shim_labels__next(&iter, &set);
	snprintf(text, sizeof(text), "%.*s", (int)set.jsonlen, set.json);
	return text;
}

TEST_F(notes, texts_round_trip)
{
	const uint32_t pmid = sample_pmid(1);

	EXPECT_EQ(0, shim_writer__text(self->w, SHIM_TEXT_ONELINE | SHIM_TEXT_PMID, pmid, "old"));
	EXPECT_EQ(0, shim_writer__text(self->w, SHIM_TEXT_ONELINE | SHIM_TEXT_PMID, pmid, "one"));
	EXPECT_EQ(0, shim_writer__text(self->w, SHIM_TEXT_HELP | SHIM_TEXT_PMID, pmid, "a\nb"));
	EXPECT_EQ(0, shim_writer__text(self->w, SHIM_TEXT_HELP | SHIM_TEXT_INDOM, pmid, "dom"));
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	EXPECT_STREQ("one", shim_archive__text(self->ar, 5, pmid));
	EXPECT_STREQ("a\nb", shim_archive__text(self->ar, 6, pmid));
	EXPECT_STREQ("dom", shim_archive__text(self->ar, 10, pmid));
	EXPECT_EQ(NULL, shim_archive__text(self->ar, 9, pmid));
	EXPECT_EQ(NULL, shim_archive__text(self->ar, 5, sample_pmid(2)));
	EXPECT_TRUE(shim_archive__has_text(self->ar, 10));
	EXPECT_FALSE(shim_archive__has_text(self->ar, 9));
}

TEST_F(notes, no_texts)
{
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	EXPECT_EQ(NULL, shim_archive__text(self->ar, 5, sample_pmid(0)));
	EXPECT_FALSE(shim_archive__has_text(self->ar, 5));
	EXPECT_FALSE(shim_archive__has_labels(self->ar, SHIM_LEVEL_CONTEXT, SHIM_INDOM_NULL));
	EXPECT_EQ(NULL, json_at(self->ar, 10, SHIM_LEVEL_CONTEXT, SHIM_INDOM_NULL));
}

TEST_F(notes, texts_that_are_none)
{
	static const uint32_t types[] = { 0, 1, 2, 3, 4, 8, 7, 12, 13, 15, 16 | 5, 0x80000005 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		EXPECT_EQ(-EINVAL, shim_writer__text(self->w, types[i], sample_pmid(0), "x")) {
			TH_LOG("type %#x", types[i]);
		}
	}
	EXPECT_EQ(-EINVAL, shim_writer__text(self->w, 5, sample_pmid(0), ""));
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	EXPECT_FALSE(shim_archive__has_text(self->ar, 5));
}

/*
 * A set of labels is sorted and contains no blanks, and each label's name and value are found in
 * its text.
 */
TEST_F(notes, a_set_in_order)
{
	struct shim_labels_iter iter;
	struct shim_labelset set;
	struct shim_labelref ref;

	ASSERT_EQ(0, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 7,
				  " { \"b.c\" : [ 1, \"x \\\" y\" ],\n\"a\":\"q\" } "));
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	ASSERT_TRUE(shim_archive__labels(self->ar, SHIM_LEVEL_ITEM, 7, at(0), &iter));
	ASSERT_EQ(1, iter.n);
	shim_labels__next(&iter, &set);
	EXPECT_EQ(0, iter.n);
	EXPECT_EQ(SHIM_IN_NULL, set.inst);
	ASSERT_EQ(2, set.nlabels);
	EXPECT_STREQ("{\"a\":\"q\",\"b.c\":[1,\"x \\\" y\"]}",
		     json_at(self->ar, 0, SHIM_LEVEL_ITEM, 7));
	ref = shim_labelset__at(&set, 0);
	EXPECT_EQ(2, ref.name);
	EXPECT_EQ(1, ref.namelen);
	EXPECT_EQ(5, ref.value);
	EXPECT_EQ(3, ref.valuelen);
	EXPECT_EQ(SHIM_LEVEL_ITEM, ref.flags);
	ref = shim_labelset__at(&set, 1);
	EXPECT_EQ(0, memcmp("b.c", set.json + ref.name, 3));
	EXPECT_EQ(3, ref.namelen);
	EXPECT_EQ(0, memcmp("[1,\"x \\\" y\"]", set.json + ref.value, ref.valuelen));
}

TEST_F(notes, the_greatest_stamp_that_is_not_later)
{
	/*
	 * The time stamps are out of order, and one occurs twice; the first of these records is
	 * used.
	 */
	ASSERT_EQ(0, write_labels(self->w, 5, SHIM_LEVEL_DOMAIN, 60, "{\"v\":5}"));
	ASSERT_EQ(0, write_labels(self->w, 2, SHIM_LEVEL_DOMAIN, 60, "{\"v\":2}"));
	ASSERT_EQ(0, write_labels(self->w, 5, SHIM_LEVEL_DOMAIN, 60, "{\"v\":6}"));
	ASSERT_EQ(0, write_labels(self->w, 0, SHIM_LEVEL_CLUSTER, 60, "{}"));
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	EXPECT_EQ(NULL, json_at(self->ar, 1, SHIM_LEVEL_DOMAIN, 60));
	EXPECT_STREQ("{\"v\":2}", json_at(self->ar, 2, SHIM_LEVEL_DOMAIN, 60));
	EXPECT_STREQ("{\"v\":2}", json_at(self->ar, 4.5, SHIM_LEVEL_DOMAIN, 60));
	EXPECT_STREQ("{\"v\":5}", json_at(self->ar, 5, SHIM_LEVEL_DOMAIN, 60));
	EXPECT_STREQ("{\"v\":5}", json_at(self->ar, 100, SHIM_LEVEL_DOMAIN, 60));
	EXPECT_STREQ("{}", json_at(self->ar, 1, SHIM_LEVEL_CLUSTER, 60));
	EXPECT_EQ(NULL, json_at(self->ar, 1, SHIM_LEVEL_ITEM, 60));
}

TEST_F(notes, instances_have_a_set_each)
{
	static const char *const json[] = { "{\"n\":1}", "{}", "{\"n\":3}" };
	struct shim_labels labels = { at(0), SHIM_LEVEL_INSTANCES, SAMPLE_INDOM, 3, sample_inst,
				      json };
	struct shim_labels_iter iter;
	struct shim_labelset set;

	ASSERT_EQ(0, shim_writer__labels(self->w, &labels));
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	ASSERT_TRUE(shim_archive__labels(self->ar, SHIM_LEVEL_INSTANCES, SAMPLE_INDOM, at(1), &iter));
	ASSERT_EQ(3, iter.n);
	for (int i = 0; i < 3; i++) {
		shim_labels__next(&iter, &set);
		EXPECT_EQ(sample_inst[i], set.inst);
		EXPECT_EQ(i != 1, set.nlabels);
	}
}

/*
 * Two records with the same time, each with the labels of one instance, are joined in newly
 * allocated memory.
 */
TEST_F(notes, no_memory_for_joined_records)
{
	char *json = malloc(SHIM_LABELS_JSON_MAX);
	struct shim_labels labels = { at(0), SHIM_LEVEL_INSTANCES, SAMPLE_INDOM, 1, sample_inst,
				      (const char *const *)&json };
	struct shim_labels_iter iter;
	int failed = 0, err;

	memset(json, 'x', SHIM_LABELS_JSON_MAX);
	memcpy(json, "{\"a\":\"", 6);
	strcpy(json + SHIM_LABELS_JSON_MAX - 3, "\"}");
	ASSERT_EQ(0, shim_writer__labels(self->w, &labels));
	labels.inst++;
	ASSERT_EQ(0, shim_writer__labels(self->w, &labels));
	free(json);
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	shim_archive__put(self->ar);
	self->ar = NULL;
	for (long n = 0, after = 0; !after; n++) {
		left = n;
		err = shim_archive__open(self->place.base, &self->ar);
		after = left;
		left = -1;
		failed += err == -ENOMEM;
		ASSERT_TRUE(!err || err == -ENOMEM);
		if (err)
			continue;
		ASSERT_TRUE(shim_archive__labels(self->ar, SHIM_LEVEL_INSTANCES, SAMPLE_INDOM, at(1), &iter));
		EXPECT_EQ(2, iter.n);
		shim_archive__put(self->ar);
		self->ar = NULL;
	}
	EXPECT_LT(3, failed);
}

TEST_F(notes, labels_that_are_none)
{
	static const char *const bad[] = {
		"", "x", "{", "}", "[]", "null", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,\"a\":1}",
		"{\"a\":1", "{\"a\":1}}", "{\"a\":1} x", "{a:1}", "{\"a\":01}", "{\"a\":1.}",
		"{\"a\":-}", "{\"a\":nul}", "{\"a\":\"x}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}",
		"{\"a\":\"\n\"}", "{\"a\":[1,]}", "{\"a\":[1}", "{\"a\":{\"b\":1}}", "{\"\":1}",
		"{\"1-\":1}", "{\"a b\":1}", "{\"a.\":1}", "{\"a\":1,\"a\":2}", "{\"a\":1 \"b\":2}",
		"{\"a\":[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}",
	};
	const char *good = "{\"a\":1}";
	struct shim_labels two = { at(0), SHIM_LEVEL_ITEM, 7, 2, NULL,
				   (const char *const[]){ good, good } };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		EXPECT_EQ(-EINVAL, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 7, bad[i])) {
			TH_LOG("%s", bad[i]);
		}
	}
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, 0, 7, good));
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, 3, 7, good));
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, 64, 7, good));
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, SHIM_LEVEL_CONTEXT, 7, good));
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, SHIM_LEVEL_INSTANCES, 7, good));
	EXPECT_EQ(-EINVAL, shim_writer__labels(self->w, &two));
	two.n = 0;
	EXPECT_EQ(-EINVAL, shim_writer__labels(self->w, &two));
	two.n = 1;
	two.inst = sample_inst;
	EXPECT_EQ(-EINVAL, shim_writer__labels(self->w, &two));
	ASSERT_EQ(0, shim_writer__begin(self->w, at(0)));
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 7, good));
	shim_writer__cancel(self->w);
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	EXPECT_FALSE(shim_archive__has_labels(self->ar, SHIM_LEVEL_ITEM, 7));
}

/* The number of labels and the length of a text have limits. */
TEST_F(notes, limits)
{
	char *text = malloc(SHIM_LABELS_JSON_MAX + 16);
	char *p = text;

	for (int i = 0; i < SHIM_LABELS_MAX; i++)
		p += sprintf(p, "%c\"n%d\":%d", i ? ',' : '{', i, i);
	strcpy(p, "}");
	EXPECT_EQ(0, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 1, text));
	strcpy(p, ",\"x\":1}");
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 1, text));
	memset(text, 'x', SHIM_LABELS_JSON_MAX + 1);
	memcpy(text, "{\"a\":\"", 6);
	strcpy(text + SHIM_LABELS_JSON_MAX - 2, "\"}");
	EXPECT_EQ(0, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 2, text));
	memset(text + SHIM_LABELS_JSON_MAX - 2, 'x', 2);
	strcpy(text + SHIM_LABELS_JSON_MAX - 1, "\"}");
	EXPECT_EQ(-EINVAL, write_labels(self->w, 0, SHIM_LEVEL_ITEM, 2, text));
	free(text);
	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	EXPECT_TRUE(shim_archive__has_labels(self->ar, SHIM_LEVEL_ITEM, 2));
}

/* Append @record to the metadata, and return the result of opening the archive. */
static int open_with(struct place *p, const uint8_t *meta, size_t len,
		     const struct shim_buf *record)
{
	struct shim_archive *ar;
	uint8_t *all = malloc(len + record->len);
	int err;

	memcpy(all, meta, len);
	memcpy(all + len, record->data, record->len);
	spit(place_file(p, "meta"), all, len + record->len);
	free(all);
	err = shim_archive__open(p->base, &ar);
	if (err)
		return err;
	for (uint32_t level = 1; level <= SHIM_LEVEL_INSTANCES; level *= 2) {
		const char *json = json_at(ar, 1, level, 7);

		if (json && strlen(json) > 255)
			abort();
	}
	shim_archive__put(ar);
	return 0;
}

struct change {
	uint32_t at;		/* offset from the end of a label's time stamp */
	uint32_t value;
	int want;
};

TEST_F(notes, bad_text_records)
{
	static const struct change changes[] = {
		{ 8, 5, 0 }, { 8, 6, 0 }, { 8, 9, 0 }, { 8, 10, 0 },
		{ 8, 0, -EBADMSG }, { 8, 1, -EBADMSG }, { 8, 4, -EBADMSG }, { 8, 7, -EBADMSG },
		{ 8, 13, -EBADMSG }, { 8, 15, -EBADMSG }, { 8, 21, -EBADMSG },
		{ 8, 0x80000005, -EBADMSG },
		{ 12, 0xffffffff, 0 },
		{ 16, 0x61626364, -EBADMSG },	/* no NUL */
		{ 16, 0, 0 },			/* only NULs */
	};
	static const struct shim_rec_text text = { 5, 7, "abc" };
	struct shim_buf record = { 0 };
	uint8_t *meta;
	size_t len;

	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	meta = slurp(place_file(&self->place, "meta"), &len);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		shim_buf__reset(&record);
		shim_rec_text__encode(&record, &text);
		ASSERT_EQ(24, record.len);
		shim_be32__put(record.data + changes[i].at, changes[i].value);
		EXPECT_EQ(changes[i].want, open_with(&self->place, meta, len, &record)) {
			TH_LOG("%u = %#x", changes[i].at, changes[i].value);
		}
	}
	/* These records end too early. */
	for (uint32_t n = 12; n < 20; n += 4) {
		shim_buf__reset(&record);
		shim_rec_text__encode(&record, &text);
		shim_be32__put(record.data, n);
		shim_be32__put(record.data + n - 4, n);
		record.len = n;
		EXPECT_EQ(-EBADMSG, open_with(&self->place, meta, len, &record));
	}
	shim_buf__free(&record);
	free(meta);
}

TEST_F(notes, bad_label_records)
{
	/*
	 * Offsets in the record: 0 level, 4 ident, 8 number of sets, 12 instance, 16 length, 20
	 * text, 27 number of labels, 31 and 35 the label
	 */
	static const struct change changes[] = {
		{ 0, 1, 0 }, { 0, 64, 0 }, { 0, 0, 0 }, { 4, 0xffffffff, 0 }, { 12, 5, 0 },
		{ 8, 2, -EBADMSG }, { 8, 0, -EBADMSG }, { 8, 0xffffffff, -EBADMSG },
		{ 16, 6, -EBADMSG }, { 16, 8, -EBADMSG }, { 16, 0xffffffff, -EBADMSG },
		{ 16, 65536, -EBADMSG }, { 16, 0x80000000, -EBADMSG },
		{ 27, 0, -EBADMSG }, { 27, 2, -EBADMSG }, { 27, 256, -EBADMSG },
		{ 27, 0x7fffffff, -EBADMSG }, { 27, 0xffffcfc2, -EBADMSG },
		{ 31, 0x00070110, -EBADMSG }, { 31, 0x0000ff10, -EBADMSG },
		{ 31, 0xffff0110, -EBADMSG }, { 31, 0x00060110, 0 },
		{ 35, 0x00050003, -EBADMSG }, { 35, 0x0000ffff, -EBADMSG },
		{ 35, 0xffff0001, -EBADMSG }, { 35, 0x00050002, 0 },
		{ 35, 0xffffffff, -EBADMSG },
	};
	const struct shim_format *f = shim_format__of(variant->version);
	const char *json = "{\"a\":1}";
	const struct shim_labels labels = { at(0), SHIM_LEVEL_ITEM, 7, 1, NULL, &json };
	struct shim_buf record = { 0 };
	uint8_t *meta;
	size_t len;

	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	meta = slurp(place_file(&self->place, "meta"), &len);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		shim_buf__reset(&record);
		ASSERT_EQ(0, shim_rec_labels__encode(f, &record, &labels));
		ASSERT_EQ(51 + f->stamp_len, record.len);
		shim_be32__put(record.data + 8 + f->stamp_len + changes[i].at, changes[i].value);
		EXPECT_EQ(changes[i].want, open_with(&self->place, meta, len, &record)) {
			TH_LOG("%u = %#x", changes[i].at, changes[i].value);
		}
	}
	/* Use an invalid time stamp, and records that end too early. */
	shim_buf__reset(&record);
	ASSERT_EQ(0, shim_rec_labels__encode(f, &record, &labels));
	shim_be32__put(record.data + 8 + f->stamp_len - 4, 1000000001);
	EXPECT_EQ(-EBADMSG, open_with(&self->place, meta, len, &record));
	for (uint32_t n = 12; n < 51 + f->stamp_len; n++) {
		shim_buf__reset(&record);
		ASSERT_EQ(0, shim_rec_labels__encode(f, &record, &labels));
		shim_be32__put(record.data, n);
		shim_be32__put(record.data + n - 4, n);
		record.len = n;
		EXPECT_EQ(-EBADMSG, open_with(&self->place, meta, len, &record)) {
			TH_LOG("length %u", n);
		}
	}
	shim_buf__free(&record);
	free(meta);
}

/* A set can have an error code in place of labels, which is not damage. */
TEST_F(notes, error_in_a_set)
{
	const struct shim_format *f = shim_format__of(variant->version);
	const char *json = "{}";
	const struct shim_labels labels = { at(0), SHIM_LEVEL_ITEM, 7, 1, NULL, &json };
	struct shim_buf record = { 0 };
	uint8_t *meta;
	size_t len;

	ASSERT_EQ(0, finish(&self->w, self->place.base, &self->ar));
	meta = slurp(place_file(&self->place, "meta"), &len);
	ASSERT_EQ(0, shim_rec_labels__encode(f, &record, &labels));
	shim_be32__put(record.data + 8 + f->stamp_len + 22, (uint32_t)-12350);
	EXPECT_EQ(0, open_with(&self->place, meta, len, &record));
	shim_buf__free(&record);
	free(meta);
}

TEST_HARNESS_MAIN
