// SPDX-License-Identifier: GPL-2.0-or-later
/* Without the module a begin by way of it says so, and nothing has begun. */
#include <time.h>

#include "trace_test.h"

#define NEEDS_NO_MODULE() do {						\
	if (!access(DEVICE, F_OK))						\
		SKIP(return, "the vcpc module is loaded");			\
	setenv("SHIM_TRACE", "kernel", 1);					\
} while (0)

TEST(begin)
{
	NEEDS_NO_MODULE();
	EXPECT_EQ(-ENODEV, pmtracebegin("t"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("t"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceabort("t"));
	EXPECT_EQ(-ENODEV, pmtracebegin("t"));
}

TEST(values)
{
	NEEDS_NO_MODULE();
	EXPECT_EQ(-ENODEV, pmtracepoint("p"));
	EXPECT_EQ(-ENODEV, pmtraceobs("o", 1));
	EXPECT_EQ(-ENODEV, pmtracecounter("c", 1));
}

TEST(async)
{
	NEEDS_NO_MODULE();
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_ASYNC));
	EXPECT_EQ(-ENODEV, pmtracebegin("t"));
	EXPECT_EQ(PMTRACE_ERR_NOSUCHTAG, pmtraceend("t"));
}

TEST(silence_helps)
{
	NEEDS_NO_MODULE();
	EXPECT_EQ(-ENODEV, pmtracebegin("t"));
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_NOAGENT));
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtracestate(PMTRACE_STATE_NONE) & ~PMTRACE_STATE_NOAGENT);
	EXPECT_EQ(-ENODEV, pmtracebegin("t"));
}

static int count_connects(void *list)
{
	int pipefd[2], n = 0;
	char byte;

	if (pipe(pipefd))
		return 100;
	setenv("PCP_TRACE_RECONNECT", list, 1);
	if (!fork()) {
		dup2(pipefd[1], STDERR_FILENO);
		pmtracestate(PMTRACE_STATE_COMMS);
		for (int i = 0; i < 14; i++) {
			pmtracebegin("t");
			pmtracepoint("p");
			usleep(100000);
		}
		_exit(0);
	}
	close(pipefd[1]);
	while (read(pipefd[0], &byte, 1) == 1)
		n += byte == '\n';
	wait(NULL);
	return n;
}

TEST(tries_now_and_then)
{
	NEEDS_NO_MODULE();
	EXPECT_EQ(2, in_child(count_connects, "1"));
	EXPECT_EQ(2, in_child(count_connects, "1,9"));
	EXPECT_EQ(1, in_child(count_connects, "nonsense"));
	EXPECT_EQ(1, in_child(count_connects, "-1"));
}

/* By itself, the library looks for an agent then. */
TEST(other_way)
{
	NEEDS_NO_MODULE();
	unsetenv("SHIM_TRACE");
	setenv("PCP_TRACE_HOST", "no such host", 1);
	EXPECT_EQ(-EHOSTUNREACH, pmtracepoint("p"));
}

TEST_HARNESS_MAIN
