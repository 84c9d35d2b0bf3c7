// SPDX-License-Identifier: GPL-2.0-or-later
/* A process under control: what its handlers hear, in which order, and how it is left. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cpc/libpctx.h"

#include "kselftest_harness.h"

static char self[] = "/proc/self/exe";

/* What this program does when it is the one under control */

static void *nothing(void *unused)
{
	return unused;
}

static int be_threads(int n)
{
	for (int i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	return 7;
}

static void *for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* The process ends while its threads do not. */
static int be_abandoned(int n)
{
	pthread_t thread;

	for (int i = 0; i < n; i++)
		pthread_create(&thread, NULL, for_ever, NULL);
	return 8;
}

static int be_forking(int n)
{
	int status, sum = 0;

	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (!pid)
			_exit(i + 1);
		if (waitpid(pid, &status, 0) != pid)
			return 100;
		sum += WEXITSTATUS(status);
	}
	return sum;
}

static void *execute(void *unused)
{
	execl(self, self, "exit", "9", NULL);
	return unused;
}

static int be_exec_from_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute, NULL);
	pause();
	return 100;
}

static int play(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(argv[1], "exit"))
		return n;
	if (!strcmp(argv[1], "threads"))
		return be_threads(n);
	if (!strcmp(argv[1], "abandon"))
		return be_abandoned(n);
	if (!strcmp(argv[1], "fork"))
		return be_forking(n);
	if (!strcmp(argv[1], "exec"))
		execl(self, self, "exit", argv[2], NULL);
	if (!strcmp(argv[1], "texec"))
		return be_exec_from_thread();
	if (!strcmp(argv[1], "sleep"))
		usleep(n * 1000);
	if (!strcmp(argv[1], "kill"))
		raise(n);
	return 0;
}

/* What the handlers hear, as a line of letters */

struct heard {
	char line[256];
	int status;
	int ticks;
	int fail_at_tick;
	int in;			/* of a pipe, from a copy of this program */
	int out;
};

static void hear(struct heard *heard, const char *what)
{
	if (strlen(heard->line) + strlen(what) < sizeof(heard->line))
		strcat(heard->line, what);
}

static void hear_lwp(struct heard *heard, char what, id_t lwpid)
{
	char text[16];

	snprintf(text, sizeof(text), "%c%d ", what, (int)lwpid);
	hear(heard, text);
}

static int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'i', lwpid);
	return 0;
}

static int on_fini(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'f', lwpid);
	return 0;
}

static int on_create(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'c', lwpid);
	return 0;
}

static int on_lwp_exit(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'e', lwpid);
	return 0;
}

static void on_exit_(pctx_t *pctx, pid_t pid, id_t lwpid, int status, void *arg)
{
	struct heard *heard = arg;

	(void)pctx;
	(void)pid;
	hear_lwp(heard, 'X', lwpid);
	heard->status = status;
}

static int on_exec(pctx_t *pctx, pid_t pid, id_t lwpid, char *cmd, void *arg)
{
	(void)pctx;
	(void)pid;
	(void)lwpid;
	hear(arg, "[");
	hear(arg, cmd);
	hear(arg, "] ");
	return 0;
}

static int on_tick(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct heard *heard = arg;

	(void)pctx;
	(void)pid;
	(void)lwpid;
	return ++heard->ticks == heard->fail_at_tick;
}

static pctx_t *start(struct heard *heard, const char *what, const char *n)
{
	char *argv[] = { self, (char *)what, (char *)n, NULL };

	return pctx_create(self, argv, heard, 0, NULL);
}

#define ALL_BUT_EXEC PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT, on_fini,	\
	PCTX_SYSC_LWP_CREATE_EVENT, on_create, PCTX_SYSC_LWP_EXIT_EVENT, on_lwp_exit,	\
	PCTX_SYSC_EXIT_EVENT, on_exit_

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

/* A signal that is not fatal gets through. */
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

TEST(exec_ends_the_run)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "exec", "3");

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 f1 ", heard.line);
	pctx_release(pctx);
}

TEST(exec_is_followed)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "exec", "3");

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_SYSC_EXEC_EVENT, on_exec,
				     PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 f1 [/proc/self/exe exit 3] i1 f1 X1 ", heard.line);
	EXPECT_EQ(3, WEXITSTATUS(heard.status));
	pctx_release(pctx);
}

TEST(exec_by_another_thread)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "texec", NULL);

	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_SYSC_EXEC_EVENT, on_exec,
				     PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("i1 i2 c2 f1 e1 f2 [/proc/self/exe exit 9] i1 f1 X1 ", heard.line);
	EXPECT_EQ(9, WEXITSTATUS(heard.status));
	pctx_release(pctx);
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

TEST(ticks)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "sleep", "60000");
	struct timespec from, to;

	ASSERT_NE(NULL, pctx);
	clock_gettime(CLOCK_MONOTONIC, &from);
	EXPECT_EQ(0, pctx_run(pctx, 50, 4, on_tick));
	clock_gettime(CLOCK_MONOTONIC, &to);
	EXPECT_EQ(4, heard.ticks);
	EXPECT_LE(200, (to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000);
	heard.fail_at_tick = heard.ticks + 2;
	EXPECT_EQ(-1, pctx_run(pctx, 20, 0, on_tick));
	EXPECT_EQ(6, heard.ticks);
	pctx_release(pctx);
}

