/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set that perf counts, and the parts of its back end. */
#ifndef SHIM_CORE_PERF_SET_H
#define SHIM_CORE_PERF_SET_H

#include <stdatomic.h>

#include "base/process.h"
#include "backend.h"
#include "perf_instance.h"
#include "perf_page.h"

/**
 * struct shim_perf_set - a set
 * @serial: a number, unique among all sets that the process has ever created
 * @process: the page with the process's number, see perf_sample.c
 * @maker: the process's number when the set was created
 * @flags: VCPC_SET_F_*
 * @signal: the signal sent at overflows, or 0
 * @cgroup: the directory of the control group that it counts on CPUs, or NULL
 * @slots: how its groups are multiplexed; the groups' numbers are stored after the requests
 * @n: number of requests
 * @instances: oldest first
 * @latest: the instance found last; the next search begins there, because callers go through the
 *	instances in order
 * @gone: unbound instances, whose threads may still be reading their pages
 * @reqs: the requests
 */
struct shim_perf_set {
	__u64 serial;
	const volatile __u64 *process;
	__u64 maker;
	unsigned int flags;
	int signal;
	char *cgroup;
	struct shim_slots slots;
	unsigned int n;
	struct shim_instance *instances;
	struct shim_instance *latest;
	struct shim_instance *gone;
	struct vcpc_request reqs[];
};

/*
 * Guards the lists of all sets, and the list of instances with overflows.  It is the innermost
 * lock: the APIs take their own locks first.
 */
extern struct shim_siglock shim_perf__lock;

/* perf_sample.c */
const volatile __u64 *shim_perf__process(void);

static inline bool shim_perf__is_made_here(const struct shim_perf_set *set)
{
	return *set->process == set->maker;
}

/* backend_perf.c */
struct shim_perf_set *shim_perf__make(const struct vcpc_request *reqs, unsigned int n,
				      unsigned int flags, struct shim_terms terms);

/* perf_target.c: for a back end that combines perf with another back end; a set may be NULL */
bool shim_perf__is_bound(union shim_backend_ref ref);
bool shim_perf__has(union shim_backend_ref ref, pid_t tid, bool process);
bool shim_perf__has_one(union shim_backend_ref ref);
bool shim_perf__reads_itself(union shim_backend_ref ref);

/* perf_target.c */
int shim_perf__limit(union shim_backend_ref ref, const char *cgroup);
int shim_perf__bind(union shim_backend_ref ref, pid_t tid, unsigned int flags, int *bad);
int shim_perf__unbind(union shim_backend_ref ref, pid_t tid, unsigned int flags);
int shim_perf__enable(union shim_backend_ref ref, pid_t tid, unsigned int flags);
int shim_perf__disable(union shim_backend_ref ref, pid_t tid, unsigned int flags);
int shim_perf__restart(union shim_backend_ref ref, pid_t tid, unsigned int flags);
int shim_perf__preset(union shim_backend_ref ref, pid_t tid, unsigned int request, __u64 value);
int shim_perf__list(union shim_backend_ref ref, struct vcpc_instances_args *args);
int shim_perf__pick(struct shim_perf_set *set, pid_t tid, unsigned int flags,
		    unsigned int all, struct shim_instance **one);
void shim_perf__sweep(struct shim_perf_set *set);
bool shim_perf__is_meant(const struct shim_instance *inst, const struct shim_instance *one,
			 bool all);

/* perf_sample.c */
int shim_perf__sample(union shim_backend_ref ref, pid_t tid, unsigned int flags,
		      struct vcpc_sample *buf, size_t size);
void shim_perf__remember(const struct shim_perf_set *set, struct shim_instance *inst);
void shim_perf__forget(const struct shim_instance *inst);
bool shim_perf__is_reading(void);

/* Read this CPU's counters, and the clock to which perf's mmap pages refer, in user mode */

/* For struct shim_page_cpu.  On other architectures no counters can be read. */
__u64 shim_cpu__place(__u32 index, unsigned int width);
void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values);

static inline __u64 shim_cpu__clock(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	__u64 ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return 0;
#endif
}

static const struct shim_page_cpu shim_cpu__this __attribute__((unused)) = {
	.place = shim_cpu__place,
	.counters = shim_cpu__counters,
	.clock = shim_cpu__clock,
};

#endif /* SHIM_CORE_PERF_SET_H */
