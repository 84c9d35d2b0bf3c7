/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A target's time on each of several kinds of core. */
#ifndef SHIM_CORE_PERF_SHARES_H
#define SHIM_CORE_PERF_SHARES_H

#include "perf_group.h"

struct shim_shares;

int shim_shares__open(struct shim_group_place place, struct shim_shares **out);
void shim_shares__free(struct shim_shares *shares, bool here);
int shim_shares__turn(const struct shim_shares *shares, bool on);
int shim_shares__read(const struct shim_shares *shares, unsigned int kind, __u64 enabled, __u64 *time);

#endif /* SHIM_CORE_PERF_SHARES_H */