TEST(ticks_end_with_the_process)
{
	struct heard heard = { 0 };
	pctx_t *pctx = start(&heard, "sleep", "200");
	struct timespec from, to;

	ASSERT_NE(NULL, pctx);
	clock_gettime(CLOCK_MONOTONIC, &from);
	EXPECT_EQ(0, pctx_run(pctx, 50, 0, on_tick));
	clock_gettime(CLOCK_MONOTONIC, &to);
	EXPECT_LE(1, heard.ticks);
	EXPECT_GE(((to.tv_sec - from.tv_sec) * 1000 + (to.tv_nsec - from.tv_nsec) / 1000000) / 50,
		  heard.ticks);
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

static int last_complaint;

static void complain(const char *fn, const char *fmt, va_list ap)
{
	char text[256];

	(void)fn;
	vsnprintf(text, sizeof(text), fmt, ap);
	last_complaint = text[strlen(text) - 1] == '\n' ? (int)strlen(text) : -1;
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

TEST(processes_that_cannot_be_captured)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	usleep(50000);
	EXPECT_EQ(NULL, pctx_capture(pid, NULL, 0, complain));	/* a zombie */
	EXPECT_LT(0, last_complaint);
	waitpid(pid, &status, 0);
	last_complaint = 0;
	EXPECT_EQ(NULL, pctx_capture(pid, NULL, 0, complain));
	EXPECT_LT(0, last_complaint);
	last_complaint = 0;
	EXPECT_EQ(NULL, pctx_capture(getpid(), NULL, 0, complain));
	EXPECT_LT(0, last_complaint);
	EXPECT_EQ(NULL, pctx_capture(0, NULL, 0, complain));
	EXPECT_EQ(NULL, pctx_capture(-1, NULL, 0, complain));
}

static pid_t run_apart(const char *what, const char *n)
{
	pid_t pid = fork();

	if (!pid) {
		execl(self, self, what, n, NULL);
		_exit(101);
	}
	usleep(100000);
	return pid;
}

TEST(captured_and_let_go)
{
	struct heard heard = { 0 };
	pid_t pid = run_apart("sleep", "400");
	pctx_t *pctx = pctx_capture(pid, &heard, 0, complain);
	int status;

	ASSERT_NE(NULL, pctx);
	last_complaint = 0;
	EXPECT_EQ(NULL, pctx_capture(pid, NULL, 0, complain));	/* twice */
	EXPECT_LT(0, last_complaint);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 50, 2, on_tick));
	EXPECT_STREQ("i1 ", heard.line);
	pctx_release(pctx);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Several threads, found when it is captured. */
TEST(captured_with_threads)
{
	struct heard heard = { 0 };
	pid_t pid = fork();
	pctx_t *pctx;

	if (!pid) {
		be_abandoned(3);
		pause();
	}
	usleep(200000);
	pctx = pctx_capture(pid, &heard, 0, NULL);
	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 20, 1, on_tick));
	EXPECT_STREQ("i1 i2 i3 i4 ", heard.line);
	EXPECT_EQ(4, heard.ticks);
	pctx_release(pctx);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* One that job control has stopped stays so, and goes on when it is told to. */
TEST(stopped_by_job_control)
{
	struct heard heard = { 0 };
	pid_t pid = run_apart("sleep", "10");
	pctx_t *pctx;
	int status;

	waitpid(pid, &status, 0);
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(3);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, WUNTRACED));
	pctx = pctx_capture(pid, &heard, 0, NULL);
	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 50, 2, on_tick));
	kill(pid, SIGCONT);
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_EQ(3, WEXITSTATUS(heard.status));
	pctx_release(pctx);
}

TEST(no_such_event)
{
	struct heard heard = { 0 };
	char *argv[] = { self, (char *)"exit", (char *)"0", NULL };
	pctx_t *pctx = pctx_create(self, argv, &heard, 0, complain);

	ASSERT_NE(NULL, pctx);
	last_complaint = 0;
	EXPECT_EQ(-1, pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, on_init, 99, on_init,
				      PCTX_NULL_EVENT));
	EXPECT_LT(0, last_complaint);
	EXPECT_EQ(0, pctx_run(pctx, 0, 0, NULL));
	EXPECT_STREQ("", heard.line);
	pctx_release(pctx);
}

/* A controller that dies takes along what it has created, and nothing else. */
TEST(controller_dies)
{
	int fds[2], status;
	pid_t created, captured = run_apart("sleep", "600"), pid;

	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	if (!pid) {
		struct heard heard = { 0 };
		pctx_t *pctx = pctx_capture(captured, &heard, 0, NULL);
		char *argv[] = { self, (char *)"sleep", (char *)"60000", NULL };
		pid_t child;

		(void)pctx;
		pctx = pctx_create(self, argv, &heard, 0, NULL);
		pctx_run(pctx, 20, 1, on_tick);
		/* Its only child is the created process. */
		child = pctx ? getpid() + 1 : 0;
		child = write(fds[1], &child, sizeof(child));
		raise(SIGKILL);
	}
	ASSERT_EQ((ssize_t)sizeof(created), read(fds[0], &created, sizeof(created)));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(captured, waitpid(captured, &status, 0));
	EXPECT_EQ(0, status);
}

/* Before the tests: this program may be one that is under control. */
static void __attribute__((constructor(101))) act(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		_exit(play(argc, argv));
}

TEST_HARNESS_MAIN
