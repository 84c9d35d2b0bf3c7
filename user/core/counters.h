/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set of counters as the back end holds it, shared by reference. */
#ifndef SHIM_CORE_COUNTERS_H
#define SHIM_CORE_COUNTERS_H

#include "session.h"

struct shim_counters;

int shim_counters__create(struct shim_session *session, const struct vcpc_request *reqs,
			  unsigned int n, unsigned int flags, int *bad,
			  struct shim_counters **out);
int shim_counters__create_on(struct shim_session *session, const struct vcpc_request *reqs,
			     unsigned int n, unsigned int flags, struct shim_terms terms,
			     int *bad, struct shim_counters **out);
struct shim_counters *shim_counters__get(struct shim_counters *counters);
void shim_counters__put(struct shim_counters *counters);
void shim_counters__shut(struct shim_counters *counters);

const char *shim_counters__backend(const struct shim_counters *counters);
bool shim_counters__is_own(const struct shim_counters *counters);
unsigned int shim_counters__nr(const struct shim_counters *counters);
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

/* The same for a CPU, or for all instances of a bind: VCPC_TARGET_F_*, VCPC_SAMPLE_F_* */
int shim_counters__unbind_at(struct shim_counters *counters, pid_t tid, unsigned int flags);
int shim_counters__sample_at(struct shim_counters *counters, pid_t tid, unsigned int flags,
			     struct vcpc_sample *buf, size_t size);
int shim_counters__enable_at(struct shim_counters *counters, pid_t tid, unsigned int flags);
int shim_counters__disable_at(struct shim_counters *counters, pid_t tid, unsigned int flags);
int shim_counters__list(struct shim_counters *counters, struct vcpc_instance_info **list,
			struct vcpc_instances_args *args);

#endif /* SHIM_CORE_COUNTERS_H */
