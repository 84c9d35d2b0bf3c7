// SPDX-License-Identifier: GPL-2.0-or-later
/* The times of a private time zone equal those of the C library with the same TZ. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/tstamp.h"
#include "base/tz.h"
#include "kselftest_harness.h"

static const char *const names[] = {
	"UTC", "UTC+0", "Europe/Berlin", ":Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
	"Asia/Kathmandu", "Africa/Casablanca", "Pacific/Apia", "America/St_Johns", "EST5EDT",
	"CET-1CEST,M3.5.0,M10.5.0/3", "NZST-12NZDT,M9.5.0,M4.1.0/3", "<+0330>-3:30", "IST-5:30",
	"AAA3BBB,J60/1,300/25:30", "XYZ-10XYY,59,J365", "EST5", "no/such/zone", "", ":", "x",
	"UTC+25", "UTC-167", "XXX-99:99:99", "ABC5:75:80",
	"<-03>3<-02>,M3.5.0/-2,M10.5.0/-1", "Antarctica/Troll", "Europe/Dublin",
	"right/UTC", "right/Europe/Berlin", "right/Australia/Lord_Howe",
};

#define NAMES	(sizeof(names) / sizeof(names[0]))

static const time_t times[] = {
	0, -1, 1, 1e9, 1.7e9, 4e9, 1e10, 1e11, -1e9, -2e9, -5e9, -1e11, 253402300800, -62135596801,
};

static int same(const struct tm *a, const struct tm *b)
{
	return a->tm_sec == b->tm_sec && a->tm_min == b->tm_min && a->tm_hour == b->tm_hour &&
	       a->tm_mday == b->tm_mday && a->tm_mon == b->tm_mon && a->tm_year == b->tm_year &&
	       a->tm_wday == b->tm_wday && a->tm_yday == b->tm_yday &&
	       a->tm_isdst == b->tm_isdst && a->tm_gmtoff == b->tm_gmtoff;
}

static void compare(struct __test_metadata *_metadata, const char *name, const struct shim_tz *tz,
		    time_t t)
{
	struct tm want, got = { 0 };
	time_t back;

	localtime_r(&t, &want);
	ASSERT_EQ(0, shim_tz__local(tz, t, &got));
	ASSERT_TRUE(same(&want, &got)) {
		TH_LOG("\"%s\" at %lld: %02d:%02d %d %ld, not %02d:%02d %d %ld", name, (long long)t,
		       got.tm_hour, got.tm_min, got.tm_isdst, got.tm_gmtoff, want.tm_hour,
		       want.tm_min, want.tm_isdst, want.tm_gmtoff);
	}
	/* For an invalid zone, the C library returns an empty name, or UTC. */
	if (*want.tm_zone)
		ASSERT_STREQ(want.tm_zone, got.tm_zone);
	/* When clocks are set back, two times have the same date; either is accepted. */
	ASSERT_EQ(0, shim_tz__make(tz, &got, &back));
	if (t != back) {
		ASSERT_EQ(0, shim_tz__local(tz, back, &got));
		got.tm_gmtoff = want.tm_gmtoff;
		ASSERT_TRUE(same(&want, &got)) TH_LOG("\"%s\"", name);
	}
}

/*
 * Return whether the C library also applies rules to times before 1970, as in Debian 13 (2.41).  If
 * it does, the test does not compare these times.
 */
static bool rules_hold_before_1970(void)
{
	const time_t summer = -1e9;
	struct tm tm;

	setenv("TZ", "AAA5BBB,M3.2.0,M11.1.0", 1);
	tzset();
	return localtime_r(&summer, &tm)->tm_isdst > 0;
}

static bool is_file(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/usr/share/zoneinfo/%s", name + (*name == ':'));
	return !access(path, F_OK);
}

