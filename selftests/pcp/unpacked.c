// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A compressed file of an archive is decompressed only once for all contexts and checks that are
 * open at the same time.
 */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kselftest_harness.h>
#include <pcp/import.h>
#include <pcp/pmapi.h>
#include <shim/archive.h>

#define START	1700000000
#define FILES	4
#define BLOCK_RECORDS	8000
#define MANY	1000	/* metrics */

static struct {
	struct stat st;
	uint64_t bytes;
} files[FILES];

/*
 * Replace mmap(), with which the library reads compressed files, and count the bytes that it maps
 * of each file.
 */
__attribute__((visibility("default")))
void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
	long ret = syscall(SYS_mmap, at, len, prot, flags, fd, offset);
	struct stat st;

	if (ret != -1 && fd >= 0 && !fstat(fd, &st))
		for (int i = 0; i < FILES; i++)
			if (files[i].st.st_ino == st.st_ino && files[i].st.st_dev == st.st_dev)
				files[i].bytes += len;
	return (void *)ret;
}

FIXTURE(unpacked) {
	char dir[64];
	int nfiles;
};

static void note(struct __test_metadata *_metadata, FIXTURE_DATA(unpacked) *self, const char *name)
{
	if (stat(name, &files[self->nfiles].st))
		return;
	ASSERT_LT(self->nfiles, FILES);
	self->nfiles++;
}

/* Write the archive "a", with one record per second in two volumes of equal size. */
static void make(struct __test_metadata *_metadata, int records)
{
	pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);
	char value[32];

	ASSERT_LT(0, pmiStart("a", 0));
	ASSERT_EQ(0, pmiAddMetric("a.metric", pmiID(60, 0, 1), PM_TYPE_U64, PM_INDOM_NULL,
				  PM_SEM_COUNTER, none));
	for (int i = 0; i < records; i++) {
		sprintf(value, "%d", i);
		ASSERT_EQ(0, pmiPutValue("a.metric", NULL, value));
		ASSERT_EQ(0, pmiWrite(START + i, 0));
		if (i == records / 2)
			ASSERT_EQ(0, pmiNextVolume());
	}
	ASSERT_EQ(0, pmiEnd());
}

FIXTURE_SETUP(unpacked)
{
	setenv("PCP_DERIVED_CONFIG", "", 1);
	strcpy(self->dir, "/tmp/unpack.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_EQ(0, chdir(self->dir));
	make(_metadata, 40);
	ASSERT_EQ(0, system("gzip a.*"));
	memset(files, 0, sizeof(files));
	note(_metadata, self, "a.meta.gz");
	note(_metadata, self, "a.index.gz");
	note(_metadata, self, "a.0.gz");
	note(_metadata, self, "a.1.gz");
	ASSERT_EQ(4, self->nfiles);
}

FIXTURE_TEARDOWN(unpacked)
{
	char command[100];

	sprintf(command, "rm -rf %s", self->dir);
	ASSERT_EQ(0, chdir("/") || system(command));
}

static void ignore(void *arg, const char *file, uint64_t offset, const char *text)
{
	fprintf(stderr, "%s %llu: %s\n", file, (unsigned long long)offset, text);
	(void)arg;
}

static int check(void)
{
	const struct shim_archive_watch watch = { .size = sizeof(watch), .problem = ignore };

	return shim_archive_check("a", &watch);
}

/* Fetch all records in one direction, and return their number. */
static int fetch_all(int mode, long from)
{
	struct timespec at = { .tv_sec = START + from };
	pmHighResResult *r;
	int n = 0;

	if (pmSetModeHighRes(mode, &at, NULL))
		return -1;
	while (!pmFetchHighResArchive(&r)) {
		pmFreeHighResResult(r);
		n++;
	}
	return n;
}

/* Check that each byte of each file was read @times times. */
static void expect_reads(struct __test_metadata *_metadata, FIXTURE_DATA(unpacked) *self,
			 uint64_t times)
{
	for (int i = 0; i < self->nfiles; i++)
		EXPECT_EQ(times * (uint64_t)files[i].st.st_size, files[i].bytes);
}

TEST_F(unpacked, check_reads_each_file_once)
{
	EXPECT_EQ(0, check());
	expect_reads(_metadata, self, 1);
}

TEST_F(unpacked, contexts_and_check_share_what_was_read)
{
	int first = pmNewContext(PM_CONTEXT_ARCHIVE, "a"), second, n;

	ASSERT_LE(0, first);
	n = fetch_all(PM_MODE_FORW, 0);
	EXPECT_GE(n, 40);
	second = pmNewContext(PM_CONTEXT_ARCHIVE, "a");
	ASSERT_LE(0, second);
	EXPECT_EQ(n, fetch_all(PM_MODE_BACK, 1000));
	EXPECT_EQ(0, check());
	expect_reads(_metadata, self, 1);
	/* The second context keeps the decompressed files. */
	EXPECT_EQ(0, pmDestroyContext(first));
	EXPECT_EQ(0, pmUseContext(second));
	EXPECT_EQ(n, fetch_all(PM_MODE_FORW, 0));
	EXPECT_EQ(0, pmDestroyContext(second));
	/* Without users, no decompressed file is kept, so the check reads all files again. */
	EXPECT_EQ(0, check());
	expect_reads(_metadata, self, 2);
}

/*
 * If a file has been replaced, the new file is read, even while another context uses the old one.
 */
/* Write the archive "m", with many metrics and one record. */
static void make_many(struct __test_metadata *_metadata)
{
	pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);
	char name[32];

	ASSERT_LT(0, pmiStart("m", 0));
	for (int i = 0; i < MANY; i++) {
		sprintf(name, "many.metric%d", i);
		ASSERT_EQ(0, pmiAddMetric(name, pmiID(60, 1, (unsigned int)i), PM_TYPE_U64,
					  PM_INDOM_NULL, PM_SEM_COUNTER, none));
		ASSERT_EQ(0, pmiPutValue(name, NULL, "1"));
	}
	ASSERT_EQ(0, pmiWrite(START, 0));
	ASSERT_EQ(0, pmiEnd());
}

