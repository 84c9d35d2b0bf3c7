/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What core asks of whoever counts: the module, or a synthetic PMU in tests.
 *
 * Requests, flags, samples and errors are those of <linux/vcpc.h>, whichever
 * back end it is.  Threads: all but open and close may be called from any
 * thread at any time, also from a signal handler.
 */
#ifndef SHIM_CORE_BACKEND_H
#define SHIM_CORE_BACKEND_H

#include <stddef.h>
#include <sys/types.h>
#include <linux/vcpc.h>

#include "base/process.h"

union shim_backend_ref {
	struct shim_fd fd;
	void *ptr;
};

/**
 * struct shim_terms - what a set is made with beside its requests and flags
 * @slot: the length of groups' turns, 0 for the usual
 * @seed: for VCPC_SET_F_SHUFFLE
 * @signal: what a thread is sent when a request with VCPC_REQ_F_OVERFLOW overflows, or 0
 */
struct shim_terms {
	__u64 slot;
	__u32 seed;
	__u32 signal;
};

/**
 * struct shim_backend_ops - one back end
 * @name: for messages
 * @open: find it, and fill in what it offers; -ENODEV if it is not here
 * @close: let go of it
 * @now: the clock of samples' times
 * @lock: LOCK_SH, LOCK_EX or LOCK_UN: of all processes' sessions; -EWOULDBLOCK
 * @create: make a set of n requests; on failure bad is the index of the request
 *	to blame, or -1
 * @destroy: end the set on all its targets; calls on it may be under way
 * @release: give its memory back, when nobody refers to it any more; NULL if destroy has
 * @bind: put the set on a target; bad as for @create
 * @unbind: take it off
 * @sample: one sample of the set into size bytes at buf, or with
 *	VCPC_SAMPLE_F_TOTAL a total
 * @enable: count
 * @disable: stop
 * @restart: count from the presets on; NULL if it cannot
 * @preset: what a request starts from at the next restart; NULL likewise
 * @list: the set's instances
 *
 * The flags are VCPC_TARGET_F_*, of sample VCPC_SAMPLE_F_*, of bind VCPC_BIND_F_*.
 *
 * Otherwise a tid of 0 is the caller's own instance if it has one, otherwise the set's
 * only one.
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
};

extern const struct shim_backend_ops shim_backend__vcpc;
extern const struct shim_backend_ops shim_backend__perf;

#endif /* SHIM_CORE_BACKEND_H */
