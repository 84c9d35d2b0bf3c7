// SPDX-License-Identifier: GPL-2.0
/*
 * Since Linux 7.0, a perf context has a second clock for guest time; both are a struct
 * perf_time_ctx.
 */
#include <linux/perf_event.h>

u64 try(const struct perf_event_context *ctx);

u64 try(const struct perf_event_context *ctx)
{
	return ctx->time.offset - ctx->timeguest.time;
}
