// SPDX-License-Identifier: GPL-2.0
/*
 * One request as an in-kernel perf event.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>

#include "event.h"
#include "internals.h"

/* A period that no PMU finds too short: of Intel's some want 32, and for some events 128. */
#define SHORTEST	128

static struct perf_event *event_open(const struct vcpc_request *req,
				     const struct vcpc_place *place,
				     const struct vcpc_alarm *alarm, u32 flags)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = req->type,
		.config = req->config,
		.config1 = req->config1,
		.config2 = req->config2,
		.sample_period = alarm->period,
		.pinned = 1,
		.disabled = !!(flags & (VCPC_EVENT_DISABLED | VCPC_EVENT_ON_EXEC)),
		.enable_on_exec = !!(flags & VCPC_EVENT_ON_EXEC),
		/*
		 * Time passes in all modes, whatever is excluded; but perf would not
		 * call for an alarm that comes in one of those.
		 */
		.exclude_user = !vcpc_event_is_time(req) && !(req->flags & VCPC_REQ_F_USER),
		.exclude_kernel = !vcpc_event_is_time(req) && !(req->flags & VCPC_REQ_F_KERNEL),
		/*
		 * A thread's own work is neither the hypervisor's nor that of
		 * a guest which it runs.  Idling is no thread's, so there is
		 * no need to exclude it, and not every PMU could.
		 */
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, place->cpu, place->task, alarm->handler,
						 alarm->context);
	if (event != ERR_PTR(-EINVAL) || !attr.sample_period || attr.sample_period >= SHORTEST)
		return event;
	/* Some PMUs refuse here what they would take silently, and lengthen, later. */
	attr.sample_period = SHORTEST;
	return perf_event_create_kernel_counter(&attr, place->cpu, place->task, alarm->handler,
						alarm->context);
}

static void ignore(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/**
 * vcpc_event_open() - count a request on a thread or a CPU
 * @req: what to count; the caller has checked that it is allowed
 * @place: where; the caller holds a reference to a thread
 * @alarm: whom to call at its overflow; NULL: nobody, but it must be possible if
 *	the request has VCPC_REQ_F_OVERFLOW
 * @flags: VCPC_EVENT_*
 *
 * Context: sleeps.
 * Return: the event, which holds a reference to the thread, or an ERR_PTR:
 * -ESRCH if the thread is exiting, -ENODEV if the CPU is offline, -ENOMEM, or
 * the PMU's own.
 */
struct perf_event *vcpc_event_open(const struct vcpc_request *req, const struct vcpc_place *place,
				   const struct vcpc_alarm *alarm, u32 flags)
{
	static const struct vcpc_alarm far_away = { .period = VCPC_PERIOD_MAX, .handler = ignore };
	static const struct vcpc_alarm never;

	if (!alarm)
		alarm = req->flags & VCPC_REQ_F_OVERFLOW ? &far_away : &never;
	return event_open(req, place, alarm, flags);
}

static struct perf_event *open_software(u64 config, const struct vcpc_place *place,
					const struct vcpc_alarm *alarm, u32 flags)
{
	const struct vcpc_request req = {
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
	};

	return event_open(&req, place, alarm, flags);
}

/**
 * vcpc_event_open_clock() - count a thread's CPU time, or a CPU's time
 * @place: where; the caller holds a reference to a thread
 * @alarm: when to call whom
 * @flags: VCPC_EVENT_*
 *
 * Context: sleeps.
 * Return: as vcpc_event_open().
 */
struct perf_event *vcpc_event_open_clock(const struct vcpc_place *place,
					 const struct vcpc_alarm *alarm, u32 flags)
{
	u64 clock = place->task ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;

	return open_software(clock, place, alarm, flags);
}

/**
 * vcpc_event_open_switches() - hear when a thread leaves its CPU
 * @place: the thread, to which the caller holds a reference
 * @alarm: whom to call each time: in the thread, under the scheduler's locks, with interrupts
 *	off, and before its events are taken off
 *
 * Context: sleeps.
 * Return: as vcpc_event_open().
 */
struct perf_event *vcpc_event_open_switches(const struct vcpc_place *place,
					    const struct vcpc_alarm *alarm)
{
	return open_software(PERF_COUNT_SW_CONTEXT_SWITCHES, place, alarm, 0);
}

/**
 * vcpc_event_period() - a period for what is left to an overflow
 * @type: the request's type
 * @left: how many events; 0: none is left to come
 *
 * Never 1 for a PMU's event: a period of 1 makes Intel's driver trace branches into memory
 * instead of counting them.  Such an overflow comes one event late.
 *
 * Return: the period that perf takes.
 */
u64 vcpc_event_period(u32 type, u64 left)
{
	u64 shortest = type == PERF_TYPE_SOFTWARE ? 1 : 2;

	return left ? clamp(left, shortest, VCPC_PERIOD_MAX) : VCPC_PERIOD_MAX;
}

/**
 * vcpc_event_check() - is it an event that a set may have?
 * @event: the event
 * @type: the type that was asked for; perf may have put another in its place
 *
 * Whatever number it came by, an event that is not software's must be the CPU
 * core's: other PMUs count what several threads do, or do more than count.
 *
 * Return: 0 or -EOPNOTSUPP.
 */
int vcpc_event_check(const struct perf_event *event, u32 type)
{
	if (type == PERF_TYPE_SOFTWARE || vcpc_event_is_hw(event))
		return 0;
	return -EOPNOTSUPP;
}
