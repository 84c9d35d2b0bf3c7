// SPDX-License-Identifier: GPL-2.0-or-later
/* pmtracestate() returns the previous flags, and does not change the protocol once it is fixed. */
#include "trace_test.h"

TEST(gives_back_the_flags_before)
{
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_COMMS));
	EXPECT_EQ(PMTRACE_STATE_COMMS, pmtracestate(0x4000));
	EXPECT_EQ(0x4000, pmtracestate(PMTRACE_STATE_NONE));
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_NONE));
}

TEST(async_before_the_first_connection)
{
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_ASYNC));
	EXPECT_EQ(PMTRACE_STATE_ASYNC, pmtracestate(PMTRACE_STATE_ASYNC));
	EXPECT_EQ(PMTRACE_STATE_ASYNC, pmtracestate(PMTRACE_STATE_NONE));
}

TEST(sync_is_settled_by_connecting)
{
	NEEDS_MODULE();
	ASSERT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(-EINVAL, pmtracestate(PMTRACE_STATE_ASYNC));
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_NONE));
}

TEST(async_is_settled_by_connecting)
{
	NEEDS_MODULE();
	ASSERT_EQ(0, pmtracestate(PMTRACE_STATE_ASYNC));
	ASSERT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(PMTRACE_STATE_ASYNC, pmtracestate(PMTRACE_STATE_NONE));
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_ASYNC));
}

/* Return what a child writes to standard error with these flags. */
static ssize_t diagnostics(int flags, char *text, size_t size)
{
	int pipefd[2];
	ssize_t len;

	if (pipe(pipefd))
		return -1;
	if (!fork()) {
		dup2(pipefd[1], STDERR_FILENO);
		pmtracestate(flags | PMTRACE_STATE_NOAGENT);
		pmtracepoint("somewhere");
		pmtracepoint(NULL);
		_exit(0);
	}
	close(pipefd[1]);
	len = read(pipefd[0], text, size - 1);
	close(pipefd[0]);
	wait(NULL);
	text[len > 0 ? len : 0] = '\0';
	return len;
}

TEST(api_says_each_call)
{
	char text[256];

	ASSERT_GT(diagnostics(PMTRACE_STATE_API, text, sizeof(text)), 0);
	EXPECT_NE(NULL, strstr(text, "somewhere"));
	EXPECT_EQ(strchr(text, '\n'), strrchr(text, '\n'));
	EXPECT_EQ(0, diagnostics(PMTRACE_STATE_NONE, text, sizeof(text)));
}

TEST_HARNESS_MAIN
