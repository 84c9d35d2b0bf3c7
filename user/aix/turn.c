// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starting and stopping.
 *
 * A member of a group counts if both the member and the group are on.  While the group
 * is on, the module has each member's state.  While it is off, no instance counts, and
 * the context's list @own says which members will count when it is started.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "state.h"

static struct shim_aix_own *note_of(const struct shim_aix_context *ctx, pid_t tid)
{
	for (size_t i = 0; i < ctx->nown; i++)
		if (ctx->own[i].tid == tid)
			return &ctx->own[i];
	return NULL;
}

static int note(struct shim_aix_context *ctx, pid_t tid, bool on)
{
	struct shim_aix_own *own = note_of(ctx, tid);

	if (!own) {
		if (shim_vec__room(ctx->own, &ctx->own_room, ctx->nown))
			return -ENOMEM;
		own = &ctx->own[ctx->nown++];
	}
	*own = (struct shim_aix_own) { tid, on };
	return 0;
}

static bool is_stopped_group(const struct shim_aix_context *ctx)
{
	return ctx->scope == AIX_GROUP && !ctx->on;
}

/* Whether a thread is on, even if its group is off: 1, 0, or core's error */
static int own_state(const struct shim_aix_context *ctx, pid_t tid)
{
	const struct shim_aix_own *own;
	__u32 state;
	int ret;

	if (is_stopped_group(ctx)) {
		own = note_of(ctx, tid);
		return own ? own->on : ctx->root_on;
	}
	ret = shim_aix_sums__state(ctx, tid, &state);
	/* An invalid instance (-EAGAIN) does not count. */
	if (ret)
		return ret == -EAGAIN ? 0 : ret;
	return state & VCPC_STATE_COUNTING ? 1 : 0;
}

/**
 * shim_aix_turn__on() - whether a call's target counts
 * @ctx: the context
 * @who: the target
 * @tid: the thread
 *
 * Return: 1 if it counts, or would if its group did; 0; or core's error.
 */
int shim_aix_turn__on(const struct shim_aix_context *ctx, struct shim_aix_who who, pid_t tid)
{
	return who.scope == AIX_THREAD ? own_state(ctx, tid) : ctx->on;
}

static int start_thread(struct shim_aix_context *ctx, pid_t tid)
{
	int on = own_state(ctx, tid);

	if (on)
		return on < 0 ? on : 0;
	if (is_stopped_group(ctx))
		return note(ctx, tid, true);
	return shim_aix_both__enable(ctx, tid, 0);
}

/* Starts the thread of the call, and the members of the group that are on. */
static int start_members(struct shim_aix_context *ctx, pid_t tid)
{
	struct vcpc_instance_info *list;
	struct vcpc_instances_args args;
	int ret = shim_counters__list(ctx->counters, &list, &args);

	if (ret)
		return ret;
	ret = start_thread(ctx, tid);
	for (unsigned int i = 0; i < args.nr && !ret; i++) {
		if (list[i].state & VCPC_STATE_EXITED || !own_state(ctx, list[i].tid))
			continue;
		ret = shim_aix_both__enable(ctx, list[i].tid, 0);
		/* It counts already, or has ended meanwhile. */
		if (ret == -EINVAL)
			ret = 0;
	}
	free(list);
	return ret;
}

static int start_group(struct shim_aix_context *ctx, pid_t tid)
{
	int ret;

	if (ctx->on)
		return start_thread(ctx, tid);
	ret = start_members(ctx, tid);
	ctx->on = !ret;
	return ret;
}

static int start_system(struct shim_aix_context *ctx)
{
	int ret = ctx->on ? 0 : shim_aix_both__enable(ctx, 0, VCPC_TARGET_F_ALL);

	ctx->on = ctx->on || !ret;
	return ret;
}

static int start(struct shim_aix_context *ctx, struct shim_aix_who who, pid_t tid)
{
	if (who.scope == AIX_SYSTEM)
		return start_system(ctx);
	return who.scope == AIX_GROUP ? start_group(ctx, tid) : start_thread(ctx, tid);
}

static int stop_thread(struct shim_aix_context *ctx, pid_t tid)
{
	if (is_stopped_group(ctx))
		return note(ctx, tid, false);
	return shim_aix_both__disable(ctx, tid, 0);
}

/* Notes in the list which members are on, except the thread of the call, and stops them all. */
static int stop_group(struct shim_aix_context *ctx, pid_t tid)
{
	struct vcpc_instance_info *list;
	struct vcpc_instances_args args;
	int ret = shim_counters__list(ctx->counters, &list, &args);

	if (ret)
		return ret;
	ctx->nown = 0;
	for (unsigned int i = 0; i < args.nr && !ret; i++)
		if (!(list[i].state & VCPC_STATE_EXITED))
			ret = note(ctx, list[i].tid, list[i].state & VCPC_STATE_COUNTING);
	free(list);
	if (!ret)
		ret = note(ctx, tid, false);
	return ret ? ret : shim_aix_both__disable(ctx, 0, VCPC_TARGET_F_ALL);
}

static int stop(struct shim_aix_context *ctx, struct shim_aix_who who, pid_t tid)
{
	int ret;

	if (who.scope == AIX_THREAD)
		return stop_thread(ctx, tid);
	if (who.scope == AIX_GROUP)
		ret = stop_group(ctx, tid);
	else
		ret = shim_aix_both__disable(ctx, 0, VCPC_TARGET_F_ALL);
	if (!ret)
		ctx->on = false;
	return ret;
}

struct turn {
	bool on;
	__u64 when;
};

static __u64 now(const struct shim_aix_call *call)
{
	return shim_session__ops(call->state->session)->now();
}

/* A start is stamped before counting starts, a stop after it has stopped. */
static int turn_locked(struct shim_aix_call *call, void *arg)
{
	struct turn *turn = arg;
	int ret;

	turn->when = now(call);
	if (turn->on)
		return shim_aix__error(start(call->ctx, call->who, call->tid));
	ret = shim_aix_turn__on(call->ctx, call->who, call->tid);
	if (ret <= 0)
		return ret ? shim_aix__error(ret) : Pmapi_NotCounting;
	ret = shim_aix__error(stop(call->ctx, call->who, call->tid));
	turn->when = now(call);
	if (!ret && call->who.scope != AIX_THREAD)
		call->ctx->stopped = turn->when;
	return ret;
}

static int timed(struct shim_aix_who who, bool on, timebasestruct_t *when)
{
	struct turn turn = { .on = on };
	int ret = when ? shim_aix_state__call(who, turn_locked, &turn) : EINVAL;

	if (!ret)
		shim_aix__ticks(when, turn.when);
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
