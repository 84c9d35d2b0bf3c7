// SPDX-License-Identifier: LGPL-2.1-or-later
/* Run a process, and call handlers for its events. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/api.h"
#include "impl.h"
#include "pctx.h"

#define NEVER	INT64_MAX

typedef int tick_fn(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);

/* Ways in which the run continues after an event */
enum outcome {
	GOES_ON,
	HAS_ENDED,
	HAS_FAILED,
};

/**
 * struct run - one call of pctx_run()
 * @pctx: the process
 * @tick: called periodically for each thread
 * @period_ns: interval between ticks, 0 for no ticks
 * @goal_ns: time of the next tick
 * @left: number of ticks before the run ends, 0 for no limit
 */
struct run {
	pctx_t *pctx;
	tick_fn *tick;
	int64_t period_ns;
	int64_t goal_ns;
	unsigned int left;
};

/**
 * pctx_set_events() - set the handlers of events
 * @pctx: the process
 *
 * Pairs of an event and its handler follow, and then PCTX_NULL_EVENT.  Other events keep their
 * handlers.
 *
 * Return: 0, or -1 for an unknown event, after calling the error function.
 */
SHIM_API int pctx_set_events(pctx_t *pctx, ...)
{
	struct shim_pctx_handlers on;
	int event, bad = 0;
	va_list ap;

	if (!pctx)
		return shim_cpc__fail(EINVAL);
	on = pctx->on;
	va_start(ap, pctx);
	while (!bad && (event = va_arg(ap, int)) != PCTX_NULL_EVENT) {
		switch (event) {
		case PCTX_SYSC_EXEC_EVENT: on.exec = va_arg(ap, pctx_sysc_execfn_t *); break;
		case PCTX_SYSC_FORK_EVENT: on.fork = va_arg(ap, pctx_sysc_forkfn_t *); break;
		case PCTX_SYSC_EXIT_EVENT: on.exit = va_arg(ap, pctx_sysc_exitfn_t *); break;
		case PCTX_SYSC_LWP_CREATE_EVENT:
			on.lwp_create = va_arg(ap, pctx_sysc_lwp_createfn_t *);
			break;
		case PCTX_INIT_LWP_EVENT: on.init_lwp = va_arg(ap, pctx_init_lwpfn_t *); break;
		case PCTX_FINI_LWP_EVENT: on.fini_lwp = va_arg(ap, pctx_fini_lwpfn_t *); break;
		case PCTX_SYSC_LWP_EXIT_EVENT:
			on.lwp_exit = va_arg(ap, pctx_sysc_lwp_exitfn_t *);
			break;
		default: bad = 1;
		}
	}
	va_end(ap);
	if (bad) {
		shim_pctx__say(pctx, "set_events", "event %d does not exist\n", event);
		return -1;
	}
	pctx->on = on;
	return 0;
}

/* Call the handler only once, because a thread that ends may stay in the list for a while. */
static void fini_lwp(pctx_t *pctx, struct shim_tracee *thread)
{
	if (pctx->on.fini_lwp && !thread->over)
		pctx->on.fini_lwp(pctx, pctx->threads.pid, thread->lwp, pctx->arg);
	thread->over = true;
}

static int init_lwp(pctx_t *pctx, struct shim_tracee *thread)
{
	thread->over = false;
	return pctx->on.init_lwp &&
	       pctx->on.init_lwp(pctx, pctx->threads.pid, thread->lwp, pctx->arg);
}

static void fini_all(pctx_t *pctx)
{
	for (size_t i = 0; i < pctx->threads.n; i++)
		if (pctx->threads.thread[i].state != SHIM_TRACEE_CHANGES)
			fini_lwp(pctx, &pctx->threads.thread[i]);
}

/* Handle the creation of a thread, which is already traced and runs up to its first stop. */
static enum outcome thread_made(pctx_t *pctx, pid_t tid)
{
	struct shim_tracees *t = &pctx->threads;
	struct shim_tracee *thread = shim_tracees__find(t, tid);

