/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether the module can sample counters of the calling thread for its trace events. */
#ifndef SHIM_CORE_COUNTED_H
#define SHIM_CORE_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct shim_counted - whether a thread has a set for its trace events
 * @quiet_until: before this time, its begins need neither counts nor a check for them
 * @until: @flag is valid until this time; UINT64_MAX: forever
 * @flag: VCPC_TRACE_F_COUNTS if the thread has a set for its trace events, otherwise 0
 * @known: whether @others is valid
 * @others: whether it has a set that is not the tracing session's
 * @session: shim_wanted__id() of the session whose set it has bound, or could not bind; 0: none
 */
struct shim_counted {
	uint64_t quiet_until;
	uint64_t until;
	uint32_t flag;
	bool known;
	bool others;
	uint64_t session;
};

extern __thread struct shim_counted shim_counted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

void shim_counted__ask(int fd, uint64_t now);
void shim_counted__bound(void);
void shim_counted__forget(void);
bool shim_counted__follows(void);
void shim_counted__leave(void);

/* Whether a begin at this time has no counts, as is nearly always the case */
static inline bool shim_counted__is_quiet(uint64_t now)
{
	return __builtin_expect(now < shim_counted__own.quiet_until, 1);
}

/* The flag for the end of a transaction, as found when it began */
static inline uint32_t shim_counted__flag(void)
{
	return shim_counted__own.flag;
}

#endif /* SHIM_CORE_COUNTED_H */
