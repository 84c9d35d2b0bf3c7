// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Archives can be opened by various names.  Opening a damaged or inconsistent archive returns the
 * right error.
 */
#include "archive/record.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

FIXTURE(open) {
	struct place place;
	struct shim_archive *ar;
};

FIXTURE_SETUP(open)
{
	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, sample_write(self->place.base, 3, 3));
	/* Opening must not change the pointer when it fails. */
	self->ar = (struct shim_archive *)self;
}

FIXTURE_TEARDOWN(open)
{
	place_remove(&self->place);
}

/* Open by @name.  Return the error, or 0 if the archive has the sample's three records. */
static int try(FIXTURE_DATA(open) *self, const char *name)
{
	struct shim_archive *ar = (struct shim_archive *)self;
	struct shim_cursor cur;
	struct shim_record rec;
	int err;

	err = shim_archive__open(name, &ar);
	if (err)
		return ar == (struct shim_archive *)self ? err : -EFAULT;
	shim_cursor__init(&cur, ar);
	for (unsigned int i = 0; i < 3; i++)
		if (shim_cursor__next(&cur, &rec) || !sample_matches(&rec, i))
			err = -EILSEQ;
	shim_archive__put(ar);
	return err;
}

static int try_base(FIXTURE_DATA(open) *self)
{
	return try(self, self->place.base);
}

TEST_F(open, by_any_name)
{
	char name[192];

	EXPECT_EQ(0, try_base(self));
	EXPECT_EQ(0, try(self, place_file(&self->place, "meta")));
	EXPECT_EQ(0, try(self, place_file(&self->place, "index")));
	EXPECT_EQ(0, try(self, place_file(&self->place, "0")));
	EXPECT_EQ(-ENOENT, try(self, place_file(&self->place, "1")));
	EXPECT_EQ(-ENOENT, try(self, place_file(&self->place, "00")));
	EXPECT_EQ(-ENOENT, try(self, place_file(&self->place, "foo")));
	EXPECT_EQ(-ENOENT, try(self, ""));
	ASSERT_EQ(0, chdir(self->place.dir));
	EXPECT_EQ(0, try(self, "a"));
	EXPECT_EQ(0, try(self, "./a.0"));
	EXPECT_EQ(-ENOENT, try(self, "b"));
	EXPECT_EQ(-ENOENT, try(self, "none/a"));
	/* The suffix of a name is removed only if this file exists. */
	ASSERT_EQ(0, sample_write("b.0", 3, 3));
	EXPECT_EQ(0, try(self, "b.0"));
	EXPECT_EQ(0, try(self, "b.0.meta"));
	snprintf(name, sizeof(name), "%s,%s", self->place.base, self->place.base);
	EXPECT_EQ(0, try(self, name));
	/* Both archives in the directory start at the same time. */
	EXPECT_EQ(-SHIM_EOVERLAP, try(self, self->place.dir));
}

TEST_F(open, links_to_missing_files)
{
	char path[192];

	snprintf(path, sizeof(path), "%s", place_file(&self->place, "index"));
	ASSERT_EQ(0, unlink(path));
	ASSERT_EQ(0, symlink("/nonexistent/x", path));
	EXPECT_EQ(0, try_base(self));
	snprintf(path, sizeof(path), "%s/only.meta", self->place.dir);
	ASSERT_EQ(0, symlink("/nonexistent/x", path));
	snprintf(path, sizeof(path), "%s/only", self->place.dir);
	EXPECT_EQ(-ENXIO, try(self, path));
}

static int count_records(const char *base)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	int n = shim_archive__open(base, &ar);

	if (n)
		return n;
	shim_cursor__init(&cur, ar);
	while (!shim_cursor__next(&cur, &rec))
		n++;
	shim_archive__put(ar);
	return n;
}

/* Write six volumes of one record each; the second and the fourth are missing. */
static int write_gaps(FIXTURE_DATA(open) *self)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w;
	int err;

	snprintf(self->place.base, sizeof(self->place.base), "%s/gaps", self->place.dir);
	err = shim_writer__open(self->place.base, &label, &w);
	if (!err)
		err = sample_declare(w, at(0));
	for (unsigned int i = 0; i < 6 && !err; i++) {
		if (i)
			err = shim_writer__next_volume(w);
		if (!err)
			err = sample_record(w, at(i), i);
	}
	if (!err)
		err = shim_writer__close(w);
	if (!err && (unlink(place_file(&self->place, "1")) || unlink(place_file(&self->place, "3"))))
		err = -errno;
	return err;
}

/*
 * If the user may not list the directory, the reader gets the numbers of the volumes from the
 * index.
 */
