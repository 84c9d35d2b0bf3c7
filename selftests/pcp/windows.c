// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse time windows, dates and zones, without an archive. */
#include <kselftest_harness.h>
#include <pcp/pmapi.h>

#define SUNDAY 1600000000	/* Sep 13 12:26:40 2020 UTC */

static const struct timespec from = { SUNDAY, 500000000 };
static const struct timespec to = { SUNDAY + 100000, 250000000 };	/* Mon 16:13:20 */

/* Parse the start time @S.  Return the seconds after the start of the window, or -1. */
static double after(const char *S)
{
	struct timespec start, end, origin;
	char *error;

	if (pmParseHighResTimeWindow(S, NULL, NULL, NULL, &from, &to, &start, &end, &origin,
				     &error) != 1) {
		free(error);
		return -1;
	}
	return pmtimespecSub(&start, &from);
}

TEST(dates)
{
	static const struct {
		const char *text;
		double after;
	} rows[] = {
		{ "5min", 300 }, { "+1.5", 1.5 }, { "-20sec", 99979.75 }, { "@", 0 },
		{ "@12:30", 199.5 }, { "@11:30", 82999.5 }, { "@Sep 14", 41599.5 },
		{ "@Mon Sep 14 10:00:00.25 2020", 77599.75 }, { "@14 10pm", 120799.5 },
		{ "2020-09-14", 41599.5 }, { "14 Sep 2020 10:00", 77599.5 },
		{ "9/14/2020 10am", 77599.5 }, { "sep 14, 2020 12:00 EST", 102799.5 },
		{ "2020-09-14 10:00+0100", 73999.5 }, { "@2 days", 172799.5 },
		{ "@2 hours ago", 92799.5 }, { "@1 day 5 min ago", 13299.5 }, { "foo", -1 },
		{ "2020-02-30", -1 }, { "@13:00pm", -1 }, { "10:00 11:00", -1 }, { "@10:60", -1 },
		/* These numbers are out of range. */
		{ "@99999999999999 fortnights", -1 },
		{ "@7000000000000000000 sec 7000000000000000000 sec", -1 },
		{ "@9223372036854775807 years", -1 }, { "@-9223372036854775807 sec 1 sec ago ago", -1 },
	};

	pmNewZone("UTC");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(rows[i].after, after(rows[i].text))
			TH_LOG("%s", rows[i].text);
	}
}

/*
 * Times are in the reporting zone, even if it has daylight saving time.  "yesterday" is relative to
 * the current time, and therefore before the start.
 */
TEST(zones)
{
	char text[26], *name = NULL;
	time_t sunday = SUNDAY, july = 1626000000;
	struct tm tm;
	int east, berlin;

	setenv("TZ", "UTC", 1);
	EXPECT_EQ(-1, pmWhichZone(&name));
	EXPECT_EQ(NULL, name);
	EXPECT_EQ(-1, pmUseZone(0));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmNewContextZone());
	east = pmNewZone("AEST-10");
	EXPECT_EQ(0, east);
	berlin = pmNewZone("CET-1CEST,M3.5.0,M10.5.0/3");
	EXPECT_STREQ("Sun Sep 13 14:26:40 2020\n", pmCtime(&sunday, text));
	EXPECT_EQ(&tm, pmLocaltime(&july, &tm));
	EXPECT_EQ(7200, tm.tm_gmtoff);
	EXPECT_EQ(34399.5, after("2020-09-14"));
	EXPECT_EQ(0, pmUseZone(east));
	EXPECT_EQ(5599.5, after("@Sep 14"));
	EXPECT_STREQ("Sun Sep 13 22:26:40 2020\n", pmCtime(&sunday, text));
	EXPECT_EQ(-1, pmUseZone(berlin + 1));
	EXPECT_EQ(east, pmWhichZone(&name));
	EXPECT_STREQ("AEST-10", name);
	pmNewZone("EST");
	pmWhichZone(&name);
	EXPECT_STREQ("EST+0", name);
	EXPECT_STREQ("UTC", getenv("TZ"));
}

TEST(years_that_are_none)
{
	time_t far = INT64_MAX;
	char text[26] = "untouched";
	struct tm tm;

	EXPECT_EQ(NULL, pmLocaltime(&far, &tm));
	EXPECT_EQ(NULL, pmCtime(&far, text));
	EXPECT_STREQ("untouched", text);
}

