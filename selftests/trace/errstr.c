// SPDX-License-Identifier: GPL-2.0-or-later
/* Each code has its own text. */
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

/* The texts must be the same as PCP's, because programs compare them. */
static const struct {
	int code;
	const char *text;
} texts[] = {
	{ 0, "No error." },
	{ PMTRACE_ERR_TAGNAME, "Invalid tag name - tag names cannot be NULL" },
	{ PMTRACE_ERR_INPROGRESS, "Transaction is already in progress - cannot begin" },
	{ PMTRACE_ERR_NOPROGRESS, "Transaction is not currently in progress - cannot end" },
	{ PMTRACE_ERR_NOSUCHTAG, "Transaction tag was not successfully initialised" },
	{ PMTRACE_ERR_TAGTYPE, "Tag is already in use for a different type of tracing" },
	{ PMTRACE_ERR_TAGLENGTH, "Tag name is too long (maximum 256 characters)" },
	{ PMTRACE_ERR_IPC, "IPC protocol failure" },
	{ PMTRACE_ERR_ENVFORMAT, "Unrecognised environment variable format" },
	{ PMTRACE_ERR_TIMEOUT, "Application timed out connecting to the PMDA" },
	{ PMTRACE_ERR_VERSION, "Incompatible versions between application and PMDA" },
	{ PMTRACE_ERR_PERMISSION, "Cannot connect to PMDA - permission denied" },
	{ PMTRACE_ERR_CONNLIMIT, "Cannot connect to PMDA - connection limit reached" },
	{ 1, "Unknown error code." },
};

TEST(each_text_is_the_originals)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		EXPECT_STREQ(texts[i].text, pmtraceerrstr(texts[i].code));
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
