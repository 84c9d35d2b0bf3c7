/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a controlled process, another instance of this program, and record its handlers' calls. */
#ifndef SELFTESTS_CONTROLLED_H
#define SELFTESTS_CONTROLLED_H

#include "cpc/libpctx.h"

#define SELF "/proc/self/exe"

/*
 * struct heard - calls recorded by the handlers
 * @line: the calls as letters and digits: i1 is the init_lwp of thread 1
 * @status: the exit status
 * @ticks: number of ticks
 * @fail_at_tick: the tick at which on_tick() fails
 * @out: read end of a pipe from the controlled process
 */
struct heard {
	char line[256];
	int status;
	int ticks;
	int fail_at_tick;
	int out;
};

int on_init(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
int on_fini(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
int on_create(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
int on_lwp_exit(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
void on_exit_(pctx_t *pctx, pid_t pid, id_t lwpid, int status, void *arg);
int on_exec(pctx_t *pctx, pid_t pid, id_t lwpid, char *cmd, void *arg);
int on_tick(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);

#define ALL_BUT_EXEC PCTX_INIT_LWP_EVENT, on_init, PCTX_FINI_LWP_EVENT, on_fini,	\
	PCTX_SYSC_LWP_CREATE_EVENT, on_create, PCTX_SYSC_LWP_EXIT_EVENT, on_lwp_exit,	\
	PCTX_SYSC_EXIT_EVENT, on_exit_

/*
 * Start this program as exit, threads, abandon, fork, exec, texec, sleep or kill, or as outlived,
 * oexec or okill: its main thread ends before another one, which then exits, executes or kills.
 */
pctx_t *start(struct heard *heard, const char *what, const char *n);
pid_t run_apart(const char *what, const char *n);
/* Start @n threads that never exit, and exit from the main thread. */
int be_abandoned(int n);

/* The result of complain(): 0 before a call, the length of the message afterwards */
extern int last_complaint;
void complain(const char *fn, const char *fmt, va_list ap);

#endif /* SELFTESTS_CONTROLLED_H */
