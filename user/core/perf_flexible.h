/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Groups that perf multiplexes, on all targets except threads of this process. */
#ifndef SHIM_CORE_PERF_FLEXIBLE_H
#define SHIM_CORE_PERF_FLEXIBLE_H

#include "backend.h"
#include "perf_instance.h"

struct shim_flexible;

int shim_flexible__open(struct shim_instance *inst, struct shim_group_place place, int *bad);
void shim_flexible__free(struct shim_flexible *f, bool here);
int shim_flexible__turn(const struct shim_flexible *f, bool on);
void shim_flexible__save(struct shim_instance *inst);
int shim_flexible__add_up(const struct shim_instance *inst, __u64 enabled, __u64 *values,
			  struct shim_group_sample *sums);

#endif /* SHIM_CORE_PERF_FLEXIBLE_H */
