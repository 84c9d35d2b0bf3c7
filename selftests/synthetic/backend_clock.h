/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Control the synthetic clock: advance the time, and cause events. */
#ifndef SELFTESTS_SYNTHETIC_BACKEND_CLOCK_H
#define SELFTESTS_SYNTHETIC_BACKEND_CLOCK_H

#include <stdbool.h>

#include "core/backend.h"

extern const struct shim_backend_ops shim_backend__clock;

/* Return the number of events from @from to @to.  The default is config + 1 per microsecond. */
typedef double shim_clock_rate(const struct vcpc_request *req, __u64 from, __u64 to);

void shim_clock__begin(shim_clock_rate *rate, __u64 gap);
__u64 shim_clock__now(void);
void shim_clock__run(pid_t tid, __u64 ns);
void shim_clock__born(pid_t parent, pid_t child, bool same_process);
void shim_clock__exits(pid_t tid);
void shim_clock__steal(bool stolen);
void shim_clock__cycle_counter(bool there);

#endif /* SELFTESTS_SYNTHETIC_BACKEND_CLOCK_H */
