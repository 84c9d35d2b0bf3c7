/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcpc, version 1: the obsolete calls used by programs for Solaris 8 and 9, on Linux.
 *
 * They count two events at a time.  Documentation/api/libcpc-porting.rst lists the differences.
 */
#ifndef SHIM_LIBCPC_V1_H
#define SHIM_LIBCPC_V1_H

#include <inttypes.h>
#include <stdarg.h>
#include <sys/types.h>

#include "libpctx.h"
#include "solaris.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Two events and their values, in x86's layout on every machine.  In ce_pes, bits 0 to 15 are an
 * event code and its unit mask, bit 16 is user mode, bit 17 system mode, bit 18 edge, bit 23 inv,
 * and bits 24 to 31 are cmask, as in the CPU's register.  If bit 21 is set, the code is a number
 * that cpc_strtoevent() assigned to a name.
 */
typedef struct _cpc_event {
	int ce_cpuver;
	shim_hrtime_t ce_hrt;
	uint64_t ce_tsc;
	uint64_t ce_pic[2];
	uint32_t ce_pes[2];
} cpc_event_t;

#define ce_cesr	ce_pes[0]

/* Processor types of the original.  cpc_getcpuver() never returns them. */
#define CPC_ULTRA1		1000
#define CPC_ULTRA2		1001
#define CPC_ULTRA3		1002
#define CPC_ULTRA3_PLUS		1003
#define CPC_ULTRA3_I		1004
#define CPC_ULTRA4_PLUS		1005
#define CPC_PENTIUM		2000
#define CPC_PENTIUM_MMX		2001
#define CPC_PENTIUM_PRO		2002
#define CPC_PENTIUM_PRO_MMX	2003
#define CPC_SPARC64_III		3000
#define CPC_SPARC64_V		3002
#define CPC_LINUX		9000

typedef void (cpc_errfn_t)(const char *fn, const char *fmt, va_list ap);

uint_t cpc_version(uint_t ver);
int cpc_access(void);
int cpc_getcpuver(void);
const char *cpc_getcciname(int cpuver);
const char *cpc_getcpuref(int cpuver);
const char *cpc_getusage(int cpuver);
uint_t cpc_getnpic(int cpuver);
void cpc_seterrfn(cpc_errfn_t *errfn);
void cpc_walk_names(int cpuver, int regno, void *arg,
		    void (*action)(void *arg, int regno, const char *name, uint8_t bits));

int cpc_strtoevent(int cpuver, const char *spec, cpc_event_t *event);
char *cpc_eventtostr(cpc_event_t *event);
void cpc_event_accum(cpc_event_t *accum, cpc_event_t *event);
void cpc_event_diff(cpc_event_t *diff, cpc_event_t *after, cpc_event_t *before);

int cpc_bind_event(cpc_event_t *event, int flags);
int cpc_take_sample(cpc_event_t *event);
int cpc_rele(void);
int cpc_count_usr_events(int enable);
int cpc_count_sys_events(int enable);

int cpc_pctx_bind_event(pctx_t *pctx, id_t lwpid, cpc_event_t *event, int flags);
int cpc_pctx_take_sample(pctx_t *pctx, id_t lwpid, cpc_event_t *event);
int cpc_pctx_rele(pctx_t *pctx, id_t lwpid);
int cpc_pctx_invalidate(pctx_t *pctx, id_t lwpid);

int cpc_shared_open(void);
void cpc_shared_close(int fd);
int cpc_shared_bind_event(int fd, cpc_event_t *event, int flags);
int cpc_shared_take_sample(int fd, cpc_event_t *event);
int cpc_shared_rele(int fd);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_LIBCPC_V1_H */
