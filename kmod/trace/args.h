/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TRACE_ARGS_H
#define VCPC_TRACE_ARGS_H

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/vcpc.h>

int vcpc_traceargs_tag(struct vcpc_trace_tag_args *args, const void __user *from);
int vcpc_traceargs_name(char *name, const struct vcpc_trace_tag_args *args);
int vcpc_traceargs_other_size(struct vcpc_trace_write *event, const void __user *from, size_t size);

/**
 * vcpc_traceargs_event() - take in an event of just this version
 * @event: written on success
 * @from: the caller's
 *
 * In two words, as this is called often, and inline, so that they stay in registers.
 *
 * Return: 0 or -EFAULT.
 */
static __always_inline int vcpc_traceargs_event(struct vcpc_trace_write *event,
						const void __user *from)
{
	const u64 __user *words = from;
	union {
		struct vcpc_trace_write event;
		u64 words[2];
	} u;

	BUILD_BUG_ON(sizeof(u.words) != sizeof(u.event));
	if (!user_read_access_begin(words, sizeof(u)))
		return -EFAULT;
	unsafe_get_user(u.words[0], &words[0], err_fault);
	unsafe_get_user(u.words[1], &words[1], err_fault);
	user_read_access_end();
	*event = u.event;
	return 0;

err_fault:
	user_read_access_end();
	return -EFAULT;
}

/**
 * vcpc_traceargs_check() - check an event's operation and value
 * @event: as it came in
 *
 * Return: 0 or -EINVAL.
 */
static __always_inline int vcpc_traceargs_check(const struct vcpc_trace_write *event)
{
	const u32 op = event->op;

	if (op < VCPC_TRACE_BEGIN || op > VCPC_TRACE_COUNTER)
		return -EINVAL;
	if (event->value && (op == VCPC_TRACE_BEGIN || op == VCPC_TRACE_POINT))
		return -EINVAL;
	return 0;
}

#endif