TEST(times_are_the_c_librarys)
{
	const bool proleptic = rules_hold_before_1970();

	for (size_t i = 0; i < NAMES; i++) {
		struct shim_tz *tz;

		setenv("TZ", names[i], 1);
		tzset();
		ASSERT_EQ(0, shim_tz__open(names[i], &tz));
		for (size_t k = 0; k < sizeof(times) / sizeof(times[0]); k++)
			if (times[k] >= 0 || !proleptic || is_file(names[i]))
				compare(_metadata, names[i], tz, times[k]);
		/* Compare a time about every five hours of a year, in every seventh year. */
		for (int year = 1985; year < 2060; year += 7)
			for (time_t t = 0; t < 366 * 86400; t += 3600 * 5 + 7)
				compare(_metadata, names[i], tz, (year - 1970) * 31556952l + t);
		/*
		 * Compare each second around three leap seconds: the first, one of 1990, and the
		 * last.
		 */
		for (time_t t = -40; t < 40; t++) {
			compare(_metadata, names[i], tz, 78796800 + t);
			compare(_metadata, names[i], tz, 662688000 + 16 + t);
			compare(_metadata, names[i], tz, 1483228800 + 26 + t);
		}
		shim_tz__close(tz);
	}
}

/*
 * Dates with unknown daylight saving time match the C library, except for hours that exist twice or
 * not at all.
 */
TEST(dates_are_the_c_librarys)
{
	for (size_t i = 0; i < NAMES; i++) {
		struct shim_tz *tz;

		setenv("TZ", names[i], 1);
		tzset();
		ASSERT_EQ(0, shim_tz__open(names[i], &tz));
		for (int day = 0; day < 366; day++) {
			struct tm want = { .tm_year = 123, .tm_mday = day, .tm_hour = 12,
					   .tm_min = -75, .tm_isdst = -1 }, got = want;
			time_t t = mktime(&want), out = 0;

			ASSERT_EQ(0, shim_tz__make(tz, &got, &out));
			ASSERT_EQ(t, out) TH_LOG("\"%s\", day %d", names[i], day);
			ASSERT_TRUE(same(&want, &got));
		}
		shim_tz__close(tz);
	}
}

TEST(hours_that_there_are_twice_or_not_at_all)
{
	struct tm twice = { .tm_year = 123, .tm_mon = 9, .tm_mday = 29, .tm_hour = 2, .tm_min = 30 };
	struct tm none = { .tm_year = 123, .tm_mon = 2, .tm_mday = 26, .tm_hour = 2, .tm_min = 30 };
	struct shim_tz *tz;
	struct tm tm;
	time_t t;

	ASSERT_EQ(0, shim_tz__open("Europe/Berlin", &tz));
	for (int dst = 0; dst < 2; dst++) {
		tm = twice;
		tm.tm_isdst = dst;
		ASSERT_EQ(0, shim_tz__make(tz, &tm, &t));
		EXPECT_EQ(1698543000 - 3600 * dst, t - 0);
		EXPECT_EQ(dst, tm.tm_isdst);
	}
	tm = none;
	tm.tm_isdst = -1;
	ASSERT_EQ(0, shim_tz__make(tz, &tm, &t));
	EXPECT_TRUE(tm.tm_hour == 1 || tm.tm_hour == 3);
	EXPECT_EQ(30, tm.tm_min);
	shim_tz__close(tz);
}

TEST(beyond_all_years)
{
	struct tm tm = { .tm_year = INT_MAX, .tm_mon = INT_MAX };
	struct shim_tz *tz;
	time_t t = 7;

	ASSERT_EQ(0, shim_tz__open("CET-1CEST", &tz));
	EXPECT_EQ(-EOVERFLOW, shim_tz__make(tz, &tm, &t));
	EXPECT_EQ(7, t);
	EXPECT_EQ(-EOVERFLOW, shim_tz__local(tz, LONG_MAX, &tm));
	EXPECT_EQ(-EOVERFLOW, shim_tz__local(tz, LONG_MIN, &tm));
	shim_tz__close(tz);
}

