// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Variables of pcp.conf are added to the environment unless they are set.  Threads that read the
 * environment at the same time always find a complete one.
 */
#define VARIABLES	200

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "kselftest_harness.h"

FIXTURE(config) {
	char path[32];
};

FIXTURE_SETUP(config)
{
	FILE *f;
	int fd;

	strcpy(self->path, "/tmp/vcpc-conf-XXXXXX");
	fd = mkstemp(self->path);
	ASSERT_LE(0, fd);
	f = fdopen(fd, "w");
	fprintf(f, "# SHIM_TEST_NONE=1\n=2\nSHIM_TEST_NO_VALUE\nSHIM_TEST_FIRST='a b'\nSHIM_TEST_FIRST=second\n"
		   "SHIM_TEST_HAD=file\nSHIM_TEST_EMPTY=\nSHIM_TEST_EQUAL=a=b\n");
	for (int i = 0; i < VARIABLES; i++)
		fprintf(f, "SHIM_TEST_%d=\"value %d\"\n", i, i);
	fclose(f);
	setenv("PCP_CONF", self->path, 1);
	setenv("SHIM_TEST_HAD", "environment", 1);
}

FIXTURE_TEARDOWN(config)
{
	unlink(self->path);
}

TEST_F(config, becomes_environment)
{
	EXPECT_STREQ("a b", pmGetConfig("SHIM_TEST_FIRST"));
	EXPECT_STREQ("environment", pmGetConfig("SHIM_TEST_HAD"));
	EXPECT_STREQ("value 199", pmGetConfig("SHIM_TEST_199"));
	EXPECT_EQ(NULL, pmGetOptionalConfig("SHIM_TEST_NONE"));
	EXPECT_EQ(NULL, pmGetOptionalConfig("SHIM_TEST_NO_VALUE"));
	ASSERT_NE(NULL, getenv("SHIM_TEST_EMPTY"));
	EXPECT_STREQ("", getenv("SHIM_TEST_EMPTY"));
	EXPECT_STREQ("a=b", getenv("SHIM_TEST_EQUAL"));
	EXPECT_STREQ(self->path, getenv("PCP_CONF"));
	/* The program's own changes are kept. */
	ASSERT_EQ(0, setenv("SHIM_TEST_HAD", "changed", 1));
	ASSERT_EQ(0, unsetenv("SHIM_TEST_FIRST"));
	EXPECT_STREQ("changed", pmGetConfig("SHIM_TEST_HAD"));
	EXPECT_EQ(NULL, pmGetOptionalConfig("SHIM_TEST_FIRST"));
	EXPECT_STREQ("value 0", getenv("SHIM_TEST_0"));
}

static void *read_always(void *arg)
{
	for (;;)
		if (!getenv("SHIM_TEST_HAD"))
			abort();
	return arg;
}

static int read_beside(void)
{
	pthread_t thread;

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread, NULL, read_always, NULL))
			return 1;
	usleep(1000);
	return strcmp(pmGetConfig("SHIM_TEST_199"), "value 199") ? 2 : 0;
}

TEST_F(config, threads_read_meanwhile)
{
	int bad = 0, status;

	for (int i = 0; i < 300; i++) {
		pid_t child = fork();

		if (!child)
			_exit(read_beside());
		ASSERT_EQ(child, waitpid(child, &status, 0));
		bad += !!status;
	}
	EXPECT_EQ(0, bad);
}

TEST_HARNESS_MAIN
