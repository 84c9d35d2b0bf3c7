// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Truncate archives at every byte, change them at every byte, and shuffle them at random.  No read
 * is out of bounds (the sanitizers check this), every call ends, and strings are valid.
 */
#include "archive_sample.h"
#include "kselftest_harness.h"

#define RECORDS		4
#define LIMIT		100000	/* more records than any file has bytes */

static unsigned long touched;	/* prevents reads from being optimized away */

static void touch_value(const struct shim_value *v)
{
	const uint8_t *p = v->bytes;

	if (v->type >= SHIM_TYPE_STRING)
		for (uint32_t i = 0; i < v->len; i++)
			touched += p[i];
}

static void touch_set(struct shim_archive *ar, const struct shim_record *rec,
		      const struct shim_vset *vset)
{
	const struct shim_desc *desc = shim_archive__desc(ar, vset->pmid);
	struct shim_value v;

	for (int i = 0; i < vset->numval; i++) {
		if (desc && !shim_vset__value(rec, vset, i, desc->type, &v))
			touch_value(&v);
		if (!shim_vset__raw(rec, vset, i, &v))
			touched += v.len;
	}
}

static void touch_record(struct shim_archive *ar, const struct shim_record *rec)
{
	struct shim_vset vset;
	int err;

	touched += shim_record__check(rec) == 0;
	for (err = shim_record__first(rec, &vset); !err; err = shim_record__next(rec, &vset))
		touch_set(ar, rec, &vset);
	for (int i = 0; i < NMETRICS; i++)
		if (!shim_record__find(rec, sample_pmid(i), &vset))
			touch_set(ar, rec, &vset);
}

static void touch_states(struct shim_archive *ar, uint32_t indom)
{
	for (unsigned int i = 0; i < shim_archive__nindoms(ar, indom); i++) {
		const struct shim_indom *state = shim_archive__indom_at(ar, indom, i);

		for (unsigned int k = 0; state && k < state->n; k++) {
			touched += strlen(state->name[k]);
			if (state->inst[k] < 0 || (k && state->inst[k] <= state->inst[k - 1]))
				abort();
		}
	}
}

static void touch_labels(struct shim_archive *ar, uint32_t level, uint32_t ident)
{
	struct shim_labels_iter iter;

	if (!shim_archive__labels(ar, level, ident, at(RECORDS), &iter))
		return;
	while (iter.n) {
		struct shim_labelset set;

		shim_labels__next(&iter, &set);
		for (int i = 0; i < set.nlabels; i++) {
			struct shim_labelref ref = shim_labelset__at(&set, i);

			touched += ref.namelen ? set.json[ref.name + ref.namelen - 1] : 0;
			touched += ref.valuelen ? set.json[ref.value + ref.valuelen - 1] : 0;
		}
	}
}

static void touch_notes(struct shim_archive *ar)
{
	static const uint32_t idents[] = { SAMPLE_INDOM, SHIM_INDOM_NULL };

	for (uint32_t level = 1; level <= SHIM_LEVEL_INSTANCES; level *= 2)
		for (int i = 0; i < 2; i++)
			touch_labels(ar, level, idents[i]);
	for (uint32_t type = 0; type < 16; type++) {
		const char *text = shim_archive__text(ar, type, SAMPLE_INDOM);

		touched += text ? strlen(text) : 0;
	}
}

static void touch_meta(struct shim_archive *ar)
{
	const struct shim_label *label = shim_archive__label(ar);

	touched += strlen(label->host) + strlen(label->tz) + strlen(label->zoneinfo);
	for (unsigned int i = 0; i < shim_archive__ndescs(ar); i++) {
		const struct shim_desc *desc = shim_archive__desc_at(ar, i);

		for (unsigned int k = 0; k < desc->nnames; k++)
			touched += strlen(desc->names[k]);
		touch_states(ar, desc->indom);
	}
}

static void touch_all(struct shim_archive *ar)
{
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_ts end;
	int n;

	touch_meta(ar);
	touch_notes(ar);
	shim_cursor__init(&cur, ar);
	for (n = 0; !shim_cursor__next(&cur, &rec); n++)
		touch_record(ar, &rec);
	touched += shim_archive__end(ar, &end) == 0;
	for (double t = -1; t < RECORDS + 1; t += 0.5) {
		shim_cursor__seek_before(&cur, at(t));
		if (!shim_cursor__next(&cur, &rec))
			touch_record(ar, &rec);
		shim_cursor__seek_after(&cur, at(t));
		if (!shim_cursor__prev(&cur, &rec))
			touch_record(ar, &rec);
	}
	shim_cursor__seek_after(&cur, (struct shim_ts){ INT64_MAX, 0 });
	for (; !shim_cursor__prev(&cur, &rec) && n < LIMIT; n++)
		touch_record(ar, &rec);
	if (n >= LIMIT)
		abort();
}

/* Make every call on an archive.  Return 1 if it could be opened, otherwise 0. */
static int exercise(const char *base)
{
	struct shim_archive *ar;

	if (shim_archive__open(base, &ar))
		return 0;
	touch_all(ar);
	shim_archive__put(ar);
	return 1;
}

FIXTURE(damage) {
	struct place place;
};

FIXTURE_VARIANT(damage) {
	int version;
	const char *suffix;
};

