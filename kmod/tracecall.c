// SPDX-License-Identifier: GPL-2.0
/*
 * The trace calls of one open file: each is checked and fires its tracepoint.
 *
 * Locking: none.  @tgids has its own; @last_tgid is a hint that saves asking it.
 */
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "compat/uninitialized.h"
#include "tracecall.h"
#include "tracecounts.h"
#include "uarg.h"

#define CREATE_TRACE_POINTS
#include "trace.h"

/**
 * vcpc_tracecall_init() - a new file
 * @tracer: its trace state
 * @user: whom its tags are accounted to
 */
void vcpc_tracecall_init(struct vcpc_tracer *tracer, struct vcpc_user *user)
{
	vcpc_tag_holder_init(&tracer->holder, user);
	xa_init_flags(&tracer->tgids, XA_FLAGS_ACCOUNT);
}

/**
 * vcpc_tracecall_release() - the file is closed
 * @tracer: its trace state
 *
 * Context: sleeps.
 */
void vcpc_tracecall_release(struct vcpc_tracer *tracer)
{
	unsigned long tgid;
	void *entry;

	xa_for_each(&tracer->tgids, tgid, entry)
		trace_vcpc_gone(tgid);
	xa_destroy(&tracer->tgids);
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
	u32 id;
	int ret;

	ret = vcpc_uarg_trace_tag(&args, uarg);
	if (!ret)
		ret = vcpc_uarg_tag_name(name, &args);
	if (!ret)
		ret = vcpc_tag_hold(&tracer->holder, name, &id);
	if (!ret)
		ret = put_user(id, &where->tag);
	return ret;
}

/* Remember whose transactions have to be given up when the file is closed. */
static int note_begin(struct vcpc_tracer *tracer, u32 tgid)
{
	int ret;

	if (likely(READ_ONCE(tracer->last_tgid) == tgid))
		return 0;
	ret = xa_err(xa_store(&tracer->tgids, tgid, xa_mk_value(1), GFP_KERNEL_ACCOUNT));
	if (!ret)
		WRITE_ONCE(tracer->last_tgid, tgid);
	return ret;
}

/* Functions of their own: the room is not to be on everybody's stack. */
static noinline void begin_counts(const struct vcpc_trace_args *args, u32 id, const char *name)
{
	struct vcpc_trace_room room __uninitialized;
	const struct vcpc_trace_counts *counts;

	if (!trace_vcpc_begin_counts_enabled())
		return;
	counts = vcpc_tracecounts_take(&room);
	if (counts)
		trace_vcpc_begin_counts(args->tag, id, args->flags, name, counts);
}

static noinline void end_counts(const struct vcpc_trace_args *args, u32 id, const char *name)
{
	struct vcpc_trace_room room __uninitialized;

	if (trace_vcpc_end_enabled())
		trace_vcpc_end(args->tag, id, args->flags, name, args->value,
			       vcpc_tracecounts_take(&room));
}

static int fire(struct vcpc_tracer *tracer, const struct vcpc_trace_args *args)
{
	const struct vcpc_tag *tag = vcpc_tag_find(&tracer->holder, args->tag);
	u32 id = args->flags & VCPC_TRACE_F_THREAD ? current->pid : current->tgid;
	int ret;

	if (!tag)
		return -ENOENT;
	switch (args->op) {
	case VCPC_TRACE_BEGIN:
		ret = note_begin(tracer, current->tgid);
		if (ret)
			return ret;
		trace_vcpc_begin(args->tag, id, args->flags, tag->name);
		if (vcpc_tracecounts_any())
			begin_counts(args, id, tag->name);
		return 0;
	case VCPC_TRACE_END:
		if (vcpc_tracecounts_any())
			end_counts(args, id, tag->name);
		else
			trace_vcpc_end(args->tag, id, args->flags, tag->name, args->value, NULL);
		return 0;
	case VCPC_TRACE_ABORT:
		trace_vcpc_abort(args->tag, id, args->flags, tag->name, args->value, NULL);
		return 0;
	default:
		trace_vcpc_value(args->tag, args->op, args->value, tag->name);
		return 0;
	}
}

/**
 * vcpc_tracecall_fire() - do VCPC_IOC_TRACE
 * @tracer: the file's trace state
 * @uarg: the caller's struct vcpc_trace_args
 *
 * Return: 0, -EINVAL, -E2BIG, -ENOENT, -ENOMEM or -EFAULT.
 */
int vcpc_tracecall_fire(struct vcpc_tracer *tracer, const void __user *uarg)
{
	struct vcpc_trace_args args;
	int ret = vcpc_uarg_trace(&args, uarg);

	return ret ?: fire(tracer, &args);
}

/**
 * vcpc_tracecall_advise() - do the same, as posix_fadvise(2)
 * @tracer: the file's trace state
 * @where: tag and flags
 * @value: as in struct vcpc_trace_args
 * @advice: VCPC_TRACE_ADVICE and operation
 *
 * Return: 0, -EINVAL, -ENOENT or -ENOMEM.
 */
int vcpc_tracecall_advise(struct vcpc_tracer *tracer, u64 where, u64 value, u32 advice)
{
	const struct vcpc_trace_args args = {
		.op = advice ^ VCPC_TRACE_ADVICE,
		.tag = where,
		.flags = where >> 32,
		.value = value,
	};

	return vcpc_uarg_check_trace(&args) ?: fire(tracer, &args);
}
