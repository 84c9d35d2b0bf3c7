/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of libpctx: this same program as the controlled process, and the calls of the
 * controller's handlers.
 */
#ifndef SELFTESTS_CONTROLLED_H
#define SELFTESTS_CONTROLLED_H

#include "cpc/libpctx.h"

#define SELF "/proc/self/exe"

/*
 * struct heard - what handlers have heard
 * @line: as a line of letters: i1 is the init_lwp of thread 1
 * @status: of the exit
 * @ticks: how many
 * @fail_at_tick: when on_tick() fails
 * @out: of a pipe, from a copy of this program
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

/* This program in another role (exit, threads, abandon, fork, exec, texec, sleep, kill) */
pctx_t *start(struct heard *heard, const char *what, const char *n);
pid_t run_apart(const char *what, const char *n);
/* A process with a given number of threads that never end */
int be_abandoned(int n);

/* An error function of libpctx: 0 before, the text's length after a call */
extern int last_complaint;
void complain(const char *fn, const char *fmt, va_list ap);

#endif /* SELFTESTS_CONTROLLED_H */
