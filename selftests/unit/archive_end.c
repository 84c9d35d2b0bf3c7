// SPDX-License-Identifier: GPL-2.0-or-later
/* Find the end of an archive that is truncated, is followed by garbage, grows, or has no index. */
#include "archive_sample.h"
#include "base/bytes.h"
#include "kselftest_harness.h"

#define RECORDS	200

FIXTURE(end) {
	struct place place;
	uint8_t *data;
	size_t len;
	uint64_t last;	/* offset of the last record */
	uint64_t fifth;	/* offset of the record after the first fifth */
};

FIXTURE_SETUP(end)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;

	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, sample_write(self->place.base, 3, RECORDS));
	self->data = slurp(place_file(&self->place, "0"), &self->len);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cur, ar);
	for (unsigned int i = 0; !shim_cursor__next(&cur, &rec); i++) {
		self->last = rec.offset;
		if (i == RECORDS / 5)
			self->fifth = rec.offset;
	}
	shim_archive__put(ar);
}

FIXTURE_TEARDOWN(end)
{
	free(self->data);
	place_remove(&self->place);
}

/*
 * Return whether the archive ends with record @n - 1, its @n records can be read in both
 * directions, and reading after the last one returns @then.
 */
static bool ends(struct place *place, unsigned int n, int then)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	struct shim_ts end;
	unsigned int i = 0;
	bool good;
	int err;

	if (shim_archive__open(place->base, &ar))
		return false;
	good = !shim_archive__end(ar, &end) && !shim_ts__cmp(end, at(n - 1));
	shim_cursor__init(&cur, ar);
	while (!(err = shim_cursor__next(&cur, &rec)))
		good = good && sample_matches(&rec, i++);
	good = good && err == then && i == n;
	/* Reading again at the end returns the same result. */
	good = good && shim_cursor__next(&cur, &rec) == then;
	/* The same records can be read backwards from the end. */
	shim_cursor__seek_after(&cur, (struct shim_ts){ INT64_MAX, 0 });
	while (i && !shim_cursor__prev(&cur, &rec))
		good = good && sample_matches(&rec, --i);
	good = good && !i && shim_cursor__prev(&cur, &rec) == -ERANGE;
	shim_archive__put(ar);
	return good;
}

static void with_and_without_index(struct __test_metadata *_metadata, struct place *place,
				   unsigned int n, int then, const char *what)
{
	char aside[128];

	snprintf(aside, sizeof(aside), "%s/aside", place->dir);
	EXPECT_TRUE(ends(place, n, then)) {
		TH_LOG("%s", what);
	}
	EXPECT_EQ(0, rename(place_file(place, "index"), aside));
	EXPECT_TRUE(ends(place, n, then)) {
		TH_LOG("%s, without index", what);
	}
	EXPECT_EQ(0, rename(aside, place_file(place, "index")));
}

TEST_F(end, of_a_whole_archive)
{
	with_and_without_index(_metadata, &self->place, RECORDS, -ERANGE, "whole");
}

TEST_F(end, of_one_cut_in_its_last_record)
{
	for (size_t len = self->last + 1; len < self->len; len++) {
		spit(place_file(&self->place, "0"), self->data, len);
		/*
		 * If only part of a record's length has been written, the record is ignored without
		 * an error.
		 */
		with_and_without_index(_metadata, &self->place, RECORDS - 1,
				       len < self->last + 4 ? -ERANGE : -EBADMSG, "cut");
	}
	spit(place_file(&self->place, "0"), self->data, self->last);
	with_and_without_index(_metadata, &self->place, RECORDS - 1, -ERANGE, "cut between");
}

TEST_F(end, of_one_cut_far_before_the_index)
{
	spit(place_file(&self->place, "0"), self->data, self->fifth + 10);
	with_and_without_index(_metadata, &self->place, RECORDS / 5, -EBADMSG, "cut by four fifths");
}

TEST_F(end, with_garbage_behind_it)
{
	uint8_t *data = malloc(self->len + 64);

	memcpy(data, self->data, self->len);
	memset(data + self->len, 0x55, 64);
	spit(place_file(&self->place, "0"), data, self->len + 64);
	with_and_without_index(_metadata, &self->place, RECORDS, -EBADMSG, "garbage");
	memset(data + self->len, 0, 64);
	spit(place_file(&self->place, "0"), data, self->len + 64);
	with_and_without_index(_metadata, &self->place, RECORDS, -EBADMSG, "zeroes");
	spit(place_file(&self->place, "0"), data, self->len + 3);
	with_and_without_index(_metadata, &self->place, RECORDS, -ERANGE, "three zeroes");
	free(data);
}

/* A valid frame can have invalid content. */
TEST_F(end, with_a_hollow_record)
{
	uint8_t *data = malloc(self->len);

	memcpy(data, self->data, self->len);
	memset(data + self->last + 20, 0x7f, self->len - self->last - 24);
	spit(place_file(&self->place, "0"), data, self->len);
	{
		struct shim_archive *ar;
		struct shim_ts end;

		ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
		EXPECT_EQ(0, shim_archive__end(ar, &end));
		EXPECT_EQ(0, shim_ts__cmp(end, at(RECORDS - 2)));
		shim_archive__put(ar);
	}
	free(data);
}

/*
 * The trailing length of the last record points to the start of the record before it, whose leading
 * length differs.
 */
