// SPDX-License-Identifier: LGPL-2.1-or-later
/* Take control of a process, and release it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/api.h"
#include "pctx.h"

/* Time limit for a process to stop for the first time */
#define FIRST_STOP_NS	10000000000ll

static void to_stderr(const char *fn, const char *fmt, va_list ap)
{
	fprintf(stderr, "libpctx: pctx_%s: ", fn);
	vfprintf(stderr, fmt, ap);
}

/*
 * Report an error to the error function.  @fn is the function's name without "pctx_"; the text ends
 * with a newline.
 */
void shim_pctx__say(pctx_t *pctx, const char *fn, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	pctx->complain(fn, fmt, ap);
	va_end(ap);
}

/*
 * Block SIGCHLD, for which the library waits.  With @terminal, also block the signals by which a
 * terminal or user ends this program while handlers run.
 */
void shim_pctx__block(sigset_t *old, int terminal)
{
	static const int signals[] = { SIGHUP, SIGTERM, SIGINT, SIGQUIT, SIGABRT };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; terminal && i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(&set, signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, old);
}

static pctx_t *pctx_make(void *arg, int verbose, pctx_errfn_t *complain)
{
	pctx_t *pctx = shim_cpc__watch_forks() ? NULL : calloc(1, sizeof(*pctx));

	if (!pctx)
		return NULL;
	pctx->tracer = (pid_t)syscall(SYS_gettid);
	pctx->arg = arg;
	pctx->verbose = verbose;
	pctx->complain = complain ? complain : to_stderr;
	/* The exit of a process is always reported. */
	pctx->threads.options = PTRACE_O_TRACEEXIT;
	return pctx;
}

static void destroy(pctx_t *pctx)
{
	free(pctx->users);
	free(pctx);
}

