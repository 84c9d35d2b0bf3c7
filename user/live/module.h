/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metrics for the state and statistics of the module and of tracing.  One of them turns tracing on
 * and off.
 */
#ifndef SHIM_LIVE_MODULE_H
#define SHIM_LIVE_MODULE_H

#include <stddef.h>

#include "metric.h"
#include "trace.h"

#define SHIM_MODULE_STATS	5

/**
 * struct shim_live_module - the last sample
 * @tracing: the result of shim_bpf__status()
 * @drops_status: 0, or the error from reading @drops
 * @drops: dropped trace events, by reason
 * @loaded: whether the module is loaded
 * @stats_status: 0, or the error from reading @stats
 * @stats: the module's statistics
 */
struct shim_live_module {
	int tracing;
	int drops_status;
	uint64_t drops[VC_DROP_NR];
	bool loaded;
	int stats_status;
	uint64_t stats[SHIM_MODULE_STATS];
};

void shim_live_module__sample(struct shim_live_module *module, struct shim_live_trace *trace);
const struct shim_metric *shim_live_module__metric(size_t i);
int shim_live_module__status(const struct shim_live_module *module, size_t metric);
bool shim_live_module__value(const struct shim_live_module *module, size_t metric, size_t i,
			     struct shim_value *value);
extern const struct shim_metric_indom shim_live_drops;
/* Return the name of drop reason @i, or NULL past the last one. */
const char *shim_live_drops__name(size_t i);
int shim_live_module__store(size_t metric, const struct shim_value *value);

#endif /* SHIM_LIVE_MODULE_H */
