/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Multiplexed groups of a thread of this process, which perf counts one at a time. */
#ifndef SHIM_CORE_PERF_MULTIPLEX_H
#define SHIM_CORE_PERF_MULTIPLEX_H

#include "backend.h"
#include "perf_instance.h"

struct shim_multiplex;

int shim_multiplex__open(struct shim_instance *inst, int *bad);
void shim_multiplex__free(struct shim_multiplex *m, bool here);
int shim_multiplex__start(struct shim_instance *inst);
int shim_multiplex__stop(struct shim_instance *inst);
int shim_multiplex__add_up(struct shim_instance *inst, __u64 *values,
			   struct shim_group_sample *sums);
void shim_multiplex__on_alarm(struct shim_instance *inst, bool own, unsigned int sets);

#endif /* SHIM_CORE_PERF_MULTIPLEX_H */
