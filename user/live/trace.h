/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metrics for transactions and other trace events, and the tables that describe them */
#ifndef SHIM_LIVE_TRACE_H
#define SHIM_LIVE_TRACE_H

#include <stddef.h>

#include "bpf/trace.h"
#include "metric.h"

struct shim_live_trace;

/* Functions in trace_sample.c: read the statistics */
int shim_live_trace__create(struct shim_live_trace **out);
void shim_live_trace__destroy(struct shim_live_trace *trace);
int shim_live_trace__open(struct shim_live_trace *trace);
int shim_live_trace__sample(struct shim_live_trace *trace);
bool shim_live_trace__any(const struct shim_live_trace *trace);
void shim_live_trace__settle(struct shim_live_trace *trace);
int shim_live_trace__drops(struct shim_live_trace *trace, uint64_t drops[VC_DROP_NR]);

/* Functions in trace.c: the metrics */
const struct shim_metric *shim_live_trace__metric(size_t i);
const struct shim_metric_indom *shim_live_trace__indom(size_t i);
size_t shim_live_trace__domain(size_t metric);
bool shim_live_trace__lasts(size_t metric);
bool shim_live_trace__is_of_tags(size_t indom);
const char *shim_live_trace__pair(size_t indom);
size_t shim_live_trace__instances(const struct shim_live_trace *trace, size_t indom);
uint64_t shim_live_trace__changes(const struct shim_live_trace *trace, size_t indom);
uint64_t shim_live_trace__removed(const struct shim_live_trace *trace, size_t indom);
int32_t shim_live_trace__inst(const struct shim_live_trace *trace, size_t indom, size_t i);
long shim_live_trace__find(const struct shim_live_trace *trace, size_t indom, int32_t inst);
void shim_live_trace__name(const struct shim_live_trace *trace, size_t indom, size_t i, char *buf,
			   size_t size);
size_t shim_live_trace__tag_len(const struct shim_live_trace *trace, size_t indom, size_t i);
bool shim_live_trace__is_denied(const struct shim_live_trace *trace, size_t metric);
bool shim_live_trace__value(const struct shim_live_trace *trace, size_t metric, size_t i,
			    struct shim_value *value);

#endif /* SHIM_LIVE_TRACE_H */
