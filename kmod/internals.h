/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module relies on beyond the kernel's exported calls: one function per fact, and
 * nothing of the kind anywhere else.
 *
 * perf gives modules events, but no read of several at one instant and no report that an event
 * was ever off.  Both are in its structures, which modules can see as types.  Each field has a
 * compile-time check of its type, and vcpc_internals_check() tries the facts on a real event
 * when the module is loaded; loading fails if one of them is not true of this kernel.  Without
 * task work there is no inheritance and no signal on overflow.
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
 * An event's state: ACTIVE on the PMU, INACTIVE while its thread is off its CPU, ERROR when a
 * pinned event found no room, EXIT after its thread's end or an execve that ended it, OFF while
 * it waits for execve.
 */
static __always_inline enum perf_event_state vcpc_event_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

/* Whether a CPU core's PMU counts the event, whatever type it was requested by */
static inline bool vcpc_event_is_hw(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context;
}

/*
 * When the event would have started if it had never been off, by its context's clock: perf adds
 * the time between two changes of state to the running time, so the difference is constant while
 * the event is on whenever its thread runs, and grows otherwise.
 */
static __always_inline u64 vcpc_event_start(const struct perf_event *event)
{
	return event->tstamp - event->total_time_running;
}

/*
 * The clock of an event's context, which runs while the thread does; the event is ACTIVE.  Another
 * CPU may bring the context's time up to date, but the offset stays what it is.
 */
static __always_inline u64 vcpc_event_now(const struct perf_event *event)
{
	return event->clock() + vcpc_ctx_offset(event->ctx);
}

/* What an event has counted that is on the PMU of this CPU; interrupts are disabled. */
static __always_inline u64 vcpc_event_count(struct perf_event *event)
{
	event->pmu->read(event);
	return local64_read(&event->count);
}

/* Whether it is a clock, which perf measures, and for which it interrupts by a timer */
static inline bool vcpc_is_clock(u32 type, u64 config)
{
	return type == PERF_TYPE_SOFTWARE &&
	       (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
}

bool vcpc_event_restart_period(struct perf_event *event, u64 period);

/* Which program the calling thread executes: another number after each execve */
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
