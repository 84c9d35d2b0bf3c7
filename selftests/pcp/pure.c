// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test functions that need no archive: scales, short texts, parsing of units and intervals, and
 * texts in buffers.
 */
#include <math.h>
#include <kselftest_harness.h>
#include <pcp/pmapi.h>

static const pmUnits bytes = { .dimSpace = 1 };
static const pmUnits mbytes = { .dimSpace = 1, .scaleSpace = PM_SPACE_MBYTE };

TEST(scales)
{
	pmUnits hours = { .dimTime = 1, .scaleTime = PM_TIME_HOUR };
	pmUnits per_sec = { .dimSpace = 1, .dimTime = -1, .scaleTime = PM_TIME_SEC };
	pmUnits zbytes = { .dimSpace = 1, .scaleSpace = PM_SPACE_ZBYTE };
	pmUnits count = { .dimCount = 1 }, none = { .scaleCount = 3 };
	pmAtomValue v = { .ull = 3 << 19 }, out = { .ull = 77 };

	EXPECT_EQ(0, pmConvScale(PM_TYPE_U64, &v, &bytes, &out, &mbytes));
	EXPECT_EQ(2, out.ull);
	EXPECT_EQ(0, pmConvScale(PM_TYPE_U64, &v, &none, &out, &count));
	EXPECT_EQ(3000ull << 19, out.ull);
	v.d = 1.5;
	EXPECT_EQ(0, pmConvScale(PM_TYPE_DOUBLE, &v, &mbytes, &v, &bytes));
	EXPECT_EQ(1.5 * 1048576, v.d);
	out.ull = 77;
	EXPECT_EQ(PM_ERR_CONV, pmConvScale(PM_TYPE_DOUBLE, &v, &bytes, &out, &hours));
	EXPECT_EQ(PM_ERR_CONV, pmConvScale(PM_TYPE_DOUBLE, &v, &bytes, &out, &per_sec));
	EXPECT_EQ(PM_ERR_CONV, pmConvScale(PM_TYPE_STRING, &v, &bytes, &out, &mbytes));
	EXPECT_EQ(PM_ERR_UNIT, pmConvScale(PM_TYPE_DOUBLE, &v, &bytes, &out, &zbytes));
	EXPECT_EQ(77, out.ull);
}

/*
 * A scale can differ by more than 64 bits.  PCP multiplies in 64 bits, and can then divide by zero.
 */
TEST(scales_too_far_for_64_bits)
{
	pmUnits in = { .dimSpace = 7, .scaleSpace = PM_SPACE_EBYTE };
	pmUnits out = { .dimSpace = 7, .scaleSpace = PM_SPACE_BYTE };
	pmAtomValue v = { .d = 1 }, big = { .ll = INT64_MAX / 2 };

	EXPECT_EQ(0, pmConvScale(PM_TYPE_DOUBLE, &v, &in, &v, &out));
	EXPECT_EQ(0x1p420, v.d);
	EXPECT_EQ(0, pmConvScale(PM_TYPE_DOUBLE, &v, &out, &v, &in));
	EXPECT_EQ(1, v.d);
	in = (pmUnits){ .dimTime = 1, .scaleTime = PM_TIME_MIN };
	out = (pmUnits){ .dimTime = 1, .scaleTime = PM_TIME_HOUR };
	EXPECT_EQ(0, pmConvScale(PM_TYPE_64, &big, &in, &big, &out));
	EXPECT_EQ((INT64_MAX / 2 + 30) / 60, big.ll);
}

TEST(numbers)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, "  0.00 " }, { -0.001, "  0.00 " }, { 999.99, "999.99 " },
		{ 999.995, "  1.00K" }, { -99.99, "-99.99 " }, { -100, " -0.10K" },
		{ 123456, "123.46K" }, { 1e14, "100.00T" }, { 1e15, " inf?  " }, { -1e14, "-inf?  " },
		{ NAN, "  0.00 " },
	};
	char buf[8], wanted[16];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		EXPECT_STREQ(rows[i].text, pmNumberStr(rows[i].value));
	/* Halfway between two hundredths, exactly and nearly */
	for (int i = -19998; i < 199998; i++) {
		snprintf(wanted, sizeof(wanted), "%6.2f ", i / 200.0);
		if (i && strcmp(wanted, pmNumberStr_r(i / 200.0, buf, sizeof(buf))))
			EXPECT_STREQ(wanted, buf);
	}
	EXPECT_STREQ("  1.2", pmNumberStr_r(1234, buf, 6));
}