	if (!thread && shim_tracees__add(t, tid, &thread)) {
		shim_pctx__say(pctx, "run", "out of memory for another thread\n");
		return HAS_FAILED;
	}
	shim_tracees__stop(t);
	thread = shim_tracees__find(t, tid);
	if (!thread)
		return GOES_ON;
	if (init_lwp(pctx, thread))
		return HAS_FAILED;
	if (pctx->on.lwp_create)
		pctx->on.lwp_create(pctx, t->pid, thread->lwp, pctx->arg);
	return GOES_ON;
}

/*
 * Handle a fork of the process.  A process can be controlled only by the thread that traces it, and
 * this thread is busy with the parent.  Therefore the child is stopped and no longer traced here,
 * and a forked copy of this program takes control of it.
 */
static void process_made(pctx_t *pctx, const struct shim_tracee *maker, pid_t child)
{
	pid_t copy;
	int status;

	if (shim_tracee__await(child, &status) != child || !WIFSTOPPED(status))
		return;
	/* Stop the child before it runs; shim_pctx__take_over() continues it. */
	kill(child, SIGSTOP);
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	fflush(NULL);
	copy = fork();
	if (!copy) {
		pctx_t *taken = shim_pctx__take_over(child, pctx);

		if (!taken)
			_exit(1);
		pctx->on.fork(taken, pctx->threads.pid, child, maker->lwp, taken->arg);
		pctx_release(taken);
		fflush(NULL);
		_exit(0);
	}
	if (copy < 0) {
		shim_pctx__say(pctx, "run", "process %d continues uncontrolled: %s\n", child,
			       strerror(errno));
		kill(child, SIGCONT);
	}
}

/* Return the process's arguments as one line, which the caller frees; NULL if out of memory. */
static char *command_line(pid_t pid)
{
	char path[64], *line = calloc(1, 4096);
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	file = line ? fopen(path, "re") : NULL;
	if (file) {
		n = fread(line, 1, 4095, file);
		fclose(file);
	}
	for (size_t i = 0; i + 1 < n; i++)
		if (!line[i])
			line[i] = ' ';
	return line;
}

/*
 * Call the final handler of the thread that called execve and of each thread that has ended, and
 * mark all threads except the process's first as ended.  After execve, only the thread that called
 * it is left.  Its ID was @former, and is now the process's ID.
 */
static void fini_former(pctx_t *pctx, pid_t former)
{
	for (size_t i = 0; i < pctx->threads.n; i++) {
		struct shim_tracee *thread = &pctx->threads.thread[i];

		if (thread->tid == former || thread->state == SHIM_TRACEE_GONE)
			fini_lwp(pctx, thread);
		if (thread->tid != pctx->threads.pid)
			thread->state = SHIM_TRACEE_GONE;
	}
}

static enum outcome another_program(pctx_t *pctx, pid_t former)
{
	struct shim_tracees *t = &pctx->threads;
	struct shim_tracee *thread;
	char *line;
	int failed;

	fini_former(pctx, former);
	shim_tracees__drop_gone(t);
	thread = shim_tracees__find(t, t->pid);
	if (!thread || !pctx->on.exec)
		return HAS_ENDED;
	thread->lwp = 1;
	thread->ends = false;
	t->last_lwp = 1;
	line = command_line(t->pid);
	failed = pctx->on.exec(pctx, t->pid, thread->lwp, line ? line : "", pctx->arg);
	free(line);
	return failed || init_lwp(pctx, thread) ? HAS_FAILED : GOES_ON;
}

/* Return whether SIGKILL is pending for a thread, or the thread no longer exists. */
static int has_sigkill(pid_t pid, pid_t tid)
{
	unsigned long long pending = 0;
	char path[80], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT || errno == ESRCH;	/* it has exited */
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "SigPnd: %llx", &pending) == 1)
			break;
	fclose(file);
	return pending >> (SIGKILL - 1) & 1;
}

/*
 * Return whether a thread was killed.  The order of these checks matters: a thread leaves its stop
 * only after SIGKILL was pending.
 */
static int is_killed(pid_t pid, const struct shim_tracee *thread)
{
	return has_sigkill(pid, thread->tid) || shim_tracee__has_left(thread);
}

/* Return whether a process ends together with its ending thread. */
static int all_end(struct shim_tracees *t, const struct shim_tracee *ending)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct shim_tracee *other = &t->thread[i];

		if (other == ending || !shim_tracee__is_there(other) || other->ends)
			continue;
		if (!is_killed(t->pid, other))
			return 0;
	}
	return 1;
}

