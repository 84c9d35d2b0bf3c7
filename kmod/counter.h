/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_COUNTER_H
#define VCPC_COUNTER_H

#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "internals.h"

struct vcpc_spec;

/* The longest period that perf accepts */
#define VCPC_PERIOD_MAX		((u64)S64_MAX)

/**
 * struct vcpc_counter - one request's virtual counter on one thread
 * @event: its perf event
 * @add: added to the event's count
 * @start: start time of the event, by its context's clock; changes if the event was off the PMU
 * @from: the value from which counting started, to detect overflows
 * @owner: the counters' owner, for the overflow handler
 */
struct vcpc_counter {
	struct perf_event *event;
	void *owner;
	u64 add;
	u64 start;
	u64 from;
};

/**
 * struct vcpc_counters - the counters of a set's requests on one thread
 * @nr: number of counters
 * @tick_add: added to the first event's running time
 * @charge: an unused allocation as large as the events, charged to the caller's memory control
 *	group because perf does not charge the events themselves
 * @counter: one per request
 *
 * Locking: guarded by the owner's lock; opened and closed in process context, under the set's
 * mutex.
 */
struct vcpc_counters {
	u32 nr;
	u64 tick_add;
	void *charge;
	struct vcpc_counter counter[];
};

struct perf_event *vcpc_event_open(const struct vcpc_request *req, u64 period,
				   perf_overflow_handler_t handler, void *context,
				   bool disabled);
u64 vcpc_event_period(u32 type, u64 left);

int vcpc_counters_open(struct vcpc_counters *c, const struct vcpc_spec *spec,
		       perf_overflow_handler_t handler, void *owner, int *bad);
void vcpc_counters_close(struct vcpc_counters *c);
int vcpc_counters_read(struct vcpc_counters *c, u64 now, struct vcpc_sample *sample);
int vcpc_counters_read_other(const struct vcpc_counters *c, u64 *counts, u64 *run);
void vcpc_counters_set(struct vcpc_counters *c, const struct vcpc_sample *from,
		       const struct vcpc_sample *to);

/*
 * Return whether the counters have ended, because the thread exited or gained privileges at execve.
 */
static inline bool vcpc_counters_ended(const struct vcpc_counters *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		if (vcpc_event_state(c->counter[i].event) != PERF_EVENT_STATE_EXIT)
			return false;
	return true;
}

#endif
