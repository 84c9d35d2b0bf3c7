// SPDX-License-Identifier: GPL-2.0-or-later
/* PMI_APPEND appends records to an existing archive.  If it fails, the archive is unchanged. */
#define PMAPI_VERSION 4
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

#define T0	1700000000
#define NAMED	pmiID(60, 0, 1)
#define PLAIN	pmiID(60, 0, 2)
#define DOMAIN	pmiInDom(60, 1)

static const pmUnits none;

FIXTURE(append) {
	char dir[64];
	char base[80];
};

FIXTURE_VARIANT(append) {
	int version;
};

FIXTURE_VARIANT_ADD(append, version_2) { 2 };
FIXTURE_VARIANT_ADD(append, version_3) { 3 };

static int add_metrics(void)
{
	int err = pmiAddMetric("a.named", NAMED, PM_TYPE_U32, DOMAIN, PM_SEM_COUNTER, none);

	return err ? err : pmiAddMetric("a.plain", PLAIN, PM_TYPE_U32, PM_INDOM_NULL,
					PM_SEM_COUNTER, none);
}

static int put(const char *name, const char *instance, const char *text)
{
	return pmiPutValue(name, instance, text);
}

FIXTURE_SETUP(append)
{
	strcpy(self->dir, "/tmp/append.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetVersion(variant->version));
	ASSERT_EQ(0, pmiSetHostname("first"));
	ASSERT_EQ(0, add_metrics());
	ASSERT_EQ(0, pmiAddInstance(DOMAIN, "one", 1));
	ASSERT_EQ(0, pmiAddInstance(DOMAIN, "two", 2));
	ASSERT_EQ(0, put("a.named", "one", "1"));
	ASSERT_EQ(0, put("a.named", "two", "2"));
	ASSERT_EQ(0, put("a.plain", "", "10"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
}

FIXTURE_TEARDOWN(append)
{
	char command[128];

	pmiEnd();
	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

/* Return the size of the archive's files, or of one of them. */
static long size_of(const char *base, const char *suffix)
{
	char path[120];
	struct stat st;

	sprintf(path, "%s.%s", base, suffix);
	return stat(path, &st) ? -errno : (long)st.st_size;
}

static long sizes(const char *base)
{
	return size_of(base, "meta") + size_of(base, "index") + size_of(base, "0");
}

static int values(pmID pmid, time_t sec, int *first)
{
	struct timespec at = { sec, 0 }, step = { 0, 0 };
	pmResult *r;
	int n;

	pmSetMode(PM_MODE_INTERP, &at, &step);
	if (pmFetch(1, &pmid, &r))
		return -1;
	n = r->vset[0]->numval;
	if (n > 0)
		*first = r->vset[0]->vlist[0].value.lval;
	pmFreeResult(r);
	return n;
}

TEST_F(append, records)
{
	int *insts, value = 0, context;
	struct timespec at = { T0 + 10, 0 };
	pmLogLabel label;
	char **names;

	ASSERT_GT(pmiStart(self->base, PMI_APPEND), 0);
	EXPECT_EQ(0, pmiSetHostname("second"));
	EXPECT_EQ(0, pmiSetVersion(5 - variant->version));
	ASSERT_EQ(0, add_metrics());
	ASSERT_EQ(0, pmiAddInstance(DOMAIN, "two", 2));
	ASSERT_EQ(0, pmiAddInstance(DOMAIN, "three", 3));
	ASSERT_EQ(0, put("a.named", "three", "3"));
	ASSERT_EQ(0, put("a.plain", "", "20"));
	/* A record that is earlier than the last one is rejected, and no value is lost. */
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(T0 - 1, 0));
	ASSERT_EQ(0, pmiWrite(T0 + 10, 0));
	ASSERT_EQ(0, pmiEnd());

	context = pmNewContext(PM_CONTEXT_ARCHIVE | PM_CTXFLAG_METADATA_ONLY, self->base);
	ASSERT_GE(context, 0);
	ASSERT_EQ(0, pmGetArchiveLabel(&label));
	EXPECT_STREQ("first", label.hostname);
	EXPECT_EQ(T0, label.start.tv_sec);
	EXPECT_EQ(variant->version, label.magic & 0xff);
	EXPECT_EQ(1, values(PLAIN, T0 + 5, &value));
	EXPECT_EQ(15, value);
	EXPECT_EQ(1, values(NAMED, T0 + 10, &value));
	EXPECT_EQ(3, value);
	ASSERT_EQ(0, pmSetMode(PM_MODE_INTERP, &at, NULL));
	ASSERT_EQ(2, pmGetInDom(DOMAIN, &insts, &names));
	EXPECT_EQ(2, insts[0]);
	EXPECT_EQ(3, insts[1]);
	free(insts);
	free(names);
	EXPECT_EQ(0, pmDestroyContext(context));
}

/* A mark can be appended first, and each of several runs adds one record. */
TEST_F(append, marks_and_runs)
{
	long meta = size_of(self->base, "meta");
	int value = 0, context;
	char text[12];

	for (int i = 1; i <= 20; i++) {
		ASSERT_GT(pmiStart(self->base, PMI_APPEND), 0);
		EXPECT_EQ(0, pmiPutMark());
		ASSERT_EQ(0, add_metrics());
		sprintf(text, "%d", 10 + i);
		ASSERT_EQ(0, put("a.plain", "", text));
		ASSERT_EQ(0, pmiWrite(T0 + 10 * i, 0));
		ASSERT_EQ(0, pmiEnd());
	}
	/* Existing declarations are not written again. */
	EXPECT_EQ(meta, size_of(self->base, "meta"));
	context = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_GE(context, 0);
	EXPECT_EQ(0, values(PLAIN, T0 + 195, &value));
	EXPECT_EQ(1, values(PLAIN, T0 + 200, &value));
	EXPECT_EQ(30, value);
	EXPECT_EQ(0, pmDestroyContext(context));
}

TEST_F(append, creates)
{
	char base[100];

	sprintf(base, "%s/new", self->dir);
	ASSERT_GT(pmiStart(base, PMI_APPEND), 0);
	EXPECT_EQ(0, pmiPutMark());
	ASSERT_EQ(0, add_metrics());
	ASSERT_EQ(0, put("a.plain", "", "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	EXPECT_GT(size_of(base, "0"), 0);
	/* Without a name, there is no archive to append to. */
	ASSERT_GT(pmiStart(NULL, PMI_APPEND | PMI_INHERIT), 0);
	EXPECT_EQ(0, pmiPutMark());
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0, 0));
	ASSERT_EQ(0, put("a.plain", "", "1"));
	EXPECT_EQ(-EINVAL, pmiWrite(T0, 0));
}

static int write_other(const char *base, const char *name, int item, int type, int sem, int space)
{
	int err;

	pmiStart(base, PMI_APPEND);
	err = pmiAddMetric(name, pmiID(60, 0, item), type, PM_INDOM_NULL, sem,
			   pmiUnits(space, 0, 0, 0, 0, 0));
	if (!err)
		err = pmiPutValue(name, "", "1");
	if (!err)
		err = pmiWrite(T0 + 1, 0);
	pmiEnd();
	return err;
}

TEST_F(append, other_metrics)
{
	const int type = PM_TYPE_U32, sem = PM_SEM_COUNTER;
	long before = sizes(self->base);

	EXPECT_EQ(PM_ERR_LOGCHANGETYPE, write_other(self->base, "a.plain", 2, PM_TYPE_64, sem, 0));
	EXPECT_EQ(PM_ERR_LOGCHANGESEM, write_other(self->base, "a.plain", 2, type, PM_SEM_INSTANT, 0));
	EXPECT_EQ(PM_ERR_LOGCHANGEUNITS, write_other(self->base, "a.plain", 2, type, sem, 1));
	EXPECT_EQ(PM_ERR_LOGCHANGEINDOM, write_other(self->base, "a.named", 1, type, sem, 0));
	EXPECT_EQ(PMI_ERR_DUPMETRICID, write_other(self->base, "a.other", 2, type, sem, 0));
	EXPECT_EQ(PMI_ERR_DUPMETRICNAME, write_other(self->base, "a.plain", 3, type, sem, 0));
	EXPECT_EQ(PMI_ERR_DUPMETRICNAME, write_other(self->base, "a.plain.x", 3, type, sem, 0));
	EXPECT_EQ(before, sizes(self->base));
	EXPECT_EQ(-EINVAL, pmiStart(self->base, 0x10));
	EXPECT_EQ(0, write_other(self->base, "b", 3, type, sem, 0));
}

/*
 * An archive is rejected and not changed if one of its files ends within a record, is compressed,
 * or is being written.
 */
TEST_F(append, refused)
{
	static const char *const suffixes[] = { "meta", "index", "0" };
	char path[120], command[500];
	long before;
	int fd;

	for (int i = 0; i < 3; i++) {
		sprintf(path, "%s.%s", self->base, suffixes[i]);
		sprintf(command, "cp %s %s/kept && printf 'abc' >>%s", path, self->dir, path);
		ASSERT_EQ(0, system(command));
		before = sizes(self->base);
		EXPECT_EQ(PM_ERR_LOGREC, write_other(self->base, "b", 3, PM_TYPE_U32, 1, 0));
		EXPECT_EQ(before, sizes(self->base));
		sprintf(command, "mv %s/kept %s", self->dir, path);
		ASSERT_EQ(0, system(command));
	}
	sprintf(path, "%s.meta", self->base);
	fd = open(path, O_RDWR);
	ASSERT_EQ(0, fcntl(fd, F_OFD_SETLK, &(struct flock){ .l_type = F_WRLCK }));
	EXPECT_EQ(-EBUSY, write_other(self->base, "b", 3, PM_TYPE_U32, 1, 0));
	close(fd);
	sprintf(command, "xz %s", path);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(-ENOENT, write_other(self->base, "b", 3, PM_TYPE_U32, 1, 0));
	sprintf(command, "unxz %s.xz && xz %s.0", path, self->base);
	ASSERT_EQ(0, system(command));
	/* Records can be appended to the volume after a compressed one. */
	EXPECT_EQ(0, write_other(self->base, "b", 3, PM_TYPE_U32, 1, 0));
	EXPECT_GT(size_of(self->base, "1"), 0);
}

/* A lock of a user who may only read an archive does not prevent appending to it. */
TEST_F(append, reader_holds_locks)
{
	char path[120];
	int fd;

	sprintf(path, "%s.meta", self->base);
	fd = open(path, O_RDONLY);
	ASSERT_EQ(0, flock(fd, LOCK_EX));
	EXPECT_EQ(0, write_other(self->base, "b", 3, PM_TYPE_U32, 1, 0));
	close(fd);
}

TEST_HARNESS_MAIN