TEST_F(open, in_a_folder_that_may_not_be_read)
{
	char command[160];

	ASSERT_EQ(0, write_gaps(self));
	EXPECT_EQ(4, count_records(self->place.base));
	snprintf(command, sizeof(command), "xz %s", place_file(&self->place, "4"));
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, chmod(self->place.dir, 0311));
	/* Root may read every directory. */
	if (!geteuid())
		ASSERT_EQ(0, seteuid(65534));
	EXPECT_EQ(NULL, fopen(self->place.dir, "r"));
	EXPECT_EQ(4, count_records(self->place.base));
	if (!getuid())
		ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, chmod(self->place.dir, 0700));
	EXPECT_EQ(4, count_records(self->place.base));
	/* Without an index, records after a gap are not found. */
	ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
	EXPECT_EQ(4, count_records(self->place.base));
}

TEST_F(open, with_files_missing)
{
	ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
	EXPECT_EQ(0, try_base(self));
	ASSERT_EQ(0, unlink(place_file(&self->place, "meta")));
	EXPECT_EQ(-ENXIO, try_base(self));
	ASSERT_EQ(0, unlink(place_file(&self->place, "0")));
	EXPECT_EQ(-ENOENT, try_base(self));
	spit(place_file(&self->place, "index"), "", 0);
	EXPECT_EQ(-ENXIO, try_base(self));
}

TEST_F(open, with_a_compressed_file)
{
	char packed[128];

	snprintf(packed, sizeof(packed), "%s.0.xz", self->place.base);
	spit(packed, "xz", 2);
	EXPECT_EQ(0, try_base(self));
	ASSERT_EQ(0, unlink(place_file(&self->place, "0")));
	EXPECT_EQ(-EBADMSG, try_base(self));
	EXPECT_EQ(-EBADMSG, try(self, packed));
	spit(packed, "\x1f\x9d\x90", 3);
	EXPECT_EQ(-EOPNOTSUPP, try_base(self));
}

TEST_F(open, with_what_is_no_file)
{
	ASSERT_EQ(0, unlink(place_file(&self->place, "0")));
	ASSERT_EQ(0, mkfifo(place_file(&self->place, "0"), 0666));
	EXPECT_EQ(-EINVAL, try_base(self));
	ASSERT_EQ(0, unlink(place_file(&self->place, "0")));
	ASSERT_EQ(0, mkdir(place_file(&self->place, "0"), 0777));
	EXPECT_EQ(-EISDIR, try_base(self));
}

static const char *const files[] = { "0", "index", "meta" };

/* A file can be empty, or end within the label or directly after it. */
TEST_F(open, cut_within_the_label)
{
	static const struct row {
		int line;
		size_t len;
		int err;
	} rows[] = {
		{ __LINE__, 0, -ENODATA },
		{ __LINE__, 7, -ENODATA },
		{ __LINE__, 8, -EILSEQ },
		{ __LINE__, 807, -EILSEQ },
		{ __LINE__, 808, -ENODATA },
	};

	for (size_t f = 0; f < 3; f++) {
		size_t len;
		uint8_t *data = slurp(place_file(&self->place, files[f]), &len);

		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			spit(place_file(&self->place, files[f]), data, rows[i].len);
			EXPECT_EQ(rows[i].err, try_base(self)) {
				TH_LOG("%s, row at line %d", files[f], rows[i].line);
			}
		}
		spit(place_file(&self->place, files[f]), data, len);
		free(data);
	}
	EXPECT_EQ(0, try_base(self));
}

