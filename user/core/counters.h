/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of counters in a back end, shared by reference. */
#ifndef SHIM_CORE_COUNTERS_H
#define SHIM_CORE_COUNTERS_H

#include <stdatomic.h>

#include "session.h"

struct vc_events;

/**
 * struct shim_counters - a set; private to counters.c, except for shim_counters__read_own()
 * @ops: the back end
 * @ref: the back end's reference to the set
 * @own: the result of the back end's own operation; NULL after the set has been shut, which can
 *	happen while another thread reads this
 * @nr: number of requests
 * @made_in: shim_fork__generation() of the process that created the set
 * @events: description of the first requests, for counts of transactions
 * @refs: references; the set ends when the last one is dropped
 * @changes: incremented before and after the set is unbound, enabled, disabled or restarted
 *	anywhere
 * @holds: users of the memory: one for all references together, and threads (traced.c)
 * @shut: ended on all targets
 */
struct shim_counters {
	const struct shim_backend_ops *ops;
	union shim_backend_ref ref;
	const struct shim_perf_set *own;
	unsigned int nr;
	unsigned int made_in;
	const struct vc_events *events;
	atomic_uint refs;
	atomic_uint holds;
	atomic_uint changes;
	atomic_bool shut;
};

int shim_counters__create(struct shim_session *session, const struct vcpc_request *reqs,
			  unsigned int n, unsigned int flags, int *bad,
			  struct shim_counters **out);
int shim_counters__create_on(struct shim_session *session, const struct vcpc_request *reqs,
			     unsigned int n, unsigned int flags, struct shim_terms terms,
			     int *bad, struct shim_counters **out);
struct shim_counters *shim_counters__get(struct shim_counters *counters);
void shim_counters__put(struct shim_counters *counters);
void shim_counters__shut(struct shim_counters *counters);
struct shim_counters *shim_counters__hold(struct shim_counters *counters);
void shim_counters__unhold(struct shim_counters *counters);

const char *shim_counters__backend(const struct shim_counters *counters);
bool shim_counters__is_own(const struct shim_counters *counters);
unsigned int shim_counters__nr(const struct shim_counters *counters);
int shim_counters__limit(struct shim_counters *counters, const char *cgroup);
int shim_counters__bind(struct shim_counters *counters, pid_t tid, unsigned int flags, int *bad);
int shim_counters__unbind(struct shim_counters *counters, pid_t tid);
int shim_counters__sample(struct shim_counters *counters, pid_t tid, struct vcpc_sample *buf,
			  size_t size);
int shim_counters__total(struct shim_counters *counters, pid_t tid, struct vcpc_sample *buf,
			 size_t size);
int shim_counters__enable(struct shim_counters *counters, pid_t tid);
int shim_counters__disable(struct shim_counters *counters, pid_t tid);
int shim_counters__restart(struct shim_counters *counters, pid_t tid);
int shim_counters__preset(struct shim_counters *counters, pid_t tid, unsigned int request,
			  __u64 value);

/**
 * shim_counters__read_own() - read the calling thread's own values in user mode
 * @counters: the set
 * @tid: the calling thread, or 0
 * @values: unspecified on failure
 * @room: maximum number of values
 * @tick: CPU time while the set counted, ns; unspecified on failure
 *
 * This reads a sample's contents except its time, and only if the set is counting.  Reading the
 * clock takes longer than reading four counters, so callers that do not need the time avoid it.
 *
 * Context: any thread, or a signal handler.
 * Return: true if the values were read; otherwise shim_counters__sample() may still succeed.
 */
static inline bool shim_counters__read_own(const struct shim_counters *counters, pid_t tid,
					   __u64 *values, unsigned int room, __u64 *tick)
{
	const struct shim_perf_set *own = __atomic_load_n(&counters->own, __ATOMIC_RELAXED);

	return own && !shim_perf__read_self(own, tid, values, room, tick);
}

/*
 * The same for a CPU or for all instances of a bind.  @flags are SHIM_TARGET_F_* and
 * VCPC_SAMPLE_F_*.
 */
int shim_counters__unbind_at(struct shim_counters *counters, pid_t tid, unsigned int flags);
int shim_counters__sample_at(struct shim_counters *counters, pid_t tid, unsigned int flags,
			     struct vcpc_sample *buf, size_t size);
int shim_counters__enable_at(struct shim_counters *counters, pid_t tid, unsigned int flags);
int shim_counters__disable_at(struct shim_counters *counters, pid_t tid, unsigned int flags);
int shim_counters__list(struct shim_counters *counters, unsigned int flags,
			struct vcpc_instance_info **list, struct vcpc_instances_args *args);

#endif /* SHIM_CORE_COUNTERS_H */
