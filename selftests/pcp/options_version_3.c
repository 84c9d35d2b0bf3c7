// SPDX-License-Identifier: GPL-2.0-or-later
/* In PMAPI version 3, the times of options have nanoseconds, and are in other members. */
#define PMAPI_VERSION 3
#include "pcp_fixture.h"

static pmOptions options_of(int version)
{
	static pmLongOptions long_options[] = { PMOPT_ARCHIVE, PMAPI_OPTIONS_END };

	return (pmOptions){
		.version = version,
		.short_options = "a:A:O:S:T:t:",
		.long_options = long_options,
	};
}

static int64_t ns_of(struct timespec ts)
{
	return (ts.tv_sec - AF_START) * AF_SEC + ts.tv_nsec;
}

TEST_F(archive, times)
{
	char *argv[] = { "prog", "-a", self->base, "-S", "1.000000001sec", "-T", "20.5sec",
			 "-O", "2.000000003sec", "-t", "1.000000007sec", NULL };
	pmOptions opts = options_of(PMAPI_VERSION_3);

	ASSERT_EQ(pmGetOptions(11, argv, &opts), -1);
	EXPECT_EQ(opts.version, 3);
	EXPECT_EQ(opts.interval.tv_sec, 1);
	EXPECT_EQ(opts.interval.tv_nsec, 7);
	ASSERT_EQ(pmGetContextOptions(pmWhichContext(), &opts), 0);
	EXPECT_EQ(ns_of(opts.start), AF_SEC + 1);
	EXPECT_EQ(ns_of(opts.finish), 21 * AF_SEC + AF_SEC / 2 + 1);
	EXPECT_EQ(ns_of(opts.origin), 3 * AF_SEC + 4);
	for (int i = 0; i < 4; i++)
		EXPECT_EQ(opts.unused[i].tv_sec | opts.unused[i].tv_usec, 0);
	pmFreeOptions(&opts);
}

/* If a program does not set the version, version 2 is used. */
TEST_F(archive, version_unsaid)
{
	char *argv[] = { "prog", "-a", self->base, "-t", "1.5", NULL };
	pmOptions opts = options_of(0);

	ASSERT_EQ(pmGetOptions(5, argv, &opts), -1);
	EXPECT_EQ(opts.version, 2);
	EXPECT_EQ(opts.interval.tv_sec | opts.interval.tv_nsec, 0);
	EXPECT_EQ(opts.unused[3].tv_sec, 1);
	EXPECT_EQ(opts.unused[3].tv_usec, 500000);
	pmFreeOptions(&opts);
}

/* After an error in the options, no time window is computed. */
TEST_F(archive, errors)
{
	char *argv[] = { "prog", "-a", self->base, "-S", "1sec", "-t", "nonsense", NULL };
	pmOptions opts = options_of(PMAPI_VERSION_3);

	ASSERT_EQ(pmGetOptions(7, argv, &opts), -1);
	EXPECT_EQ(opts.errors, 1);
	EXPECT_EQ(pmGetContextOptions(pmWhichContext(), &opts), PM_ERR_GENERIC);
	EXPECT_EQ(opts.start.tv_sec, 0);
	pmFreeOptions(&opts);
}

TEST_HARNESS_MAIN
