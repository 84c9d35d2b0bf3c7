/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel internals that the module relies on in addition to exported functions: one function per
 * assumption.  No other file of the module uses kernel internals.
 *
 * perf exports functions to modules, but none that reads several events at one instant or reports
 * that an event was off the PMU.  The module derives both from perf's structures, whose types are
 * in the kernel's headers.  The type of each field is checked at compile time, and
 * vcpc_internals_check() tests the assumptions on a real event when the module is loaded; loading
 * fails if one of them does not hold.  If task work does not run, inheritance and overflow signals
 * are not available.
 */
#ifndef VCPC_INTERNALS_H
#define VCPC_INTERNALS_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "compat/perf_time.h"

#define VCPC_FIELD_IS(type, field, kind) \
	static_assert(__same_type(typeof_member(type, field), kind), #type "." #field)

VCPC_FIELD_IS(struct perf_event, tstamp, u64);
VCPC_FIELD_IS(struct perf_event, total_time_running, u64);
VCPC_FIELD_IS(struct perf_event, count, local64_t);
VCPC_FIELD_IS(struct perf_event, state, enum perf_event_state);
VCPC_FIELD_IS(struct perf_event, ctx, struct perf_event_context *);
VCPC_FIELD_IS(struct perf_event, clock, u64 (*)(void));
VCPC_FIELD_IS(struct hw_perf_event, sample_period, u64);
VCPC_FIELD_IS(struct hw_perf_event, last_period, u64);
VCPC_FIELD_IS(struct hw_perf_event, period_left, local64_t);
VCPC_FIELD_IS(struct hw_perf_event, interrupts, u64);
VCPC_FIELD_IS(struct task_struct, task_works, struct callback_head *);
VCPC_FIELD_IS(struct task_struct, self_exec_id, u64);

/*
 * Return an event's state: ACTIVE while it is on the PMU, INACTIVE while its thread is not running,
 * ERROR if the PMU had no free counter for a pinned event, EXIT after its thread exited or an
 * execve ended it, OFF while it waits for execve.
 */
static __always_inline enum perf_event_state vcpc_event_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

/* Return whether a core PMU counts the event, regardless of the type in its request. */
static inline bool vcpc_event_is_hw(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context;
}

/*
 * Return the time, by its context's clock, at which the event would have started if it had never
 * been off the PMU. perf adds the time between two state changes to the running time.  The result
 * is therefore constant as long as the event is on the PMU whenever its thread runs, and grows
 * otherwise.
 */
static __always_inline u64 vcpc_event_start(const struct perf_event *event)
{
	return event->tstamp - event->total_time_running;
}

/*
 * Return the clock of an event's context, which runs while the thread does.  The event must be
 * ACTIVE.  Another CPU can update the context's time concurrently, but not its offset.
 */
static __always_inline u64 vcpc_event_now(const struct perf_event *event)
{
	return event->clock() + vcpc_ctx_offset(event->ctx);
}

/* Return the count of an event that is on this CPU's PMU.  Interrupts must be disabled. */
static __always_inline u64 vcpc_event_count(struct perf_event *event)
{
	event->pmu->read(event);
	return local64_read(&event->count);
}

/* Return whether it is a clock event, for which perf uses a timer instead of a PMU interrupt. */
static inline bool vcpc_is_clock(u32 type, u64 config)
{
	return type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

bool vcpc_event_restart_period(struct perf_event *event, u64 period);

/* Return a number that identifies the calling thread's program and changes at each execve. */
static inline u64 vcpc_own_program(void)
{
	return current->self_exec_id;
}

bool vcpc_task_work_works(void);
void vcpc_task_work_push(struct task_struct *task, struct callback_head *work, int notify);

int vcpc_internals_check(void);
void vcpc_internals_try_task_work(void);
void vcpc_internals_exit(void);

#endif
