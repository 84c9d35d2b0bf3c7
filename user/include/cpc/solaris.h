/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What programs for Solaris take for granted beside libcpc: types, the clock,
 * the overflow signal, and binding a thread to a processor.
 */
#ifndef SHIM_SOLARIS_H
#define SHIM_SOLARIS_H

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int uint_t;
typedef long long hrtime_t;	/* nanoseconds */
typedef int processorid_t;
typedef pid_t lwpid_t;

/* nanoseconds of CLOCK_MONOTONIC, the clock of cpc_buf_hrtime() */
hrtime_t gethrtime(void);

/* Linux has no such signal on x86 and arm64; this number is unused there. */
#ifndef SIGEMT
#define SIGEMT		16
#endif

/* si_code; 1 is taken on Linux */
#ifndef EMT_CPCOVF
#define EMT_CPCOVF	2
#endif

#define PBIND_NONE	(-1)
#define PBIND_QUERY	(-2)

/* For processor_bind(): P_PID is <sys/wait.h>'s. */
#define P_LWPID		((idtype_t)8)
#define P_MYID		((id_t)-1)

int processor_bind(idtype_t idtype, id_t id, processorid_t processorid, processorid_t *obind);

/* For p_online() */
#define P_OFFLINE	0x0001
#define P_ONLINE	0x0002
#define P_STATUS	0x0003
#define P_NOINTR	0x0006

int p_online(processorid_t processorid, int flag);

/* The calling thread's number, which no other thread of this machine has */
lwpid_t _lwp_self(void);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_SOLARIS_H */
