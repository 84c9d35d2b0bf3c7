// SPDX-License-Identifier: GPL-2.0-or-later
/* pmOpenLog() on streams that are not what they should be. */
#include <fcntl.h>

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

FIXTURE_TEARDOWN(log)
{
	unlink(self->name);
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

/* A daemon has closed its descriptors, and the file that is opened gets the stream's number. */
TEST_F(log, a_descriptor_that_was_closed)
{
	int status = -1, fd = fileno(self->f);

	ASSERT_EQ(0, close(fd));
	ASSERT_EQ(self->f, pmOpenLog("talker", self->name, self->f, &status));
	EXPECT_EQ(1, status);
	/* as any stream that was redirected, for programs that it starts */
	EXPECT_EQ(0, fcntl(fd, F_GETFD));
	fputs("a line\n", self->f);
	EXPECT_EQ(0, fflush(self->f));
	EXPECT_TRUE(has(self->name, "Log for talker on "));
	EXPECT_TRUE(has(self->name, "\na line\n"));
}

/* And one that is closed while the file gets another number */
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

TEST_HARNESS_MAIN
