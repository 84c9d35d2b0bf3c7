// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Move cursors over archives with known content.  Every record is read in both directions.  Each
 * seek finds the same record as a linear search, with the original index, without an index, and
 * with a wrong index.
 */
#include "archive/archive.h"
#include "archive/volume.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

#define RECORDS	3000

FIXTURE(cursor) {
	struct place place;
	struct shim_ts *stamps;	/* one per record, in order */
	bool *marks;
	unsigned int n;
};

FIXTURE_VARIANT(cursor) {
	int version;
	unsigned int volume;	/* records per volume, or 0 */
	unsigned int value_len;	/* length of the string, which makes the index grow */
};

FIXTURE_VARIANT_ADD(cursor, v3) {
	.version = 3, .volume = 0, .value_len = 2000,
};

FIXTURE_VARIANT_ADD(cursor, v3_volumes) {
	.version = 3, .volume = 250, .value_len = 900,
};

FIXTURE_VARIANT_ADD(cursor, v2_volumes) {
	.version = 2, .volume = 700, .value_len = 900,
};

/* The archive is larger than the size up to which files are copied, so it is mapped. */
FIXTURE_VARIANT_ADD(cursor, v3_mapped) {
	.version = 3, .volume = 0, .value_len = 8000,
};

/*
 * All volumes together exceed the size up to which files are copied, so the first ones are copied
 * and the others are mapped.
 */
FIXTURE_VARIANT_ADD(cursor, v3_some_mapped) {
	.version = 3, .volume = 250, .value_len = 8000,
};

static int put_string(struct shim_writer *w, unsigned int n, char *text, unsigned int len)
{
	struct shim_value v = { .inst = SHIM_IN_NULL, .type = SHIM_TYPE_STRING, .len = len,
				.bytes = text };
	int err = shim_writer__vset(w, sample_pmid(M_STRING), 0);

	memset(text, 'x', len);
	text[snprintf(text, len, "%u", n)] = 'x';
	text[len - 1] = '\0';
	return err ? err : shim_writer__value(w, &v);
}

FIXTURE_SETUP(cursor)
{
	struct shim_label label = sample_label(variant->version);
	struct shim_desc desc = sample_desc(M_STRING);
	unsigned int seed = 7;
	struct shim_writer *w;
	double t = 0;
	char *text;

	ASSERT_EQ(0, place_make(&self->place));
	self->stamps = calloc(RECORDS, sizeof(*self->stamps));
	self->marks = calloc(RECORDS, sizeof(*self->marks));
	text = malloc(variant->value_len);
	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &w));
	ASSERT_EQ(0, shim_writer__desc(w, &desc));
	for (unsigned int i = 0; i < RECORDS; i++) {
		/* Time stamps are equal, one apart, or far apart. */
		if (rand_r(&seed) % 4)
			t += rand_r(&seed) % 50 ? 1 : 1000;
		if (i && variant->volume && i % variant->volume == 0)
			ASSERT_EQ(0, shim_writer__next_volume(w));
		self->stamps[i] = at(t);
		self->marks[i] = i && rand_r(&seed) % 30 == 0;
		ASSERT_EQ(0, shim_writer__begin(w, at(t)));
		if (!self->marks[i])
			ASSERT_EQ(0, put_string(w, i, text, variant->value_len));
		ASSERT_EQ(0, shim_writer__commit(w));
	}
	ASSERT_EQ(0, shim_writer__close(w));
	self->n = RECORDS;
	free(text);
}

FIXTURE_TEARDOWN(cursor)
{
	free(self->stamps);
	free(self->marks);
	place_remove(&self->place);
}

static bool is_record(const FIXTURE_DATA(cursor) *self, const struct shim_record *rec,
		      unsigned int i)
{
	struct shim_vset vset;
	struct shim_value v;

	if (shim_ts__cmp(rec->stamp, self->stamps[i]) || !rec->npmids != self->marks[i])
		return false;
	if (self->marks[i])
		return true;
	return !shim_record__check(rec) && !shim_record__first(rec, &vset) &&
	       !shim_vset__value(rec, &vset, 0, SHIM_TYPE_STRING, &v) &&
	       (unsigned int)atoi(v.bytes) == i;
}

TEST_F(cursor, steps)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_ts end;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cur, ar);
	EXPECT_EQ(-ERANGE, shim_cursor__prev(&cur, &rec));
	for (unsigned int i = 0; i < self->n; i++) {
		ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
		ASSERT_TRUE(is_record(self, &rec, i));
		ASSERT_EQ(variant->volume ? i / variant->volume : 0, rec.volume);
	}
	for (int again = 0; again < 3; again++)
		ASSERT_EQ(-ERANGE, shim_cursor__next(&cur, &rec));
	for (unsigned int i = self->n; i--;) {
		ASSERT_EQ(0, shim_cursor__prev(&cur, &rec));
		ASSERT_TRUE(is_record(self, &rec, i));
	}
	for (int again = 0; again < 3; again++)
		ASSERT_EQ(-ERANGE, shim_cursor__prev(&cur, &rec));
	for (unsigned int i = 0; i < self->n; i++) {
		ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
		ASSERT_EQ(0, shim_cursor__prev(&cur, &rec));
		ASSERT_TRUE(is_record(self, &rec, i));
		ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
	}
	ASSERT_EQ(0, shim_archive__end(ar, &end));
	EXPECT_EQ(0, shim_ts__cmp(end, self->stamps[self->n - 1]));
	shim_archive__put(ar);
}