/* Most changes to one word of the label in one file are errors. */
TEST_F(open, with_another_label)
{
	static const struct row {
		int line;
		const char *suffix;
		size_t at;
		uint32_t word;
		int err;
	} rows[] = {
		{ __LINE__, "0", 0, 807, -EILSEQ },		/* length */
		{ __LINE__, "0", 804, 807, -EILSEQ },
		{ __LINE__, "0", 4, 0x50052601, -EILSEQ },	/* version */
		{ __LINE__, "0", 4, 0x50052604, -EILSEQ },
		{ __LINE__, "0", 4, 0x50042603, -EILSEQ },	/* magic */
		{ __LINE__, "0", 8, 101, -EILSEQ },		/* PID, different in this file */
		{ __LINE__, "meta", 8, 101, -EILSEQ },
		{ __LINE__, "index", 8, 101, -EILSEQ },
		{ __LINE__, "0", 20, 1000000001, -EILSEQ },	/* nanoseconds */
		{ __LINE__, "0", 24, 1, -EILSEQ },		/* volume */
		{ __LINE__, "meta", 24, 0, -EILSEQ },
		{ __LINE__, "index", 24, -1, -EILSEQ },
		{ __LINE__, "0", 28, 1, -EOPNOTSUPP },		/* features */
		{ __LINE__, "meta", 28, 0x40000000, -EOPNOTSUPP },
		{ __LINE__, "index", 28, 2, -EOPNOTSUPP },
		{ __LINE__, "0", 28, 0x80000000, 0 },
		{ __LINE__, "meta", 36, 0x68320000, -EILSEQ },	/* host */
		{ __LINE__, "meta", 12, 5, 0 },			/* start and zone are not compared */
		{ __LINE__, "meta", 292, 0x45535400, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *path = place_file(&self->place, rows[i].suffix);
		uint8_t *data, word[4];
		size_t len;

		data = slurp(path, &len);
		memcpy(word, data + rows[i].at, 4);
		shim_be32__put(data + rows[i].at, rows[i].word);
		spit(path, data, len);
		EXPECT_EQ(rows[i].err, try_base(self)) {
			TH_LOG("row at line %d", rows[i].line);
		}
		memcpy(data + rows[i].at, word, 4);
		spit(path, data, len);
		free(data);
	}
	EXPECT_EQ(0, try_base(self));
}

/* Write @data, followed by the record @rec, to the metadata file. */
static void append(FIXTURE_DATA(open) *self, const uint8_t *data, size_t len,
		   const struct shim_buf *rec)
{
	uint8_t *all = malloc(len + rec->len);

	memcpy(all, data, len);
	memcpy(all + len, rec->data, rec->len);
	spit(place_file(&self->place, "meta"), all, len + rec->len);
	free(all);
}

TEST_F(open, with_a_second_description)
{
	static const char *const other[] = { "demo.other" };
	static const struct row {
		int line;
		int32_t type;
		int32_t sem;
		uint32_t indom;
		uint32_t units;
		int err;
	} rows[] = {
		{ __LINE__, SHIM_TYPE_32, SHIM_SEM_INSTANT, SHIM_INDOM_NULL, COUNT, 0 },
		{ __LINE__, SHIM_TYPE_64, SHIM_SEM_INSTANT, SHIM_INDOM_NULL, COUNT, -SHIM_ECHANGE_TYPE },
		{ __LINE__, SHIM_TYPE_32, SHIM_SEM_COUNTER, SHIM_INDOM_NULL, COUNT, -SHIM_ECHANGE_SEM },
		{ __LINE__, SHIM_TYPE_32, SHIM_SEM_INSTANT, SAMPLE_INDOM, COUNT, -SHIM_ECHANGE_INDOM },
		{ __LINE__, SHIM_TYPE_32, SHIM_SEM_INSTANT, SHIM_INDOM_NULL, 0, -SHIM_ECHANGE_UNITS },
	};
	struct shim_buf rec = { 0 };
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct shim_desc desc = { sample_pmid(M_32), rows[i].type, rows[i].indom,
					  rows[i].sem, rows[i].units, 1, other };

		shim_buf__reset(&rec);
		shim_rec_desc__encode(&rec, &desc);
		append(self, data, len, &rec);
		EXPECT_EQ(rows[i].err, try_base(self)) {
			TH_LOG("row at line %d", rows[i].line);
		}
	}
	shim_buf__free(&rec);
	free(data);
}

/* A metric can have several names, but not a name that another metric has. */
TEST_F(open, with_more_names)
{
	static const char *const names[] = { "demo.more", "demo.u32", "demo.most" };
	struct shim_desc desc = sample_desc(M_32);
	const struct shim_desc *got;
	struct shim_buf rec = { 0 };
	struct shim_archive *ar;
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);

	desc.nnames = 3;
	desc.names = names;
	shim_rec_desc__encode(&rec, &desc);
	append(self, data, len, &rec);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_EQ(NMETRICS, shim_archive__ndescs(ar));
	got = shim_archive__desc(ar, desc.pmid);
	ASSERT_EQ(3, got->nnames);
	EXPECT_STREQ("demo.i32", got->names[0]);
	EXPECT_STREQ("demo.more", got->names[1]);
	EXPECT_STREQ("demo.most", got->names[2]);
	got = shim_archive__desc(ar, sample_pmid(M_U32));
	ASSERT_EQ(1, got->nnames);
	EXPECT_STREQ("demo.u32", got->names[0]);
	shim_archive__put(ar);
	shim_buf__free(&rec);
	free(data);
}

