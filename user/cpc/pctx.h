/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of libpctx's opaque type. */
#ifndef SHIM_CPC_PCTX_H
#define SHIM_CPC_PCTX_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/process.h"
#include "cpc/libcpc.h"
#include "cpc/libpctx.h"

/* Trace the threads of a process with ptrace(2): stop them, wait for them, and continue them. */

enum shim_tracee_state {
	SHIM_TRACEE_RUNS,
	SHIM_TRACEE_STOPPED,
	SHIM_TRACEE_LISTENS,	/* stopped by job control; continues without the library */
	SHIM_TRACEE_GONE,
	SHIM_TRACEE_CHANGES,	/* it executes another program, as the process's first thread */
};

/* Reasons for a thread's stop */
enum shim_tracee_event {
	SHIM_EVENT_NONE,	/* by request, or for a reason without a handler */
	SHIM_EVENT_CLONE,	/* it has created a thread, @data */
	SHIM_EVENT_FORK,	/* it has created a process, @data */
	SHIM_EVENT_EXEC,	/* it executes another program; it was thread @data */
	SHIM_EVENT_EXIT,	/* it is about to end, with wait status @data */
};

/**
 * struct shim_tracee - one thread
 * @tid: its ID in the kernel
 * @lwp: its number in the process, starting from 1
 * @state: the thread's state
 * @ends: it has stopped at its exit
 * @over: its exit handler has been called, or its first handler has not been called yet
 * @event: reason for its stop, until the stop is handled
 * @data: see enum shim_tracee_event; for a thread that has ended, its wait status
 * @signal: delivered to it when it is continued
 */
struct shim_tracee {
	pid_t tid;
	int lwp;
	enum shim_tracee_state state;
	bool ends;
	bool over;
	enum shim_tracee_event event;
	unsigned long data;
	int signal;
};

/**
 * struct shim_tracees - the threads of a process
 * @pid: the process
 * @options: PTRACE_O_*
 * @last_lwp: the last number assigned
 * @n: number of threads in @thread
 * @room: capacity of @thread
 * @thread: the threads
 */
struct shim_tracees {
	pid_t pid;
	unsigned long options;
	int last_lwp;
	size_t n;
	size_t room;
	struct shim_tracee *thread;
};

int shim_tracees__hold_all(struct shim_tracees *t);
int shim_tracees__seize(struct shim_tracees *t, pid_t tid, struct shim_tracee **out);
int shim_tracees__set_options(struct shim_tracees *t, unsigned long options);
void shim_tracees__stop(struct shim_tracees *t);
void shim_tracees__go_on(struct shim_tracees *t);
void shim_tracees__wait(struct shim_tracees *t, int64_t deadline_ns);
struct shim_tracee *shim_tracees__eventful(struct shim_tracees *t);
struct shim_tracee *shim_tracees__find(struct shim_tracees *t, pid_t tid);
struct shim_tracee *shim_tracees__find_lwp(struct shim_tracees *t, int lwp);
pid_t shim_tracee__await(pid_t tid, int *status);
bool shim_tracee__is_there(const struct shim_tracee *thread);
bool shim_tracee__has_left(const struct shim_tracee *thread);
bool shim_tracee__was_lost(const struct shim_tracee *thread);
bool shim_tracees__any(const struct shim_tracees *t);
void shim_tracees__drop_gone(struct shim_tracees *t);
void shim_tracees__let_go(struct shim_tracees *t);
int shim_tracees__add(struct shim_tracees *t, pid_t tid, struct shim_tracee **out);
int64_t shim_tracees__now(void);

/* The handlers of events; NULL if none */
struct shim_pctx_handlers {
	pctx_sysc_execfn_t *exec;
	pctx_sysc_forkfn_t *fork;
	pctx_sysc_exitfn_t *exit;
	pctx_sysc_lwp_createfn_t *lwp_create;
	pctx_init_lwpfn_t *init_lwp;
	pctx_fini_lwpfn_t *fini_lwp;
	pctx_sysc_lwp_exitfn_t *lwp_exit;
};

/**
 * struct __pctx - a process under control
 * @threads: its threads
 * @tracer: the thread that controls it; ptrace(2) accepts calls only from this thread
 * @arg: argument for the handlers
 * @verbose: as passed by the program; ignored
 * @complain: called for errors
 * @on: the handlers
 * @created: it is this process's child
 * @ended: it is ending, and is held until it is released
 * @over: pctx_terminate() was called; may be set by a signal handler
 * @users: the handles that have sets on it; guarded by the lock in bind_cpu.c
 * @nusers: number of handles
 * @users_room: capacity of @users
 */
struct __pctx {
	struct shim_tracees threads;
	pid_t tracer;
	void *arg;
	int verbose;
	pctx_errfn_t *complain;
	struct shim_pctx_handlers on;
	int created;
	int ended;
	atomic_int over;
	cpc_t **users;
	size_t nusers, users_room;
};

void shim_pctx__say(pctx_t *pctx, const char *fn, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void shim_pctx__block(sigset_t *old, int terminal);
pid_t shim_pctx__tid(pctx_t *pctx, id_t lwpid);

/* Take control of a process that process_made() has left stopped and untraced. */
pctx_t *shim_pctx__take_over(pid_t pid, const pctx_t *like);

/* bind_cpu.c: make handles forget a process that is released, even while another thread forks */
int shim_cpc__watch_forks(void);
void shim_cpc__forget_pctx(pctx_t *pctx);

#endif /* SHIM_CPC_PCTX_H */
