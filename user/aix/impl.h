/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engine of all public calls: the target of a call, and the operations on its context. */
#ifndef SHIM_AIX_IMPL_H
#define SHIM_AIX_IMPL_H

#include <stdbool.h>

#include "aix/pmapi.h"
#include "core/counters.h"

enum shim_aix_scope {
	AIX_SYSTEM,
	AIX_CPU,
	AIX_THREAD,
	AIX_GROUP,
};

/*
 * struct shim_aix_who - the target of a call
 * @scope: the kind of context
 * @nth: @cpu is an index into the online CPUs, not a CPU number
 * @other: the target is not the calling thread but the thread identified by @pid, @tid and @ptid
 * @wp: the workload partition; only 0 is supported
 */
struct shim_aix_who {
	enum shim_aix_scope scope;
	bool nth;
	bool other;
	int cpu;
	pid_t pid;
	tid_t tid;
	ptid_t ptid;
	pm_wp_handle_t wp;
};

#define ALL_CPUS	((struct shim_aix_who) { .scope = AIX_SYSTEM })
#define ME		((struct shim_aix_who) { .scope = AIX_THREAD })
#define MY_GROUP	((struct shim_aix_who) { .scope = AIX_GROUP })

static inline struct shim_aix_who nth_cpu(int n)
{
	return (struct shim_aix_who) { .scope = AIX_CPU, .nth = true, .cpu = n };
}

static inline struct shim_aix_who one_cpu(int cpu)
{
	return (struct shim_aix_who) { .scope = AIX_CPU, .cpu = cpu };
}

static inline struct shim_aix_who partition(pm_wp_handle_t wp)
{
	return (struct shim_aix_who) { .scope = AIX_SYSTEM, .wp = wp };
}

static inline struct shim_aix_who one_cpu_of(pm_wp_handle_t wp, int cpu)
{
	return (struct shim_aix_who) { .scope = AIX_CPU, .wp = wp, .cpu = cpu };
}

static inline struct shim_aix_who thread(pid_t pid, tid_t tid, ptid_t ptid)
{
	return (struct shim_aix_who) { .scope = AIX_THREAD, .other = true, .pid = pid, .tid = tid,
				       .ptid = ptid };
}

static inline struct shim_aix_who group(pid_t pid, tid_t tid, ptid_t ptid)
{
	return (struct shim_aix_who) { .scope = AIX_GROUP, .other = true, .pid = pid, .tid = tid,
				       .ptid = ptid };
}

/* set.c: create, change and delete a context */
int shim_aix__set(struct shim_aix_who who, const pm_prog_t *prog);
int shim_aix__set_mx(struct shim_aix_who who, const pm_prog_mx_t *prog);
int shim_aix__set_mm(struct shim_aix_who who, const pm_prog_mm_t *prog);
int shim_aix__delete(struct shim_aix_who who);
int shim_aix__reset(struct shim_aix_who who);

int shim_aix__start(struct shim_aix_who who);
int shim_aix__tstart(struct shim_aix_who who, timebasestruct_t *when);
int shim_aix__stop(struct shim_aix_who who);
int shim_aix__tstop(struct shim_aix_who who, timebasestruct_t *when);

/* data.c */
int shim_aix__get(struct shim_aix_who who, pm_prog_t *prog);
int shim_aix__get_mx(struct shim_aix_who who, pm_prog_mx_t *prog);
int shim_aix__get_mm(struct shim_aix_who who, pm_prog_mm_t *prog);
int shim_aix__get_data(struct shim_aix_who who, pm_data_t *data);
int shim_aix__tdata(struct shim_aix_who who, pm_data_t *data, timebasestruct_t *when);
int shim_aix__Tdata(struct shim_aix_who who, pm_data_t *data, pm_accu_time_t *times);
int shim_aix__data_mx(struct shim_aix_who who, pm_data_mx_t *data);
int shim_aix__tdata_mx(struct shim_aix_who who, pm_data_mx_t *data, timebasestruct_t *when);

/* self.c */
bool shim_aix_self__data(pm_data_t *data, __u64 *tick, __u64 *time);

/* Like shim_aix__get_data(), with a fast path. @who must be a compile-time constant. */
static inline int shim_aix__data(struct shim_aix_who who, pm_data_t *data)
{
	if (who.scope == AIX_THREAD && !who.other && data && shim_aix_self__data(data, NULL, NULL))
		return 0;
	return shim_aix__get_data(who, data);
}

/* calls.c */
void shim_aix__ticks(timebasestruct_t *t, __u64 ns);

/* init.c: the API's error number for an error from the core layer */
int shim_aix__error(int ret);

#endif /* SHIM_AIX_IMPL_H */
