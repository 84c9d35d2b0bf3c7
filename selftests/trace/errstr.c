// SPDX-License-Identifier: GPL-2.0-or-later
/* Each code has a text of its own. */
#include "trace_test.h"

TEST(each_code_has_its_text)
{
	const char *unknown = pmtraceerrstr(PMTRACE_ERR_CONNLIMIT - 1);

	ASSERT_NE(NULL, unknown);
	for (int a = PMTRACE_ERR_CONNLIMIT; a <= PMTRACE_ERR_TAGNAME; a++) {
		ASSERT_NE(NULL, pmtraceerrstr(a));
		EXPECT_STRNE("", pmtraceerrstr(a));
		EXPECT_STRNE(unknown, pmtraceerrstr(a));
		for (int b = PMTRACE_ERR_CONNLIMIT; b < a; b++)
			EXPECT_STRNE(pmtraceerrstr(a), pmtraceerrstr(b));
	}
}

TEST(system_errors)
{
	EXPECT_STREQ(strerror(ENODEV), pmtraceerrstr(-ENODEV));
	EXPECT_STREQ(strerror(EPERM), pmtraceerrstr(-1));
	EXPECT_STRNE("", pmtraceerrstr(-PMTRACE_ERR_BASE + 1));
}

TEST(anything_else)
{
	const char *unknown = pmtraceerrstr(1);

	ASSERT_NE(NULL, unknown);
	EXPECT_STREQ(unknown, pmtraceerrstr(12000));
	EXPECT_STREQ(unknown, pmtraceerrstr(INT32_MAX));
	EXPECT_STREQ(unknown, pmtraceerrstr(INT32_MIN));
	EXPECT_STRNE(unknown, pmtraceerrstr(0));
}

TEST_HARNESS_MAIN