/*
 * Step before the first record of an archive that starts so early that its label looks like a mark.
 */
static void step_before_the_first(struct __test_metadata *_metadata, int version)
{
	struct shim_label label = sample_label(version);
	struct shim_desc desc = sample_desc(M_STRING);
	struct shim_readbuf readbuf = { 0 };
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_writer *w;
	struct place place;
	char text[1000];

	ASSERT_EQ(0, place_make(&place));
	ASSERT_EQ(0, shim_writer__open(place.base, &label, &w));
	ASSERT_EQ(0, shim_writer__desc(w, &desc));
	for (int i = 0; i < 200; i++) {
		ASSERT_EQ(0, shim_writer__begin(w, (struct shim_ts){ i, 0 }));
		ASSERT_EQ(0, put_string(w, i, text, sizeof(text)));
		ASSERT_EQ(0, shim_writer__commit(w));
	}
	ASSERT_EQ(0, shim_writer__close(w));
	ASSERT_EQ(0, shim_archive__open(place.base, &ar));
	shim_cursor__init(&cur, ar);
	cur.readbuf = &readbuf;
	ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
	EXPECT_LT(0, readbuf.len);
	ASSERT_EQ(0, shim_cursor__prev(&cur, &rec));
	EXPECT_EQ(0, rec.stamp.sec);
	EXPECT_EQ(-ERANGE, shim_cursor__prev(&cur, &rec));
	shim_readbuf__fini(&readbuf);
	shim_archive__put(ar);
	place_remove(&place);
}

TEST(the_label_is_no_record)
{
	step_before_the_first(_metadata, 2);
	step_before_the_first(_metadata, 3);
}

/* Return whether a seek to @when finds @first records before it and @last records not after it. */
static bool seeks_with(const FIXTURE_DATA(cursor) *self, struct shim_archive *ar,
		       struct shim_readbuf *readbuf, struct shim_ts when, unsigned int first,
		       unsigned int last)
{
	struct shim_cursor cur;
	struct shim_record rec;
	int err;

	shim_cursor__init(&cur, ar);
	cur.readbuf = readbuf;
	if (shim_cursor__seek_before(&cur, when))
		return false;
	err = shim_cursor__next(&cur, &rec);
	if (first == self->n ? err != -ERANGE : err || !is_record(self, &rec, first))
		return false;
	if (shim_cursor__seek_after(&cur, when))
		return false;
	err = shim_cursor__prev(&cur, &rec);
	return last ? !err && is_record(self, &rec, last - 1) : err == -ERANGE;
}

/* Seek alternately with the map and with a buffer of a few records. */
static bool seeks(const FIXTURE_DATA(cursor) *self, struct shim_archive *ar, struct shim_ts when,
		  unsigned int first, unsigned int last)
{
	struct shim_readbuf readbuf = { 0 };
	bool right = seeks_with(self, ar, first / 2 % 2 ? &readbuf : NULL, when, first, last);

	shim_readbuf__fini(&readbuf);
	return right;
}

/* Seek to every time stamp, and to a time before and after each. */
static bool seeks_everywhere(const FIXTURE_DATA(cursor) *self, struct shim_archive *ar,
			     unsigned int step)
{
	static const struct shim_ts little = { 0, 1000 };
	unsigned int first = 0, last;

	for (unsigned int i = 0; i < self->n; i++) {
		struct shim_ts t = self->stamps[i];

		if (i && !shim_ts__cmp(self->stamps[i - 1], t))
			continue;
		first = i;
		for (last = i; last < self->n && !shim_ts__cmp(self->stamps[last], t);)
			last++;
		if (i % step)
			continue;
		if (!seeks(self, ar, t, first, last) ||
		    !seeks(self, ar, shim_ts__sub(t, little), first, first) ||
		    !seeks(self, ar, shim_ts__add(t, little), last, last))
			return false;
	}
	return seeks(self, ar, (struct shim_ts){ INT64_MAX, 0 }, self->n, self->n) &&
	       seeks(self, ar, (struct shim_ts){ INT64_MIN, 0 }, 0, 0);
}

TEST_F_TIMEOUT(cursor, seeks_by_the_index, 1200)
{
	struct shim_archive *ar;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_TRUE(seeks_everywhere(self, ar, 1));
	shim_archive__put(ar);
}

/*
 * Far from any index entry, records are found by reading a small part of the file, without mapping
 * it.
 */
