// SPDX-License-Identifier: GPL-2.0-or-later
/* Run a controlled process, another instance of this program, and record its handlers' calls. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controlled.h"

/* The functions below run in the controlled process, one for each role. */

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

/* Exit from the main thread while the other threads continue. */
int be_abandoned(int n)
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

/* "self" has no program if the main thread has ended. */
static void *execute(void *unused)
{
	execl("/proc/thread-self/exe", SELF, "exit", "9", NULL);
	return unused;
}

static int be_exec_from_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, execute, NULL);
	pause();
	return 100;
}

static int delay_ms;

static void *exit_later(void *unused)
{
	usleep(delay_ms * 1000);
	_exit(6);
	return unused;
}

static void *exec_later(void *unused)
{
	usleep(delay_ms * 1000);
	return execute(unused);
}

static void *kill_later(void *unused)
{
	usleep(delay_ms * 1000);
	raise(SIGKILL);
	return unused;
}

/* Exit from the main thread; @next, another thread, continues for @ms milliseconds. */
static void be_outlived(void *(*next)(void *), int ms)
{
	pthread_t thread;

	delay_ms = ms;
	pthread_create(&thread, NULL, next, NULL);
	syscall(SYS_exit, 0);
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
		execl(SELF, SELF, "exit", argv[2], NULL);
	if (!strcmp(argv[1], "texec"))
		return be_exec_from_thread();
	if (!strcmp(argv[1], "outlived"))
		be_outlived(exit_later, n);
	if (!strcmp(argv[1], "oexec"))
		be_outlived(exec_later, n);
	if (!strcmp(argv[1], "okill"))
		be_outlived(kill_later, n);
	if (!strcmp(argv[1], "sleep"))
		usleep(n * 1000);
	if (!strcmp(argv[1], "kill"))
		raise(n);
	return 0;
}

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

int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'i', lwpid);
	return 0;
}

int on_fini(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'f', lwpid);
	return 0;
}

int on_create(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'c', lwpid);
	return 0;
}

int on_lwp_exit(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	(void)pctx;
	(void)pid;
	hear_lwp(arg, 'e', lwpid);
	return 0;
}

void on_exit_(pctx_t *pctx, pid_t pid, id_t lwpid, int status, void *arg)
{
	struct heard *heard = arg;

	(void)pctx;
	(void)pid;
	hear_lwp(heard, 'X', lwpid);
	heard->status = status;
}

int on_exec(pctx_t *pctx, pid_t pid, id_t lwpid, char *cmd, void *arg)
{
	(void)pctx;
	(void)pid;
	(void)lwpid;
	hear(arg, "[");
	hear(arg, cmd);
	hear(arg, "] ");
	return 0;
}

int on_tick(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg)
{
	struct heard *heard = arg;

	(void)pctx;
	(void)pid;
	(void)lwpid;
	return ++heard->ticks == heard->fail_at_tick;
}

pctx_t *start(struct heard *heard, const char *what, const char *n)
{
	char *argv[] = { (char *)SELF, (char *)what, (char *)n, NULL };

	return pctx_create(SELF, argv, heard, 0, NULL);
}

pid_t run_apart(const char *what, const char *n)
{
	int fds[2], err = pipe2(fds, O_CLOEXEC);
	pid_t pid = err ? -1 : fork();

	if (!pid) {
		execl(SELF, SELF, what, n, NULL);
		_exit(101);
	}
	if (!err) {
		close(fds[1]);
		/* End of file means that the child has executed the program. */
		err = (int)read(fds[0], &err, sizeof(err));
		close(fds[0]);
	}
	return pid;
}

int last_complaint;

void complain(const char *fn, const char *fmt, va_list ap)
{
	char text[256];

	(void)fn;
	vsnprintf(text, sizeof(text), fmt, ap);
	last_complaint = text[strlen(text) - 1] == '\n' ? (int)strlen(text) : -1;
}

/* Run this before main(), because the process may be the controlled one. */
static void __attribute__((constructor(101))) act(int argc, char **argv)
{
	if (argc > 1 && argv[1][0] != '-')
		_exit(play(argc, argv));
}
