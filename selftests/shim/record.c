// SPDX-License-Identifier: GPL-2.0-or-later
/* The recorder creates an archive of exactly three files, and reports errors. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shim/shim.h"
#include "kselftest_harness.h"

FIXTURE(record) {
	char dir[64];
	char base[80];
	struct shim_handle *handle;
	struct shim_set *set;
	struct shim_recorder *rec;
};

FIXTURE_SETUP(record)
{
	const char *event = "page-faults";

	strcpy(self->dir, "/tmp/vcpc-record-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->base, sizeof(self->base), "%s/a", self->dir);
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_set_create(self->handle, &event, 1, NULL, &self->set));
	ASSERT_EQ(0, shim_record_open(self->base, NULL, &self->rec));
}

static const char *const files[] = { ".meta", ".index", ".0" };

/* Return the size in bytes of the archive's file @i, or -1. */
static long size(const char *base, int i)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", base, files[i]);
	return stat(path, &st) ? -1 : st.st_size;
}

static void remove_files(struct __test_metadata *_metadata, const char *base)
{
	for (int i = 0; i < 3; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s%s", base, files[i]);
		EXPECT_EQ(0, unlink(path));
	}
}

FIXTURE_TEARDOWN(record)
{
	if (self->rec)
		shim_record_discard(self->rec);
	shim_set_destroy(self->set);
	shim_close(self->handle);
	EXPECT_EQ(0, rmdir(self->dir));
}

TEST_F(record, records)
{
	long before;

	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, shim_record_add_set(self->rec, self->set, 0));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	before = size(self->base, 2);
	for (int i = 0; i < 10; i++)
		ASSERT_EQ(0, shim_record_tick(self->rec));
	/* Records are written immediately, not when the archive is closed. */
	EXPECT_LE(before + 10 * 4 * 20, size(self->base, 2));
	ASSERT_EQ(0, shim_record_close(self->rec));
	self->rec = NULL;
	for (int i = 0; i < 3; i++)
		EXPECT_LT(100, size(self->base, i));
	remove_files(_metadata, self->base);
}

TEST_F(record, an_archive_is_not_overwritten)
{
	struct shim_recorder *second = NULL;
	long before;

	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, shim_record_add_set(self->rec, self->set, 0));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	before = size(self->base, 0);
	EXPECT_EQ(-EBUSY, shim_record_open(self->base, NULL, &second));
	ASSERT_EQ(0, shim_record_close(self->rec));
	self->rec = NULL;
	EXPECT_EQ(-EEXIST, shim_record_open(self->base, NULL, &second));
	EXPECT_EQ(NULL, second);
	EXPECT_EQ(before, size(self->base, 0));
	remove_files(_metadata, self->base);
}

/* shim_record_discard() removes all volumes.  (Version 2 starts another one after 2 GiB.) */
TEST_F(record, discarding_leaves_nothing)
{
	char path[600];

	for (int i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "%s.%d", self->base, i);
		close(open(path, O_CREAT | O_WRONLY, 0600));
		ASSERT_EQ(0, access(path, F_OK));
	}
	shim_record_discard(self->rec);
	self->rec = NULL;
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(-1, size(self->base, i));
	for (int i = 1; i < 3; i++) {
		snprintf(path, sizeof(path), "%s.%d", self->base, i);
		EXPECT_EQ(-1, access(path, F_OK));
	}
}

TEST_F(record, no_such_folder)
{
	struct shim_recorder *rec = NULL;

	EXPECT_EQ(-ENOENT, shim_record_open("/no/such/folder/a", NULL, &rec));
	EXPECT_EQ(NULL, rec);
}

TEST_F(record, options)
{
	struct shim_record_options options = { .size = sizeof(options), .version = 4 };
	struct shim_recorder *rec = NULL;
	char base[128];

	snprintf(base, sizeof(base), "%s/b", self->dir);
	EXPECT_EQ(-EINVAL, shim_record_open(base, &options, &rec));
	options = (struct shim_record_options) { .size = 4, .version = 3 };
	EXPECT_EQ(-EINVAL, shim_record_open(base, &options, &rec));
	EXPECT_EQ(NULL, rec);
	EXPECT_EQ(-1, size(base, 0));
	options = (struct shim_record_options) { .size = sizeof(options), .version = 2 };
	ASSERT_EQ(0, shim_record_open(base, &options, &rec));
	shim_record_discard(rec);
	/* A program that was built before the later members existed can call the function. */
	options = (struct shim_record_options) { .size = 8, .after = (void *)1 };
	ASSERT_EQ(0, shim_record_open(base, &options, &rec));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(0, shim_record_add_set(rec, self->set, 0));
	shim_record_discard(rec);
}

