// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * With PCP_IGNORE_MARK_RECORDS, INTERP ignores all marks, or only those in short gaps, in both
 * directions.
 */
#include "pcp_fixture.h"

#include <pcp/import.h>

/* Step across the mark of the vectors, which is between the records at 20 and 30 s. */
static void step_over(struct __test_metadata *_metadata, const char *base, const char *gap, int seen)
{
	ASSERT_EQ(0, setenv("PCP_IGNORE_MARK_RECORDS", gap, 1));
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	for (int step = -5000; step <= 5000; step += 10000) {
		int from = step < 0 ? 35000 : 15000;

		ASSERT_EQ(0, go_to(PM_MODE_INTERP, from, step));
		EXPECT_LT(0, fetch_number(AF_PMID(CU32), NULL));
		EXPECT_LT(0, fetch_number(AF_PMID(CU32), NULL));
		EXPECT_EQ(seen ? NOTHING : 29, fetch_number(AF_PMID(CU32), NULL)) {
			TH_LOG("%s by %d", gap, step);
		}
	}
	EXPECT_EQ(seen ? NOTHING : 102, number_at(AF_PMID(INSTANT), 25000));
	ASSERT_EQ(0, go_to(PM_MODE_INTERP, 15000, 15000));
	EXPECT_EQ(20, fetch_number(AF_PMID(CU32), NULL));
	EXPECT_EQ(seen ? NOTHING : 32, fetch_number(AF_PMID(CU32), NULL));
}

TEST_F(archive, all_of_them)
{
	step_over(_metadata, self->base, "", 0);
}

TEST_F(archive, in_gaps_that_are_short_enough)
{
	step_over(_metadata, self->base, "10sec", 0);
	step_over(_metadata, self->base, "1hour", 0);
	step_over(_metadata, self->base, "9.999999999", 1);
	step_over(_metadata, self->base, "0", 1);
}

TEST_F(archive, what_is_no_interval_is_as_if_not_set)
{
	step_over(_metadata, self->base, "bogus", 1);
	step_over(_metadata, self->base, "-3", 1);
}

TEST_F(archive, records_are_what_they_are)
{
	pmResult *r;
	int marks = 0;

	ASSERT_EQ(0, setenv("PCP_IGNORE_MARK_RECORDS", "", 1));
	ASSERT_EQ(0, go_to(PM_MODE_FORW, 0, 0));
	while (!pmFetchArchive(&r)) {
		marks += !r->numpmid;
		pmFreeResult(r);
	}
	EXPECT_EQ(1, marks);
}

/* Write values that are ten times their time in seconds, at 0 to 3 s or at 10 to 13 s. */
static int write_archive(const char *dir, int start)
{
	char base[300], value[16];
	int err = 0;

	snprintf(base, sizeof(base), "%s/%d", dir, start);
	if (pmiStart(base, 0) < 0 || pmiSetHostname("h") < 0 ||
	    pmiAddMetric("t.c", AF_PMID(1), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_COUNTER,
			 pmiUnits(0, 0, 0, 0, 0, 0)) < 0)
		return -1;
	for (int at = start; at < start + 4 && !err; at++) {
		snprintf(value, sizeof(value), "%d", at * 10);
		err = pmiPutValue("t.c", NULL, value);
		if (!err)
			err = pmiWrite(AF_START + at, 0);
	}
	return err ? err : pmiEnd();
}

/*
 * The mark between two archives can be ignored like any other mark.  The values on both sides of it
 * are then used.
 */
TEST(between_archives)
{
	char dir[] = "/tmp/marks.XXXXXX", command[64];

	ASSERT_NE(NULL, mkdtemp(dir));
	ASSERT_EQ(0, write_archive(dir, 0));
	ASSERT_EQ(0, write_archive(dir, 10));
	for (int ignored = 0; ignored < 2; ignored++) {
		if (ignored)
			setenv("PCP_IGNORE_MARK_RECORDS", "7sec", 1);
		ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, dir));
		ASSERT_EQ(0, go_to(PM_MODE_INTERP, 500, 3000));
		for (int at = 5; at < 130; at += 30) {
			EXPECT_EQ(ignored || at < 30 || at > 100 ? at : NOTHING,
				  fetch_number(AF_PMID(1), NULL)) {
				TH_LOG("at %d, %d", at, ignored);
			}
		}
	}
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(0, system(command));
}

TEST_HARNESS_MAIN
