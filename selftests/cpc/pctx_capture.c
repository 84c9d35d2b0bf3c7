// SPDX-License-Identifier: GPL-2.0-or-later
/* Test capturing processes with libpctx, and their state after release. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shared/controlled.h"

#include "kselftest_harness.h"

TEST(processes_that_cannot_be_captured)
{
	siginfo_t info;
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	ASSERT_EQ(0, waitid(P_PID, pid, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(NULL, pctx_capture(pid, NULL, 0, complain));	/* the process is a zombie */
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

TEST(captured_and_let_go)
{
	struct heard heard = { 0 };
	pid_t pid = run_apart("sleep", "1500");
	pctx_t *pctx = pctx_capture(pid, &heard, 0, complain);
	int status;

	ASSERT_NE(NULL, pctx);
	last_complaint = 0;
	/* The process has already been captured. */
	EXPECT_EQ(NULL, pctx_capture(pid, NULL, 0, complain));
	EXPECT_LT(0, last_complaint);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 50, 2, on_tick));
	EXPECT_STREQ("i1 ", heard.line);
	pctx_release(pctx);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
}

/* Return the number of threads: the directory has one link per thread, and two others. */
static int threads_of(pid_t pid)
{
	struct stat st = { 0 };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	stat(path, &st);
	return (int)st.st_nlink - 2;
}

static void *ends(void *unused)
{
	return unused;
}

/* Each of four threads starts threads that exit at once. */
static void *starts_others(void *unused)
{
	for (;;) {
		pthread_t thread;

		if (!pthread_create(&thread, NULL, ends, NULL))
			pthread_join(thread, NULL);
	}
	return unused;
}

/* Return the number of a process's threads that this process does not trace. */
static int untraced(pid_t pid)
{
	struct dirent *entry;
	char path[300], line[128];
	int n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		int tracer = 0;
		FILE *f;

		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/status", pid, entry->d_name);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			sscanf(line, "TracerPid: %d", &tracer);
		if (f) {
			fclose(f);
			n += tracer != getpid();
		}
	}
	if (dir)
		closedir(dir);
	return n;
}

/* A thread is also found if it is created while its creator is being stopped. */
TEST(captured_while_it_starts_threads)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();
		pctx_t *pctx;

		if (!pid) {
			pthread_t thread;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (int k = 0; k < 3; k++)
				pthread_create(&thread, NULL, starts_others, NULL);
			starts_others(NULL);
		}
		while (threads_of(pid) < 4)
			usleep(1000);
		usleep(i * 111);
		pctx = pctx_capture(pid, NULL, 0, NULL);
		ASSERT_NE(NULL, pctx);
		EXPECT_EQ(0, untraced(pid));
		pctx_release(pctx);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* When a process is captured, its existing threads are found. */
