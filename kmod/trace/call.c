// SPDX-License-Identifier: GPL-2.0
/*
 * Trace calls of an open file: check each event and fire its tracepoint.
 *
 * The module does not record open transactions.  Each event carries the number of the open file
 * that it was written to, and listeners use it to find the transactions of a closed file.  The
 * number is never reused, unlike a process ID, and the cost of a file does not depend on its
 * transaction count.
 *
 * Only events with VCPC_TRACE_F_COUNTS carry counts, so a thread that counts adds no cost to other
 * threads.
 *
 * Tracepoints are fired with preemption disabled.  Since Linux 7.0 they no longer disable it
 * themselves, and while a BPF program is preempted, the events of all other threads on its CPU are
 * missed.
 *
 * Locking: none; the thread's instance is found under RCU.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "clock.h"
#include "compat/uninitialized.h"
#include "instance.h"
#include "limits.h"
#include "spec.h"
#include "thread.h"
#include "trace/call.h"
#include "trace/counts.h"
#include "trace/events.h"
#include "uarg.h"

/**
 * vcpc_tracecall_init() - prepare a new file
 * @tracer: its trace state
 * @user: the account that its tags are charged to
 */
void vcpc_tracecall_init(struct vcpc_tracer *tracer, struct vcpc_user *user)
{
	static atomic64_t last_file = ATOMIC64_INIT(0);

	vcpc_tag_holder_init(&tracer->holder, user);
	tracer->file = atomic64_inc_return(&last_file) * VCPC_SHARES + user->share;
	tracer->tgid = current->tgid;
	tracer->began = false;
}

/**
 * vcpc_tracecall_release() - release the trace state of a closed file
 * @tracer: its trace state
 *
 * Context: sleeps.
 */
void vcpc_tracecall_release(struct vcpc_tracer *tracer)
{
	struct vcpc_trace_gone gone = { .file = tracer->file };
	u64 from;

	do {
		from = gone.next;
		preempt_disable();
		if (tracer->began)
			trace_vcpc_gone(&gone);
		preempt_enable();
		cond_resched();
	} while (gone.next != from);
	vcpc_tag_holder_release(&tracer->holder);
}

/**
 * vcpc_tracecall_tag() - perform VCPC_IOC_TRACE_TAG
 * @tracer: the file's trace state
 * @uarg: the caller's struct vcpc_trace_tag_args
 *
 * Context: sleeps.
 * Return: 0 or a negative errno.
 */
int vcpc_tracecall_tag(struct vcpc_tracer *tracer, void __user *uarg)
{
	struct vcpc_trace_tag_args __user *where = uarg;
	struct vcpc_trace_tag_args args;
	char name[VCPC_TAG_LEN];
	u32 handle;
	int ret;

	ret = vcpc_uarg_tag(&args, name, uarg);
	if (!ret)
		ret = vcpc_tag_hold(&tracer->holder, name, &handle);
	if (!ret)
		ret = put_user(handle, &where->handle);
	if (!ret)
		ret = put_user(vcpc_tag_find(&tracer->holder, handle)->id, &where->tag);
	return ret;
}

static void fill(struct vcpc_trace_room *room, const struct vcpc_instance *inst)
{
	const struct vcpc_spec *spec = inst->spec;
	u32 i, nr = min_t(u32, spec->nr, VCPC_TRACE_COUNTERS);

	*room = (struct vcpc_trace_room) {
		.counts = {
			.events = spec->events,
			.value = room->value,
			.event = room->event,
			.nr = nr,
			.bind = inst->bind,
		},
	};
	for (i = 0; i < nr; i++) {
		room->value[i] = inst->room->values[i];
		room->event[i] = (struct vcpc_trace_event) {
			.type = spec->requests[i].type,
			.flags = spec->requests[i].flags,
			.config = spec->requests[i].config,
		};
	}
}

/* Add the instance's counts to @arg.  Interrupts are disabled, so @inst->room has no other user. */
static void take(struct vcpc_instance *inst, void *arg)
{
	struct vcpc_trace_room *room = arg;
	unsigned long flags;

	if (room->counts.events || !(inst->bind_flags & VCPC_BIND_F_TRACE))
		return;
	local_irq_save(flags);
	if (!vcpc_instance_sample_own(inst, inst->room) &&
	    inst->room->state & VCPC_STATE_COUNTING)
		fill(room, inst);
	local_irq_restore(flags);
}

