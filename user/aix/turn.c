// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starting and stopping.
 *
 * A group starts and stops as a whole: perf counts its threads together, and cannot start or stop
 * one of them alone.
 */
#include <errno.h>

#include "state.h"

/* Whether a thread is counting: 1, 0, or a core error */
static int is_on(const struct shim_aix_context *ctx, pid_t tid)
{
	__u32 state;
	int ret = shim_aix_sums__state(ctx, tid, &state);

	/* An invalid instance (-EAGAIN) is not counting. */
	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	return state & VCPC_STATE_COUNTING ? 1 : 0;
}

/**
 * shim_aix_turn__on() - check whether a call's target is counting
 * @ctx: the context
 * @tid: the thread
 *
 * Return: 1, 0, or a core error.
 */
int shim_aix_turn__on(const struct shim_aix_context *ctx, pid_t tid)
{
	return ctx->scope == AIX_THREAD ? is_on(ctx, tid) : ctx->on;
}

/*
 * A context of one thread is started and stopped on that thread, all others on all their targets.
 */
static int turn(struct shim_aix_context *ctx, pid_t tid, bool on)
{
	bool all = ctx->scope != AIX_THREAD;
	unsigned int flags = all ? SHIM_TARGET_F_ALL : 0;
	int ret;

	tid = all ? 0 : tid;
	ret = on ? shim_counters__enable_at(ctx->counters, tid, flags) :
		   shim_counters__disable_at(ctx->counters, tid, flags);
	if (!ret && all)
		ctx->on = on;
	return ret;
}

struct order {
	bool on;
	__u64 when;
};

static __u64 now(const struct shim_aix_call *call)
{
	return shim_session__ops(call->state->session)->now();
}

/* A start is time-stamped before counting starts, a stop after it has stopped. */
static int turn_locked(struct shim_aix_call *call, void *arg)
{
	struct order *order = arg;
	int on, ret;

	if (shim_aix_state__is_member(call))
		return Pmapi_Unsupported;
	order->when = now(call);
	on = shim_aix_turn__on(call->ctx, call->tid);
	if (on < 0)
		return shim_aix__error(on);
	if (on == order->on)
		return on ? 0 : Pmapi_NotCounting;
	ret = shim_aix__error(turn(call->ctx, call->tid, order->on));
	if (order->on)
		return ret;
	order->when = now(call);
	if (!ret && call->who.scope != AIX_THREAD)
		call->ctx->stopped = order->when;
	return ret;
}

static int timed(struct shim_aix_who who, bool on, timebasestruct_t *when)
{
	struct order order = { .on = on };
	int ret = when ? shim_aix_state__call(who, turn_locked, &order) : EINVAL;

	if (!ret)
		shim_aix__ticks(when, order.when);
	return ret;
}

int shim_aix__start(struct shim_aix_who who)
{
	timebasestruct_t when;

	return timed(who, true, &when);
}

int shim_aix__tstart(struct shim_aix_who who, timebasestruct_t *when)
{
	return timed(who, true, when);
}

int shim_aix__stop(struct shim_aix_who who)
{
	timebasestruct_t when;

	return timed(who, false, &when);
}

int shim_aix__tstop(struct shim_aix_who who, timebasestruct_t *when)
{
	return timed(who, false, when);
}
