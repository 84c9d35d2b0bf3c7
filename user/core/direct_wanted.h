/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that write their statistics themselves, and count what the tracing session wants. */
#ifndef SHIM_CORE_DIRECT_WANTED_H
#define SHIM_CORE_DIRECT_WANTED_H

#include <stdint.h>

#include "direct.h"

/**
 * struct shim_direct_wanted - what is known of a thread
 * @last: when it last began a transaction, by shim_tick__now()
 * @until: after that, it looks again what the session wants
 * @session: shim_wanted__id() of what it has bound, or could not bind; 0: nothing
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

/* The calling thread is about to begin a transaction. */
static inline void shim_direct_wanted__begin(struct shim_direct *d)
{
	const struct shim_direct_wanted *own = &shim_direct_wanted__own;

	if (__builtin_expect(own->last >= own->until, 0))
		shim_direct_wanted__look(d);
}

#endif /* SHIM_CORE_DIRECT_WANTED_H */
