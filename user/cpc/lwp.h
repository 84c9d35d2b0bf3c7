/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is bound to the calling thread: libcpc allows one set at a time. */
#ifndef SHIM_CPC_LWP_H
#define SHIM_CPC_LWP_H

#include "cpc/libcpc.h"
#include "core/counters.h"

struct shim_counters *shim_lwp__bound(void);
int shim_lwp__attach(struct shim_counters *counters);
void shim_lwp__detach(void);

/* When the thread's set was stopped; 0 while it counts */
hrtime_t shim_lwp__frozen(void);
void shim_lwp__freeze(hrtime_t when);

#endif /* SHIM_CPC_LWP_H */
