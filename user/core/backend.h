/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operations of a back end, which counts sets.  The back ends are the module, perf, and any
 * that a test defines.
 *
 * All back ends use the requests, samples and errors of <linux/vcpc.h>.  The module counts only the
 * thread that calls it; the library defines targets, multiplexed groups and their flags.
 *
 * Threads: any thread may call all operations except open and close at any time.  A signal handler
 * may call sample, enable, disable, restart and preset.  With the module it may call all other
 * operations as well.  With perf, create, bind, unbind, destroy and release allocate or free
 * memory, so a handler that may have interrupted malloc(3) must not call them.
 */
#ifndef SHIM_CORE_BACKEND_H
#define SHIM_CORE_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <linux/vcpc.h>

#include "base/fd.h"

union shim_backend_ref {
	struct shim_fd fd;
	void *ptr;
};

struct shim_perf_set;

/* Flags of bind, in addition to VCPC_BIND_F_* */
#define SHIM_BIND_F_PROCESS	(1U << 3)	/* all current threads of the thread's process */
#define SHIM_BIND_F_CPU		(1U << 4)	/* the target is the CPU with the number tid */

/* Flags of operations on a target */
#define SHIM_TARGET_F_ALL	(1U << 0)	/* all instances of tid's bind; tid 0: all binds */
#define SHIM_TARGET_F_CPU	(1U << 1)	/* tid is a CPU number; also valid for sample */

/* Flag of list: do not report states, because each state requires reading a perf event */
#define SHIM_LIST_F_STATELESS	(1U << 0)

/* Bit in struct vcpc_sample.state, in addition to VCPC_STATE_*: the target is an offline CPU */
#define SHIM_STATE_F_OFFLINE	(1U << 2)

/* Limits and default of a multiplex slot's length, in nanoseconds */
#define SHIM_SLOT_MIN		1000000ULL
#define SHIM_SLOT_MAX		30000000000ULL
#define SHIM_SLOT_DEFAULT	100000000ULL

/**
 * struct shim_group_sample - statistics of a multiplexed group's time slices
 * @time: wall time during which the group counted; equal to @tick if perf multiplexes
 * @tick: the target's time during which the group counted
 * @rounds: complete rotations, the same number for all groups; if perf multiplexes, 1 once all
 *	groups have counted
 * @voids: slots in which this group had no counter for a while; neither its values nor its times
 *	include the gap
 * @whole: if the group counts on only one of several kinds of core, the target's time on that kind
 *
 * If a set has groups, the last value of a sample is followed by one struct shim_group_sample per
 * group.  A total adds up the targets' times, voids and rounds.
 */
struct shim_group_sample {
	__u64 time;
	__u64 tick;
	__u64 rounds;
	__u64 voids;
	__u64 whole;
};

/**
 * struct shim_terms - parameters of a set, in addition to its requests and flags
 * @group: the multiplexed group of each request: 0 for the first request; for each other request,
 *	the group of the previous request or that group + 1; NULL: no multiplexing
 * @slot: length of a multiplex slot, 0 for SHIM_SLOT_DEFAULT or without groups
 * @seed: for @shuffle
 * @shuffle: change the order of the groups in each rotation, and the length of each slot by up to
 *	10 %, so that a periodic target does not run in step with the rotation
 * @remote: threads other than the counted ones will enable, disable or restart the set, so perf
 *	must count it
 * @signal: the signal sent to a thread when a request with VCPC_REQ_F_OVERFLOW overflows; 0 if none
 */
struct shim_terms {
	const __u16 *group;
	__u64 slot;
	__u32 seed;
	bool shuffle;
	bool remote;
	__u32 signal;
};

/**
 * struct shim_backend_ops - one back end
 * @name: for messages
 * @open: open the back end and report its features; -ENODEV if this machine does not have it
 * @close: close it
 * @now: the clock that is the source of sample times
 * @create: create a set of n requests; on failure, bad is the index of the rejected request, or -1
 * @destroy: end the set on all its targets; other threads may be in calls on it
 * @release: free its memory after the last reference is dropped; NULL if @destroy does so
 * @limit: limit counting to the times when processes of the control group with this directory run.
 *	Called before the first bind; afterwards the set can be bound only to CPUs.  NULL if not
 *	supported
 * @bind: bind the set to a target; bad as for @create
 * @unbind: unbind the set from a target
 * @sample: store a sample of the set in buf, which has size bytes; with VCPC_SAMPLE_F_TOTAL, store
 *	a total
 * @enable: start counting
 * @disable: stop counting
 * @restart: set all counts to their presets and start counting; NULL if not supported
 * @preset: set the value from which a request starts at the next restart; NULL if not supported
 * @list: list the set's instances; the arguments' flags are SHIM_LIST_F_*
 * @own: the part of the set that perf counts; a thread that has bound it may try
 *	shim_perf__read_self() before @sample; NULL if perf counts no part
 *
 * The flags are SHIM_TARGET_F_*, except that create accepts VCPC_SET_F_*, bind accepts
 * VCPC_BIND_F_* and SHIM_BIND_F_*, and sample accepts VCPC_SAMPLE_F_TOTAL and SHIM_TARGET_F_CPU.
 *
 * Unless the flags name a CPU or all targets, a tid of 0 means the caller's own instance
 * if it has one, otherwise the set's only instance.
 */
struct shim_backend_ops {
	const char *name;
	int (*open)(union shim_backend_ref *dev, struct vcpc_info_args *info);
	void (*close)(union shim_backend_ref dev);
	__u64 (*now)(void);
	int (*create)(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		      unsigned int flags, struct shim_terms terms, int *bad,
		      union shim_backend_ref *set);
	void (*destroy)(union shim_backend_ref set);
	void (*release)(union shim_backend_ref set);
	int (*limit)(union shim_backend_ref set, const char *cgroup);
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

/* backend_perf.c: prepare for sets; must succeed even if perf counts nothing for the caller */
int shim_perf__prepare(void);

/*
 * backend_vcpc.c: the interface version of the loaded module, or an error from opening its device
 */
int shim_vcpc__abi(void);

#endif /* SHIM_CORE_BACKEND_H */