static int has_text(const char *base, const char *text)
{
	char path[256], bytes[16384];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s.meta", base);
	f = fopen(path, "r");
	n = f ? fread(bytes, 1, sizeof(bytes), f) : 0;
	if (f)
		fclose(f);
	return memmem(bytes, n, text, strlen(text)) != NULL;
}

/*
 * If an archive continues another one, instances have the same names in both archives, even if the
 * process was renamed.
 */
TEST_F(record, after_another)
{
	struct shim_record_options options = { .size = sizeof(options), .after = self->rec };
	struct shim_recorder *next = NULL;
	char base[128];

	snprintf(base, sizeof(base), "%s/next", self->dir);
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "called-first"));
	ASSERT_EQ(0, shim_record_add_set(self->rec, self->set, 0));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	ASSERT_EQ(0, prctl(PR_SET_NAME, "called-later"));
	ASSERT_EQ(0, shim_record_open(base, &options, &next));
	ASSERT_EQ(0, shim_record_add_set(next, self->set, 0));
	/* The first archive contains no traced data, so the next one cannot continue them. */
	if (!shim_trace_status())
		EXPECT_EQ(-ENOENT, shim_record_add_trace(next));
	ASSERT_EQ(0, shim_record_tick(next));
	ASSERT_EQ(0, shim_record_close(self->rec));
	self->rec = NULL;
	ASSERT_EQ(0, shim_record_tick(next));
	ASSERT_EQ(0, shim_record_close(next));
	EXPECT_TRUE(has_text(base, "called-first"));
	EXPECT_FALSE(has_text(base, "called-later"));
	remove_files(_metadata, self->base);
	remove_files(_metadata, base);
}

TEST_F(record, one_value_an_event)
{
	const char *events[] = { "task-clock", "page-faults" };
	struct shim_set *other;

	ASSERT_EQ(0, shim_record_add_set(self->rec, self->set, 0));
	EXPECT_EQ(-EEXIST, shim_record_add_set(self->rec, self->set, 0));
	EXPECT_EQ(-EEXIST, shim_record_add_set(self->rec, self->set, getpid()));
	ASSERT_EQ(0, shim_set_create(self->handle, events, 2, NULL, &other));
	EXPECT_EQ(-EEXIST, shim_record_add_set(self->rec, other, 0));
	EXPECT_EQ(0, shim_record_add_set(self->rec, other, getppid()));
	shim_set_destroy(other);
}

/* An instance that is not a process has a number and a name. */
TEST_F(record, named)
{
	EXPECT_EQ(-EINVAL, shim_record_add_named(self->rec, self->set, -1, "cpu"));
	EXPECT_EQ(-EINVAL, shim_record_add_named(self->rec, self->set, 0, ""));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(0, shim_record_add_named(self->rec, self->set, 0, "cpu0"));
	EXPECT_EQ(-EEXIST, shim_record_add_named(self->rec, self->set, 0, "other"));
	EXPECT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(1, shim_record_count(self->rec));
}

TEST_F(record, one_metric_an_event)
{
	const char *events[] = { "page-faults", "page-faults" };
	struct shim_set *twice;

	ASSERT_EQ(0, shim_set_create(self->handle, events, 2, NULL, &twice));
	EXPECT_EQ(-EINVAL, shim_record_add_set(self->rec, twice, 0));
	EXPECT_EQ(0, shim_record_add_set(self->rec, self->set, 0));
	shim_set_destroy(twice);
}

/*
 * If a set cannot be sampled, the record is written without its values, and shim_record_missing()
 * returns the error.
 */
TEST_F(record, missing_values_are_told)
{
	ASSERT_EQ(0, shim_record_add_set(self->rec, self->set, 0));
	EXPECT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(-EINVAL, shim_record_missing(self->rec));
	EXPECT_LT(808, size(self->base, 2));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, shim_record_missing(self->rec));
}

/* A record without any values is not written, because it would be read as a gap. */
TEST_F(record, nothing_to_record)
{
	long before = size(self->base, 2);

	EXPECT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(before, size(self->base, 2));
	EXPECT_EQ(0, shim_record_count(self->rec));
}

TEST_F(record, no_trace_without_tracing)
{
	if (shim_trace_status())
		SKIP(return, "tracing is on, or its state cannot be read");
	EXPECT_EQ(-ENOENT, shim_record_add_trace(self->rec));
}

TEST_HARNESS_MAIN
