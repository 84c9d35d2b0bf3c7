/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definition of libpctx's opaque type. */
#ifndef SHIM_CPC_PCTX_H
#define SHIM_CPC_PCTX_H

#include <signal.h>
#include <stdatomic.h>

#include "base/process.h"
#include "cpc/libcpc.h"
#include "cpc/libpctx.h"
#include "tracee.h"

/* The handlers of events; NULL for none */
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
 * @ended: it is ending, and held until it is released
 * @over: pctx_terminate() was called; may be set by a signal handler
 * @users: the handles that have sets on it; guarded by the lock in bind_pctx.c
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

/* bind_pctx.c: handles forget a process that is released, even while another thread forks */
int shim_cpc__watch_forks(void);
void shim_cpc__forget_pctx(pctx_t *pctx);

#endif /* SHIM_CPC_PCTX_H */