#define VARIANT(name, v, s) \
	FIXTURE_VARIANT_ADD(damage, name) { .version = v, .suffix = s }
VARIANT(v3_meta, 3, "meta");
VARIANT(v3_index, 3, "index");
VARIANT(v3_data, 3, "0");
VARIANT(v2_meta, 2, "meta");
VARIANT(v2_index, 2, "index");
VARIANT(v2_data, 2, "0");

static int annotate(struct shim_writer *w)
{
	static const char *const json[] = { "{\"a\":1}", "{}", "{\"b\":\"c\",\"d\":[2]}" };
	struct shim_labels labels = { at(0), SHIM_LEVEL_CONTEXT, SHIM_INDOM_NULL, 1, NULL, json };
	int err = shim_writer__text(w, SHIM_TEXT_HELP | SHIM_TEXT_INDOM, SAMPLE_INDOM, "help");

	if (err)
		return err;
	err = shim_writer__labels(w, &labels);
	labels = (struct shim_labels){ at(1), SHIM_LEVEL_INSTANCES, SAMPLE_INDOM, 3, sample_inst,
				       json };
	return err ? err : shim_writer__labels(w, &labels);
}

/* Write full records, texts, labels, changes of the instance domain and a second volume. */
static int make(const char *base, int version)
{
	struct shim_label label = sample_label(version);
	struct shim_indom fewer = { at(1.5), SAMPLE_INDOM, 1, sample_inst, sample_inst_names, false };
	struct shim_indom all;
	struct shim_writer *w;
	int err;

	err = shim_writer__open(base, &label, &w);
	if (err)
		return err;
	err = sample_declare(w, at(0));
	err = err ? err : annotate(w);
	for (unsigned int i = 0; i < RECORDS && !err; i++) {
		err = sample_record(w, at(i), i);
		if (i != 1 || err)
			continue;
		all = sample_indom(at(1.75));
		err = shim_writer__indom(w, &fewer);
		err = err ? err : shim_writer__indom(w, &all);
	}
	err = err ? err : shim_writer__next_volume(w);
	err = err ? err : sample_record(w, at(RECORDS), RECORDS);
	return err ? err : shim_writer__close(w);
}

FIXTURE_SETUP(damage)
{
	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, make(self->place.base, variant->version));
	ASSERT_EQ(1, exercise(self->place.base));
}

FIXTURE_TEARDOWN(damage)
{
	place_remove(&self->place);
}

TEST_F_TIMEOUT(damage, cut_at_every_byte, 1200)
{
	const char *path = place_file(&self->place, variant->suffix);
	unsigned int opened = 0;
	uint8_t *data;
	size_t len;

	data = slurp(path, &len);
	ASSERT_NE(NULL, data);
	for (size_t n = len; n--;) {
		ASSERT_EQ(0, truncate(path, n));
		opened += exercise(self->place.base);
	}
	/* Some of the truncated archives can still be opened. */
	EXPECT_NE(0, opened);
	free(data);
}

TEST_F_TIMEOUT(damage, every_byte_changed, 1200)
{
	static const uint8_t flips[] = { 0x01, 0x04, 0x80, 0xff };
	const char *path = place_file(&self->place, variant->suffix);
	unsigned int opened = 0;
	uint8_t *data;
	size_t len;
	int fd;

	data = slurp(path, &len);
	ASSERT_NE(NULL, data);
	fd = open(path, O_WRONLY);
	ASSERT_LE(0, fd);
	for (size_t n = 0; n < len; n++) {
		for (size_t i = 0; i < sizeof(flips); i++) {
			uint8_t byte = data[n] ^ flips[i];

			ASSERT_EQ(1, pwrite(fd, &byte, 1, n));
			opened += exercise(self->place.base);
		}
		ASSERT_EQ(1, pwrite(fd, &data[n], 1, n));
	}
	EXPECT_NE(0, opened);
	EXPECT_EQ(1, exercise(self->place.base));
	close(fd);
	free(data);
}

/* Copy pieces of the file over others, so that valid lengths and counts occur in wrong places. */
TEST_F_TIMEOUT(damage, pieces_moved_about, 1200)
{
	const char *path = place_file(&self->place, variant->suffix);
	size_t len, label = variant->version == 3 ? 808 : 132;
	unsigned int opened = 0, seed = 1;
	uint8_t *data, *copy;

	data = slurp(path, &len);
	ASSERT_NE(NULL, data);
	copy = malloc(2 * len);
	ASSERT_NE(NULL, copy);
	for (int round = 0; round < 4000; round++) {
		size_t size = len;

		memcpy(copy, data, len);
		for (int moves = 1 + rand_r(&seed) % 3; moves--;) {
			size_t from = label + rand_r(&seed) % (len - label);
			size_t to = label + rand_r(&seed) % (len - label);
			size_t n = 1 + rand_r(&seed) % 64;

			from &= ~(size_t)3;
			n = n < len - from ? n : len - from;
			memmove(copy + to, copy + from, n);
			size = to + n > size ? to + n : size;
		}
		spit(path, copy, size);
		opened += exercise(self->place.base);
	}
	EXPECT_NE(0, opened);
	free(copy);
	free(data);
}

TEST_HARNESS_MAIN
