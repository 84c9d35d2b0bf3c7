/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_EVENT_H
#define VCPC_EVENT_H

#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/types.h>
#include <linux/vcpc.h>

struct task_struct;

/* How an event is opened */
#define VCPC_EVENT_ON_EXEC	BIT(0)
#define VCPC_EVENT_DISABLED	BIT(1)

struct perf_event *vcpc_event_open(const struct vcpc_request *req, struct task_struct *task,
				   u32 flags);
struct perf_event *vcpc_event_open_clock(struct task_struct *task, u32 flags);
int vcpc_event_check(const struct perf_event *event, u32 type);

static inline bool vcpc_event_is_hw(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context;
}

#endif