/* Called in the new process: wait until it is traced, and execute the program. */
static void __attribute__((noreturn)) become(const char *filename, char *const *argv, int go,
					     int problem)
{
	ssize_t n;
	char byte;
	int err;

	do {
		n = read(go, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127);
	execvp(filename, argv);
	err = errno;
	if (write(problem, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static const char *exec_problem(int err)
{
	switch (err) {
	case ENOENT:	return "cannot be found";
	case EACCES:	return "cannot be executed";
	case ENOEXEC:	return "is not a program";
	}
	return strerror(err);
}

/* Trace a new process until it executes the program, and hold it there.  Return 0 or an errno. */
static int bring_up(pctx_t *pctx, int go, int problem)
{
	struct shim_tracees *t = &pctx->threads;
	int64_t deadline = shim_tracees__now() + FIRST_STOP_NS;
	struct shim_tracee *thread;
	int err = shim_tracees__seize(t, t->pid, &thread);

	if (err)
		return -err;
	if (write(go, "", 1) != 1)
		return errno;
	while (shim_tracees__any(t) && shim_tracees__now() < deadline) {
		shim_tracees__wait(t, deadline);
		if (thread->event == SHIM_EVENT_EXEC) {
			thread->event = SHIM_EVENT_NONE;
			return 0;
		}
		thread->event = SHIM_EVENT_NONE;
		shim_tracees__go_on(t);
	}
	if (read(problem, &err, sizeof(err)) == sizeof(err))
		return err;
	return ESRCH;
}

static int start(pctx_t *pctx, const char *filename, char *const *argv)
{
	int go[2], problem[2], err;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return errno;
	if (pipe2(problem, O_CLOEXEC)) {
		err = errno;
		goto out_go;
	}
	pid = fork();
	if (pid < 0) {
		err = errno;
		goto out_problem;
	}
	if (!pid)
		become(filename, argv, go[0], problem[1]);
	close(problem[1]);
	problem[1] = -1;
	pctx->threads.pid = pid;
	err = bring_up(pctx, go[1], problem[0]);
	if (err) {
		kill(pid, SIGKILL);
		shim_tracee__await(pid, NULL);
	}
out_problem:
	close(problem[0]);
	if (problem[1] >= 0)
		close(problem[1]);
out_go:
	close(go[0]);
	close(go[1]);
	return err;
}

/**
 * pctx_create() - start a program under control
 * @filename: the program, which is searched for in PATH
 * @argv: its arguments, terminated by NULL
 * @arg: argument for the handlers
 * @verbose: ignored: all messages are passed to @errfn
 * @errfn: called for errors; NULL to print them to stderr
 *
 * The program is held before its first instruction until pctx_run().  It is killed if this process
 * ends before pctx_release().
 *
 * Return: a handle, or NULL; in that case @errfn has been called, unless memory ran out.
 */
SHIM_API pctx_t *pctx_create(const char *filename, char *const *argv, void *arg, int verbose,
			     pctx_errfn_t *errfn)
{
	pctx_t *pctx = pctx_make(arg, verbose, errfn);
	sigset_t old;
	int err;

	if (!pctx)
		return NULL;
	pctx->created = 1;
	pctx->threads.options |= PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
	shim_pctx__block(&old, 0);
	err = start(pctx, filename, argv);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		return pctx;
	shim_pctx__say(pctx, "create", "%s: %s\n", filename, exec_problem(err));
	free(pctx->threads.thread);
	destroy(pctx);
	return NULL;
}

static char state_of(pid_t pid)
{
	char path[64], line[512], *end;
	FILE *file;
	char state = '\0';

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return '\0';
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		if (end && end[1])
			state = end[2];
	}
	fclose(file);
	return state;
}

static int is_traced(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	fclose(file);
	return tracer;
}

static const char *capture_problem(pid_t pid, int err)
{
	if (pid == getpid())
		return "is this process";
	switch (state_of(pid)) {
	case '\0':	return "does not exist";
	case 'Z':
	case 'X':	return "has ended";
	}
	if (is_traced(pid))
		return "is already being traced";
	return err == EPERM ? "cannot be traced: permission denied" : strerror(err);
}

static int hold(pctx_t *pctx, pid_t pid)
{
	int err;

	pctx->threads.pid = pid;
	if (pid <= 0)
		return ESRCH;
	if (pid == getpid())
		return EPERM;
	err = shim_tracees__hold_all(&pctx->threads);
	if (err)
		return -err;
	return shim_tracees__any(&pctx->threads) ? 0 : ESRCH;
}

static pctx_t *capture(pid_t pid, pctx_t *pctx)
{
	sigset_t old;
	int err;

	shim_pctx__block(&old, 0);
	err = hold(pctx, pid);
	if (err)
		shim_tracees__let_go(&pctx->threads);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!err)
		return pctx;
	shim_pctx__say(pctx, "capture", "process %d %s\n", pid, capture_problem(pid, err));
	destroy(pctx);
	return NULL;
}

/**
 * pctx_capture() - take control of a running process
 * @pid: the process
 * @arg: argument for the handlers
 * @verbose: ignored: all messages are passed to @errfn
 * @errfn: called for errors; NULL to print them to stderr
 *
 * The process is held until pctx_run().  It continues to run if this process ends.
 *
 * Return: a handle, or NULL; in that case @errfn has been called, unless memory ran out.
 */
SHIM_API pctx_t *pctx_capture(pid_t pid, void *arg, int verbose, pctx_errfn_t *errfn)
{
	pctx_t *pctx = pctx_make(arg, verbose, errfn);

	return pctx ? capture(pid, pctx) : NULL;
}

pctx_t *shim_pctx__take_over(pid_t pid, const pctx_t *like)
{
	pctx_t *pctx = pctx_make(like->arg, like->verbose, like->complain);

	if (!pctx)
		return NULL;
	pctx->on = like->on;
	pctx->threads.options = like->threads.options & ~(unsigned long)PTRACE_O_EXITKILL;
	pctx = capture(pid, pctx);
	/* process_made() has stopped the process, so none of its events is missed. */
	if (pctx)
		kill(pid, SIGCONT);
	return pctx;
}

/**
 * shim_pctx__tid() - get a thread's ID by its number
 * @pctx: the process
 * @lwpid: the number, from 1
 *
 * Return: the ID; 0 if the thread does not exist.
 */
pid_t shim_pctx__tid(pctx_t *pctx, id_t lwpid)
{
	struct shim_tracee *thread = shim_tracees__find_lwp(&pctx->threads, (int)lwpid);

	return thread ? thread->tid : 0;
}

/**
 * pctx_terminate() - make pctx_run() return soon
 * @pctx: the process
 *
 * Context: may be called in a signal handler.
 */
SHIM_API void pctx_terminate(pctx_t *pctx)
{
	if (pctx)
		atomic_store(&pctx->over, 1);
}

/**
 * pctx_release() - release a process, which then runs uncontrolled
 * @pctx: the process; freed.  A program that was started by pctx_create() and has ended is reaped.
 */
SHIM_API void pctx_release(pctx_t *pctx)
{
	sigset_t old;
	pid_t pid;

	if (!pctx)
		return;
	shim_cpc__forget_pctx(pctx);
	shim_pctx__block(&old, 0);
	pid = pctx->threads.pid;
	shim_tracees__let_go(&pctx->threads);
	if (pctx->created && pctx->ended)
		shim_tracee__await(pid, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	destroy(pctx);
}
