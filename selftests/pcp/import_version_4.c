// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test additions of PCP 7.2 to LOGIMPORT: flags, nanoseconds, volumes of a limited size, and a
 * status file.
 */
#define PMAPI_VERSION 4
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

#define T0	1700000000

static char done[20][100];
static int ndone;
static long done_size;

static void note_volume(const char *path)
{
	struct stat st;

	snprintf(done[ndone++ % 20], sizeof(done[0]), "%s", path);
	done_size = stat(path, &st) ? -1 : (long)st.st_size;
	/* The callback can call LOGIMPORT. */
	pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "volumes", "\"some\"");
}

FIXTURE(import) {
	char dir[64];
	char base[80];
	char path[100];
	char big[10001];
};

FIXTURE_SETUP(import)
{
	strcpy(self->dir, "/tmp/import4.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	sprintf(self->path, "%s/tool", self->dir);
	memset(self->big, 'x', 10000);
	ndone = 0;
	ASSERT_EQ(0, setenv("PCP_IMPORTRUN_DIR", self->dir, 1));
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetVersion(3));
	ASSERT_EQ(0, pmiAddMetric("a.text", pmiID(60, 0, 1), PM_TYPE_STRING, PM_INDOM_NULL,
				  PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)));
}

FIXTURE_TEARDOWN(import)
{
	char command[128];

	pmiEnd();
	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

static int put_and_write(const char *text, unsigned long long sec, unsigned int nsec)
{
	int err = pmiPutValue("a.text", "", text);

	return err ? err : pmiWrite(sec, nsec);
}

/* Numbers and quoted strings of JSON are stored unchanged, as in PCP 7.2; other values are texts. */
TEST_F(import, values_of_labels)
{
	static const char *const values[] = { "7", "-1.50e+3", "\"\"", "\"1\"", "true", "01", "1.", "x y" };
	static const char all[] = "{\"a\":7,\"b\":-1.50e+3,\"c\":\"\",\"d\":\"1\",\"e\":true,"
				  "\"f\":\"01\",\"g\":\"1.\",\"h\":\"x y\"}";
	char name[2] = "a";
	pmLabelSet *sets;

	for (int i = 0; i < 8; i++, name[0]++)
		ASSERT_EQ(0, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, name, values[i]));
	EXPECT_EQ(PMI_ERR_ADDLABELERROR, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "i", "\"x\"y\""));
	EXPECT_EQ(PMI_ERR_ADDLABELERROR, pmiPutLabel(PM_LABEL_DOMAIN, 60, 0, "i", "1,\"z\":2"));
	ASSERT_EQ(0, pmiPutValue("a.text", "", "x"));
	ASSERT_EQ(0, pmiWrite(1000, 0));
	ASSERT_EQ(0, pmiEnd());
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_EQ(1, pmGetDomainLabels(60, &sets));
	EXPECT_STREQ(all, sets->json);
	pmFreeLabelSets(sets, 1);
	pmDestroyContext(pmWhichContext());
}

/* As with 7.2.2, a volume ends with the record that reaches the limit. */
TEST_F(import, volumes)
{
	struct timespec start = { T0, 0 };
	pmID pmid = pmiID(60, 0, 1);
	int records = 0, handle;
	pmResult *r;
	char text[100];

	EXPECT_EQ(PM_ERR_CONV, pmiSetVolumeSize(999, NULL));
	ASSERT_EQ(0, pmiSetVolumeSize(100000, note_volume));
	for (int i = 0; i < 25; i++)
		ASSERT_EQ(0, put_and_write(self->big, T0 + i, 0));
	EXPECT_EQ(2, ndone);
	sprintf(text, "%s.0", self->base);
	EXPECT_STREQ(text, done[0]);
	sprintf(text, "%s.1", self->base);
	EXPECT_STREQ(text, done[1]);
	EXPECT_GE(done_size, 100000);
	EXPECT_LE(done_size, 100000 + 11000);
	ASSERT_EQ(0, pmiSetVolumeSize(0, note_volume));
	for (int i = 25; i < 50; i++)
		ASSERT_EQ(0, put_and_write(self->big, T0 + i, 0));
	EXPECT_EQ(2, ndone);
	ASSERT_EQ(0, pmiEnd());
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiSetVolumeSize(0, NULL));
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_GE(handle, 0);
	ASSERT_EQ(0, pmSetMode(PM_MODE_FORW, &start, NULL));
	for (; pmFetch(1, &pmid, &r) >= 0; records++)
		pmFreeResult(r);
	EXPECT_EQ(50, records);
	pmDestroyContext(handle);
}

TEST_F(import, timestamps)
{
	EXPECT_EQ(0, put_and_write("x", T0, 999999999));
	EXPECT_EQ(0, pmiPutValue("a.text", "", "y"));
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(T0 + 1, 1000000000));
	/* Only in version 2, -1 means the current time. */
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(-1, 0));
	EXPECT_EQ(PMI_ERR_BADTIMESTAMP, pmiWrite(1ull << 63, 0));
	/* After the errors, the value is still waiting to be written. */
	EXPECT_EQ(0, pmiWriteNow());
	EXPECT_EQ(PMI_ERR_NODATA, pmiWriteNow());
	EXPECT_EQ(0, pmiEnd());
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiWrite(-1, 0));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiWriteNow());
}

