// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Operations that apply to a context's counters and, if it has one, to its anchor.
 *
 * The anchor is enabled first and disabled last, so that it counts whenever one of
 * the multiplexed sets does.
 */
#include <stddef.h>

#include "state.h"

int shim_aix_both__bind(struct shim_aix_context *ctx, pid_t tid, unsigned int flags, int *bad)
{
	unsigned int cpu = flags & SHIM_BIND_F_CPU ? SHIM_TARGET_F_CPU : 0;
	int ret = shim_counters__bind(ctx->counters, tid, flags, bad);

	if (ret || !ctx->anchor)
		return ret;
	ret = shim_counters__bind(ctx->anchor, tid, flags, bad);
	if (ret)
		shim_counters__unbind_at(ctx->counters, tid, cpu);
	return ret;
}

int shim_aix_both__unbind(struct shim_aix_context *ctx, pid_t tid, unsigned int flags)
{
	int ret = shim_counters__unbind_at(ctx->counters, tid, flags);

	if (ctx->anchor)
		shim_counters__unbind_at(ctx->anchor, tid, flags);
	return ret;
}

int shim_aix_both__enable(struct shim_aix_context *ctx, pid_t tid, unsigned int flags)
{
	int ret = ctx->anchor ? shim_counters__enable_at(ctx->anchor, tid, flags) : 0;

	if (ret)
		return ret;
	ret = shim_counters__enable_at(ctx->counters, tid, flags);
	if (ret && ctx->anchor)
		shim_counters__disable_at(ctx->anchor, tid, flags);
	return ret;
}

int shim_aix_both__disable(struct shim_aix_context *ctx, pid_t tid, unsigned int flags)
{
	int ret = shim_counters__disable_at(ctx->counters, tid, flags);

	if (ret || !ctx->anchor)
		return ret;
	ret = shim_counters__disable_at(ctx->anchor, tid, flags);
	if (ret)
		shim_counters__enable_at(ctx->counters, tid, flags);
	return ret;
}
