// SPDX-License-Identifier: GPL-2.0-or-later
/* PM_MODE_INTERP returns values at a point in time, including at both ends and around the mark. */
#include "pcp_fixture.h"

TEST_F(archive, before_the_start)
{
	EXPECT_EQ(number_at(AF_PMID(CU32), -2), PM_ERR_EOL);
	EXPECT_EQ(number_at(AF_PMID(CU32), -1), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(CU32), 0), 0);
}

TEST_F(archive, around_the_mark)
{
	EXPECT_EQ(number_at(AF_PMID(INSTANT), 20000), 102);
	EXPECT_EQ(number_at(AF_PMID(INSTANT), 22000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(CU32), 22000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(DISCRETE), 22000), 0);	/* the string at 20 s */
	EXPECT_EQ(number_at(AF_PMID(DISCRETE), 25000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(CU32), 25000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(DISCRETE), 27000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(INSTANT), 30000), 103);
	EXPECT_EQ(number_at(AF_PMID(CU32), 30000), 32);
}

TEST_F(archive, behind_the_end)
{
	EXPECT_EQ(number_at(AF_PMID(CU32), 50000), 41);
	EXPECT_EQ(number_at(AF_PMID(CU32), 50001), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(DISCRETE), 50001), 0);
	EXPECT_EQ(number_at(AF_PMID(CU32), 50002), PM_ERR_EOL);
}

/*
 * Time advances even where there are no values.  After as many steps back, it is the same as
 * before.
 */
TEST_F(archive, outside_and_back)
{
	ASSERT_EQ(go_to(PM_MODE_INTERP, 45000, 5000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 48);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 41);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	ASSERT_EQ(pmSetMode(PM_MODE_INTERP, NULL, -5000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 41);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 48);
}

TEST_F(archive, standing_still)
{
	int64_t ms;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 5000, 0), 0);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(fetch_number(AF_PMID(CU32), &ms), 7);
		EXPECT_EQ(ms, 5000);
	}
}

TEST_F(archive, seldom_logged)
{
	EXPECT_EQ(number_at(AF_PMID(LATE), 10000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(LATE), 20000), 2);
	EXPECT_EQ(number_at(AF_PMID(LATE), 40000), NOTHING);
	EXPECT_EQ(number_at(AF_PMID(DISCRETE), 40000), 0);
	EXPECT_EQ(number_at(AF_PMID(NEVER), 10000), NOTHING);
	/* An error between two values is ignored. */
	EXPECT_EQ(number_at(AF_PMID(ERRORS), 10000), 100);
}

TEST_F(archive, unknown_metrics)
{
	pmID pmids[] = { 12345, PM_ID_NULL, AF_PMID(CU32) };
	pmResult *r;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 10000, 1000), 0);
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(pmFetch(3, pmids, &r), 0);
		EXPECT_EQ(r->vset[0]->pmid, 12345);
		EXPECT_EQ(r->vset[0]->numval, PM_ERR_PMID_LOG);
		EXPECT_EQ(r->vset[1]->numval, 0);
		EXPECT_EQ(r->vset[2]->numval, 1);
		pmFreeResult(r);
	}
}

/*
 * The library's own metrics occur only in event records, so in every mode they have neither values
 * nor an error.
 */
TEST_F(archive, metrics_of_the_library)
{
	const char *const names[] = { "event.flags", "event.missed", "v.cu32" };
	pmID pmids[3];
	pmResult *r;

	ASSERT_EQ(pmLookupName(3, (const char **)names, pmids), 3);
	for (int mode = PM_MODE_INTERP; mode <= PM_MODE_BACK; mode++) {
		ASSERT_EQ(go_to(mode, 10000, 1000), 0);
		ASSERT_EQ(pmFetch(3, pmids, &r), 0);
		EXPECT_EQ(r->vset[0]->numval, 0);
		EXPECT_EQ(r->vset[1]->numval, 0);
		EXPECT_EQ(r->vset[2]->numval, 1);
		pmFreeResult(r);
	}
}

/* In a small domain, values of an instance that is missing in some records are interpolated. */
TEST_F(archive, instance_that_comes_back)
{
	pmID pmid = AF_PMID(SET);
	int inst = 1;
	pmResult *r;

	ASSERT_EQ(pmDelProfile(AF_INDOM, 0, NULL), 0);
	ASSERT_EQ(pmAddProfile(AF_INDOM, 1, &inst), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 35000, 0), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	ASSERT_EQ(r->vset[0]->numval, 1);
	EXPECT_EQ(r->vset[0]->vlist[0].inst, 1);
	EXPECT_EQ(r->vset[0]->vlist[0].value.lval, 41);
	pmFreeResult(r);
	ASSERT_EQ(pmDelProfile(PM_INDOM_NULL, 0, NULL), 0);
	ASSERT_EQ(pmFetch(1, &pmid, &r), 0);
	EXPECT_EQ(r->vset[0]->numval, 0);
	pmFreeResult(r);
}

/* pmGetInDom() returns the instance names at the time of the next fetch. */
TEST_F(archive, instances_of_the_time)
{
	char **names;
	int *ids;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 19000, 1000), 0);
	ASSERT_EQ(pmGetInDom(AF_INDOM, &ids, &names), 2);
	free(ids);
	free(names);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 25);
	ASSERT_EQ(pmGetInDom(AF_INDOM, &ids, &names), 1);
	EXPECT_EQ(ids[0], 0);
	EXPECT_STREQ(names[0], "i0");
	free(ids);
	free(names);
}

TEST_HARNESS_MAIN