TEST(stamps)
{
	struct timeval tv = { SUNDAY, 5999 };
	struct timespec ts = { SUNDAY, 7 };
	char text[64] = "";
	FILE *f = fmemopen(text, sizeof(text), "w");

	ASSERT_NE(NULL, f);
	pmNewZone("UTC");
	pmPrintStamp(f, &tv);
	fputc(' ', f);
	pmPrintHighResStamp(f, &ts);
	fclose(f);
	EXPECT_STREQ("12:26:40.005 12:26:40.000000007", text);
}

static struct timespec start, end, origin;

static int window(const char *S, const char *T, const char *A, const char *O, char **error)
{
	return pmParseHighResTimeWindow(S, T, A, O, &from, &to, &start, &end, &origin, error);
}

TEST(windows)
{
	char *error = NULL;

	EXPECT_EQ(1, window("10", "1hour", "1min", "30", &error));
	EXPECT_EQ(SUNDAY + 20, start.tv_sec);
	EXPECT_EQ(0, start.tv_nsec);
	EXPECT_EQ(SUNDAY + 3620, end.tv_sec);
	EXPECT_EQ(SUNDAY + 80, origin.tv_sec);
	EXPECT_EQ(1, window(NULL, "-1hour", NULL, "-0", &error));
	EXPECT_EQ(SUNDAY, start.tv_sec);
	EXPECT_EQ(SUNDAY + 96400, end.tv_sec);
	EXPECT_EQ(end.tv_sec, origin.tv_sec);
	EXPECT_EQ(NULL, error);
	EXPECT_EQ(0, window("10", NULL, "10days", NULL, &error));
	EXPECT_STREQ("10days\n^ -- alignment specified by -A switch could not be applied\n", error);
	free(error);
	EXPECT_EQ(SUNDAY + 10, start.tv_sec);
	EXPECT_EQ(-1, window("10", "1 foo", NULL, NULL, &error));
	EXPECT_STREQ("1 foo\n  ^ -- unexpected value\n", error);
	free(error);
	EXPECT_EQ(SUNDAY + 10, start.tv_sec);
}

/*
 * In binary, these fractions are slightly smaller than in the text, and are truncated, as in PCP.
 */
TEST(fraction_of_a_second)
{
	char *error = NULL;

	EXPECT_EQ(1, window("@Sun Sep 13 12:27:00.038 2020", NULL, NULL, NULL, &error));
	EXPECT_EQ(37999999, start.tv_nsec);
	EXPECT_EQ(1, window("@Sun Sep 13 12:27:41.123 2020", NULL, NULL, NULL, &error));
	EXPECT_EQ(122999999, start.tv_nsec);
	EXPECT_EQ(1, window("@Sun Sep 13 12:27:41.25 2020", NULL, NULL, NULL, &error));
	EXPECT_EQ(250000000, start.tv_nsec);
}

/* In PCP the sums overflow, and the origin is one step too early. */
TEST(an_end_that_is_not_known)
{
	struct timespec never = { PM_MAX_TIME_T, 0 };
	char *error = NULL;

	EXPECT_EQ(1, pmParseHighResTimeWindow("10", NULL, "1min", "5min", &from, &never, &start,
					      &end, &origin, &error));
	EXPECT_EQ(SUNDAY + 20, start.tv_sec);
	EXPECT_EQ(PM_MAX_TIME_T, end.tv_sec);
	EXPECT_EQ(SUNDAY + 320, origin.tv_sec);
}

TEST(coarse)
{
	struct timeval first = { SUNDAY, 500000 }, last = { SUNDAY + 10, 0 }, s, e, o;
	char *error = NULL;

	EXPECT_EQ(1, pmParseTimeWindow("0.25", NULL, NULL, "-1.5", &first, &last, &s, &e, &o,
				       &error));
	EXPECT_EQ(SUNDAY, s.tv_sec);
	EXPECT_EQ(750000, s.tv_usec);
	EXPECT_EQ(SUNDAY + 8, o.tv_sec);
	EXPECT_EQ(500000, o.tv_usec);
}

TEST_HARNESS_MAIN
