// SPDX-License-Identifier: GPL-2.0-or-later
/* Test pmOpenLog() with streams that are closed, or whose descriptors have unexpected numbers. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

FIXTURE(log)
{
	char name[64];
	FILE *f;
};

FIXTURE_SETUP(log)
{
	snprintf(self->name, sizeof(self->name), "/tmp/log_file.%d", getpid());
	self->f = fopen("/dev/null", "w");
	ASSERT_NE(NULL, self->f);
}

static const char *previous(const char *name)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s.prev", name);
	return path;
}

FIXTURE_TEARDOWN(log)
{
	unlink(self->name);
	unlink(previous(self->name));
}

static bool has(const char *name, const char *text)
{
	char all[1000] = "";
	FILE *f = fopen(name, "r");

	if (!f)
		return false;
	all[fread(all, 1, sizeof(all) - 1, f)] = '\0';
	fclose(f);
	return strstr(all, text);
}

/* If a daemon has closed its descriptors, the opened file gets the stream's number. */
TEST_F(log, a_descriptor_that_was_closed)
{
	int status = -1, fd = fileno(self->f);

	ASSERT_EQ(0, close(fd));
	ASSERT_EQ(self->f, pmOpenLog("talker", self->name, self->f, &status));
	EXPECT_EQ(1, status);
	/*
	 * Programs that this one starts inherit the descriptor, like that of any redirected stream.
	 */
	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	fputs("a line\n", self->f);
	EXPECT_EQ(0, fflush(self->f));
	EXPECT_TRUE(has(self->name, "Log for talker on "));
	EXPECT_TRUE(has(self->name, "\na line\n"));
}

/* If the stream's descriptor is closed, the log file can get another number. */
TEST_F(log, a_number_that_is_free)
{
	int status = -1, fd, low;

	fd = fcntl(fileno(self->f), F_DUPFD, 50);
	ASSERT_LE(50, fd);
	low = fileno(self->f);
	self->f = fdopen(fd, "w");
	close(fd);
	ASSERT_EQ(self->f, pmOpenLog("talker", self->name, self->f, &status));
	EXPECT_EQ(1, status);
	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	EXPECT_EQ(0, fcntl(low, F_GETFD));
	fputs("a line\n", self->f);
	EXPECT_EQ(0, fflush(self->f));
	EXPECT_TRUE(has(self->name, "\na line\n"));
}

/*
 * The log of the previous run is kept under another name, regardless of its file type; older logs
 * are not kept.
 */
TEST_F(log, the_previous_log)
{
	char target[80];
	int status;

	for (int run = 1; run <= 3; run++) {
		pmOpenLog("talker", self->name, self->f, &status);
		EXPECT_EQ(1, status);
		fprintf(self->f, "run %d\n", run);
		fflush(self->f);
	}
	EXPECT_TRUE(has(self->name, "\nrun 3\n"));
	EXPECT_TRUE(has(previous(self->name), "\nrun 2\n"));
	/* A symbolic link is renamed, and its target is unchanged. */
	snprintf(target, sizeof(target), "%s.target", self->name);
	ASSERT_EQ(0, rename(self->name, target));
	ASSERT_EQ(0, symlink(target, self->name));
	pmOpenLog("talker", self->name, self->f, &status);
	EXPECT_EQ(1, status);
	EXPECT_FALSE(has(self->name, "run 3"));
	EXPECT_TRUE(has(target, "\nrun 3\n"));
	EXPECT_TRUE(has(previous(self->name), "\nrun 3\n"));
	unlink(target);
	/* A directory is neither renamed nor written to. */
	unlink(self->name);
	ASSERT_EQ(0, mkdir(self->name, 0755));
	pmOpenLog("talker", self->name, self->f, &status);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, rmdir(self->name));
}

/* PCP reads the variable only once. */
TEST_F(log, messages_go_where_the_variable_says)
{
	char other[200];

	snprintf(other, sizeof(other), "%s.other", self->name);
	setenv("PCP_STDERR", self->name, 1);
	pmprintf("first\n");
	EXPECT_EQ(0, pmflush());
	setenv("PCP_STDERR", other, 1);
	pmprintf("second\n");
	EXPECT_EQ(0, pmflush());
	EXPECT_TRUE(has(self->name, "first\n"));
	EXPECT_FALSE(has(self->name, "second"));
	EXPECT_TRUE(has(other, "second\n"));
	EXPECT_FALSE(has(other, "first"));
	unlink(other);
}

/*
 * A device is not renamed.  (PCP renames even /dev/null if the user is root.)  This test uses a
 * terminal.
 */
TEST_F(log, a_device)
{
	int status = -1, fd = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	char text[200] = "", *name;
	struct stat before, after;

	ASSERT_LE(0, fd);
	ASSERT_EQ(0, grantpt(fd));
	ASSERT_EQ(0, unlockpt(fd));
	name = ptsname(fd);
	ASSERT_NE(NULL, name);
	ASSERT_EQ(0, stat(name, &before));
	pmOpenLog("talker", name, self->f, &status);
	EXPECT_EQ(1, status);
	ASSERT_EQ(0, stat(name, &after));
	EXPECT_EQ(before.st_ino, after.st_ino);
	EXPECT_LE(1, read(fd, text, sizeof(text) - 1));
	EXPECT_NE(NULL, strstr(text, "Log for talker on "));
}

TEST_HARNESS_MAIN
