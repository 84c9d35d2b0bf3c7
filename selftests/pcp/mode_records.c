// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PM_MODE_FORW and PM_MODE_BACK read one record at a time, starting at any time, in both
 * directions.
 */
#include "pcp_fixture.h"

static const int cu32[] = { 0, 13, 26, 32, 55, 41 };

TEST_F(archive, forward_passes_the_mark)
{
	int64_t ms;

	ASSERT_EQ(go_to(PM_MODE_FORW, 0, 0), 0);
	for (int i = 0; i < 6; i++) {
		EXPECT_EQ(fetch_number(AF_PMID(CU32), &ms), cu32[i]);
		EXPECT_EQ(ms, i * 10000);
	}
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
}

TEST_F(archive, a_new_context_is_at_the_start)
{
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 13);
}

TEST_F(archive, backward_from_the_end)
{
	int64_t ms;

	ASSERT_EQ(go_to(PM_MODE_BACK, 50000, 0), 0);
	for (int i = 5; i >= 0; i--) {
		EXPECT_EQ(fetch_number(AF_PMID(CU32), &ms), cu32[i]);
		EXPECT_EQ(ms, i * 10000);
	}
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
}

TEST_F(archive, from_between_records)
{
	ASSERT_EQ(go_to(PM_MODE_FORW, 10001, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 26);
	ASSERT_EQ(go_to(PM_MODE_BACK, 9999, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
}

TEST_F(archive, from_outside)
{
	ASSERT_EQ(go_to(PM_MODE_FORW, -100000, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
	ASSERT_EQ(go_to(PM_MODE_BACK, 1000000, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 41);
	ASSERT_EQ(go_to(PM_MODE_FORW, 50001, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
	ASSERT_EQ(go_to(PM_MODE_BACK, -1, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
}

/* After a change of direction, the last record is returned again. */
TEST_F(archive, turning_round)
{
	ASSERT_EQ(go_to(PM_MODE_FORW, 10000, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 13);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 26);
	ASSERT_EQ(pmSetMode(PM_MODE_BACK, NULL, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 26);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 13);
	ASSERT_EQ(pmSetMode(PM_MODE_FORW, NULL, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 13);
}

/* Records without the metric are skipped, but advance the time. */
TEST_F(archive, only_records_that_have_it)
{
	int64_t ms;

	ASSERT_EQ(go_to(PM_MODE_FORW, 0, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(LATE), &ms), 2);
	EXPECT_EQ(ms, 20000);
	EXPECT_EQ(fetch_number(AF_PMID(LATE), &ms), 3);
	EXPECT_EQ(ms, 30000);
	EXPECT_EQ(fetch_number(AF_PMID(LATE), NULL), PM_ERR_EOL);
	ASSERT_EQ(pmSetMode(PM_MODE_BACK, NULL, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), &ms), 41);
	EXPECT_EQ(ms, 50000);
}

TEST_F(archive, a_record_of_an_error_counts)
{
	ASSERT_EQ(go_to(PM_MODE_FORW, 1, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(ERRORS), NULL), PM_ERR_APPVERSION);
	EXPECT_EQ(fetch_number(AF_PMID(ERRORS), NULL), 200);
}

TEST_F(archive, several_metrics_in_their_order)
{
	pmID pmids[] = { AF_PMID(DISCRETE), AF_PMID(CU32), PM_ID_NULL, AF_PMID(CU32), 12345 };
	pmResult *r;

	ASSERT_EQ(go_to(PM_MODE_FORW, 5000, 0), 0);
	ASSERT_EQ(pmFetch(5, pmids, &r), 0);
	ASSERT_EQ(r->numpmid, 5);
	for (int i = 0; i < 5; i++)
		EXPECT_EQ(r->vset[i]->pmid, pmids[i]);
	EXPECT_EQ(r->vset[0]->numval, 0);
	EXPECT_EQ(r->vset[1]->vlist[0].value.lval, 13);
	EXPECT_EQ(r->vset[2]->numval, 0);
	EXPECT_EQ(r->vset[3]->vlist[0].value.lval, 13);
	EXPECT_EQ(r->vset[4]->numval, 0);
	pmFreeResult(r);
}

TEST_F(archive, every_record_with_marks)
{
	static const int sets[] = { 12, 11, 12, 0, 12, 10, 10 };
	pmResult *r;

	ASSERT_EQ(go_to(PM_MODE_FORW, 0, 0), 0);
	for (int i = 0; i < 7; i++) {
		ASSERT_EQ(pmFetchArchive(&r), 0);
		EXPECT_EQ(r->numpmid, sets[i]) {
			TH_LOG("record %d", i);
		}
		pmFreeResult(r);
	}
	EXPECT_EQ(pmFetchArchive(&r), PM_ERR_EOL);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 0, 0), 0);
	EXPECT_EQ(pmFetchArchive(&r), PM_ERR_MODE);
}

TEST_F(archive, from_interpolation_to_records)
{
	ASSERT_EQ(go_to(PM_MODE_INTERP, 0, 6000), 0);
	EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), 100);
	EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), 101);	/* the nearest record is at 10 s */
	/* The next fetch would be at 12 s, so the next record is at 20 s. */
	ASSERT_EQ(pmSetMode(PM_MODE_FORW, NULL, 0), 0);
	EXPECT_EQ(fetch_number(AF_PMID(INSTANT), NULL), 102);
}

TEST_HARNESS_MAIN
