// SPDX-License-Identifier: GPL-2.0-or-later
/* PMTRACE_STATE_NOAGENT and PCP_TRACE_NOAGENT do not affect the module. */
#include "trace_test.h"

static int use_all(void)
{
	int err = pmtracebegin("t");

	err = err ? err : pmtraceend("t");
	err = err ? err : pmtracebegin("t");
	err = err ? err : pmtraceabort("t");
	err = err ? err : pmtracepoint("p");
	err = err ? err : pmtraceobs("o", -7e300);
	return err ? err : pmtracecounter("c", 1);
}

TEST(flag)
{
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_NOAGENT));
	EXPECT_EQ(0, use_all());
	EXPECT_EQ(0, open_devices(NULL));
}

TEST(flag_with_async)
{
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_NOAGENT | PMTRACE_STATE_ASYNC));
	EXPECT_EQ(0, use_all());
	EXPECT_EQ(0, use_all());
}

TEST(environment)
{
	ASSERT_EQ(0, setenv("PCP_TRACE_NOAGENT", "", 1));
	EXPECT_EQ(0, use_all());
	EXPECT_EQ(0, open_devices(NULL));
	EXPECT_EQ(PMTRACE_STATE_NOAGENT, pmtracestate(PMTRACE_STATE_NONE));
}

TEST(writes_nothing)
{
	int pipefd[2];
	char byte;

	ASSERT_EQ(0, pipe(pipefd));
	if (!fork()) {
		dup2(pipefd[1], STDERR_FILENO);
		dup2(pipefd[1], STDOUT_FILENO);
		pmtracestate(PMTRACE_STATE_NOAGENT);
		use_all();
		_exit(0);
	}
	close(pipefd[1]);
	EXPECT_EQ(0, read(pipefd[0], &byte, 1));
	wait(NULL);
}

TEST_HARNESS_MAIN
