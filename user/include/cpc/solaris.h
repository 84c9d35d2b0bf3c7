/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Declarations that programs for Solaris expect in addition to libcpc: types, the clock, the
 * overflow signal, processors and their sets, and strlcpy().
 *
 * A program with its own definitions defines the following before the first include: SHIM_NO_HRTIME
 * if it defines hrtime_t and gethrtime(), SHIM_NO_STRLCPY for strlcpy(), SHIM_NO_REGSET for PC, SP
 * and USP.
 */
#ifndef SHIM_SOLARIS_H
#define SHIM_SOLARIS_H

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>	/* id_t, also with -std=c99 */
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
/* With -std=c99, glibc's <sys/wait.h> does not define idtype_t. */
#if defined(__GLIBC__) && !defined(WEXITED)
#include <bits/types/idtype_t.h>
#endif

#include "hrtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int uint_t;
typedef int processorid_t;
typedef pid_t lwpid_t;

/* Linux has no SIGEMT on x86 and arm64, where this number is unused. */
#ifndef SIGEMT
#define SIGEMT		16
#endif

/* si_code of the signal; Linux uses 1 for another purpose */
#ifndef EMT_CPCOVF
#define EMT_CPCOVF	2
#endif

#define PBIND_NONE	(-1)
#define PBIND_QUERY	(-2)

/* For processor_bind(); <sys/wait.h> defines P_PID */
#define P_LWPID		((idtype_t)8)
#define P_MYID		((id_t)-1)

int processor_bind(idtype_t idtype, id_t id, processorid_t processorid, processorid_t *obind);

/* For p_online(); Linux processors are online or offline, and never in the other states */
#define P_OFFLINE	0x0001
#define P_ONLINE	0x0002
#define P_STATUS	0x0003
#define P_FAULTED	0x0004
#define P_POWEROFF	0x0005
#define P_NOINTR	0x0006
#define P_SPARE		0x0007

int p_online(processorid_t processorid, int flag);

#define PI_TYPELEN	16
#define PI_FPUTYPE	32

typedef struct {
	int pi_state;				/* as set by p_online() */
	char pi_processor_type[PI_TYPELEN];	/* uname(2)'s machine */
	char pi_fputypes[PI_FPUTYPE];		/* empty */
	int pi_clock;				/* MHz, 0 if unknown */
} processor_info_t;

int processor_info(processorid_t processorid, processor_info_t *infop);

/* Processor numbers are less than the value that sysconf(3) returns for this name. */
#ifndef _SC_CPUID_MAX
#define _SC_CPUID_MAX	_SC_NPROCESSORS_CONF
#endif

/* Return the calling thread's number, which is unique on this machine. */
lwpid_t _lwp_self(void);

/* glibc has had strlcpy() since version 2.38.  With it, a program cannot define its own anyway. */
#if !defined(SHIM_NO_STRLCPY) && !defined(strlcpy) && defined(__GLIBC__) && \
	(__GLIBC__ == 2 && __GLIBC_MINOR__ < 38)
size_t strlcpy(char *dst, const char *src, size_t size);
#endif

#ifdef __cplusplus
}
#endif

#endif /* SHIM_SOLARIS_H */
