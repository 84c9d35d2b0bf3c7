// SPDX-License-Identifier: GPL-2.0-or-later
/* In a program of PMAPI version 4, as in PCP 7, all times have nanoseconds. */
#define PMAPI_VERSION 4
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <kselftest_harness.h>

#include <pcp/import.h>

#define T0	1700000000
#define STEP	250000003	/* ns between two records */

FIXTURE(archive) {
	char dir[64];
	char base[80];
	pmID pmid;
	int handle;
};

FIXTURE_SETUP(archive)
{
	char value[20];

	strcpy(self->dir, "/tmp/version_4.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->base, "%s/a", self->dir);
	self->pmid = pmiID(60, 0, 1);
	ASSERT_GT(pmiStart(self->base, 0), 0);
	ASSERT_EQ(0, pmiSetVersion(3));
	ASSERT_EQ(0, pmiSetHostname("h4"));
	ASSERT_EQ(0, pmiSetTimezone("UTC"));
	ASSERT_EQ(0, pmiAddMetric("v.n", self->pmid, PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT,
				  pmiUnits(0, 0, 1, 0, 0, 0)));
	for (int i = 0; i < 4; i++) {
		sprintf(value, "%d", i * 10);
		ASSERT_EQ(0, pmiPutValue("v.n", "", value));
		/* In version 4, the second argument is in nanoseconds. */
		ASSERT_EQ(0, pmiWrite(T0, (unsigned int)i * STEP));
	}
	ASSERT_EQ(0, pmiEnd());
	self->handle = pmNewContext(PM_CONTEXT_ARCHIVE, self->base);
	ASSERT_GE(self->handle, 0);
	ASSERT_EQ(0, setenv("TZ", "UTC", 1));
}

FIXTURE_TEARDOWN(archive)
{
	char command[128];

	pmDestroyContext(self->handle);
	sprintf(command, "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(command));
}

TEST_F(archive, label_and_end)
{
	struct timespec end;
	pmLogLabel label;

	ASSERT_EQ(0, pmGetArchiveLabel(&label));
	EXPECT_EQ(PM_LOG_MAGIC | PM_LOG_VERS03, label.magic);
	EXPECT_EQ(T0, label.start.tv_sec);
	EXPECT_EQ(0, label.start.tv_nsec);
	EXPECT_STREQ("h4", label.hostname);
	EXPECT_STREQ("UTC", label.timezone);
	ASSERT_EQ(0, pmGetArchiveEnd(&end));
	EXPECT_EQ(T0, end.tv_sec);
	EXPECT_EQ(3 * STEP, end.tv_nsec);
}

TEST_F(archive, records)
{
	struct timespec from = { T0, 0 };
	pmResult *r;

	ASSERT_EQ(0, pmSetMode(PM_MODE_FORW, &from, NULL));
	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pmFetch(1, &self->pmid, &r));
		EXPECT_EQ(T0, r->timestamp.tv_sec);
		EXPECT_EQ(i * STEP, r->timestamp.tv_nsec);
		EXPECT_EQ(i * 10, r->vset[0]->vlist[0].value.lval);
		pmSortInstances(r);
		pmFreeResult(r);
	}
	EXPECT_EQ(PM_ERR_EOL, pmFetch(1, &self->pmid, &r));
	ASSERT_EQ(0, pmSetMode(PM_MODE_BACK, NULL, NULL));
	ASSERT_EQ(0, pmFetchArchive(&r));
	EXPECT_EQ(3 * STEP, r->timestamp.tv_nsec);
	pmFreeResult(r);
}

TEST_F(archive, interpolation)
{
	struct timespec from = { T0, 1 }, delta = { 0, STEP };
	pmResult *r;

	ASSERT_EQ(0, pmSetMode(PM_MODE_INTERP, &from, &delta));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(0, pmFetch(1, &self->pmid, &r));
		EXPECT_EQ(1 + i * STEP, r->timestamp.tv_nsec);
		ASSERT_EQ(1, r->vset[0]->numval);
		pmFreeResult(r);
	}
	EXPECT_EQ(PM_ERR_MODE, pmSetMode(99, &from, &delta));
}

TEST_F(archive, version_2_names)
{
	struct timeval from = { T0, 0 }, end;
	pmLogLabel_v2 label;
	pmResult_v2 *r;

	ASSERT_EQ(0, pmSetMode_v2(PM_MODE_FORW, &from, 0));
	ASSERT_EQ(0, pmFetch_v2(1, &self->pmid, &r));
	pmFreeResult_v2(r);
	ASSERT_EQ(0, pmFetch_v2(1, &self->pmid, &r));
	EXPECT_EQ(STEP / 1000, r->timestamp.tv_usec);
	pmSortInstances_v2(r);
	pmFreeResult_v2(r);
	ASSERT_EQ(0, pmFetchArchive_v2(&r));
	EXPECT_EQ(2 * STEP / 1000, r->timestamp.tv_usec);
	pmFreeResult_v2(r);
	ASSERT_EQ(0, pmGetArchiveLabel_v2(&label));
	EXPECT_EQ(T0, label.ll_start.tv_sec);
	EXPECT_STREQ("h4", label.ll_hostname);
	ASSERT_EQ(0, pmGetArchiveEnd_v2(&end));
	EXPECT_EQ(3 * STEP / 1000, end.tv_usec);
}

