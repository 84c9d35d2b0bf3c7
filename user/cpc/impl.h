/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definitions of libcpc's opaque types. */
#ifndef SHIM_CPC_IMPL_H
#define SHIM_CPC_IMPL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/process.h"
#include "core/counters.h"
#include "cpc/libcpc.h"
#include "cpc/libpctx.h"
#include "inheritable.h"

#define CPC_ANY_PIC	(-1)
/* Prefix of the names of software events, which the kernel counts without the CPU's PMU */
#define CPC_SOFTWARE	"sw::"

/* A request as the caller specified it; the back end uses the set's packed[] */
struct cpc_request {
	char *event;
	cpc_attr_t *attrs;
	uint_t nattrs;
	uint_t flags;
	int picnum;		/* the counter's number, or CPC_ANY_PIC */
	int subcode;		/* the reason why the request cannot be bound, or 0 */
};

struct cpc_processor;

/* The state of a set's binding, as far as the library knows */
enum cpc_where {
	CPC_UNBOUND,
	CPC_ON_LWP,
	CPC_ON_PCTX,
	CPC_ON_CPU,
};

/*
 * struct __cpc_set - a set, in its handle's list
 * @cpc: the handle
 * @shape: number that is unique to this list of requests; its buffers have the same shape
 * @counters: its counters in the back end, from the first bind until the next change of its
 *	requests
 * @silent: @counters were created for a CPU and send no overflow signals
 * @where: the assumed state; for CPC_ON_LWP, each thread stores its own set (inheritable.h)
 * @pctx: the process of CPC_ON_PCTX, NULL once it has been released
 * @tid: the thread of CPC_ON_PCTX
 * @inheritable: its entry in the list of sets that new threads inherit
 * @processor: the CPU of CPC_ON_CPU, and the previous affinity of its thread
 */
struct __cpc_set {
	struct __cpc_set *next;
	cpc_t *cpc;
	uint64_t shape;
	struct cpc_request *reqs;
	struct vcpc_request *packed;
	uint_t n;
	size_t room;
	_Atomic(struct shim_counters *) counters;
	atomic_bool silent;
	_Atomic enum cpc_where where;
	pctx_t *pctx;
	pid_t tid;
	struct shim_inheritable inheritable;
	struct cpc_processor *processor;
};

/*
 * struct __cpc_buf - values of @n requests, hrtime and tick
 * @cpc: the handle
 * @shape: shape of its set at the time of creation
 * @sample: written directly by the back end
 */
struct __cpc_buf {
	struct __cpc_buf *next;
	cpc_t *cpc;
	uint64_t shape;
	uint_t n;
	struct vcpc_sample sample;
};

/*
 * struct __cpc - a handle
 * @sets, @bufs: all sets and buffers of the handle
 * @names: events that can be counted here, NULL until first use
 * @format: the fields of the CPU's event codes
 * @caps: the result of cpc_caps()
 */
struct __cpc {
	struct __cpc_set *sets;
	struct __cpc_buf *bufs;
	char **names;
	struct shim_pmu_format *format;
	struct shim_session *session;
	_Atomic(cpc_errhndlr_t *) handler;
	uint_t caps;
	char cciname[CPC_MAX_IMPL_NAME];
};

/*
 * Guards the lists, processes and names of all handles; all signals are blocked while the lock is
 * held, so that a signal handler may use the library.
 */
void shim_cpc__lock(void);
void shim_cpc__unlock(void);

bool shim_cpc__has_set(cpc_t *cpc, const cpc_set_t *set);
bool shim_cpc__owns(cpc_t *cpc, const cpc_set_t *set);
size_t shim_cpc__sample_size(const cpc_buf_t *buf);

/* set.c */
void shim_cpc__end_counters(cpc_set_t *set);
void shim_cpc__settle(cpc_t *cpc, cpc_set_t *set);

/* counters.c */
int shim_cpc__check_requests(cpc_t *cpc, const char *fn, const cpc_set_t *set);
int shim_cpc__counters(cpc_t *cpc, cpc_set_t *set, bool silent, struct shim_counters **out);
int shim_cpc__bind(cpc_t *cpc, cpc_set_t *set, pid_t target, uint_t flags);
int shim_cpc__refused(cpc_t *cpc, const char *fn, const cpc_set_t *set, int ret);

/* bind_cpu.c */
int shim_cpc__unbind_cpu(cpc_set_t *set);
int shim_cpc__sample_cpu(cpc_set_t *set, cpc_buf_t *buf);

int shim_cpc__unbind_pctx(cpc_t *cpc, cpc_set_t *set);
bool shim_cpc__leave_pctx(cpc_t *cpc, cpc_set_t *set);

/* cpc.c: each of these returns -1 with errno set */
int shim_cpc__fail(int err);
int shim_cpc__complain(cpc_t *cpc, const char *fn, int err, int subcode);
int shim_cpc__translate(cpc_t *cpc, const char *fn, int ret);

/* walk.c */
void shim_cpc__free_names(char **names);

#endif /* SHIM_CPC_IMPL_H */