/* Return whether a thread is stopped in exit_group(2). */
static int has_called_exit(pid_t pid, pid_t tid)
{
	char path[80], line[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	return atoi(line) == SYS_exit_group;
}

/* Return the thread that has called exit_group(2), or @reported if a signal ended the process. */
static const struct shim_tracee *ender(struct shim_tracees *t, const struct shim_tracee *reported)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].state == SHIM_TRACEE_STOPPED &&
		    has_called_exit(t->pid, t->thread[i].tid))
			return &t->thread[i];
	return reported;
}

static enum outcome process_ends(pctx_t *pctx, const struct shim_tracee *reported)
{
	fini_all(pctx);
	if (pctx->on.exit)
		pctx->on.exit(pctx, pctx->threads.pid, ender(&pctx->threads, reported)->lwp,
			      (int)reported->data, pctx->arg);
	pctx->ended = 1;
	return HAS_ENDED;
}

static enum outcome thread_ends(pctx_t *pctx, struct shim_tracee *thread)
{
	struct shim_tracees *t = &pctx->threads;

	if (all_end(t, thread))
		return process_ends(pctx, thread);
	fini_lwp(pctx, thread);
	if (pctx->on.lwp_exit)
		pctx->on.lwp_exit(pctx, t->pid, thread->lwp, pctx->arg);
	return GOES_ON;
}

static enum outcome handle(pctx_t *pctx, struct shim_tracee *thread)
{
	enum shim_tracee_event event = thread->event;

	thread->event = SHIM_EVENT_NONE;
	switch (event) {
	case SHIM_EVENT_CLONE:
		return thread_made(pctx, (pid_t)thread->data);
	case SHIM_EVENT_FORK:
		process_made(pctx, thread, (pid_t)thread->data);
		return GOES_ON;
	case SHIM_EVENT_EXEC:
		return another_program(pctx, (pid_t)thread->data);
	case SHIM_EVENT_EXIT:
		return thread_ends(pctx, thread);
	default:
		return GOES_ON;
	}
}

/* Return whether the process's first thread was killed, and its handler has not been called yet. */
static bool first_was_lost(const struct shim_tracees *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->thread[i].tid == t->pid && shim_tracee__was_lost(&t->thread[i]))
			return true;
	return false;
}

/*
 * Handle threads that were killed.  A thread that is killed need not stop before it ends, so there
 * may be no event for it.  If other threads continue, only this thread has ended.  If none does,
 * another thread's event reports the end of the process.  If no thread is left, the end is reported
 * here, once: for the first thread, unless it had ended before.
 */
static enum outcome handle_killed(pctx_t *pctx)
{
	struct shim_tracees *t = &pctx->threads;
	enum outcome outcome = GOES_ON;

	for (size_t i = 0; i < t->n && outcome == GOES_ON; i++) {
		struct shim_tracee *thread = &t->thread[i];

		if (!shim_tracee__was_lost(thread))
			continue;
		if (!all_end(t, thread))
			outcome = thread_ends(pctx, thread);
		else if (!shim_tracees__any(t) && (thread->tid == t->pid || !first_was_lost(t)))
			outcome = process_ends(pctx, thread);
	}
	return outcome;
}

/* Handle all events; the process is stopped while handlers run. */
static enum outcome handle_events(pctx_t *pctx)
{
	struct shim_tracees *t = &pctx->threads;
	enum outcome outcome = GOES_ON;
	struct shim_tracee *thread;

	while (outcome == GOES_ON && (thread = shim_tracees__eventful(t))) {
		pid_t tid = thread->tid;

		shim_tracees__stop(t);
		thread = shim_tracees__find(t, tid);
		if (thread && thread->event)
			outcome = handle(pctx, thread);
	}
	if (outcome == GOES_ON)
		outcome = handle_killed(pctx);
	shim_tracees__drop_gone(t);
	if (outcome == GOES_ON && !shim_tracees__any(t)) {
		shim_pctx__say(pctx, "run", "process %d has exited\n", t->pid);
		return HAS_FAILED;
	}
	return outcome;
}

/*
 * Set the time of the next tick.  A missed tick is skipped, but counts toward the run's remaining
 * ticks.
 */