/* Append one record of five words.  Most of these records are invalid. */
TEST_F(open, with_a_strange_record)
{
	static const struct row {
		int line;
		uint32_t words[5];
		size_t len;
		int err;
	} rows[] = {
		{ __LINE__, { 20, 0, 0, 0, 20 }, 20, -EPROTO },		/* unknown type */
		{ __LINE__, { 20, 8, 0, 0, 20 }, 20, -EPROTO },
		{ __LINE__, { 20, -1, 0, 0, 20 }, 20, -EPROTO },
		{ __LINE__, { 20, 4, 5, 0, 20 }, 20, -EBADMSG },		/* a text without its NUL */
		{ __LINE__, { 20, 7, 5, 0, 20 }, 20, -EBADMSG },		/* short label */
		{ __LINE__, { 20, 1, 0, 0, 20 }, 20, -EBADMSG },		/* short metric */
		{ __LINE__, { 20, 5, 0, 0, 20 }, 20, -EBADMSG },		/* short domain */
		{ __LINE__, { 20, 4, 5, 0, 24 }, 20, -EBADMSG },		/* trailer differs */
		{ __LINE__, { 0, 4, 5, 0, 0 }, 20, -EBADMSG },			/* invalid length */
		{ __LINE__, { 8, 8, 5, 0, 0 }, 20, -EBADMSG },
		{ __LINE__, { -4, 4, 5, 0, -4 }, 20, -EBADMSG },
		{ __LINE__, { 20, 4, 5, 0, 20 }, 19, 0 },			/* cut off */
		{ __LINE__, { 24, 4, 5, 0, 20 }, 20, 0 },
		{ __LINE__, { 20, 4, 5, 0, 20 }, 7, 0 },			/* stray bytes */
	};
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct shim_buf rec = { 0 };

		for (int k = 0; k < 5; k++)
			shim_buf__put32(&rec, rows[i].words[k]);
		rec.len = rows[i].len;
		append(self, data, len, &rec);
		EXPECT_EQ(rows[i].err, try_base(self)) {
			TH_LOG("row at line %d", rows[i].line);
		}
		shim_buf__free(&rec);
	}
	free(data);
}

/*
 * If the index refers to more than the truncated metadata, the truncation is damage, because a
 * writer that was killed cannot have caused it.
 */
TEST_F(open, with_metadata_lost)
{
	struct shim_label label = sample_label(3);
	struct shim_writer *w;
	size_t len;
	uint8_t *data;

	ASSERT_EQ(0, chdir(self->place.dir));
	ASSERT_EQ(0, shim_writer__open("b", &label, &w));
	ASSERT_EQ(0, sample_declare(w, at(0)));
	for (unsigned int i = 0; i < 3; i++) {
		ASSERT_EQ(0, sample_record(w, at(i), i));
	}
	ASSERT_EQ(0, shim_writer__close(w));
	EXPECT_EQ(0, try(self, "b"));
	data = slurp("b.meta", &len);
	spit("b.meta", data, len - 5);
	EXPECT_EQ(-EBADMSG, try(self, "b"));
	free(data);
}

TEST_F(open, without_any_metric)
{
	struct shim_indom indom = sample_indom(at(0));
	struct shim_buf rec = { 0 };
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);

	shim_rec_indom__encode(shim_format__of(3), &rec, &indom, false);
	append(self, data, 808, &rec);
	EXPECT_EQ(-EBADMSG, try_base(self));
	shim_buf__free(&rec);
	free(data);
}

/* A name can be shortened in place, and followed by NULs. */
TEST_F(open, with_a_padded_name)
{
	size_t len;
	uint8_t *data = slurp(place_file(&self->place, "meta"), &len);
	struct shim_archive *ar;

	ASSERT_EQ(0, memcmp(data + 844, "demo.i32", 8));
	memset(data + 850, 0, 2);
	spit(place_file(&self->place, "meta"), data, len);
	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_STREQ("demo.i", shim_archive__desc_at(ar, 0)->names[0]);
	shim_archive__put(ar);
	/* A name must not be empty. */
	memset(data + 844, 0, 8);
	spit(place_file(&self->place, "meta"), data, len);
	EXPECT_EQ(-EBADMSG, try_base(self));
	free(data);
}

TEST_F(open, kept_by_the_last_reference)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;

	ASSERT_EQ(0, shim_archive__open(self->place.base, &ar));
	EXPECT_EQ(ar, shim_archive__get(ar));
	shim_archive__put(ar);
	shim_cursor__init(&cur, ar);
	EXPECT_EQ(0, shim_cursor__next(&cur, &rec));
	EXPECT_TRUE(sample_matches(&rec, 0));
	shim_archive__put(ar);
	shim_archive__put(NULL);
}

TEST_HARNESS_MAIN
