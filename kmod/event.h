/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_EVENT_H
#define VCPC_EVENT_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/vcpc.h>

struct task_struct;

/**
 * struct vcpc_place - where is counted
 * @task: the thread, or NULL
 * @cpu: the CPU if there is no thread; otherwise -1
 */
struct vcpc_place {
	struct task_struct *task;
	int cpu;
};

/**
 * struct vcpc_alarm - to be called whenever an event has counted so many
 * @period: how many, of a clock nanoseconds; 0: never
 * @handler: called with interrupts off, on the CPU that is counted
 * @context: the event's overflow_handler_context
 */
struct vcpc_alarm {
	u64 period;
	perf_overflow_handler_t handler;
	void *context;
};

/* The longest that perf takes */
#define VCPC_PERIOD_MAX		((u64)S64_MAX)

/* Is it a request for time, which perf measures, and for which it interrupts by a timer? */
static inline bool vcpc_event_is_time(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_SOFTWARE &&
	       (req->config == PERF_COUNT_SW_CPU_CLOCK || req->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* How an event is opened */
#define VCPC_EVENT_ON_EXEC	BIT(0)
#define VCPC_EVENT_DISABLED	BIT(1)

struct perf_event *vcpc_event_open(const struct vcpc_request *req, const struct vcpc_place *place,
				   const struct vcpc_alarm *alarm, u32 flags);
struct perf_event *vcpc_event_open_clock(const struct vcpc_place *place,
					 const struct vcpc_alarm *alarm, u32 flags);
struct perf_event *vcpc_event_open_switches(const struct vcpc_place *place,
					    const struct vcpc_alarm *alarm);
u64 vcpc_event_period(u32 type, u64 left);
int vcpc_event_check(const struct perf_event *event, u32 type);

#endif