TEST_F(import, now)
{
	struct timespec before, end, after;
	int handle;

	ASSERT_EQ(0, pmtimespecNow(&before));
	ASSERT_EQ(0, pmiPutValue("a.text", "", "y"));
	ASSERT_EQ(0, pmiWriteNow());
	ASSERT_EQ(0, pmtimespecNow(&after));
	ASSERT_EQ(0, pmiEnd());
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_GE(handle, 0);
	ASSERT_EQ(0, pmGetArchiveEnd(&end));
	EXPECT_LE(0, pmtimespecSub(&end, &before));
	EXPECT_LE(0, pmtimespecSub(&after, &end));
	pmDestroyContext(handle);
}

/* If a new volume cannot be created, records are added to the old one, and nothing is lost. */
TEST_F(import, no_new_volume)
{
	struct rlimit limit, none = { 0, 0 };
	char text[100];

	ASSERT_EQ(0, put_and_write(self->big, T0, 0));
	ASSERT_EQ(0, pmiSetVolumeSize(20000, note_volume));
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	none.rlim_max = limit.rlim_max;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(0, put_and_write(self->big, T0 + 1, 0));
	EXPECT_EQ(0, put_and_write(self->big, T0 + 2, 0));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(0, ndone);
	EXPECT_EQ(0, put_and_write(self->big, T0 + 3, 0));
	EXPECT_EQ(1, ndone);
	sprintf(text, "%s.1", self->base);
	EXPECT_EQ(0, access(text, F_OK));
}

static const char *file_text(const char *path)
{
	static char text[200];
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return NULL;
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

TEST_F(import, program)
{
	ASSERT_EQ(0, pmiSetImportProgram("tool", "1.2", "a b", "arch"));
	EXPECT_STREQ("version=1.2\nargs=a b\narchive=arch\n", file_text(self->path));
	ASSERT_EQ(0, pmiSetImportProgram("tool", NULL, "", "b"));
	EXPECT_STREQ("archive=b\n", file_text(self->path));
	EXPECT_EQ(PM_ERR_CONV, pmiSetImportProgram(NULL, "1", "a", "b"));
	EXPECT_EQ(PM_ERR_CONV, pmiSetImportProgram("", "1", "a", "b"));
	/* A name must not lead outside the directory, and a field must not contain separators. */
	EXPECT_EQ(-EINVAL, pmiSetImportProgram("../tool", "1", "a", "b"));
	EXPECT_EQ(-EINVAL, pmiSetImportProgram("..", "1", "a", "b"));
	EXPECT_EQ(-EINVAL, pmiSetImportProgram("tool", "1\npid=1", "a", "b"));
	EXPECT_STREQ("archive=b\n", file_text(self->path));
	/* Without PMI_PROCESS, the file is kept. */
	EXPECT_EQ(0, pmiEnd());
	EXPECT_EQ(0, access(self->path, F_OK));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiSetImportProgram("tool", "1", "a", "b"));
}

TEST_F(import, process)
{
	char text[100], other[100];

	ASSERT_GT(pmiStart(self->base, PMI_INHERIT | PMI_PROCESS), 0);
	ASSERT_EQ(0, put_and_write("inherited", T0, 0));
	ASSERT_EQ(0, pmiSetImportProgram("tool", NULL, NULL, "b"));
	sprintf(text, "pid=%d\narchive=b\n", (int)getpid());
	EXPECT_STREQ(text, file_text(self->path));
	ASSERT_EQ(0, pmiSetImportProgram("other", NULL, NULL, "b"));
	EXPECT_EQ(-1, access(self->path, F_OK));
	sprintf(other, "%s/other", self->dir);
	EXPECT_EQ(0, access(other, F_OK));
	EXPECT_EQ(0, pmiEnd());
	EXPECT_EQ(-1, access(other, F_OK));
	/* The file is written neither to a device nor through a symbolic link. */
	ASSERT_EQ(0, symlink("/nonexistent/x", self->path));
	ASSERT_GT(pmiStart(self->base, PMI_PROCESS), 0);
	EXPECT_EQ(-ELOOP, pmiSetImportProgram("tool", NULL, NULL, "b"));
	EXPECT_EQ(-EINVAL, pmiStart(self->base, 0x80));
}

/* The file describes the process that wrote it, so a child's pmiEnd() keeps its parent's file. */
TEST_F(import, process_of_parent)
{
	int status;
	pid_t pid;

	ASSERT_GT(pmiStart(self->base, PMI_INHERIT | PMI_PROCESS), 0);
	ASSERT_EQ(0, put_and_write("inherited", T0, 0));
	ASSERT_EQ(0, pmiSetImportProgram("tool", NULL, NULL, "b"));
	pid = fork();
	if (!pid) {
		pmiEnd();
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, access(self->path, F_OK));
	EXPECT_EQ(0, pmiEnd());
	EXPECT_EQ(-1, access(self->path, F_OK));
}

TEST_HARNESS_MAIN
