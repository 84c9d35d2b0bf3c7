// SPDX-License-Identifier: GPL-2.0-or-later
/* Call pmSetMode() with every unit of delta, every mode, and invalid modes. */
#include "pcp_fixture.h"

static const struct {
	int unit;		/* PM_TIME_*, or -1 without a unit */
	int delta;
	int64_t ns;
} units[] = {
	{ -1, 1500, 1500000000 },
	{ PM_TIME_NSEC, 2000000000, 2000000000 },
	{ PM_TIME_USEC, 2147484, 2147484000 },
	{ PM_TIME_USEC, 3000000, 3000000000 },
	{ PM_TIME_MSEC, 250, 250000000 },
	{ PM_TIME_SEC, 7, 7000000000 },
	{ PM_TIME_MIN, 2, 120000000000 },
	{ PM_TIME_HOUR, 1, 3600000000000 },
	{ 77, 1500, 1500000000 },		/* an unknown unit means milliseconds */
};

/* Return the difference between the times of two fetches. */
static int64_t step_of(int mode, int64_t from_ms, int delta)
{
	pmID pmid = AF_PMID(CU32);
	pmHighResResult *r;
	int64_t first, second;

	if (go_to(mode, from_ms, delta))
		return -1;
	if (pmFetchHighRes(1, &pmid, &r))
		return -1;
	first = r->timestamp.tv_sec * AF_SEC + r->timestamp.tv_nsec;
	pmFreeHighResResult(r);
	if (pmFetchHighRes(1, &pmid, &r))
		return -1;
	second = r->timestamp.tv_sec * AF_SEC + r->timestamp.tv_nsec;
	pmFreeHighResResult(r);
	return second - first;
}

/* An archive of two hours, which is longer than every step */
FIXTURE(hours)
{
	char base[256];
};

FIXTURE_SETUP(hours)
{
	struct af a;

	af_folder(self->base, sizeof(self->base));
	af_open(&a, self->base, 3);
	af_desc(&a, AF_PMID(CU32), 1, AF_NONE, 1, 0, "x");
	for (int i = 0; i <= 2; i++) {
		af_index(&a, i * 3600 * AF_SEC);
		af_begin(&a, i * 3600 * AF_SEC);
		af_set(&a, AF_PMID(CU32), 0);
		af_u32(&a, -1, (uint32_t)i);
		af_end(&a);
	}
	af_close(&a);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(hours)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

TEST_F(hours, every_unit_both_ways)
{
	for (unsigned int i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		int mode = PM_MODE_INTERP;

		if (units[i].unit >= 0)
			mode |= PM_XTB_SET(units[i].unit);
		EXPECT_EQ(step_of(mode, 0, units[i].delta), units[i].ns) {
			TH_LOG("unit %d", units[i].unit);
		}
		EXPECT_EQ(step_of(mode, 7200000, -units[i].delta), -units[i].ns) {
			TH_LOG("unit %d backwards", units[i].unit);
		}
	}
}

/* A step of more than 2^32 seconds does not wrap around to a short step. */
TEST_F(hours, long_steps)
{
	ASSERT_EQ(go_to(PM_MODE_INTERP | PM_XTB_SET(PM_TIME_MIN), 0, 71582789), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), 0);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), NULL), PM_ERR_EOL);
}

TEST_F(hours, high_resolution)
{
	struct timespec when = { AF_START, 999999999 }, delta = { 0, -333333333 };
	pmID pmid = AF_PMID(CU32);
	pmHighResResult *r;
	long want[] = { 999999999, 666666666, 333333333, 0 };

	ASSERT_EQ(pmSetModeHighRes(PM_MODE_INTERP, &when, &delta), 0);
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(pmFetchHighRes(1, &pmid, &r), 0);
		EXPECT_EQ(r->timestamp.tv_sec, AF_START);
		EXPECT_EQ(r->timestamp.tv_nsec, want[i]);
		pmFreeHighResResult(r);
	}
	ASSERT_EQ(pmSetModeHighRes(PM_MODE_INTERP, &when, NULL), 0);
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(pmFetchHighRes(1, &pmid, &r), 0);
		EXPECT_EQ(r->timestamp.tv_nsec, 999999999);
		pmFreeHighResResult(r);
	}
}

/* A mode that archives do not support is an error, and changes nothing. */
TEST_F(hours, bad_modes)
{
	static const int bad[] = { PM_MODE_LIVE, 4, 17, 0xffff };
	struct timeval when = { AF_START + 7200, 0 };
	int64_t ms;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 1000, 1000), 0);
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		EXPECT_EQ(pmSetMode(bad[i], &when, 5000), PM_ERR_MODE);
	EXPECT_EQ(pmSetModeHighRes(PM_MODE_LIVE, NULL, NULL), PM_ERR_MODE);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), &ms), 0);
	EXPECT_EQ(ms, 1000);
	EXPECT_EQ(fetch_number(AF_PMID(CU32), &ms), 0);
	EXPECT_EQ(ms, 2000);
}

TEST(no_context)
{
	EXPECT_EQ(pmSetMode(PM_MODE_INTERP, NULL, 0), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmSetModeHighRes(PM_MODE_INTERP, NULL, NULL), PM_ERR_NOCONTEXT);
}

/* Times far outside the archive are valid. */
TEST_F(hours, extreme_times)
{
	struct timespec far = { INT64_MAX, 999999999 }, early = { INT64_MIN, 0 };
	struct timespec step = { INT64_MAX, 0 };
	pmID pmid = AF_PMID(CU32);
	pmHighResResult *r;

	ASSERT_EQ(pmSetModeHighRes(PM_MODE_INTERP, &far, &step), 0);
	EXPECT_EQ(pmFetchHighRes(1, &pmid, &r), PM_ERR_EOL);
	EXPECT_EQ(pmFetchHighRes(1, &pmid, &r), PM_ERR_EOL);
	ASSERT_EQ(pmSetModeHighRes(PM_MODE_INTERP, &early, &step), 0);
	EXPECT_EQ(pmFetchHighRes(1, &pmid, &r), PM_ERR_EOL);
	ASSERT_EQ(pmSetModeHighRes(PM_MODE_BACK, &far, NULL), 0);
	EXPECT_EQ(fetch_number(pmid, NULL), 2);
	ASSERT_EQ(pmSetModeHighRes(PM_MODE_FORW, &early, NULL), 0);
	EXPECT_EQ(fetch_number(pmid, NULL), 0);
}

TEST_HARNESS_MAIN