TEST_F(end, with_a_length_over_two_records)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	cur = (struct shim_cursor){ .ar = ar, .offset = self->last };
	ASSERT_EQ(0, shim_cursor__prev(&cur, &rec));
	shim_archive__put(ar);
	shim_be32__put(self->data + self->len - 4, self->len - rec.offset);
	spit(place_file(&self->place, "0"), self->data, self->len);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	cur = (struct shim_cursor){ .ar = ar, .offset = self->len };
	EXPECT_EQ(-EBADMSG, shim_cursor__prev(&cur, &rec));
	EXPECT_EQ(self->len, cur.offset);
	shim_archive__put(ar);
}

TEST_F(end, of_one_without_a_whole_record)
{
	struct shim_ts end = { 1, 2 };
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;

	spit(place_file(&self->place, "0"), self->data, 808 + 30);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_EQ(-EBADMSG, shim_archive__end(ar, &end));
	EXPECT_EQ(1, end.sec);
	shim_cursor__init(&cur, ar);
	EXPECT_EQ(-EBADMSG, shim_cursor__next(&cur, &rec));
	EXPECT_EQ(-ERANGE, shim_cursor__prev(&cur, &rec));
	shim_archive__put(ar);
}

TEST_F(end, with_a_partial_index_entry)
{
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "index"), &len);

	for (size_t n = 1; n < 32; n++) {
		spit(place_file(&self->place, "index"), data, len - n);
		EXPECT_TRUE(ends(&self->place, RECORDS, -ERANGE));
	}
	free(data);
}

/*
 * The end is the time of the record that is last in the file, even if that time is earlier than
 * another record's.
 */
TEST_F(end, of_one_whose_time_goes_back)
{
	struct shim_archive *ar;
	struct shim_ts end;

	self->data[self->last + 7] -= 100;
	spit(place_file(&self->place, "0"), self->data, self->len);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_EQ(0, shim_archive__end(ar, &end));
	EXPECT_EQ(0, shim_ts__cmp(end, at(RECORDS - 101)));
	shim_archive__put(ar);
}

/* A reader of a growing archive can see a partial record. */
TEST_F(end, moves_as_the_archive_grows)
{
	size_t record = self->len - self->last, size = self->len / 4;
	char path[128];
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec, first;
	struct shim_ts end;
	unsigned int n = 0;
	int fd, err;

	strcpy(path, place_file(&self->place, "0"));
	spit(path, self->data, size);
	fd = open(path, O_WRONLY);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	shim_cursor__init(&cur, ar);
	ASSERT_EQ(0, shim_cursor__next(&cur, &first));
	n = 1;
	while (size <= self->len) {
		err = shim_archive__end(ar, &end);
		ASSERT_EQ(0, err);
		while (!(err = shim_cursor__next(&cur, &rec)))
			ASSERT_TRUE(sample_matches(&rec, n++));
		ASSERT_TRUE(err == -ERANGE || err == -EBADMSG);
		ASSERT_EQ(0, shim_ts__cmp(end, at(n - 1)));
		/* Earlier results stay valid. */
		ASSERT_TRUE(sample_matches(&first, 0));
		if (size == self->len)
			break;
		/*
		 * Simulate a writer that removes a partial record, for example because the disk was
		 * full, and begins another one.
		 */
		if (size % 3 == 0) {
			ASSERT_EQ(0, ftruncate(fd, rec.offset + rec.len));
			ASSERT_EQ(8, pwrite(fd, "whatever", 8, rec.offset + rec.len));
			ASSERT_EQ(0, shim_archive__end(ar, &end));
			ASSERT_EQ(0, shim_ts__cmp(end, at(n - 1)));
		}
		size = size + record / 2 < self->len ? size + record / 2 + 1 : self->len;
		ASSERT_EQ((ssize_t)size, pwrite(fd, self->data, size, 0));
	}
	EXPECT_EQ(RECORDS, n);
	close(fd);
	shim_archive__put(ar);
}

/*
 * An archive that consists of only a label grows beyond the size up to which files are copied, and
 * keeps growing while it is mapped.
 */
TEST_F(end, moves_into_the_mapped)
{
	const uint32_t big = 3 << 20;
	struct shim_label label = sample_label(3);
	char base[128], *text = malloc(big);
	struct shim_value v = { .inst = SHIM_IN_NULL, .type = SHIM_TYPE_STRING, .len = big,
				.bytes = text };
	struct shim_record rec, first;
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_writer *w;
	struct shim_ts end;

	memset(text, 'm', big);
	text[big - 1] = '\0';
	snprintf(base, sizeof(base), "%s/m", self->place.dir);
	ASSERT_EQ(0, shim_writer__open(base, &label, &w));
	ASSERT_EQ(0, sample_declare(w, at(0)));
	ASSERT_EQ(0, sample_record(w, at(0), 0));
	ASSERT_EQ(0, shim_archive__open(base, &ar));
	shim_cursor__init(&cur, ar);
	ASSERT_EQ(0, shim_cursor__next(&cur, &first));
	for (unsigned int i = 1; i < 30; i++) {
		ASSERT_EQ(0, shim_writer__begin(w, at(i)));
		ASSERT_EQ(0, shim_writer__vset(w, sample_pmid(M_STRING), 0));
		ASSERT_EQ(0, shim_writer__value(w, &v));
		ASSERT_EQ(0, shim_writer__commit(w));
		EXPECT_EQ(-ERANGE, shim_cursor__next(&cur, &rec));
		ASSERT_EQ(0, shim_archive__end(ar, &end));
		EXPECT_EQ(0, shim_ts__cmp(end, at(i)));
		ASSERT_EQ(0, shim_cursor__next(&cur, &rec));
		EXPECT_EQ(0, shim_record__check(&rec));
		EXPECT_TRUE(sample_matches(&first, 0));
	}
	EXPECT_EQ(0, shim_writer__close(w));
	shim_archive__put(ar);
	free(text);
}

TEST_HARNESS_MAIN
