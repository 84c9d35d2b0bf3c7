// SPDX-License-Identifier: GPL-2.0
/* Since Linux 7.0, a perf context's clock is a struct perf_time_ctx, and guest time is separate. */
#include <linux/perf_event.h>

u64 try(const struct perf_event_context *ctx);

u64 try(const struct perf_event_context *ctx)
{
	return ctx->time.offset - ctx->timeguest.time;
}
