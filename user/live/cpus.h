/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics for counters of CPUs */
#ifndef SHIM_LIVE_CPUS_H
#define SHIM_LIVE_CPUS_H

#include "counts.h"

struct shim_live_cpus;

int shim_live_cpus__create(const struct shim_config *config, struct shim_live_cpus **out);
void shim_live_cpus__destroy(struct shim_live_cpus *cpus);
void shim_live_cpus__sample(struct shim_live_cpus *cpus);
/* Get metric @i: first the times, then the events; NULL past the last one. */
const struct shim_metric *shim_live_cpus__metric(const struct shim_live_cpus *cpus, size_t i);
/* Return 0, or the negated errno that explains why the last sample has no values of the metric. */
int shim_live_cpus__status(const struct shim_live_cpus *cpus, size_t metric);
unsigned int shim_live_cpus__n(const struct shim_live_cpus *cpus);
int shim_live_cpus__number(const struct shim_live_cpus *cpus, unsigned int i);
bool shim_live_cpus__value(const struct shim_live_cpus *cpus, size_t metric, unsigned int i,
			   struct shim_value *value);

#endif /* SHIM_LIVE_CPUS_H */