/* If TZ counts leap seconds, they apply only in this zone. */
TEST(leap_seconds_are_the_zones)
{
	struct shim_tz *plain, *leaps;
	struct tm tm;
	time_t t;

	for (int i = 0; i < 2; i++) {
		setenv("TZ", i ? "right/UTC" : "UTC", 1);
		tzset();
		ASSERT_EQ(0, shim_tz__open("UTC", &plain));
		ASSERT_EQ(0, shim_tz__open("right/UTC", &leaps));
		ASSERT_EQ(0, shim_tz__local(plain, 1700000000, &tm));
		EXPECT_EQ(20, tm.tm_sec);
		ASSERT_EQ(0, shim_tz__make(plain, &tm, &t));
		EXPECT_EQ(1700000000, t);
		ASSERT_EQ(0, shim_tz__local(leaps, 1700000027, &tm));
		EXPECT_EQ(20, tm.tm_sec);
		ASSERT_EQ(0, shim_tz__make(leaps, &tm, &t));
		EXPECT_EQ(1700000027, t);
		shim_tz__close(leaps);
		shim_tz__close(plain);
	}
}

/* Dates of all times, and times of out-of-range dates, match the C library. */
TEST(dates_without_a_zone)
{
	uint64_t roll = 1;

	setenv("TZ", "UTC", 1);
	tzset();
	for (int i = 0; i < 300000; i++) {
		struct tm want = { 0 }, got = { 0 };
		int64_t t;

		roll = roll * 6364136223846793005ull + 1442695040888963407ull;
		t = (int64_t)roll >> (i % 50);
		ASSERT_EQ(!!gmtime_r(&t, &want), shim_civil__date(t, &got));
		if (want.tm_mday) {
			ASSERT_TRUE(same(&want, &got)) TH_LOG("%lld", (long long)t);
			ASSERT_EQ(t, shim_civil__time(&got));
		}
		got = (struct tm){ .tm_year = (int)(roll >> 33) >> (i % 20), .tm_mon = (int)(roll >> 7),
				   .tm_mday = (int)(roll >> 15), .tm_hour = (int)(roll >> 11),
				   .tm_min = (int)(roll >> 21), .tm_sec = (int)(roll >> 19) };
		want = got;
		t = timegm(&want);
		if (t != -1)
			ASSERT_EQ(t, shim_civil__time(&got)) TH_LOG("%d", i);
	}
}

/* Names that lead out of the zoneinfo directory do not find a copy of a zone's file. */
TEST(foreign_names_lead_nowhere_else)
{
	static const char *const bad[] = { "%s", ":%s", "../../..%s", ":../../..%s", "Europe/../../../..%s",
					   "/usr/share/zoneinfo/../../..%s" };
	static const char *const good[] = { "Asia/Kathmandu", ":Asia/Kathmandu", "NPT-5:45",
					    "/usr/share/zoneinfo/Asia/Kathmandu" };
	char path[] = "/tmp/base_tz.XXXXXX", name[128], command[128];
	struct shim_tz *tz;
	struct tm tm;

	ASSERT_LE(0, mkstemp(path));
	sprintf(command, "cp /usr/share/zoneinfo/Asia/Kathmandu %s", path);
	ASSERT_EQ(0, system(command));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(name, sizeof(name), bad[i], path);
		for (int foreign = 0; foreign < 2; foreign++) {
			ASSERT_EQ(0, (foreign ? shim_tz__open_foreign : shim_tz__open)(name, &tz));
			ASSERT_EQ(0, shim_tz__local(tz, 1000000000, &tm));
			EXPECT_EQ(foreign ? 0 : 20700, tm.tm_gmtoff) {
				TH_LOG("%s", name);
			}
			shim_tz__close(tz);
		}
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		ASSERT_EQ(0, shim_tz__open_foreign(good[i], &tz));
		ASSERT_EQ(0, shim_tz__local(tz, 1000000000, &tm));
		EXPECT_EQ(20700, tm.tm_gmtoff);
		shim_tz__close(tz);
	}
	unlink(path);
}

TEST_HARNESS_MAIN