/* The HighRes names of version 2 are aliases of the same functions. */
TEST_F(archive, highres_names)
{
	struct timespec from = { T0, 0 };
	pmHighResResult *r;

	ASSERT_EQ(0, pmSetModeHighRes(PM_MODE_FORW, &from, NULL));
	ASSERT_EQ(0, pmFetchHighRes(1, &self->pmid, &r));
	pmFreeResult(r);
	ASSERT_EQ(0, pmFetchHighResArchive(&r));
	EXPECT_EQ(STEP, r->timestamp.tv_nsec);
	pmFreeResult(r);
}

TEST_F(archive, last_volume)
{
	int handle = pmNewContext(PM_CONTEXT_ARCHIVE | PM_CTXFLAG_LAST_VOLUME, self->base);
	pmResult *r;

	ASSERT_GE(handle, 0);
	ASSERT_EQ(0, pmFetch(1, &self->pmid, &r));
	EXPECT_EQ(0, r->timestamp.tv_nsec);
	pmFreeResult(r);
	pmDestroyContext(handle);
}

static int last_option;

static int take_x(int option, pmOptions *opts)
{
	last_option = option;
	(void)opts;
	return option == 'x';
}

TEST_F(archive, options)
{
	char *argv[] = { "prog", "-a", self->base, "-S", "0.000000001sec", "-T", "0.5sec",
			 "-O", "0.000000003sec", "-t", "1.000000007sec", "-x", NULL };
	pmLongOptions long_options[] = { PMOPT_ARCHIVE, PMAPI_OPTIONS_END };
	/* If the program does not set the version, the header's version is used, as in PCP 7. */
	struct {
		pmOptions opts;
		char behind[64];
	} o = {
		.opts = {
			.short_options = "a:A:O:S:T:t:x",
			.long_options = long_options,
			.override = take_x,
		},
	};

	ASSERT_EQ('x', pmGetOptions(12, argv, &o.opts));
	EXPECT_EQ('x', last_option);
	ASSERT_EQ(-1, pmGetOptions(12, argv, &o.opts));
	EXPECT_EQ(1, o.opts.interval.tv_sec);
	EXPECT_EQ(7, o.opts.interval.tv_nsec);
	ASSERT_EQ(0, pmGetContextOptions(self->handle, &o.opts));
	EXPECT_EQ(T0, o.opts.start.tv_sec);
	EXPECT_EQ(1, o.opts.start.tv_nsec);
	EXPECT_EQ(500000001, o.opts.finish.tv_nsec);
	EXPECT_EQ(4, o.opts.origin.tv_nsec);
	for (size_t i = 0; i < sizeof(o.behind); i++)
		EXPECT_EQ(0, o.behind[i]);
	pmFreeOptions(&o.opts);
}

TEST_F(archive, options_of_version_2)
{
	char *argv[] = { "prog", "-a", self->base, "-t", "1.000007sec", NULL };
	pmLongOptions long_options[] = { PMOPT_ARCHIVE, PMAPI_OPTIONS_END };
	pmOptions_v2 opts = {
		.flags = PM_OPTFLAG_BOUNDARIES,
		.short_options = "a:t:",
		.long_options = long_options,
	};

	ASSERT_EQ(-1, pmGetOptions_v2(5, argv, &opts));
	EXPECT_EQ(1, opts.interval.tv_sec);
	EXPECT_EQ(7, opts.interval.tv_usec);
	ASSERT_EQ(0, pmGetContextOptions_v2(self->handle, &opts));
	EXPECT_EQ(3 * STEP / 1000, opts.finish.tv_usec);
	pmFreeOptions_v2(&opts);
}

TEST_F(archive, fetch_group)
{
	struct timespec ts;
	struct timeval tv;
	pmAtomValue v;
	pmFG fg;

	ASSERT_EQ(0, pmCreateFetchGroup(&fg, PM_CONTEXT_ARCHIVE, self->base));
	ASSERT_EQ(0, pmExtendFetchGroup_timespec(fg, &ts));
	ASSERT_EQ(0, pmExtendFetchGroup_timeval(fg, &tv));
	ASSERT_EQ(0, pmExtendFetchGroup_item(fg, "v.n", NULL, NULL, &v, PM_TYPE_32, NULL));
	ASSERT_EQ(0, pmFetchGroup(fg));
	ASSERT_EQ(0, pmFetchGroup(fg));
	EXPECT_EQ(STEP, ts.tv_nsec);
	EXPECT_EQ(STEP / 1000, tv.tv_usec);
	EXPECT_EQ(10, v.l);
	EXPECT_EQ(0, pmDestroyFetchGroup(fg));
}