TEST(captured_with_threads)
{
	struct heard heard = { 0 };
	pid_t pid = fork();
	pctx_t *pctx;

	if (!pid) {
		be_abandoned(3);
		pause();
	}
	while (threads_of(pid) < 4)
		usleep(1000);
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

static int is_zombie(pid_t pid)
{
	char path[64], line[256] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return strstr(line, ") Z ") != NULL;
}

/* Capture a process whose main thread has ended, and run it until its end. */
static void capture_outlived(struct __test_metadata *_metadata, const char *what,
			     const char *calls, int status)
{
	struct heard heard = { 0 };
	pid_t pid = run_apart(what, "400");
	pctx_t *pctx;
	int left;

	while (!is_zombie(pid))
		usleep(1000);
	pctx = pctx_capture(pid, &heard, 0, NULL);
	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(0, pctx_set_events(pctx, ALL_BUT_EXEC, PCTX_SYSC_EXEC_EVENT, on_exec,
				     PCTX_NULL_EVENT));
	EXPECT_EQ(0, pctx_run(pctx, 20, 0, on_tick));
	EXPECT_STREQ(calls, heard.line);
	EXPECT_LT(0, heard.ticks);
	pctx_release(pctx);
	ASSERT_EQ(pid, waitpid(pid, &left, 0));
	EXPECT_EQ(status, WEXITSTATUS(left));
}

/* A process can be captured after its main thread has ended. */
TEST(captured_without_its_first_thread)
{
	capture_outlived(_metadata, "outlived", "i2 f2 X2 ", 6);
}

TEST(captured_without_its_first_thread_before_exec)
{
	capture_outlived(_metadata, "oexec", "i2 f2 [/proc/self/exe exit 9] i1 f1 X1 ", 9);
}

static int gates[2][2];

static void await_gate(int i)
{
	char c;

	if (read(gates[i][0], &c, 1) != 1)
		_exit(1);
}

static void *exits_5(void *unused)
{
	await_gate(1);
	_exit(5);
	return unused;
}

/* The parent of a process whose main thread ends at gate 0, and another thread at gate 1 */
static int be_parent(int out)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		pthread_t thread;

		pthread_create(&thread, NULL, exits_5, NULL);
		await_gate(0);
		syscall(SYS_exit, 0);
	}
	if (write(out, &pid, sizeof(pid)) != sizeof(pid))
		return 1;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/* The parent receives the status of a process that was released after its main thread's end. */
TEST(released_without_its_first_thread)
{
	struct heard heard = { 0 };
	pid_t parent, pid, found = 0;
	int fds[2], status;
	pctx_t *pctx;

	ASSERT_EQ(0, pipe(fds) | pipe(gates[0]) | pipe(gates[1]));
	parent = fork();
	if (!parent)
		_exit(be_parent(fds[1]));
	ASSERT_EQ((ssize_t)sizeof(pid), read(fds[0], &pid, sizeof(pid)));
	pctx = pctx_capture(pid, &heard, 0, NULL);
	ASSERT_NE(NULL, pctx);
	ASSERT_EQ(1, write(gates[0][1], "", 1));
	while (!is_zombie(pid))
		ASSERT_EQ(0, pctx_run(pctx, 10, 1, on_tick));
	pctx_release(pctx);
	ASSERT_EQ(1, write(gates[1][1], "", 1));
	for (int i = 0; i < 1000 && !found; i++) {
		usleep(10000);
		found = waitpid(parent, &status, WNOHANG);
	}
	ASSERT_EQ(parent, found) TH_LOG("process %d stays a traced zombie", pid);
	EXPECT_EQ(5, WEXITSTATUS(status));
}

/* A process that job control has stopped stays stopped until it receives SIGCONT. */
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

static int tell_pid(pctx_t *pctx, pid_t pid, id_t lwpid, void *fd)
{
	(void)pctx;
	(void)lwpid;
	return write(*(int *)fd, &pid, sizeof(pid)) != sizeof(pid);
}

/* When a controller dies, the processes that it created die, and no others. */
TEST(controller_dies)
{
	int fds[2], status;
	pid_t created, captured = run_apart("sleep", "1500"), pid;

	/* Become the parent of the controller's remaining children. */
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	ASSERT_EQ(0, pipe(fds));
	pid = fork();
	if (!pid) {
		struct heard heard = { 0 };
		/* The child is killed, so this does not leak. */
		static pctx_t *volatile other, *volatile pctx;
		char *argv[] = { (char *)SELF, (char *)"sleep", (char *)"60000", NULL };

		other = pctx_capture(captured, &heard, 0, NULL);
		(void)other;
		pctx = pctx_create(SELF, argv, &fds[1], 0, NULL);
		pctx_run(pctx, 20, 1, tell_pid);
		raise(SIGKILL);
	}
	ASSERT_EQ((ssize_t)sizeof(created), read(fds[0], &created, sizeof(created)));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_EQ(created, waitpid(created, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	EXPECT_EQ(SIGKILL, WTERMSIG(status));
	ASSERT_EQ(captured, waitpid(captured, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
