/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TRACECOUNTS_H
#define VCPC_TRACECOUNTS_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#define VCPC_TRACE_COUNTERS	8

/**
 * struct vcpc_trace_event - what one of the counters counts
 * @type: as in struct vcpc_request, as the next two
 * @flags: VCPC_REQ_F_*
 * @config: perf's
 */
struct vcpc_trace_event {
	u32 type;
	u32 flags;
	u64 config;
};

/**
 * struct vcpc_trace_counts - what a thread has counted by the time of a trace event
 * @events: stands for what is counted; never 0, the same for equal sets
 * @value: VCPC_TRACE_COUNTERS values, 0 beyond @nr
 * @event: as many descriptions
 * @nr: how many there are
 *
 * Listeners read it by this layout: append only.
 */
struct vcpc_trace_counts {
	u64 events;
	const u64 *value;
	const struct vcpc_trace_event *event;
	u32 nr;
};

/**
 * struct vcpc_trace_room - room for them while a tracepoint fires
 * @counts: what listeners get
 * @value: what it points to
 * @event: the same
 */
struct vcpc_trace_room {
	struct vcpc_trace_counts counts;
	u64 value[VCPC_TRACE_COUNTERS];
	struct vcpc_trace_event event[VCPC_TRACE_COUNTERS];
};

extern atomic_t vcpc_tracecounts_nr;

void vcpc_tracecounts_init(void (*wanted)(bool wanted));
u64 vcpc_tracecounts_events(const struct vcpc_request *reqs, u32 nr);
void vcpc_tracecounts_bound(void);
void vcpc_tracecounts_unbound(void);
const struct vcpc_trace_counts *vcpc_tracecounts_take(struct vcpc_trace_room *room);

/**
 * vcpc_tracecounts_any() - is any thread's set bound for tracing?
 *
 * Return: whether it is.
 */
static inline bool vcpc_tracecounts_any(void)
{
	return atomic_read(&vcpc_tracecounts_nr);
}

#endif
