/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operations of a back end, which does the counting: the module, perf, or a test's own.
 *
 * Requests, flags, samples and errors are those of <linux/vcpc.h> in every back end.
 *
 * Threads: all but open and close may be called from any thread at any time.  A signal handler may
 * call sample, enable, disable, restart and preset; with the module all of them, but perf's create,
 * bind, unbind, destroy and release allocate or free memory, so that a handler which interrupts
 * malloc(3) must not call them.
 */
#ifndef SHIM_CORE_BACKEND_H
#define SHIM_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/vcpc.h>

#include "base/process.h"

union shim_backend_ref {
	struct shim_fd fd;
	void *ptr;
};

struct shim_perf_set;

/**
 * struct shim_terms - parameters of a set beside its requests and flags
 * @slot: length of a multiplex slot in nanoseconds, 0 for VCPC_SLOT_DEFAULT or without groups
 * @seed: for VCPC_SET_F_SHUFFLE
 * @signal: sent to a thread when a request with VCPC_REQ_F_OVERFLOW overflows; 0 for none
 */
struct shim_terms {
	__u64 slot;
	__u32 seed;
	__u32 signal;
};

/**
 * struct shim_backend_ops - one back end
 * @name: for messages
 * @open: open the back end and fill in what it offers; -ENODEV if this machine does not have it
 * @close: close it
 * @now: the clock that gives samples their times
 * @lock: take (LOCK_SH, LOCK_EX) or release (LOCK_UN) the lock that the sessions of all
 *	processes share; -EWOULDBLOCK if it is taken
 * @create: make a set of n requests; on failure bad is the index of the request
 *	to blame, or -1
 * @destroy: end the set on all its targets; calls on it may be under way
 * @release: free its memory, when nobody refers to it any more; NULL if @destroy does so
 * @bind: put the set on a target; bad as for @create
 * @unbind: take the set off a target
 * @sample: one sample of the set into size bytes at buf, or with
 *	VCPC_SAMPLE_F_TOTAL a total
 * @enable: start counting
 * @disable: stop counting
 * @restart: count from the presets on; NULL if the back end cannot
 * @preset: set what a request starts from at the next restart; NULL if the back end cannot
 * @list: list the set's instances
 * @own: perf's part of the set, of which a thread that has bound it may sample itself by
 *	shim_perf__read_self() before it calls @sample; NULL if there is none
 *
 * The flags are VCPC_TARGET_F_*, of sample VCPC_SAMPLE_F_*, of bind VCPC_BIND_F_*.
 *
 * Unless the flags name a CPU or all targets, a tid of 0 means the caller's own instance
 * if it has one, otherwise the set's only instance.
 */
struct shim_backend_ops {
	const char *name;
	int (*open)(union shim_backend_ref *dev, struct vcpc_info_args *info);
	void (*close)(union shim_backend_ref dev);
	__u64 (*now)(void);
	int (*lock)(union shim_backend_ref dev, int how);
	int (*create)(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		      unsigned int flags, struct shim_terms terms, int *bad,
		      union shim_backend_ref *set);
	void (*destroy)(union shim_backend_ref set);
	void (*release)(union shim_backend_ref set);
	int (*bind)(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad);
	int (*unbind)(union shim_backend_ref set, pid_t tid, unsigned int flags);
	int (*sample)(union shim_backend_ref set, pid_t tid, unsigned int flags,
		      struct vcpc_sample *buf, size_t size);
	int (*enable)(union shim_backend_ref set, pid_t tid, unsigned int flags);
	int (*disable)(union shim_backend_ref set, pid_t tid, unsigned int flags);
	int (*restart)(union shim_backend_ref set, pid_t tid, unsigned int flags);
	int (*preset)(union shim_backend_ref set, pid_t tid, unsigned int request, __u64 value);
	int (*list)(union shim_backend_ref set, struct vcpc_instances_args *args);
	const struct shim_perf_set *(*own)(union shim_backend_ref set);
};

extern const struct shim_backend_ops shim_backend__vcpc;
extern const struct shim_backend_ops shim_backend__perf;

/* perf_sample.c */
int shim_perf__read_self(const struct shim_perf_set *set, pid_t tid, __u64 *values,
			 unsigned int room, __u64 *tick);

/* May sets on CPUs and sets on threads count hardware events at the same time? */
bool shim_vcpc__shares_pmu(void);

#endif /* SHIM_CORE_BACKEND_H */
