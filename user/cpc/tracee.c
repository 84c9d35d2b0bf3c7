// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trace the threads of a process with ptrace(2): stop them, wait for them, and continue them.
 *
 * waitpid(2) is called for each of these threads by its ID, because the program may have other
 * children, whose status must be left to the program.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/vec.h"
#include "pctx.h"

/* Limit of a sleep, needed because another thread may receive the SIGCHLD that would end it */
#define LONGEST_SLEEP_NS	20000000

int64_t shim_tracees__now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

bool shim_tracee__is_there(const struct shim_tracee *thread)
{
	return thread->state != SHIM_TRACEE_GONE && thread->state != SHIM_TRACEE_CHANGES;
}

/* Wait until a thread stops or ends, even if signals arrive first. */
pid_t shim_tracee__await(pid_t tid, int *status)
{
	pid_t found;

	do {
		found = waitpid(tid, status, __WALL);
	} while (found < 0 && errno == EINTR);
	return found;
}

/* Return whether a thread has left its stop because it was killed there. */
bool shim_tracee__has_left(const struct shim_tracee *thread)
{
	siginfo_t info;

	if (thread->state != SHIM_TRACEE_STOPPED)
		return false;
	if (ptrace(PTRACE_GETSIGINFO, thread->tid, NULL, &info))
		return errno == ESRCH;
	return info.si_code == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
}

/* Return whether a thread has ended without a call to its handler. */
bool shim_tracee__was_lost(const struct shim_tracee *thread)
{
	return thread->state == SHIM_TRACEE_GONE && !thread->over;
}

struct shim_tracee *shim_tracees__find(struct shim_tracees *t, pid_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].tid == tid && shim_tracee__is_there(&t->thread[i]))
			return &t->thread[i];
	return NULL;
}

struct shim_tracee *shim_tracees__find_lwp(struct shim_tracees *t, int lwp)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].lwp == lwp && shim_tracee__is_there(&t->thread[i]))
			return &t->thread[i];
	return NULL;
}

/* Return whether any thread is left. */
bool shim_tracees__any(const struct shim_tracees *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (shim_tracee__is_there(&t->thread[i]))
			return true;
	return false;
}

/*
 * Remove threads that no longer exist, except those for which a handler must still be called.  Like
 * adding a thread, this invalidates pointers to threads.
 */
void shim_tracees__drop_gone(struct shim_tracees *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].state != SHIM_TRACEE_GONE ||
		    shim_tracee__was_lost(&t->thread[i]))
			t->thread[kept++] = t->thread[i];
	t->n = kept;
}

/* Add a thread that is already traced.  Return 0 or -ENOMEM. */
int shim_tracees__add(struct shim_tracees *t, pid_t tid, struct shim_tracee **out)
{
	if (shim_vec__room(t->thread, &t->room, t->n))
		return -ENOMEM;
	*out = &t->thread[t->n++];
	**out = (struct shim_tracee) {
		.tid = tid,
		.lwp = ++t->last_lwp,
		.over = true,
	};
	return 0;
}

/* Trace a thread, which continues to run.  Return 0 or a negated errno. */
int shim_tracees__seize(struct shim_tracees *t, pid_t tid, struct shim_tracee **out)
{
	if (ptrace(PTRACE_SEIZE, tid, NULL, t->options))
		return -errno;
	return shim_tracees__add(t, tid, out);
}

/*
 * Return a thread's state as in /proc; 'X' if it does not exist, '?' if the state cannot be read.
 * Store the process's parent if the state was read.
 */
static char state_and_parent(pid_t tid, pid_t *parent)
{
	char path[64], line[512], state = 'X', *end;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ESRCH ? 'X' : '?';
	if (fgets(line, sizeof(line), file)) {
		end = strrchr(line, ')');
		if (end)
			sscanf(end, ") %c %d", &state, parent);
	} else if (ferror(file) && errno != ESRCH) {
		state = '?';
	}
	fclose(file);
	return state;
}

static char state_of(pid_t tid)
{
	pid_t parent;

	return state_and_parent(tid, &parent);
}

/*
 * Return whether a thread cannot be traced because it is ending: ptrace(2) then returns ESRCH or,
 * shortly before, EPERM.
 */
static bool has_ended(pid_t tid, int err)
{
	char state;

	if (err != -EPERM)
		return err == -ESRCH;
	state = state_of(tid);
	return state == 'X' || state == 'Z';
}

