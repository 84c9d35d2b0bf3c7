/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The set that is bound to the calling thread: libcpc allows one at a time. */
#ifndef SHIM_CPC_LWP_H
#define SHIM_CPC_LWP_H

#include "core/counters.h"

/* The set that is bound to the calling thread; also NULL if inheritance was not checked yet */
extern __thread struct shim_counters *shim_lwp__own
	__attribute__((visibility("hidden"), tls_model("initial-exec")));

struct shim_counters *shim_lwp__bound(void);
int shim_lwp__attach(struct shim_counters *counters);
void shim_lwp__forget(const struct shim_counters *counters);
void shim_lwp__detach(void);

#endif /* SHIM_CPC_LWP_H */
