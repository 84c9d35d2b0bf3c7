// SPDX-License-Identifier: GPL-2.0-or-later
/* Check which handlers libpctx calls for a process that it created, and in which order. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "shared/controlled.h"

#include "kselftest_harness.h"

TEST(life_of_a_process)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "exit", "5");

	ASSERT_NE(NULL, pctx);
	EXPECT_STREQ("", heard.line);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 f1 X1 ", heard.line);
	EXPECT_TRUE(WIFEXITED(heard.status));
	EXPECT_EQ(5, WEXITSTATUS(heard.status));
	pctx_release(pctx);
	EXPECT_EQ(-1, waitpid(-1, NULL, 0));
}

TEST(without_handlers)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "threads", "3");

	ASSERT_NE(NULL, pctx);
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	pctx_release(pctx);
	EXPECT_EQ(-1, waitpid(-1, NULL, 0));
}

TEST(threads)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "threads", "3");

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 i2 c2 f2 e2 i3 c3 f3 e3 i4 c4 f4 e4 f1 X1 ", heard.line);
	EXPECT_EQ(7, WEXITSTATUS(heard.status));
	pctx_release(pctx);
}

TEST(process_ends_before_its_threads)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "abandon", "2");

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 i2 c2 i3 c3 f1 f2 f3 X1 ", heard.line);
	EXPECT_EQ(8, WEXITSTATUS(heard.status));
	pctx_release(pctx);
	EXPECT_EQ(-1, waitpid(-1, NULL, 0));
}

TEST(killed)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "kill", "9");

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 f1 X1 ", heard.line);
	EXPECT_TRUE(WIFSIGNALED(heard.status));
	EXPECT_EQ(SIGKILL, WTERMSIG(heard.status));
	pctx_release(pctx);
}

/* The process receives a nonfatal signal and continues. */
TEST(signals_are_delivered)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "kill", "28");	/* SIGWINCH */

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_TRUE(WIFEXITED(heard.status));
	pctx_release(pctx);
	pctx = start(&heard, "kill", "15");
	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_EQ(SIGTERM, WTERMSIG(heard.status));
	pctx_release(pctx);
}

/*
 * Run a program until its end.  If @ms is not 0, call on_tick() each @ms milliseconds.  With @exec,
 * continue when it executes another program.
 */
static void run_whole(struct __test_metadata *_metadata, struct heard *heard, const char *what,
		      const char *n, int ms, bool exec)
{
	pctx_t *pctx = start(heard, what, n);

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, exec ? PCTX_SYSC_EXEC_EVENT : PCTX_NULL_EVENT,
				     on_exec, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, ms, 0, ms ? on_tick : NULL));
	pctx_release(pctx);
}

TEST(exec_ends_the_run)
{
	struct heard heard = { 0 };

	run_whole(_metadata, &heard, "exec", "3", 0, false);
	EXPECT_STREQ("i1 f1 ", heard.line);
}

TEST(exec_is_followed)
{
	struct heard heard = { 0 };

	run_whole(_metadata, &heard, "exec", "3", 0, true);
	EXPECT_STREQ("i1 f1 [/proc/self/exe exit 3] i1 f1 X1 ", heard.line);
	EXPECT_EQ(3, WEXITSTATUS(heard.status));
}

TEST(exec_by_another_thread)
{
	struct heard heard = { 0 };

	run_whole(_metadata, &heard, "texec", NULL, 0, true);
	EXPECT_STREQ("i1 i2 c2 f1 e1 f2 [/proc/self/exe exit 9] i1 f1 X1 ", heard.line);
	EXPECT_EQ(9, WEXITSTATUS(heard.status));
}

/* If the main thread ends before another one, that one is still controlled. */
TEST(first_thread_ends_before_another)
{
	struct heard heard = { 0 };

	run_whole(_metadata, &heard, "outlived", "300", 20, false);
	EXPECT_STREQ("i1 i2 c2 f1 e1 f2 X2 ", heard.line);
	EXPECT_LT(2, heard.ticks);
	EXPECT_TRUE(WIFEXITED(heard.status));
	EXPECT_EQ(6, WEXITSTATUS(heard.status));
	EXPECT_EQ(-1, waitpid(-1, NULL, 0));
}

TEST(first_thread_ends_before_the_kill)
{
	struct heard heard = { 0 };

	run_whole(_metadata, &heard, "okill", "50", 10, false);
	EXPECT_STREQ("i1 i2 c2 f1 e1 f2 X2 ", heard.line);
	EXPECT_TRUE(WIFSIGNALED(heard.status));
	EXPECT_EQ(SIGKILL, WTERMSIG(heard.status));
	EXPECT_EQ(-1, waitpid(-1, NULL, 0));
}

