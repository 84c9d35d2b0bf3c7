/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a thread has counted by the time of a trace event, as listeners get it.
 */
#ifndef VCPC_TRACE_COUNTS_H
#define VCPC_TRACE_COUNTS_H

#include <linux/types.h>

#define VCPC_TRACE_COUNTERS	8

/**
 * struct vcpc_trace_event - what one of the counters counts
 * @type: as in struct vcpc_request, like the next two
 * @flags: VCPC_REQ_F_*
 * @config: perf's
 */
struct vcpc_trace_event {
	u32 type;
	u32 flags;
	u64 config;
};

/**
 * struct vcpc_trace_counts - a sample of the thread's set
 * @events: identifies what is counted; never 0, the same for equal sets
 * @value: VCPC_TRACE_COUNTERS values, 0 beyond @nr
 * @event: as many descriptions
 * @nr: how many there are
 * @bind: identifies the instance, and its last RESTART: only samples of the same have a difference
 *
 * Listeners read it by this layout: append only.
 */
struct vcpc_trace_counts {
	u64 events;
	const u64 *value;
	const struct vcpc_trace_event *event;
	u32 nr;
	u64 bind;
};

/**
 * struct vcpc_trace_room - room for them while a tracepoint fires
 * @counts: what listeners get
 * @value: what it points to
 * @event: likewise
 */
struct vcpc_trace_room {
	struct vcpc_trace_counts counts;
	u64 value[VCPC_TRACE_COUNTERS];
	struct vcpc_trace_event event[VCPC_TRACE_COUNTERS];
};

#endif
