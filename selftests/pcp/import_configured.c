// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pcp.conf and the environment select the version of archives that LOGIMPORT writes, as in PCP
 * 6.3.8.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

FIXTURE(configured) {
	char dir[64];
};

FIXTURE_VARIANT(configured) {
	const char *line, *environment;
	int version, error;
};

FIXTURE_VARIANT_ADD(configured, by_nothing) {
	.line = "PCP_USER=pcp\n", .version = 2,
};

FIXTURE_VARIANT_ADD(configured, by_the_file) {
	.line = "PCP_ARCHIVE_VERSION=3\n", .version = 3,
};

/* pcp.conf cannot be read, because it is a directory. */
FIXTURE_VARIANT_ADD(configured, unknown) {
	.error = -EISDIR,
};

FIXTURE_VARIANT_ADD(configured, unknown_but_for_the_environment) {
	.environment = "3", .version = 3,
};

FIXTURE_VARIANT_ADD(configured, by_the_environment) {
	.line = "PCP_ARCHIVE_VERSION=3\n", .environment = "2", .version = 2,
};

FIXTURE_SETUP(configured)
{
	char path[80];
	FILE *f;

	strcpy(self->dir, "/tmp/configured.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(path, "%s/pcp.conf", self->dir);
	if (variant->line) {
		f = fopen(path, "w");
		ASSERT_NE(NULL, f);
		fputs(variant->line, f);
		ASSERT_EQ(0, fclose(f));
	} else {
		ASSERT_EQ(0, mkdir(path, 0700));
	}
	setenv("PCP_CONF", path, 1);
	unsetenv("PCP_ARCHIVE_VERSION");
	if (variant->environment)
		setenv("PCP_ARCHIVE_VERSION", variant->environment, 1);
}

FIXTURE_TEARDOWN(configured)
{
	char command[80];

	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

TEST_F(configured, version)
{
	char base[80], volume[84];
	unsigned char label[8];
	FILE *f;

	sprintf(base, "%s/a", self->dir);
	if (variant->error) {
		EXPECT_EQ(variant->error, pmiStart(base, 0));
		EXPECT_EQ(variant->error, pmiStart(base, 0));
		rmdir(getenv("PCP_CONF"));
		EXPECT_GT(pmiStart(base, 0), 0);
		return;
	}
	ASSERT_GT(pmiStart(base, 0), 0);
	ASSERT_EQ(0, pmiAddMetric("demo.one", PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT,
				  pmiUnits(0, 0, 0, 0, 0, 0)));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(1700000000, 0));
	ASSERT_EQ(0, pmiEnd());
	sprintf(volume, "%s.0", base);
	f = fopen(volume, "r");
	ASSERT_NE(NULL, f);
	ASSERT_EQ(sizeof(label), fread(label, 1, sizeof(label), f));
	fclose(f);
	/* The last byte of the magic number is the version. */
	EXPECT_EQ(variant->version, label[7]);
}

TEST_HARNESS_MAIN
