/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libpctx: control another process, and receive its events, on Linux.
 *
 * Names, types and numbers are the same as on Solaris.  A process is controlled through ptrace(2),
 * so only the thread that created a handle may use it.
 */
#ifndef SHIM_LIBPCTX_H
#define SHIM_LIBPCTX_H

#include <stdarg.h>
#include <sys/resource.h>	/* id_t, also with -std=c99 */
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct __pctx pctx_t;

typedef void (pctx_errfn_t)(const char *fn, const char *fmt, va_list ap);

pctx_t *pctx_create(const char *filename, char *const *argv, void *arg, int verbose,
		    pctx_errfn_t *errfn);
pctx_t *pctx_capture(pid_t pid, void *arg, int verbose, pctx_errfn_t *errfn);

/* The events for pctx_set_events(), each followed by its handler */
typedef enum {
	PCTX_NULL_EVENT = 0,
	PCTX_SYSC_EXEC_EVENT,
	PCTX_SYSC_FORK_EVENT,
	PCTX_SYSC_EXIT_EVENT,
	PCTX_SYSC_LWP_CREATE_EVENT,
	PCTX_INIT_LWP_EVENT,
	PCTX_FINI_LWP_EVENT,
	PCTX_SYSC_LWP_EXIT_EVENT
} pctx_event_t;

typedef int pctx_sysc_execfn_t(pctx_t *pctx, pid_t pid, id_t lwpid, char *cmd, void *arg);
typedef void pctx_sysc_forkfn_t(pctx_t *pctx, pid_t pid, id_t child, pid_t lwpid, void *arg);
typedef void pctx_sysc_exitfn_t(pctx_t *pctx, pid_t pid, id_t lwpid, int status, void *arg);
typedef int pctx_sysc_lwp_createfn_t(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
typedef int pctx_init_lwpfn_t(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
typedef int pctx_fini_lwpfn_t(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);
typedef int pctx_sysc_lwp_exitfn_t(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg);

int pctx_set_events(pctx_t *pctx, ...);
int pctx_run(pctx_t *pctx, unsigned int msec, unsigned int nsamples,
	     int (*tick)(pctx_t *pctx, pid_t pid, id_t lwpid, void *arg));
void pctx_terminate(pctx_t *pctx);
void pctx_release(pctx_t *pctx);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_LIBPCTX_H */