TEST(first_thread_ends_before_the_exec)
{
	struct heard heard = { 0 };

	run_whole(_metadata, &heard, "oexec", "50", 10, true);
	EXPECT_STREQ("i1 i2 c2 f1 e1 f2 [/proc/self/exe exit 9] i1 f1 X1 ", heard.line);
	EXPECT_EQ(9, WEXITSTATUS(heard.status));
}

TEST(released_after_the_first_thread_has_ended)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "outlived", "100");
	int status;

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 20, 2, on_tick));
	pctx_release(pctx);
	ASSERT_LT(0, waitpid(-1, &status, 0));
	EXPECT_EQ(6, WEXITSTATUS(status));
}

static void on_fork(pctx_t *pctx, pid_t pid, id_t child, pid_t lwpid, void *arg)
{
	struct heard *heard = arg;
	struct heard mine = { 0 };
	char byte;

	(void)pid;
	(void)lwpid;
	(void)child;
	heard->line[0] = '\0';
	heard->status = 0;
	pctx_run(pctx, 0, 0, NULL);
	mine.status = heard->status;
	byte = WEXITSTATUS(mine.status);
	if (strcmp(heard->line, "i1 f1 X1 "))
		byte = 99;
	if (write(heard->out, &byte, 1) != 1)
		_exit(1);
}

TEST(fork_is_followed)
{
	struct heard heard = { 0 };
	int fds[2], seen = 0, status;
	char byte;
	pctx_t *pctx;

	ASSERT_EQ(0, pipe(fds));
	heard.out = fds[1];
	pctx = start(&heard, "fork", "3");
	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_SYSC_FORK_EVENT, on_fork,
				     PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_EQ(6, WEXITSTATUS(heard.status));
	for (int i = 0; i < 3; i++) {
		ASSERT_EQ(1, read(fds[0], &byte, 1));
		seen |= 1 << byte;
	}
	EXPECT_EQ(1 << 1 | 1 << 2 | 1 << 3, seen);
	pctx_release(pctx);
	for (int i = 0; i < 3; i++) {
		EXPECT_LT(0, waitpid(-1, &status, 0));
		EXPECT_EQ(0, status);
	}
}

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

TEST(ticks)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "sleep", "60000");
	long from;
	int heard_before;

	ASSERT_NE(NULL, pctx);
	from = now_ms();
	EXPECT_EQ(0, pctx_run(pctx, 50, 4, on_tick));
	EXPECT_LE(200, now_ms() - from);
	/* A missed tick does not call the handler, but counts towards the number of ticks. */
	EXPECT_LE(1, heard.ticks);
	EXPECT_GE(4, heard.ticks);
	heard_before = heard.ticks;
	heard.fail_at_tick = heard_before + 2;
	EXPECT_EQ(-1, pctx_run(pctx, 20, 0, on_tick));
	EXPECT_EQ(heard_before + 2, heard.ticks);
	pctx_release(pctx);
}

TEST(ticks_end_with_the_process)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "sleep", "1000");
	long from;

	ASSERT_NE(NULL, pctx);
	from = now_ms();
	EXPECT_EQ(0, pctx_run(pctx, 50, 0, on_tick));
	EXPECT_LE(1, heard.ticks);
	EXPECT_GE((now_ms() - from) / 50, heard.ticks);
	pctx_release(pctx);
}

static pctx_t *to_terminate;

static void on_alarm(int unused)
{
	(void)unused;
	pctx_terminate(to_terminate);
}

TEST(terminate)
{
	struct heard heard = { 0 };

	to_terminate = start(&heard, "sleep", "60000");
	ASSERT_NE(NULL, to_terminate);
	signal(SIGALRM, on_alarm);
	ualarm(100000, 0);
	EXPECT_EQ(0, pctx_run(to_terminate, 0, 0, NULL));
	pctx_release(to_terminate);
}

TEST(programs_that_are_none)
{
	char *argv[] = { (char *)"nothing", NULL };

	EXPECT_EQ(NULL, pctx_create("/no/such/program", argv, NULL, 0, complain));
	EXPECT_LT(0, last_complaint);
	last_complaint = 0;
	EXPECT_EQ(NULL, pctx_create("/etc/passwd", argv, NULL, 0, complain));
	EXPECT_LT(0, last_complaint);
	EXPECT_EQ(-1, waitpid(-1, NULL, 0));
}

TEST(no_such_event)
{
	struct heard heard = { 0 };
	char *argv[] = { (char *)SELF, (char *)"exit", (char *)"0", NULL };
	pctx_t *pctx = pctx_create(SELF, argv, &heard, 0, complain);

	ASSERT_NE(NULL, pctx);
	last_complaint = 0;
	EXPECT_EQ(-1, pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, on_init, 99, on_init,
				      PCTX_NULL_EVENT));
	EXPECT_LT(0, last_complaint);
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("", heard.line);
	pctx_release(pctx);
}

TEST_HARNESS_MAIN