/* Trace each thread that is not traced yet.  Return their number, or a negated errno. */
static int seize_new(struct shim_tracees *t)
{
	struct shim_tracee *thread;
	char path[64];
	struct dirent *entry;
	int seized = 0, err = 0, more = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", t->pid);
	dir = opendir(path);
	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (more = shim_entries__next(dir, &entry)) > 0) {
		pid_t tid = atoi(entry->d_name);

		if (tid <= 0 || shim_tracees__find(t, tid))
			continue;
		err = shim_tracees__seize(t, tid, &thread);
		if (!err) {
			seized++;
		} else if (has_ended(tid, err)) {
			/* The first thread keeps its number, even if it has ended before the others. */
			t->last_lwp += tid == t->pid && !t->last_lwp;
			err = 0;
		}
	}
	closedir(dir);
	if (!err)
		err = more;
	return err ? err : seized;
}

/* Set the ptrace(2) options of all threads, which must be stopped. */
int shim_tracees__set_options(struct shim_tracees *t, unsigned long options)
{
	t->options = options;
	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].state == SHIM_TRACEE_STOPPED &&
		    ptrace(PTRACE_SETOPTIONS, t->thread[i].tid, NULL, options) && errno != ESRCH)
			return -errno;
	return 0;
}

static void note_event(struct shim_tracee *thread, int event)
{
	static const enum shim_tracee_event meaning[] = {
		[PTRACE_EVENT_FORK] = SHIM_EVENT_FORK,
		[PTRACE_EVENT_VFORK] = SHIM_EVENT_FORK,
		[PTRACE_EVENT_CLONE] = SHIM_EVENT_CLONE,
		[PTRACE_EVENT_EXEC] = SHIM_EVENT_EXEC,
		[PTRACE_EVENT_EXIT] = SHIM_EVENT_EXIT,
	};

	if (event < 0 || event >= (int)(sizeof(meaning) / sizeof(meaning[0])) || !meaning[event])
		return;
	thread->event = meaning[event];
	thread->ends |= thread->event == SHIM_EVENT_EXIT;
	thread->data = 0;
	ptrace(PTRACE_GETEVENTMSG, thread->tid, NULL, &thread->data);
}

static bool stops_a_group(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

/* Update a thread's state from its wait status. */
static void note(struct shim_tracee *thread, int status)
{
	int event = status >> 16;

	if (!WIFSTOPPED(status)) {
		thread->state = SHIM_TRACEE_GONE;
		thread->data = (unsigned long)status;
		return;
	}
	thread->state = SHIM_TRACEE_STOPPED;
	if (event == PTRACE_EVENT_STOP) {
		/* Job control has stopped the thread, so it stays stopped until SIGCONT arrives. */
		if (stops_a_group(WSTOPSIG(status)) && !ptrace(PTRACE_LISTEN, thread->tid, 0, 0))
			thread->state = SHIM_TRACEE_LISTENS;
	} else if (event) {
		note_event(thread, event);
	} else {
		thread->signal = WSTOPSIG(status);
	}
}

/*
 * Update the state of a thread that waitpid(2) no longer knows.  If it executes another program, it
 * takes the ID of the process's first thread, which is not in the list if it had ended before the
 * process was captured.  This may invalidate pointers to threads.
 */
static void note_missing(struct shim_tracees *t, struct shim_tracee *thread)
{
	bool is_first = thread->tid == t->pid;

	thread->state = thread->ends ? SHIM_TRACEE_GONE : SHIM_TRACEE_CHANGES;
	if (!thread->ends && !is_first && !shim_tracees__find(t, t->pid))
		shim_tracees__add(t, t->pid, &thread);
}

/* Update the state of all threads that have stopped or ended.  Return true if any thread has. */
static bool tracees_collect(struct shim_tracees *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++) {
		struct shim_tracee *thread = &t->thread[i];
		pid_t found;
		int status;

		if (thread->state == SHIM_TRACEE_STOPPED || !shim_tracee__is_there(thread))
			continue;
		found = waitpid(thread->tid, &status, __WALL | WNOHANG);
		if (found == thread->tid)
			note(thread, status);
		else if (found < 0 && errno == ECHILD)
			note_missing(t, thread);
		else
			continue;
		any = true;
	}
	return any;
}

static void nap(int64_t ns)
{
	struct timespec ts = { .tv_nsec = ns < LONGEST_SLEEP_NS ? ns : LONGEST_SLEEP_NS };
	sigset_t child;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigtimedwait(&child, NULL, &ts);
}

/**
 * shim_tracees__wait() - wait until a thread stops or ends
 * @t: the threads
 * @deadline_ns: CLOCK_MONOTONIC time at which to stop waiting
 *
 * Context: SIGCHLD is blocked.
 */
void shim_tracees__wait(struct shim_tracees *t, int64_t deadline_ns)
{
	while (!tracees_collect(t)) {
		int64_t left = deadline_ns - shim_tracees__now();

		if (left <= 0)
			return;
		nap(left);
	}
}

