/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module asks of the kernel beyond its exported calls: one function a fact, and
 * nothing of the kind anywhere else but in arm_pmu.h.
 *
 * perf gives modules events, but neither groups of them, nor a read of several at one
 * instant, nor a word about whether an event was ever off.  All that is in its structures,
 * which are public to modules as types; these functions say which fields are relied on and
 * how.  Each has a check when it is compiled (the field is there and has its type), and
 * vcpc_internals_check() tries them on a real event when the module is loaded, which fails
 * if one of them is not true of this kernel.  What can be done without has a way without:
 *
 *   task work     no inheritance; groups rotate in a kernel worker
 *   arm_pmu.h     counters are read by their driver
 */
#ifndef VCPC_INTERNALS_H
#define VCPC_INTERNALS_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define VCPC_FIELD_IS(type, field, kind) \
	static_assert(__same_type(typeof_member(type, field), kind), #type "." #field)

VCPC_FIELD_IS(struct perf_event, tstamp, u64);
VCPC_FIELD_IS(struct perf_event, total_time_running, u64);
VCPC_FIELD_IS(struct perf_event, count, local64_t);
VCPC_FIELD_IS(struct perf_event, state, enum perf_event_state);
VCPC_FIELD_IS(struct perf_event, oncpu, int);
VCPC_FIELD_IS(struct perf_event, ctx, struct perf_event_context *);
VCPC_FIELD_IS(struct perf_event, clock, u64 (*)(void));
VCPC_FIELD_IS(struct perf_event_context, lock, raw_spinlock_t);
VCPC_FIELD_IS(struct perf_event_context, task, struct task_struct *);
VCPC_FIELD_IS(struct perf_event_context, time, u64);
VCPC_FIELD_IS(struct perf_event_context, timestamp, u64);
VCPC_FIELD_IS(struct hw_perf_event, sample_period, u64);
VCPC_FIELD_IS(struct hw_perf_event, last_period, u64);
VCPC_FIELD_IS(struct hw_perf_event, period_left, local64_t);
VCPC_FIELD_IS(struct hw_perf_event, interrupts, u64);
VCPC_FIELD_IS(struct task_struct, task_works, struct callback_head *);
VCPC_FIELD_IS(struct task_struct, self_exec_id, u64);
VCPC_FIELD_IS(struct signal_struct, exec_update_lock, struct rw_semaphore);

/*
 * An event's state: ACTIVE on the PMU, INACTIVE while its thread is off its CPU (or it waits
 * for room), ERROR when a pinned event found no room, EXIT after its thread's end, OFF when
 * it is disabled.
 */
static __always_inline enum perf_event_state vcpc_event_state(const struct perf_event *event)
{
	return READ_ONCE(event->state);
}

/* The CPU that an event is on the PMU of, or -1 */
static __always_inline int vcpc_event_cpu(const struct perf_event *event)
{
	return READ_ONCE(event->oncpu);
}

/* Is it an event of a CPU core's PMU, whatever type it was asked for by? */
static inline bool vcpc_event_is_hw(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context;
}

/*
 * When the event would have started if it had never been off, by its context's clock: perf
 * adds the time between two changes of state to the running time, so the difference stays
 * as long as the event is on whenever its thread runs, and grows otherwise.
 */
static __always_inline u64 vcpc_event_start(const struct perf_event *event)
{
	return event->tstamp - event->total_time_running;
}

/* How long an event has run, as of its last change of state */
static __always_inline u64 vcpc_event_run(const struct perf_event *event)
{
	return event->total_time_running;
}

/* How long an event that is on this CPU has run until now */
static __always_inline u64 vcpc_event_run_now(const struct perf_event *event)
{
	const struct perf_event_context *ctx = event->ctx;

	return ctx->time + (event->clock() - ctx->timestamp) - vcpc_event_start(event);
}

/* By perf's clock, when the thread last came to its CPU or its events were last moved */
static __always_inline u64 vcpc_event_epoch(const struct perf_event *event)
{
	return event->ctx->timestamp;
}

/* What an event has counted, as of when its driver last brought it up to date */
static __always_inline u64 vcpc_event_count(const struct perf_event *event)
{
	return local64_read(&event->count);
}

/* What an event has counted that is on the PMU of this CPU; interrupts are off. */
static inline u64 vcpc_event_count_now(struct perf_event *event)
{
	event->pmu->read(event);
	return vcpc_event_count(event);
}

/* Does the calling thread have the event?  No longer, from its end on. */
static __always_inline bool vcpc_event_is_mine(const struct perf_event *event)
{
	return READ_ONCE(event->ctx->task) == current;
}

/*
 * The context of an event.  Until Linux 6.1 a thread has one for hardware and one for
 * software, later one for both.  Whoever holds its lock keeps its thread from coming to a
 * CPU, as that puts its events on; perf itself never holds both of a thread.
 */
static inline struct perf_event_context *vcpc_event_context(const struct perf_event *event)
{
	return event->ctx;
}

static inline raw_spinlock_t *vcpc_context_lock(struct perf_event_context *ctx)
{
	return &ctx->lock;
}

/* Events that perf counts one by one, whose period is counted up to 0 */
static inline bool vcpc_event_is_counted_by_kernel(const struct perf_event *event)
{
	return event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config != PERF_COUNT_SW_CPU_CLOCK &&
	       event->attr.config != PERF_COUNT_SW_TASK_CLOCK;
}

void vcpc_event_restart_period(struct perf_event *event, u64 period);

/*
 * In the handler of a clock's timer, which begins again after that for as long as this: let
 * it not come for so many nanoseconds, or until vcpc_event_restart_period().
 */
static inline void vcpc_event_put_off_timer(struct perf_event *event, u64 period)
{
	event->hw.sample_period = period;
}

/* Which program a thread executes: another number after each execve. */
static inline u64 vcpc_task_program(const struct task_struct *task)
{
	return READ_ONCE(task->self_exec_id);
}

/* Is the calling thread about to execute another program, or to end? */
static inline bool vcpc_task_is_leaving_program(void)
{
	return current->in_execve || current->flags & PF_EXITING;
}

/* What execve holds for writing while it changes what a process may do; @task is referenced. */
static inline struct rw_semaphore *vcpc_task_exec_lock(struct task_struct *task)
{
	return &task->signal->exec_update_lock;
}

bool vcpc_task_work_works(void);
void vcpc_task_work_push(struct task_struct *task, struct callback_head *work);

int vcpc_internals_check(void);
void vcpc_internals_try_task_work(void);
void vcpc_internals_exit(void);

#endif
