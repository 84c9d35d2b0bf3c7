/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libcpc, version 2: counters of threads, processes and CPUs, on Linux.
 *
 * Names, types and numbers are the same as on Solaris; Documentation/api/libcpc-porting.rst lists
 * the differences.
 */
#ifndef SHIM_LIBCPC_H
#define SHIM_LIBCPC_H

#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <ucontext.h>

#include "libpctx.h"
#include "solaris.h"
#include "sys/regset.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct __cpc cpc_t;
typedef struct __cpc_set cpc_set_t;
typedef struct __cpc_buf cpc_buf_t;

typedef struct {
	char *ca_name;
	uint64_t ca_val;
} cpc_attr_t;

typedef void (cpc_errhndlr_t)(const char *fn, int subcode, const char *fmt, va_list ap);

/* Versions, for cpc_open() */
#define CPC_VER_NONE		0
#define CPC_VER_1		1
#define CPC_VER_CURRENT		2

/* Flags of a request */
#define CPC_OVF_NOTIFY_EMT	0x01
#define CPC_COUNT_USER		0x02
#define CPC_COUNT_SYSTEM	0x04
#define CPC_COUNT_HV		0x08
#define CPC_COUNT_SAMPLE_MODE	0x10

/* Flags of a binding */
#define CPC_BIND_LWP_INHERIT	0x1
#define CPC_BIND_EMT_OVF	0x2

/* Bits of cpc_caps() */
#define CPC_CAP_OVERFLOW_INTERRUPT	0x1
#define CPC_CAP_OVERFLOW_PRECISE	0x2

#define CPC_MAX_EVENT_LEN	512
#define CPC_MAX_ATTR_LEN	32
#define CPC_MAX_IMPL_NAME	512
#define CPC_MAX_CPUREF		1024

/* Subcodes passed to the error handler */
#define CPC_INVALID_EVENT		1
#define CPC_INVALID_PICNUM		2
#define CPC_INVALID_ATTRIBUTE		3
#define CPC_ATTRIBUTE_OUT_OF_RANGE	4
#define CPC_RESOURCE_UNAVAIL		5
#define CPC_PIC_NOT_CAPABLE		6
#define CPC_REQ_INVALID_FLAGS		7
#define CPC_CONFLICTING_REQS		8
#define CPC_ATTR_REQUIRES_PRIVILEGE	9
#define CPC_PBIND_FAILED		10
#define CPC_HV_NO_ACCESS		11

cpc_t *cpc_open(int ver);
int cpc_close(cpc_t *cpc);

uint_t cpc_npic(cpc_t *cpc);
uint_t cpc_caps(cpc_t *cpc);
const char *cpc_cciname(cpc_t *cpc);
const char *cpc_cpuref(cpc_t *cpc);
int cpc_seterrhndlr(cpc_t *cpc, cpc_errhndlr_t *fn);

cpc_set_t *cpc_set_create(cpc_t *cpc);
int cpc_set_destroy(cpc_t *cpc, cpc_set_t *set);
int cpc_set_add_request(cpc_t *cpc, cpc_set_t *set, const char *event, uint64_t preset,
			uint_t flags, uint_t nattrs, const cpc_attr_t *attrs);

int cpc_bind_curlwp(cpc_t *cpc, cpc_set_t *set, uint_t flags);
int cpc_bind_pctx(cpc_t *cpc, pctx_t *pctx, id_t id, cpc_set_t *set, uint_t flags);
int cpc_bind_cpu(cpc_t *cpc, processorid_t id, cpc_set_t *set, uint_t flags);
int cpc_request_preset(cpc_t *cpc, int index, uint64_t preset);
int cpc_set_restart(cpc_t *cpc, cpc_set_t *set);
int cpc_unbind(cpc_t *cpc, cpc_set_t *set);
int cpc_set_sample(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf);
int cpc_enable(cpc_t *cpc);
int cpc_disable(cpc_t *cpc);

/* Make pctx_run() return for each process to which a set of this handle is bound. */
void cpc_terminate(cpc_t *cpc);

cpc_buf_t *cpc_buf_create(cpc_t *cpc, cpc_set_t *set);
int cpc_buf_destroy(cpc_t *cpc, cpc_buf_t *buf);
void cpc_buf_sub(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b);
void cpc_buf_add(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *a, cpc_buf_t *b);
void cpc_buf_copy(cpc_t *cpc, cpc_buf_t *ds, cpc_buf_t *src);
void cpc_buf_zero(cpc_t *cpc, cpc_buf_t *buf);
int cpc_buf_get(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t *val);
int cpc_buf_set(cpc_t *cpc, cpc_buf_t *buf, int index, uint64_t val);
shim_hrtime_t cpc_buf_hrtime(cpc_t *cpc, cpc_buf_t *buf);
uint64_t cpc_buf_tick(cpc_t *cpc, cpc_buf_t *buf);

void cpc_walk_requests(cpc_t *cpc, cpc_set_t *set, void *arg,
		       void (*action)(void *arg, int index, const char *event, uint64_t preset,
				      uint_t flags, int nattrs, const cpc_attr_t *attrs));
void cpc_walk_events_all(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *event));
void cpc_walk_events_pic(cpc_t *cpc, uint_t picno, void *arg,
			 void (*action)(void *arg, uint_t picno, const char *event));
void cpc_walk_generic_events_all(cpc_t *cpc, void *arg,
				 void (*action)(void *arg, const char *event));
void cpc_walk_generic_events_pic(cpc_t *cpc, uint_t picno, void *arg,
				 void (*action)(void *arg, uint_t picno, const char *event));
void cpc_walk_attrs(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *attr));

#ifdef __cplusplus
}
#endif

#include "libcpc_v1.h"

#endif /* SHIM_LIBCPC_H */
