// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * LOGIMPORT rejects instances that PCP considers equal, and reports that an archive cannot be
 * created.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

#define INDOM	pmiInDom(60, 1)
#define T0	1700000000

FIXTURE(refused) {
	char dir[64];
	char base[80];
};

static int start(const char *base)
{
	int ctx = pmiStart(base, 0);
	int err = ctx < 0 ? ctx : pmiAddMetric("r.set", pmiID(60, 0, 1), PM_TYPE_U32, INDOM, PM_SEM_INSTANT,
					       pmiUnits(0, 0, 0, 0, 0, 0));

	return err ? err : pmiAddInstance(INDOM, "one two", 1);
}

FIXTURE_SETUP(refused)
{
	strcpy(self->dir, "/tmp/refused.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	ASSERT_EQ(0, start(self->base));
}

FIXTURE_TEARDOWN(refused)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", self->dir);
	EXPECT_EQ(0, system(command));
}

/* PCP compares instance names only up to the first blank if both names have one. */
TEST_F(refused, instances_of_one_first_word)
{
	static const struct {
		const char *name;
		int err;
	} names[] = {
		{ "one two", PMI_ERR_DUPINSTNAME },
		{ "one three", PMI_ERR_DUPINSTNAME },
		{ "one ", PMI_ERR_DUPINSTNAME },
		{ "one", 0 },
		{ "onex two", 0 },
		{ "one\ttwo", 0 },
		{ "two", 0 },
		{ "two three", 0 },
		{ " three", 0 },
		{ " four", PMI_ERR_DUPINSTNAME },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		EXPECT_EQ(names[i].err, pmiAddInstance(INDOM, names[i].name, (int)i + 10)) {
			TH_LOG("'%s'", names[i].name);
		}
	}
}

TEST_F(refused, values_find_their_instance_by_the_first_word)
{
	EXPECT_EQ(PM_ERR_INST, pmiPutValue("r.set", "one", "1"));
	EXPECT_EQ(PM_ERR_INST, pmiPutValue("r.set", "onex two", "1"));
	EXPECT_EQ(0, pmiPutValue("r.set", "one three", "1"));
	EXPECT_EQ(PMI_ERR_DUPVALUE, pmiPutValue("r.set", "one two", "1"));
	/*
	 * After an instance has been deleted, its name can be added again with a different second
	 * word.
	 */
	EXPECT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiAddInstance(INDOM, "two", 2));
	EXPECT_EQ(PM_ERR_INST, pmiPutValue("r.set", "two three", "1"));
	EXPECT_EQ(0, pmiPutValue("r.set", "two", "1"));
	EXPECT_EQ(0, pmiEnd());
}

TEST_F(refused, archives_that_cannot_be_created)
{
	char base[100];

	/* First, the directory does not exist.  Then a file exists, which is not overwritten. */
	sprintf(base, "%s/none/a", self->dir);
	for (int i = 0; i < 2; i++) {
		int err = i ? -EEXIST : -ENOENT, fd;

		if (i) {
			sprintf(base, "%s/b.meta", self->dir);
			fd = creat(base, 0644);
			ASSERT_LE(0, fd);
			close(fd);
			base[strlen(base) - strlen(".meta")] = '\0';
		}
		ASSERT_EQ(0, start(base));
		EXPECT_EQ(0, pmiPutMark());
		ASSERT_EQ(0, pmiPutValue("r.set", "one two", "1"));
		EXPECT_EQ(err, pmiWrite(T0, 0));
		EXPECT_EQ(err, pmiPutMark());
		EXPECT_EQ(err, pmiEnd());
	}
}

/* If the directory is created later, nothing is lost, and calls succeed. */
TEST_F(refused, archives_that_can_be_created_later)
{
	char base[100], dir[80];

	sprintf(dir, "%s/later", self->dir);
	sprintf(base, "%s/a", dir);
	ASSERT_EQ(0, start(base));
	ASSERT_EQ(0, pmiPutValue("r.set", "one two", "1"));
	EXPECT_EQ(-ENOENT, pmiWrite(T0, 0));
	ASSERT_EQ(0, mkdir(dir, 0755));
	EXPECT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(0, pmiPutMark());
	EXPECT_EQ(0, pmiEnd());
}

TEST_HARNESS_MAIN
