/* SPDX-License-Identifier: GPL-2.0 */
/* The counts of a thread at a trace event, as passed to listeners. */
#ifndef VCPC_TRACE_COUNTS_H
#define VCPC_TRACE_COUNTS_H

#include <linux/types.h>

#define VCPC_TRACE_COUNTERS	8

/**
 * struct vcpc_trace_event - the event of one counter
 * @type: as in struct vcpc_request
 * @flags: VCPC_REQ_F_*
 * @config: as in struct vcpc_request
 */
struct vcpc_trace_event {
	u32 type;
	u32 flags;
	u64 config;
};

/**
 * struct vcpc_trace_counts - a sample of the thread's set
 * @events: identifies the events; never 0, the same for equal sets
 * @value: VCPC_TRACE_COUNTERS values, 0 beyond @nr
 * @event: the events of these values
 * @nr: number of valid values
 * @bind: identifies the instance and its last RESTART; only samples with the same @bind can be
 *	subtracted
 *
 * Listeners depend on this layout, so only append fields.
 */
struct vcpc_trace_counts {
	u64 events;
	const u64 *value;
	const struct vcpc_trace_event *event;
	u32 nr;
	u64 bind;
};

/**
 * struct vcpc_trace_room - space for the counts while a tracepoint fires
 * @counts: passed to listeners
 * @value: @counts.value points to it
 * @event: @counts.event points to it
 */
struct vcpc_trace_room {
	struct vcpc_trace_counts counts;
	u64 value[VCPC_TRACE_COUNTERS];
	struct vcpc_trace_event event[VCPC_TRACE_COUNTERS];
};

#endif
