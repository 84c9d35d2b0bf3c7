/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_ctx_offset(): the difference between an event's clock and the time of its context, while the
 * event is on the PMU.  Since Linux 7.0 a context's time includes its thread's time in guests, but
 * the time of events with exclude_guest does not.
 */
#ifndef VCPC_COMPAT_PERF_TIME_H
#define VCPC_COMPAT_PERF_TIME_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>

#include "compat/have.h"

#ifdef HAVE_PERF_TIME_CTX
static_assert(__same_type(typeof_member(struct perf_time_ctx, offset), u64));
static_assert(__same_type(typeof_member(struct perf_time_ctx, time), u64));

static __always_inline u64 vcpc_ctx_offset(const struct perf_event_context *ctx)
{
	return READ_ONCE(ctx->time.offset) - READ_ONCE(ctx->timeguest.time);
}
#else
static_assert(__same_type(typeof_member(struct perf_event_context, timeoffset), u64));

static __always_inline u64 vcpc_ctx_offset(const struct perf_event_context *ctx)
{
	return READ_ONCE(ctx->timeoffset);
}
#endif

#endif
