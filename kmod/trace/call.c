// SPDX-License-Identifier: GPL-2.0
/*
 * The trace calls of one open file: each is checked and fires its tracepoint.
 *
 * Nobody notes who began what: an event says which open file it was written to, by a
 * number that is never used again, and who listens finds by it what was begun on a file
 * that is closed for good.  Process numbers would be used again; and so a file costs
 * the same however many begin on it, and its release walks nothing but its tags.
 *
 * Locking: none.
 */
#include <linux/atomic.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "compat/uninitialized.h"
#include "trace/args.h"
#include "trace/call.h"
#include "trace/events.h"
#include "tracecounts.h"

/**
 * vcpc_tracecall_init() - a new file
 * @tracer: its trace state
 * @user: whose names it gives
 */
void vcpc_tracecall_init(struct vcpc_tracer *tracer, struct vcpc_user *user)
{
	static atomic64_t last_file = ATOMIC64_INIT(0);

	vcpc_tag_holder_init(&tracer->holder, user);
	tracer->file = atomic64_inc_return(&last_file);
	tracer->began = false;
}

/**
 * vcpc_tracecall_release() - the file is closed
 * @tracer: its trace state
 *
 * Context: sleeps.
 */
void vcpc_tracecall_release(struct vcpc_tracer *tracer)
{
	if (tracer->began)
		trace_vcpc_gone(tracer->file);
	vcpc_tag_holder_release(&tracer->holder);
}

/**
 * vcpc_tracecall_tag() - do VCPC_IOC_TRACE_TAG
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

	ret = vcpc_traceargs_tag(&args, uarg);
	if (!ret)
		ret = vcpc_traceargs_name(name, &args);
	if (!ret)
		ret = vcpc_tag_hold(&tracer->holder, name, &handle);
	if (!ret)
		ret = put_user(handle, &where->handle);
	if (!ret)
		ret = put_user(vcpc_tag_find(&tracer->holder, handle)->id, &where->tag);
	return ret;
}

/* Functions of their own: the room is not to be on everybody's stack. */
static noinline void begin_counts(const struct vcpc_tag *tag, u64 file, u64 ids)
{
	struct vcpc_trace_room room __uninitialized;
	const struct vcpc_trace_counts *counts;

	if (!trace_vcpc_begin_counts_enabled())
		return;
	counts = vcpc_tracecounts_take(&room);
	if (counts)
		trace_vcpc_begin_counts(tag->id, file, ids, tag->name, counts);
}

static noinline void end_counts(const struct vcpc_tag *tag, u64 file, u64 ids, u64 start)
{
	struct vcpc_trace_room room __uninitialized;

	if (trace_vcpc_end_enabled())
		trace_vcpc_end(tag->id, file, ids, tag->name, start, vcpc_tracecounts_take(&room));
}

/* Whose event it is: the tag's user, and the process */
static __always_inline u64 ids_of(const struct vcpc_tag *tag)
{
	return (u64)tag->uid << 32 | (u32)current->tgid;
}

static void begin(struct vcpc_tracer *tracer, const struct vcpc_tag *tag)
{
	const u64 ids = ids_of(tag);

	/* The file's release is an event only if something may be open then. */
	if (!READ_ONCE(tracer->began))
		WRITE_ONCE(tracer->began, true);
	trace_vcpc_begin(tag->id, tracer->file, ids, tag->name);
	if (vcpc_tracecounts_any())
		begin_counts(tag, tracer->file, ids);
}

static __always_inline void end(struct vcpc_tracer *tracer, const struct vcpc_tag *tag,
				u64 start)
{
	const u64 ids = ids_of(tag);

	if (vcpc_tracecounts_any())
		end_counts(tag, tracer->file, ids, start);
	else
		trace_vcpc_end(tag->id, tracer->file, ids, tag->name, start, NULL);
}

/* The usual one, an end, comes first. */
static __always_inline int fire(struct vcpc_tracer *tracer, const struct vcpc_trace_write event)
{
	const struct vcpc_tag *tag;
	int ret = vcpc_traceargs_check(&event);

	if (ret)
		return ret;
	tag = vcpc_tag_find(&tracer->holder, event.handle);
	if (!tag)
		return -ENOENT;
	switch (event.op) {
	case VCPC_TRACE_END:
		end(tracer, tag, event.value);
		break;
	case VCPC_TRACE_BEGIN:
		begin(tracer, tag);
		break;
	case VCPC_TRACE_ABORT:
		trace_vcpc_abort(tag->id, tracer->file, ids_of(tag), tag->name, event.value, NULL);
		break;
	default:
		trace_vcpc_value(tag->id, event.op, event.value, tag->name, tag->uid);
	}
	return 0;
}

static noinline ssize_t write_other_size(struct vcpc_tracer *tracer, const void __user *from,
					 size_t size)
{
	struct vcpc_trace_write event;
	int ret = vcpc_traceargs_other_size(&event, from, size);

	if (!ret)
		ret = fire(tracer, event);
	return ret ?: size;
}

/**
 * vcpc_tracecall_write() - fire what a program has written to the device
 * @tracer: the file's trace state
 * @from: the caller's struct vcpc_trace_write
 * @size: how long it is
 *
 * Return: @size, -EINVAL, -E2BIG, -ENOENT or -EFAULT.
 */
ssize_t vcpc_tracecall_write(struct vcpc_tracer *tracer, const void __user *from, size_t size)
{
	struct vcpc_trace_write event;
	int ret;

	if (unlikely(size != sizeof(event)))
		return write_other_size(tracer, from, size);
	ret = vcpc_traceargs_event(&event, from);
	if (!ret)
		ret = fire(tracer, event);
	return ret ?: sizeof(event);
}