TEST_F(unpacked, contexts_share_the_metadata)
{
	size_t before;

	make_many(_metadata);
	ASSERT_EQ(0, system("gzip m.*"));
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, "m"));
	before = mallinfo2().uordblks;
	for (int i = 0; i < 20; i++)
		ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, "m"));
	EXPECT_GT(20 * 16384, mallinfo2().uordblks - before);
}

TEST_F(unpacked, replaced_files_are_read_anew)
{
	int old = pmNewContext(PM_CONTEXT_ARCHIVE, "a"), new, n;

	ASSERT_LE(0, old);
	n = fetch_all(PM_MODE_FORW, 0);
	ASSERT_EQ(0, system("rm a.*"));
	make(_metadata, 10);
	ASSERT_EQ(0, system("gzip a.*"));
	new = pmNewContext(PM_CONTEXT_ARCHIVE, "a");
	ASSERT_LE(0, new);
	EXPECT_GT(n, fetch_all(PM_MODE_FORW, 0));
	EXPECT_EQ(0, pmUseContext(old));
	EXPECT_EQ(n, fetch_all(PM_MODE_BACK, 1000));
	EXPECT_EQ(0, pmDestroyContext(old));
	EXPECT_EQ(0, pmDestroyContext(new));
}

/* Replace the archive by one with many blocks in each volume. */
static void make_blocks(struct __test_metadata *_metadata)
{
	ASSERT_EQ(0, system("rm a.*"));
	make(_metadata, BLOCK_RECORDS);
	ASSERT_EQ(0, system("xz --block-size=8192 a.*"));
}

/* Change a byte of a file. */
static void damage(struct __test_metadata *_metadata, const char *name, double place)
{
	FILE *f = fopen(name, "r+");
	struct stat st;
	int c;

	ASSERT_NE(NULL, f);
	ASSERT_EQ(0, fstat(fileno(f), &st));
	ASSERT_EQ(0, fseek(f, (long)(place * (double)st.st_size), SEEK_SET));
	c = fgetc(f);
	ASSERT_EQ(0, fseek(f, -1, SEEK_CUR));
	ASSERT_EQ(c ^ 1, fputc(c ^ 1, f));
	ASSERT_EQ(0, fclose(f));
}

/* Fetch the first record at or after a time, and return its value or an error. */
static int value_at(long when)
{
	const char *name = "a.metric";
	struct timespec at = { .tv_sec = START + when };
	pmHighResResult *r;
	pmID pmid;
	int value;

	if (pmLookupName(1, &name, &pmid) != 1 || pmSetModeHighRes(PM_MODE_FORW, &at, NULL))
		return -1;
	value = pmFetchHighRes(1, &pmid, &r);
	if (value < 0)
		return value;
	value = (int)r->vset[0]->vlist[0].value.lval;
	if (r->vset[0]->valfmt != PM_VAL_INSITU) {
		uint64_t bytes;

		memcpy(&bytes, r->vset[0]->vlist[0].value.pval->vbuf, sizeof(bytes));
		value = (int)bytes;
	}
	pmFreeHighResResult(r);
	return value;
}

TEST_F(unpacked, damage_in_a_block_is_an_error_of_its_records)
{
	int ctx, before;

	make_blocks(_metadata);
	damage(_metadata, "a.0.xz", 0.5);
	ctx = pmNewContext(PM_CONTEXT_ARCHIVE, "a");
	ASSERT_LE(0, ctx);
	EXPECT_EQ(100, value_at(100));
	EXPECT_EQ(PM_ERR_LOGREC, value_at(BLOCK_RECORDS / 4));
	/* The blocks and the volume after it can be read. */
	EXPECT_EQ(BLOCK_RECORDS / 2 - 100, value_at(BLOCK_RECORDS / 2 - 100));
	EXPECT_EQ(BLOCK_RECORDS - 100, value_at(BLOCK_RECORDS - 100));
	before = fetch_all(PM_MODE_FORW, 0);
	EXPECT_LT(BLOCK_RECORDS / 8, before);
	EXPECT_GT(BLOCK_RECORDS / 4, before);
	EXPECT_EQ(0, pmDestroyContext(ctx));
	EXPECT_EQ(1, check());
}

TEST_F(unpacked, damage_in_every_block_is_found)
{
	for (int i = 1; i < 20; i++) {
		make_blocks(_metadata);
		damage(_metadata, "a.1.xz", i / 20.0);
		EXPECT_NE(0, check());
	}
}

/* Only the blocks that a check of a part needs are unpacked. */
TEST_F(unpacked, damage_elsewhere_is_not_noticed)
{
	const struct shim_archive_span span = {
		.from = { .tv_sec = START + BLOCK_RECORDS - 100 },
		.to = { .tv_sec = START + BLOCK_RECORDS - 50 },
	};
	const struct shim_archive_watch watch = {
		.size = sizeof(watch), .problem = ignore, .span = &span,
	};

	make_blocks(_metadata);
	damage(_metadata, "a.0.xz", 0.5);
	damage(_metadata, "a.1.xz", 0.5);
	EXPECT_EQ(0, shim_archive_check("a", &watch));
}

TEST_HARNESS_MAIN