TEST_F(archive, whole_results_into_an_archive)
{
	char copy[100];
	pmResult *r;

	sprintf(copy, "%s/copy", self->dir);
	ASSERT_EQ(0, pmFetch(1, &self->pmid, &r));
	ASSERT_GT(pmiStart(copy, 0), 0);
	ASSERT_EQ(0, pmiSetVersion(3));
	ASSERT_EQ(0, pmiAddMetric("v.n", self->pmid, PM_TYPE_32, PM_INDOM_NULL, PM_SEM_INSTANT,
				  pmiUnits(0, 0, 1, 0, 0, 0)));
	r->timestamp.tv_nsec = 123456789;
	EXPECT_EQ(0, pmiPutResult(r));
	EXPECT_EQ(0, pmiEnd());
	pmFreeResult(r);
	pmDestroyContext(self->handle);
	self->handle = pmNewContext(PM_CONTEXT_ARCHIVE, copy);
	ASSERT_GE(self->handle, 0);
	ASSERT_EQ(0, pmFetch(1, &self->pmid, &r));
	EXPECT_EQ(123456789, r->timestamp.tv_nsec);
	pmFreeResult(r);
}

TEST(intervals_and_windows)
{
	struct timespec log_start = { T0, 5 }, log_end = { T0 + 100, 0 }, start, end, offset, ts;
	struct timeval tv;
	char *error;

	ASSERT_EQ(0, pmParseInterval("1.25sec", &ts, &error));
	EXPECT_EQ(1, ts.tv_sec);
	EXPECT_EQ(250000000, ts.tv_nsec);
	ASSERT_EQ(0, pmParseInterval_v2("1.25sec", &tv, &error));
	EXPECT_EQ(250000, tv.tv_usec);
	ASSERT_EQ(1, pmParseTimeWindow("1sec", NULL, NULL, NULL, &log_start, &log_end, &start,
				       &end, &offset, &error));
	EXPECT_EQ(T0 + 1, start.tv_sec);
	EXPECT_EQ(5, start.tv_nsec);
	EXPECT_EQ(T0 + 100, end.tv_sec);
}

/* Return the output of a function, in a buffer that is valid until the next call. */
static const char *printed(void (*print)(FILE *f, const struct timespec *ts), struct timespec ts)
{
	static char text[100];
	FILE *f = fmemopen(text, sizeof(text), "w");

	print(f, &ts);
	fclose(f);
	return text;
}

TEST(both_times)
{
	struct timeval tv = { 5, 999999 };
	struct timespec ts;

	pmtimevalTotimespec(&tv, &ts);
	EXPECT_EQ(5, ts.tv_sec);
	EXPECT_EQ(999999000, ts.tv_nsec);
	ts.tv_nsec = 1999;
	pmtimespecTotimeval(&ts, &tv);
	EXPECT_EQ(1, tv.tv_usec);
	setenv("TZ", "UTC", 1);
	EXPECT_STREQ("01:46:40.123456789",
		     printed(pmtimespecPrint, (struct timespec){ 1000000000, 123456789 }));
}

TEST(print_interval)
{
	static const struct {
		struct timespec ts;
		const char *text;
	} rows[] = {
		{ { 0, 0 }, "0s" }, { { 59, 500000000 }, "59.5s" }, { { 60, 0 }, "60s" },
		{ { 61, 1 }, "1m1.000000001s" }, { { 75, 51000000 }, "1m15.051s" },
		{ { 3600, 0 }, "60m0s" }, { { 3605, 0 }, "1h5s" },
		{ { 7325, 1500000 }, "2h2m5.0015s" }, { { 86400, 0 }, "24h0s" },
		{ { 4000000000, 7 }, "1111111h6m40.000000007s" },
		/* 7.2.2 prints no sign, and does not carry. */
		{ { -1, 0 }, "-1s" }, { { -1, 500000000 }, "-0.5s" }, { { 1, 1000000000 }, "2s" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		EXPECT_STREQ(rows[i].text, printed(pmtimespecPrintInterval, rows[i].ts));
}

TEST(debug)
{
	char *list;

	ASSERT_EQ(0, pmSetDebug("appl3,pdu,misc"));
	EXPECT_EQ(1, pmDebugOptions.misc);
	EXPECT_EQ(0, pmDebugOptions.getopt);
	EXPECT_EQ(1, pmDebugOptions.pdu);
	EXPECT_EQ(1, pmDebug("fetch,pdu"));
	EXPECT_EQ(0, pmDebug("fetch"));
	EXPECT_EQ(PM_ERR_CONV, pmDebug("nosuch"));
	list = pmGetDebug();
	EXPECT_STREQ("pdu,appl3,misc", list);
	free(list);
	ASSERT_EQ(0, pmSetDebug("all"));
	list = pmGetDebug();
	EXPECT_STREQ("all", list);
	free(list);
	ASSERT_EQ(0, pmClearDebug("all"));
	list = pmGetDebug();
	EXPECT_STREQ("", list);
	free(list);
	pmDebugOptions.qed = 1;
	EXPECT_EQ(1, pmDebug("qed"));
	pmDebugOptions.qed = 0;
}

TEST(error)
{
	EXPECT_EQ(-12415, PM_ERR_ARG);
	EXPECT_STREQ("Bad value for function argument", pmErrStr(PM_ERR_ARG));
}

TEST_HARNESS_MAIN