TEST(flags)
{
	char buf[32];

	EXPECT_STREQ("", pmEventFlagsStr(0));
	EXPECT_STREQ("point,start,end,id,parent", pmEventFlagsStr(31));
	EXPECT_STREQ("missed", pmEventFlagsStr((int)(PM_EVENT_FLAG_MISSED | 1)));
	EXPECT_EQ(NULL, pmEventFlagsStr_r(1, buf, 25));
	EXPECT_STREQ("start", pmEventFlagsStr_r(2, buf, 26));
}

TEST(units)
{
	double factor;
	char *error;
	pmUnits u;

	ASSERT_EQ(0, pmParseUnitsStr("10 kilobytes / 2.5e2 count x 10^3", &u, &factor, &error));
	EXPECT_EQ(25, factor);
	EXPECT_STREQ("Kbyte / count x 10^3", pmUnitsStr(&u));
	ASSERT_EQ(0, pmParseUnitsStr("millisecond / second^2", &u, &factor, &error));
	EXPECT_EQ(1000, factor);
	EXPECT_STREQ("/ sec", pmUnitsStr(&u));
	EXPECT_EQ(PM_ERR_CONV, pmParseUnitsStr("byte byte", &u, &factor, &error));
	EXPECT_STREQ("unrecognized or duplicate base unit", error);
	free(error);
	EXPECT_EQ(PM_ERR_CONV, pmParseUnitsStr("byte^8", &u, &factor, &error));
	EXPECT_STREQ("space dimension out of bounds", error);
	free(error);
	/* PCP terminates the program. */
	EXPECT_EQ(PM_ERR_CONV, pmParseUnitsStr("time-9^2 / sec", &u, &factor, &error));
	free(error);
	EXPECT_EQ(0, (int)u.dimTime);
	EXPECT_EQ(1, factor);
}

TEST(intervals)
{
	struct timespec ts = { 7, 8 };
	struct timeval tv = { 7, 8 };
	char *error;

	EXPECT_EQ(0, pmParseInterval("1hour 30mins10.25", &tv, &error));
	EXPECT_EQ(5410, tv.tv_sec);
	EXPECT_EQ(250000, tv.tv_usec);
	EXPECT_EQ(0, pmParseHighResInterval("3nsec", &ts, &error));
	EXPECT_EQ(0, ts.tv_sec);
	EXPECT_EQ(3, ts.tv_nsec);
	EXPECT_EQ(-1, pmParseInterval("4minutes 30mumble", &tv, &error));
	EXPECT_STREQ("4minutes 30mumble\n           ^ -- unexpected value\n", error);
	free(error);
	EXPECT_EQ(-1, pmParseInterval(NULL, &tv, &error));
	EXPECT_STREQ("\n^ -- Null or empty specification\n", error);
	free(error);
	EXPECT_EQ(5410, tv.tv_sec);
}

/* PCP accepts these intervals, and returns garbage. */
TEST(intervals_that_are_none)
{
	static const char *const texts[] = { "nan", "9e18 9e18", "2e14days", "-1", "inf" };
	struct timespec ts = { 7, 8 };
	char *error;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		EXPECT_EQ(-1, pmParseHighResInterval(texts[i], &ts, &error));
		free(error);
	}
	EXPECT_EQ(7, ts.tv_sec);
}

