// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without the module, a begin call that requires it returns an error, and begins no transaction.
 */
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

/* Return the number of connection attempts with this list in 1.4 s, or longer on a busy machine. */
static int count_connects(const char *list)
{
	int pipefd[2], n = 0;
	char byte;

	if (pipe(pipefd))
		return -1;
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

struct plan {
	const char *list;
	int first, then;	/* seconds between the first two attempts, and between the others */
};

/* Return 0 if the number of attempts matches the plan for the elapsed time. */
static int is_as_planned(void *arg)
{
	const struct plan *plan = arg;
	struct timespec begun, ended;
	int n, took;

	clock_gettime(CLOCK_MONOTONIC, &begun);
	n = count_connects(plan->list);
	clock_gettime(CLOCK_MONOTONIC, &ended);
	took = ended.tv_sec - begun.tv_sec - (ended.tv_nsec < begun.tv_nsec);
	if (n < 1 + (plan->first == 1))
		return 100 + n;
	return took < plan->first ? n > 1 : n > 2 + (took - plan->first) / plan->then;
}

TEST(tries_now_and_then)
{
	static struct plan plans[] = {
		{ "1", 1, 1 }, { "1,9", 1, 9 }, { "nonsense", 5, 5 }, { "-1", 5, 5 },
	};

	NEEDS_NO_MODULE();
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
		EXPECT_EQ(0, in_child(is_as_planned, &plans[i])) {
			TH_LOG("%s", plans[i].list);
		}
	}
}

/* By default, the library looks for an agent if the module is not loaded. */
TEST(other_way)
{
	NEEDS_NO_MODULE();
	unsetenv("SHIM_TRACE");
	setenv("PCP_TRACE_HOST", "no such host", 1);
	EXPECT_EQ(-EHOSTUNREACH, pmtracepoint("p"));
}

TEST_HARNESS_MAIN
