// SPDX-License-Identifier: GPL-2.0-or-later
/* Control processes while handlers of signals interrupt each system call of the program. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/controlled.h"

#include "kselftest_harness.h"

#define TIMES	20

static void on_alarm(int sig)
{
	(void)sig;
}

/* Send SIGALRM at the shortest interval, or stop that. */
static void alarms(int on)
{
	const struct itimerval at = { .it_interval = { .tv_usec = on ? 50 : 0 }, .it_value = { .tv_usec = on } };
	const struct sigaction action = { .sa_handler = on_alarm };	/* without SA_RESTART */

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

static void on_fork(pctx_t *pctx, pid_t pid, id_t child, pid_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	(void)child;
	(void)lwpid;
	(void)arg;
}

static pid_t tracer_of(pid_t pid)
{
	char path[64], line[256];
	int tracer = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "TracerPid: %d", &tracer);
	if (file)
		fclose(file);
	return tracer;
}

FIXTURE(signals) {
};

FIXTURE_SETUP(signals)
{
	alarms(1);
}

FIXTURE_TEARDOWN(signals)
{
	alarms(0);
}

TEST_F(signals, processes_are_reaped)
{
	for (int i = 0; i < TIMES; i++) {
		struct heard heard = { 0 };
		pctx_t *pctx = start(&heard, "exit", "5");

		ASSERT_NE(NULL, pctx);
		EXPECT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
		EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
		EXPECT_STREQ("i1 f1 X1 ", heard.line);
		pctx_release(pctx);
		ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)) TH_LOG("in round %d, a process was not reaped", i);
	}
}

TEST_F(signals, programs_that_do_not_exist_are_reaped)
{
	for (int i = 0; i < TIMES; i++) {
		char *const argv[] = { "/nothing", NULL };

		EXPECT_EQ(NULL, pctx_create("/nothing", argv, NULL, 0, complain));
		ASSERT_EQ(-1, waitpid(-1, NULL, WNOHANG)) TH_LOG("in round %d, a process was not reaped", i);
	}
}

/* A child that is not continued never ends, and its parent waits for it. */
TEST_F(signals, forked_processes_go_on)
{
	for (int i = 0; i < TIMES / 4; i++) {
		struct heard heard = { 0 };
		pctx_t *pctx = start(&heard, "fork", "3");

		ASSERT_NE(NULL, pctx);
		EXPECT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_SYSC_FORK_EVENT, on_fork, PCTX_NULL_EVENT));
		EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
		EXPECT_EQ(6, WEXITSTATUS(heard.status));
		pctx_release(pctx);
	}
}

TEST_F(signals, stopped_processes_are_released)
{
	for (int i = 0; i < TIMES; i++) {
		struct heard heard = { 0 };
		pid_t pid = run_apart("sleep", "20000");
		pctx_t *pctx;

		ASSERT_LT(0, pid);
		pctx = pctx_capture(pid, &heard, 0, complain);
		ASSERT_NE(NULL, pctx);
		kill(pid, SIGSTOP);
		EXPECT_EQ(0, pctx_run(pctx, 1, 2, on_tick));
		pctx_release(pctx);
		EXPECT_EQ(0, tracer_of(pid));
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
}

TEST_HARNESS_MAIN
