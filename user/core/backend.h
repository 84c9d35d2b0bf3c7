/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The operations of a back end, which does the counting: the module, perf, or a test's own.
 *
 * Requests, samples and errors are those of <linux/vcpc.h> in every back end.  The module counts
 * only the thread that calls it; targets, multiplexed groups and their flags are the library's own.
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

/* Flags of bind, in addition to VCPC_BIND_F_* */
#define SHIM_BIND_F_PROCESS	(1U << 3)	/* all threads that the thread's process has now */
#define SHIM_BIND_F_CPU		(1U << 4)	/* the target is the CPU with the number tid */

/* Flags of operations on a target */
#define SHIM_TARGET_F_ALL	(1U << 0)	/* all instances of the bind that tid belongs to; 0: of all */
#define SHIM_TARGET_F_CPU	(1U << 1)	/* tid is the number of a CPU; for sample, too */

/* In struct vcpc_sample.state, in addition to VCPC_STATE_*: the target is a CPU that is offline */
#define SHIM_STATE_F_OFFLINE	(1U << 2)

/* The length of a multiplex slot in nanoseconds */
#define SHIM_SLOT_MIN		1000000ULL
#define SHIM_SLOT_MAX		30000000000ULL
#define SHIM_SLOT_DEFAULT	100000000ULL

/**
 * struct shim_group_sample - what is known of a multiplexed group's slots so far
 * @time: wall time that the group counted; where perf multiplexes, as @tick
 * @tick: the target's time that the group counted
 * @rounds: how often all groups have completed their slots, the same number in all; where perf
 *	multiplexes, 1 once all groups have counted
 * @voids: slots of this group in which a counter was missing for a while; what was lost is
 *	neither in its values nor in its times
 * @whole: of a group that counts on one of several kinds of core, the target's time there
 *
 * A sample of a set with groups is followed by one of these for each group, behind the last value.
 * In a total, the targets' times, voids and rounds are added up.
 */
struct shim_group_sample {
	__u64 time;
	__u64 tick;
	__u64 rounds;
	__u64 voids;
	__u64 whole;
};

/**
 * struct shim_terms - parameters of a set beside its requests and flags
 * @group: of each request its multiplexed group: 0 for the first one, for each other one that of
 *	the request before it or the next; NULL: nothing is multiplexed
 * @slot: length of a multiplex slot, 0 for SHIM_SLOT_DEFAULT or without groups
 * @seed: for @shuffle
 * @shuffle: groups count in another order in each round, and for up to a tenth of the slot more or
 *	less, so that a target that repeats itself does not keep step with them
 * @remote: the set will be enabled, disabled or restarted by others than the threads that it
 *	counts, so perf has to count it
 * @signal: sent to a thread when a request with VCPC_REQ_F_OVERFLOW overflows; 0 for none
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
 * @open: open the back end and fill in what it offers; -ENODEV if this machine does not have it
 * @close: close it
 * @now: the clock that gives samples their times
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
 * The flags are SHIM_TARGET_F_*; of sample VCPC_SAMPLE_F_TOTAL and SHIM_TARGET_F_CPU; of bind
 * VCPC_BIND_F_* and SHIM_BIND_F_*; of create VCPC_SET_F_*.
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

/* backend_perf.c: prepare for sets, whether perf counts anything for the caller or not */
int shim_perf__prepare(void);

/* backend_vcpc.c: the version of the loaded module's contract, or an error of opening it */
int shim_vcpc__abi(void);

#endif /* SHIM_CORE_BACKEND_H */