static void next_goal(struct run *run)
{
	int64_t now = shim_tracees__now();

	do {
		run->goal_ns += run->period_ns;
		if (run->left > 1 && run->goal_ns <= now)
			run->left--;
	} while (run->goal_ns <= now);
}

static enum outcome tick(struct run *run)
{
	struct shim_tracees *t = &run->pctx->threads;
	enum outcome outcome;

	shim_tracees__stop(t);
	outcome = handle_events(run->pctx);
	if (outcome != GOES_ON)
		return outcome;
	for (size_t i = 0; run->tick && i < t->n; i++)
		if (shim_tracee__is_there(&t->thread[i]) && !t->thread[i].over &&
		    run->tick(run->pctx, t->pid, t->thread[i].lwp, run->pctx->arg))
			return HAS_FAILED;
	if (run->left && !--run->left)
		return HAS_ENDED;
	next_goal(run);
	return GOES_ON;
}

/* Run the process until an event occurs or a tick is due. */
static enum outcome step(struct run *run)
{
	pctx_t *pctx = run->pctx;
	int64_t deadline = run->period_ns ? run->goal_ns : NEVER;
	int64_t glance = shim_tracees__now() + 100000000;	/* check pctx_terminate() */
	enum outcome outcome;
	sigset_t old;

	shim_tracees__go_on(&pctx->threads);
	if (!shim_tracees__eventful(&pctx->threads))
		shim_tracees__wait(&pctx->threads, deadline < glance ? deadline : glance);
	shim_pctx__block(&old, 1);
	outcome = handle_events(pctx);
	if (outcome == GOES_ON && run->period_ns && shim_tracees__now() >= run->goal_ns)
		outcome = tick(run);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return outcome;
}

/* Return the ptrace(2) options that the process's handlers require. */
static unsigned long options_for(const pctx_t *pctx)
{
	const struct shim_pctx_handlers *on = &pctx->on;
	unsigned long options = pctx->threads.options & (unsigned long)PTRACE_O_EXITKILL;

	/*
	 * These are required even without handlers, because the run ends at execve and all threads
	 * must be known.
	 */
	options |= PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE;
	if (on->fork)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	return options;
}

static enum outcome begin(pctx_t *pctx)
{
	struct shim_tracees *t = &pctx->threads;

	shim_tracees__stop(t);
	if (shim_tracees__set_options(t, options_for(pctx)))
		return HAS_FAILED;
	for (size_t i = 0; i < t->n; i++)
		if (shim_tracee__is_there(&t->thread[i]) && init_lwp(pctx, &t->thread[i]))
			return HAS_FAILED;
	return shim_tracees__any(t) ? GOES_ON : HAS_FAILED;
}

/**
 * pctx_run() - run a process, and call its handlers for events
 * @pctx: the process
 * @msec: milliseconds between ticks, 0 for no ticks
 * @nsamples: number of ticks before this returns, 0 for no limit; ignored without ticks
 * @tick: called for each thread at a tick, while the process is stopped; a non-zero result ends the
 *	run
 *
 * The process is stopped when this returns, unless it has ended.
 *
 * Return: 0 (the process ended; it executed another program and has no handler for that; all ticks
 * are done; or pctx_terminate() was called), or -1 (a handler failed, the process disappeared, or
 * another thread controls it).
 */
SHIM_API int pctx_run(pctx_t *pctx, unsigned int msec, unsigned int nsamples, tick_fn *tick)
{
	struct run run = {
		.pctx = pctx,
		.tick = tick,
		.period_ns = msec * 1000000ll,
		.goal_ns = shim_tracees__now() + msec * 1000000ll,
		.left = msec ? nsamples : 0,
	};
	enum outcome outcome;
	sigset_t old;

	if (!pctx)
		return shim_cpc__fail(EINVAL);
	if (pctx->tracer != (pid_t)syscall(SYS_gettid)) {
		shim_pctx__say(pctx, "run", "process %d is controlled by another thread\n",
			       pctx->threads.pid);
		return -1;
	}
	shim_pctx__block(&old, 0);
	outcome = begin(pctx);
	while (outcome == GOES_ON && !atomic_load(&pctx->over))
		outcome = step(&run);
	if (outcome == GOES_ON)
		shim_tracees__stop(&pctx->threads);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return outcome == HAS_FAILED ? -1 : 0;
}
