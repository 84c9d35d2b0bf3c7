// SPDX-License-Identifier: GPL-2.0-or-later
/* Object files of PMAPI versions 2 and 4 use the same context in one process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

#include "mixed_versions.h"

#define T0	1700000000
#define STEP	1234567

FIXTURE(archive) {
	char dir[64];
	char base[80];
	pmID pmid;
};

FIXTURE_SETUP(archive)
{
	strcpy(self->dir, "/tmp/mixed.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	self->pmid = pmiID(60, 0, 1);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetVersion(3));
	ASSERT_EQ(0, pmiAddMetric("v.n", self->pmid, PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT,
				  pmiUnits(0, 0, 1, 0, 0, 0)));
	for (int i = 0; i < 8; i++) {
		ASSERT_EQ(0, pmiPutValue("v.n", "", "1"));
		ASSERT_EQ(0, pmiHighResWrite(T0, i * STEP));
	}
	ASSERT_EQ(0, pmiEnd());
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(archive)
{
	char command[128];

	pmDestroyContext(pmWhichContext());
	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

TEST_F(archive, take_turns)
{
	ASSERT_EQ(0, go_by_v4(T0, STEP));
	EXPECT_EQ(STEP, next_by_v4(self->pmid));
	EXPECT_EQ(2 * STEP / 1000 * 1000, next_by_v2(self->pmid));
	EXPECT_EQ(3 * STEP, next_by_v4(self->pmid));
	ASSERT_EQ(0, go_by_v2(T0, 1 + STEP / 1000));
	EXPECT_EQ(2 * STEP, next_by_v4(self->pmid));
	EXPECT_EQ(3 * STEP / 1000 * 1000, next_by_v2(self->pmid));
}

TEST_F(archive, options)
{
	EXPECT_EQ(1000001000, interval_by_v2("1.000001sec"));
	EXPECT_EQ(1000000001, interval_by_v4("1.000000001sec"));
	EXPECT_EQ(1000001000, interval_by_v2("1.000001sec"));
}

TEST_HARNESS_MAIN