/* Read the calling thread's counts into @room.  Return NULL if its set is missing or stopped. */
static const struct vcpc_trace_counts *take_counts(struct vcpc_trace_room *room)
{
	room->counts.events = 0;
	vcpc_thread_walk(take, room);
	return room->counts.events ? &room->counts : NULL;
}

static void see(struct vcpc_instance *inst, void *found)
{
	if (inst->bind_flags & VCPC_BIND_F_TRACE && vcpc_instance_lives(inst))
		*(bool *)found = true;
}

/**
 * vcpc_tracecall_counted() - check whether the calling thread's trace events can carry counts
 *
 * Return: true if it has an instance bound with VCPC_BIND_F_TRACE that has not ended.
 */
bool vcpc_tracecall_counted(void)
{
	bool found = false;

	vcpc_thread_walk(see, &found);
	return found;
}

/* Do not inline this, so that only events with counts need the stack space of the room. */
static noinline void begin_counts(struct vcpc_trace_transaction *event, const char *name)
{
	struct vcpc_trace_room room __uninitialized;
	const struct vcpc_trace_counts *counts;

	if (!trace_vcpc_begin_counts_enabled())
		return;
	counts = take_counts(&room);
	if (counts)
		trace_vcpc_begin_counts(event, name, counts);
}

static noinline void end_counts(struct vcpc_trace_transaction *event, const char *name)
{
	struct vcpc_trace_room room __uninitialized;

	if (trace_vcpc_end_enabled())
		trace_vcpc_end(event, name, take_counts(&room));
}

/* Convert a start time to the kernel's clock.  0 (unknown) stays 0; no other value becomes 0. */
static __always_inline u64 begun_at(u64 value)
{
	return value ? value - vcpc_clock_offset() ?: 1 : 0;
}

/*
 * Return the event's thread.  A process that only shares the file must not refer to threads of the
 * process that opened it.
 */
static __always_inline u32 thread_of(const struct vcpc_tracer *tracer, u64 handle)
{
	const u32 thread = upper_32_bits(handle);

	if (unlikely(!thread || tracer->tgid != current->tgid))
		return VCPC_TRACE_TID | current->pid;
	return thread;
}

static __always_inline void fire(struct vcpc_tracer *tracer, const struct vcpc_tag *tag, u32 op,
				 struct vcpc_trace_transaction *event, u64 value)
{
	switch (op) {
	case VCPC_TRACE_END:
		event->start = begun_at(value);
		trace_vcpc_end(event, tag->name, NULL);
		break;
	case VCPC_TRACE_END | VCPC_TRACE_F_COUNTS:
		event->start = begun_at(value);
		end_counts(event, tag->name);
		break;
	case VCPC_TRACE_BEGIN:
	case VCPC_TRACE_BEGIN | VCPC_TRACE_F_COUNTS:
		/* Closing the file fires an event only if a transaction has begun on it. */
		if (unlikely(!READ_ONCE(tracer->began)))
			WRITE_ONCE(tracer->began, true);
		trace_vcpc_begin(event, tag->name, NULL);
		if (op & VCPC_TRACE_F_COUNTS)
			begin_counts(event, tag->name);
		break;
	case VCPC_TRACE_ABORT:
		event->start = begun_at(value);
		trace_vcpc_abort(event, tag->name, NULL);
		break;
	default:
		trace_vcpc_value(tag->id, op, value, tag->name, tag->uid);
	}
}

/**
 * vcpc_tracecall_fire() - fire an event of a program
 * @tracer: the file's trace state
 * @op: as in struct vcpc_trace_write; vcpc_uarg_check_event() has accepted it with @value
 * @handle: as in struct vcpc_trace_write; any number.  If it is negative, its upper half
 *	is a thread's number.
 * @value: as in struct vcpc_trace_write
 *
 * Return: 0 or -ENOENT.
 */
int vcpc_tracecall_fire(struct vcpc_tracer *tracer, u32 op, u64 handle, u64 value)
{
	const u64 own = (s64)handle < 0 ? lower_32_bits(handle) : handle;
	const struct vcpc_tag *tag = vcpc_tag_find(&tracer->holder, own);
	struct vcpc_trace_transaction event __uninitialized;

	if (!tag)
		return -ENOENT;
	event = (struct vcpc_trace_transaction) {
		.tag = tag->id,
		.file = tracer->file,
		.ids = (u64)current->tgid << 32 | (u32)current->pid,
		.user = tag->uid,
		.thread = thread_of(tracer, handle),
	};
	preempt_disable();
	fire(tracer, tag, op, &event, value);
	preempt_enable();
	return 0;
}
