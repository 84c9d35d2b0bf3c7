/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keep the sets that new threads inherit, and look up the set that a thread has inherited. */
#ifndef SHIM_CPC_INHERITABLE_H
#define SHIM_CPC_INHERITABLE_H

#include <stdbool.h>

#include "core/counters.h"

/**
 * struct shim_inheritable - a set that threads inherit
 * @next: next entry in the list
 * @counters: the set, which its owner keeps alive while it is in the list
 * @listed: true while it is in the list
 */
struct shim_inheritable {
	struct shim_inheritable *next;
	struct shim_counters *counters;
	bool listed;
};

int shim_inheritable__prepare(unsigned int nr);
void shim_inheritable__add(struct shim_inheritable *entry, struct shim_counters *counters);
void shim_inheritable__remove(struct shim_inheritable *entry);
struct shim_counters *shim_inheritable__inherited(void);

/* The set that is bound to the calling thread; libcpc allows only one at a time */

/*
 * The set that is bound to the calling thread; NULL if it has none or inheritance has not been
 * checked yet
 */
extern __thread struct shim_counters *shim_lwp__own
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

struct shim_counters *shim_lwp__bound(void);
int shim_lwp__attach(struct shim_counters *counters);
void shim_lwp__forget(const struct shim_counters *counters);
void shim_lwp__detach(void);

#endif /* SHIM_CPC_INHERITABLE_H */