/*
 * Return the number of threads that have not stopped yet.  Threads in uninterruptible sleep, which
 * may last long, are counted only if @sleepers is set.  The process's first thread is not counted
 * after its exit, because waitpid(2) reports its end only when all other threads have ended.
 */
static size_t not_stopped(const struct shim_tracees *t, bool sleepers)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].state == SHIM_TRACEE_RUNS &&
		    !(t->thread[i].ends && t->thread[i].tid == t->pid) &&
		    (sleepers || state_of(t->thread[i].tid) != 'D'))
			n++;
	return n;
}

/**
 * shim_tracees__stop() - stop all threads
 * @t: the threads
 *
 * This does not wait for a thread that is blocked in vfork() until its child ends or in execve()
 * until the other threads end, because it does not execute its program while blocked.
 *
 * Context: SIGCHLD is blocked.
 */
void shim_tracees__stop(struct shim_tracees *t)
{
	int naps = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].state == SHIM_TRACEE_RUNS)
			ptrace(PTRACE_INTERRUPT, t->thread[i].tid, NULL, NULL);
	while (not_stopped(t, ++naps < 3))
		shim_tracees__wait(t, shim_tracees__now() + LONGEST_SLEEP_NS);
}

/**
 * shim_tracees__hold_all() - trace all threads of a process, and stop them
 * @t: the threads, with @pid and @options set
 *
 * A thread can start another one after the list of threads has been read and before it is itself
 * stopped.  Therefore the list is read repeatedly until all its threads are traced: then all of
 * them are stopped and start no others.
 *
 * Context: SIGCHLD is blocked.
 * Return: 0 or a negated errno; after an error, some threads may be traced.
 */
int shim_tracees__hold_all(struct shim_tracees *t)
{
	int seized;

	do {
		seized = seize_new(t);
		if (seized > 0)
			shim_tracees__stop(t);
	} while (seized > 0);
	return seized;
}

/*
 * Return whether a thread has stopped again.  A thread that was killed while it was stopped may
 * have stopped at its exit.  Read its state first, because PTRACE_CONT would discard that stop.
 */
static bool stopped_again(struct shim_tracee *thread)
{
	int status;

	if (waitpid(thread->tid, &status, __WALL | WNOHANG) != thread->tid)
		return false;
	note(thread, status);
	return true;
}

/* Continue all stopped threads that have no pending event. */
void shim_tracees__go_on(struct shim_tracees *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct shim_tracee *thread = &t->thread[i];

		if (thread->state != SHIM_TRACEE_STOPPED || thread->event ||
		    stopped_again(thread))
			continue;
		ptrace(PTRACE_CONT, thread->tid, NULL, (long)thread->signal);
		thread->signal = 0;
		thread->state = SHIM_TRACEE_RUNS;
	}
}

/* Return a thread that has a pending event, or NULL. */
struct shim_tracee *shim_tracees__eventful(struct shim_tracees *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].event && t->thread[i].state == SHIM_TRACEE_STOPPED)
			return &t->thread[i];
	return NULL;
}

static void *reap(void *pid)
{
	shim_tracee__await((pid_t)(intptr_t)pid, NULL);
	return NULL;
}

/*
 * The process's first thread has ended before the others.  ptrace(2) cannot detach from it, and the
 * process's parent is notified of the process's end only after the tracer has waited for it.  If
 * the parent is this process, its own call of wait(2) does that.  Otherwise, wait in a thread.
 */
static void await_end(pid_t pid)
{
	pthread_attr_t attr;
	pthread_t thread;
	sigset_t all, old;
	pid_t parent = 0;

	state_and_parent(pid, &parent);
	if (parent == getpid() || pthread_attr_init(&attr))
		return;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	pthread_create(&thread, &attr, reap, (void *)(intptr_t)pid);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
}

static void detach(const struct shim_tracees *t, const struct shim_tracee *thread)
{
	if (ptrace(PTRACE_DETACH, thread->tid, NULL, (long)thread->signal) && errno == ESRCH &&
	    thread->ends && thread->tid == t->pid)
		await_end(t->pid);
}

/**
 * shim_tracees__let_go() - stop tracing all threads, in any state
 * @t: the threads; none is left afterwards
 *
 * Context: SIGCHLD is blocked.
 */
void shim_tracees__let_go(struct shim_tracees *t)
{
	shim_tracees__stop(t);
	for (size_t i = 0; i < t->n; i++) {
		struct shim_tracee *thread = &t->thread[i];

		/* PTRACE_DETACH requires a thread that is stopped, but not one in PTRACE_LISTEN. */
		if (thread->state == SHIM_TRACEE_LISTENS) {
			ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
			shim_tracee__await(thread->tid, NULL);
		}
		if (shim_tracee__is_there(thread))
			detach(t, thread);
	}
	free(t->thread);
	t->thread = NULL;
	t->n = 0;
	t->room = 0;
}