/* For these texts, PCP reports no error. */
TEST(no_numbers)
{
	static const struct {
		int type;
		uint64_t bits;
	} rows[] = {
		{ PM_TYPE_32, 0x80000000 }, { PM_TYPE_U32, 0 }, { PM_TYPE_64, 1ull << 63 },
		{ PM_TYPE_U64, 1ull << 63 },
	};
	pmAtomValue out;
	float nan = NAN;
	pmValue v;

	memcpy(&v.value.lval, &nan, sizeof(nan));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		EXPECT_EQ(0, pmExtractValue(PM_VAL_INSITU, &v, PM_TYPE_FLOAT, &out, rows[i].type));
		EXPECT_EQ(rows[i].bits, out.ull);
	}
	EXPECT_EQ(0, pmExtractValue(PM_VAL_INSITU, &v, PM_TYPE_FLOAT, &out, PM_TYPE_DOUBLE));
	EXPECT_NE(0, isnan(out.d));
	nan = -INFINITY;
	memcpy(&v.value.lval, &nan, sizeof(nan));
	EXPECT_EQ(PM_ERR_TRUNC, pmExtractValue(PM_VAL_INSITU, &v, PM_TYPE_FLOAT, &out, PM_TYPE_32));
	EXPECT_EQ(PM_ERR_SIGN, pmExtractValue(PM_VAL_INSITU, &v, PM_TYPE_FLOAT, &out, PM_TYPE_U64));
	EXPECT_EQ(0, pmExtractValue(PM_VAL_INSITU, &v, PM_TYPE_FLOAT, &out, PM_TYPE_64));
	EXPECT_EQ(INT64_MIN, out.ll);
}

TEST(buffers)
{
	char buf[8] = "#######";

	EXPECT_EQ(-1, pmstrncpy(buf, 0, "abc"));
	EXPECT_STREQ("#######", buf);
	EXPECT_EQ(-1, pmstrncpy(buf, 3, "abc"));
	EXPECT_STREQ("ab", buf);
	EXPECT_EQ(0, pmstrncat(buf, 4, "c"));
	EXPECT_EQ(-1, pmstrncat(buf, 6, "def"));
	EXPECT_STREQ("abcde", buf);
	EXPECT_EQ(3, pmsprintf(buf, 4, "%d", 123456));
	EXPECT_STREQ("123", buf);
	EXPECT_EQ(0, pmsprintf(NULL, 0, "x"));
	EXPECT_EQ(0, pmstrlen(NULL));
	EXPECT_EQ(3, pmstrlen(buf));
}

TEST(words)
{
	char text[] = "\t one two\n\nthree", *word = NULL;
	FILE *f = fmemopen(text, strlen(text), "r");

	ASSERT_NE(NULL, f);
	EXPECT_EQ(3, pmfstring(f, &word));
	EXPECT_STREQ("one", word);
	free(word);
	EXPECT_EQ(3, pmfstring(f, &word));
	free(word);
	EXPECT_EQ(0, pmfstring(f, &word));
	EXPECT_EQ(5, pmfstring(f, &word));
	EXPECT_STREQ("three", word);
	free(word);
	EXPECT_EQ(-1, pmfstring(f, &word));
	fclose(f);
}

TEST(program)
{
	EXPECT_STREQ("pcp", pmGetProgname());
	pmSetProgname("/usr/bin/some");
	EXPECT_STREQ("some", pmGetProgname());
	pmSetProgname(NULL);
	EXPECT_STREQ("pcp", pmGetProgname());
	EXPECT_EQ('/', pmPathSeparator());
	EXPECT_NE(NULL, pmSpecLocalPMDA("add,30,sample/pmda_sample,sample_init"));
	EXPECT_NE(NULL, pmSpecLocalPMDA(NULL));
	EXPECT_EQ(NULL, pmSpecLocalPMDA("clear"));
	EXPECT_EQ(-EOPNOTSUPP, pmDiscoverServices(PM_SERVER_SERVICE_SPEC, NULL, NULL));
	EXPECT_EQ(-ESRCH, pmSetProcessIdentity("no such user"));
}

TEST(debugging)
{
	EXPECT_EQ(0, pmSetDebug("fetch,LOG"));
	EXPECT_EQ(1, pmDebugOptions.fetch);
	EXPECT_EQ(1, pmDebugOptions.log);
	EXPECT_EQ(PM_ERR_CONV, pmSetDebug("pmns,nope"));
	EXPECT_EQ(0, pmDebugOptions.pmns);
	EXPECT_EQ(0, pmSetDebug("5"));
	EXPECT_EQ(1, pmDebugOptions.pdu + pmDebugOptions.profile - pmDebugOptions.fetch);
	EXPECT_EQ(0, pmSetDebug("all"));
	EXPECT_EQ(1, pmDebugOptions.tls);
	EXPECT_EQ(0, pmClearDebug("all"));
	EXPECT_EQ(0, pmDebugOptions.tls);
}

TEST_HARNESS_MAIN
