/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set's events on one target, on a machine with several kinds of core. */
#ifndef SHIM_CORE_PERF_KINDS_H
#define SHIM_CORE_PERF_KINDS_H

#include "perf_instance.h"

struct shim_kinds;

bool shim_kinds__are_needed(const struct vcpc_request *reqs, unsigned int n);
int shim_kinds__try(const struct vcpc_request *req);
int shim_kinds__check(const struct vcpc_request *reqs, unsigned int n, const __u16 *group);
int shim_kinds__open(struct shim_instance *inst, struct shim_group_place place, int *bad);
void shim_kinds__free(struct shim_kinds *kinds, bool here);
int shim_kinds__turn(const struct shim_instance *inst, bool on);
void shim_kinds__save(struct shim_instance *inst);
int shim_kinds__read(const struct shim_instance *inst, struct shim_group_counts *counts);

#endif /* SHIM_CORE_PERF_KINDS_H */
