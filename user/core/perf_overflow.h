/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handle overflows of sets that perf counts: stop the set, and signal its thread. */
#ifndef SHIM_CORE_PERF_OVERFLOW_H
#define SHIM_CORE_PERF_OVERFLOW_H

#include "perf_instance.h"

bool shim_overflow__is_possible(void);
unsigned int shim_overflow__multiplexed(pid_t tid);
int shim_overflow__add(struct shim_instance *inst);
void shim_overflow__remove(const struct shim_instance *inst);
int shim_overflow__start(struct shim_instance *inst);
void shim_overflow__in_child(void);

#endif /* SHIM_CORE_PERF_OVERFLOW_H */
