/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Count what the tracing session wants, in threads that write their statistics themselves. */
#ifndef SHIM_CORE_DIRECT_WANTED_H
#define SHIM_CORE_DIRECT_WANTED_H

#include <stdint.h>

#include "direct.h"

/**
 * struct shim_direct_wanted - the state of a thread
 * @last: start time of its last transaction, by shim_tick__now()
 * @until: time of the next check of what the session wants
 * @session: shim_wanted__id() of the set that it has bound, or could not bind; 0: none
 * @bound: the set; NULL: none
 */
struct shim_direct_wanted {
	uint64_t last;
	uint64_t until;
	uint64_t session;
	struct shim_counters *bound;
};

extern __thread struct shim_direct_wanted shim_direct_wanted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

void shim_direct_wanted__look(struct shim_direct *d);

/* Called when the calling thread is about to begin a transaction. */
static inline void shim_direct_wanted__begin(struct shim_direct *d)
{
	const struct shim_direct_wanted *own = &shim_direct_wanted__own;

	if (__builtin_expect(own->last >= own->until, 0))
		shim_direct_wanted__look(d);
}

#endif /* SHIM_CORE_DIRECT_WANTED_H */
