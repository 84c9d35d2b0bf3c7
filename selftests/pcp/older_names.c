// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * <pcp/pmapi.h> declares what older programs expect: deprecated names, and names of the platform.
 */
#include <kselftest_harness.h>
#include <pcp/deprecated.h>

TEST(program)
{
	EXPECT_STREQ("pcp", pmProgname);
	EXPECT_EQ(0, __pmSetProgname("/usr/bin/some"));
	EXPECT_STREQ("some", pmProgname);
	EXPECT_STREQ("some", pmGetProgname());
	pmProgname = "other/name";
	EXPECT_STREQ("other/name", pmGetProgname());
	pmSetProgname(NULL);
	EXPECT_STREQ("pcp", pmProgname);
}

TEST(debugging)
{
	EXPECT_EQ(0, pmDebug);
	EXPECT_EQ(0, pmSetDebug("appl0,tls"));
	EXPECT_EQ(DBG_TRACE_APPL0, pmDebug);
	EXPECT_EQ(DBG_TRACE_APPL1 | DBG_TRACE_PMNS, __pmParseDebug("appl1,pmns"));
	EXPECT_EQ(DBG_TRACE_PDU | DBG_TRACE_FETCH, __pmParseDebug("3"));
	EXPECT_EQ(0, __pmParseDebug(""));
	EXPECT_EQ(PM_ERR_CONV, __pmParseDebug("log,nosuch"));
	EXPECT_EQ(DBG_TRACE_APPL0 | DBG_TRACE_APPL1 | DBG_TRACE_PMNS | 3, pmDebug);
	EXPECT_EQ(1, pmDebugOptions.fetch);
	__pmSetDebugBits(DBG_TRACE_DESPERATE | DBG_TRACE_HTTP);
	EXPECT_EQ(2, pmDebugOptions.desperate + pmDebugOptions.http);
	EXPECT_NE(0, pmDebug & DBG_TRACE_DESPERATE);
	EXPECT_EQ(0, pmClearDebug("appl0,appl1,pdu,fetch,pmns,desperate"));
	EXPECT_EQ(DBG_TRACE_HTTP, pmDebug);
	EXPECT_EQ(0, pmClearDebug("all"));
	EXPECT_EQ(0, pmDebug);
	EXPECT_EQ(INT_MAX, __pmParseDebug("all"));
}

TEST(platform)
{
	char buf[PM_MAXERRMSGLEN], path[MAXNAMELEN];

	setoserror(ENOENT);
	EXPECT_EQ(ENOENT, oserror());
	EXPECT_STREQ(strerror(ENOENT), osstrerror());
	EXPECT_STREQ(pmErrStr(-ENOENT), osstrerror_r(buf, sizeof(buf)));
	EXPECT_STREQ(buf, netstrerror_r(buf, sizeof(buf)));
	snprintf(path, sizeof(path), "/no/such/%" FMT_PID, getpid());
	EXPECT_EQ(-1, mkdir2(path, 0755));
	EXPECT_EQ(-1, rename2(path, path));
	EXPECT_EQ(INT64_MAX, strtoint64("9223372036854775807", NULL, 10));
	EXPECT_EQ(UINT64_MAX, strtouint64("18446744073709551615", NULL, 10));
}

TEST_HARNESS_MAIN