TEST_F_TIMEOUT(cursor, seeks_read_little, 1200)
{
	unsigned int i = self->n / 2;
	struct shim_readbuf readbuf = { 0 };
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;

	if (variant->volume || variant->value_len > SHIM_READBUF_SIZE / 3)
		return;	/* the test needs one volume, and records that fit in a readbuf */
	ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cur, ar);
	cur.readbuf = &readbuf;
	ASSERT_EQ(0, shim_cursor__seek_after(&cur, self->stamps[i]));
	while (i + 1 < self->n && !shim_ts__cmp(self->stamps[i], self->stamps[i + 1]))
		i++;
	ASSERT_EQ(0, shim_cursor__prev(&cur, &rec));
	EXPECT_TRUE(is_record(self, &rec, i));
	EXPECT_LE(readbuf.bytes, rec.data);
	EXPECT_GE(readbuf.bytes + readbuf.len, rec.data + rec.len);
	/* only the first window of the map was used, for the label */
	EXPECT_EQ(0, atomic_load(&shim_archive__volume(ar, 0)->windows));
	shim_readbuf__fini(&readbuf);
	shim_archive__put(ar);
}

TEST_F_TIMEOUT(cursor, seeks_without_index, 1200)
{
	struct shim_archive *ar;

	ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_TRUE(seeks_everywhere(self, ar, 50));
	shim_archive__put(ar);
}

/* Index entries with wrong offsets or wrong time stamps do not affect seeks. */
TEST_F_TIMEOUT(cursor, seeks_in_spite_of_the_index, 1200)
{
	size_t len, label = variant->version == 3 ? 808 : 132;
	size_t entry = variant->version == 3 ? 32 : 20;
	struct shim_archive *ar;
	unsigned int seed = 3;
	uint8_t *data;

	data = slurp(place_file(&self->place, "index"), &len);
	ASSERT_NE(NULL, data);
	ASSERT_LT(label + 10 * entry, len);
	for (int round = 0; round < 10; round++) {
		for (size_t i = label; i + entry <= len; i += entry) {
			size_t at = i + rand_r(&seed) % entry;

			data[at] ^= 1 << rand_r(&seed) % 8;
		}
		spit(place_file(&self->place, "index"), data, len);
		ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
		EXPECT_TRUE(seeks_everywhere(self, ar, 150));
		shim_archive__put(ar);
	}
	free(data);
}

/*
 * Seeks work if index entries are in order and refer to records, but each has the time stamp of the
 * previous or the next record.
 */
TEST_F_TIMEOUT(cursor, seeks_in_spite_of_shifted_stamps, 1200)
{
	size_t len, label = variant->version == 3 ? 808 : 132;
	size_t entry = variant->version == 3 ? 32 : 20, stamp = variant->version == 3 ? 12 : 8;
	struct shim_archive *ar;
	uint8_t *data, *copy;

	data = slurp(place_file(&self->place, "index"), &len);
	copy = slurp(place_file(&self->place, "index"), &len);
	ASSERT_NE(NULL, data);
	for (int shift = -1; shift <= 1; shift += 2) {
		memcpy(copy, data, len);
		for (size_t i = label + entry; i + 2 * entry <= len; i += entry)
			memcpy(copy + i, data + i + shift * (ssize_t)entry, stamp);
		spit(place_file(&self->place, "index"), copy, len);
		ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
		EXPECT_TRUE(seeks_everywhere(self, ar, 13));
		shim_archive__put(ar);
	}
	free(copy);
	free(data);
}

TEST_F(cursor, passes_over_a_missing_volume)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	unsigned int i = 0, n = 0, damaged = 0;
	int err;

	if (!variant->volume) {
		ASSERT_EQ(0, unlink(place_file(&self->place, "0")));
		EXPECT_EQ(-ENXIO, shim_archive__open(self->place.base, &ar));
		return;
	}
	ASSERT_EQ(0, unlink(place_file(&self->place, "1")));
	/* Volume 2 exists, but is unusable. */
	spit(place_file(&self->place, "2"), "garbage", 7);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cur, ar);
	while ((err = shim_cursor__next(&cur, &rec)) != -ERANGE) {
		/* A missing volume is reported once per direction, when the cursor reaches it. */
		if (err == -SHIM_EVOLUME) {
			damaged++;
			continue;
		}
		ASSERT_EQ(0, err);
		if (i == variant->volume)
			i += 2 * variant->volume;
		ASSERT_TRUE(is_record(self, &rec, i++));
		n++;
	}
	EXPECT_EQ(1, damaged);
	EXPECT_EQ(self->n, i);
	while ((err = shim_cursor__prev(&cur, &rec)) != -ERANGE) {
		if (err == -SHIM_EVOLUME)
			damaged++;
		else
			n--;
		ASSERT_TRUE(!err || err == -SHIM_EVOLUME);
	}
	EXPECT_EQ(2, damaged);
	EXPECT_EQ(0, n);
	shim_archive__put(ar);
}

TEST_HARNESS_MAIN
