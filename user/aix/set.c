// SPDX-License-Identifier: LGPL-2.1-or-later
/* Set a program, reset its data, and delete it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* Take samples of a context, and subtract the counts before a reset */

static unsigned int turns_of(const struct shim_aix_context *ctx)
{
	return ctx->program.kind == AIX_PLAIN ? 0 : ctx->program.nsets;
}

/**
 * shim_aix_sums__read() - take a sample
 * @ctx: the context
 * @tid: a thread or CPU, depending on @flags
 * @flags: VCPC_SAMPLE_F_*
 * @sums: set only on success; the caller must free it
 *
 * Return: 0 or a core error.
 */
int shim_aix_sums__read(const struct shim_aix_context *ctx, pid_t tid, unsigned int flags,
			struct shim_aix_sums **sums)
{
	size_t size = sizeof(struct vcpc_sample) + ctx->program.n * sizeof(__u64) +
		      turns_of(ctx) * sizeof(struct shim_group_sample);
	struct shim_aix_sums *s = malloc(sizeof(*s) + size);
	struct vcpc_sample *sample = (void *)(s + 1);
	int ret;

	if (!s)
		return -ENOMEM;
	ret = shim_counters__sample_at(ctx->counters, tid, flags, sample, size);
	if (ret) {
		free(s);
		return ret;
	}
	s->time = sample->time;
	s->state = sample->state;
	s->tick = sample->tick;
	s->values = sample->values;
	s->turns = turns_of(ctx) ? (void *)&sample->values[ctx->program.n] : NULL;
	*sums = s;
	return 0;
}

/**
 * shim_aix_sums__state() - get a thread's state in a context
 * @ctx: the context
 * @tid: the thread
 * @state: VCPC_STATE_*; set only on success
 *
 * Return: 0 or a core error; -EINVAL if the thread has no state in the context.
 */
int shim_aix_sums__state(const struct shim_aix_context *ctx, pid_t tid, __u32 *state)
{
	struct shim_aix_sums *sums;
	int ret = shim_aix_sums__read(ctx, tid, 0, &sums);

	if (ret)
		return ret;
	*state = sums->state;
	free(sums);
	return 0;
}

/*
 * Return the difference, but at least 0: @a can be less than @b, because the counts of a group
 * member that has been deleted since are no longer in the total.
 */
static __u64 less(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

/**
 * shim_aix_sums__subtract() - subtract earlier sums from later ones
 * @ctx: the context of the sums
 * @sums: the later sums; on return, the counts since @base
 * @base: the earlier sums
 */
void shim_aix_sums__subtract(const struct shim_aix_context *ctx, struct shim_aix_sums *sums,
			     const struct shim_aix_sums *base)
{
	sums->tick = less(sums->tick, base->tick);
	for (unsigned int i = 0; i < ctx->program.n; i++)
		sums->values[i] = less(sums->values[i], base->values[i]);
	for (unsigned int k = 0; k < turns_of(ctx); k++) {
		sums->turns[k].time = less(sums->turns[k].time, base->turns[k].time);
		sums->turns[k].tick = less(sums->turns[k].tick, base->turns[k].tick);
		sums->turns[k].rounds = less(sums->turns[k].rounds, base->turns[k].rounds);
		sums->turns[k].voids = less(sums->turns[k].voids, base->turns[k].voids);
	}
}

/*
 * Starting and stopping
 *
 * A group starts and stops as a whole: perf counts its threads together, and cannot start or stop
 * one of them alone.
 */

/* Check whether a thread is counting.  Return 1, 0, or a core error. */
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
 * Start or stop a context of one thread on that thread, and any other context on all its targets.
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

/* Read the clock before counting starts, or after it has stopped. */
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

/*
 * Return the API's number for an error in setting a program.  @bad is the request that caused it,
 * or -1.
 */
static int refused(int ret, int bad)
{
	if (ret == -EAGAIN)
		return Pmapi_Locked;
	if (ret == -ENOENT || ret == -EOPNOTSUPP || (ret == -EINVAL && bad >= 0))
		return Pmapi_InvalidEvent;
	if (ret == -EINVAL)
		return Pmapi_InvalidSetCount;
	return shim_aix__error(ret);
}

static int create(struct shim_aix_state *state, struct shim_aix_context *ctx)
{
	const struct shim_aix_program *p = &ctx->program;
	/*
	 * All calls on a group, the system or a third party are made from outside the counted
	 * threads.
	 */
	struct shim_terms terms = { .remote = ctx->remote };
	int bad, ret;

	if (p->kind != AIX_PLAIN) {
		terms.group = p->group;
		terms.slot = p->slice * 1000000ull;
	}
	ret = shim_counters__create_on(state->session, p->reqs, p->n, VCPC_SET_F_DISABLED, terms,
				       &bad, &ctx->counters);
	return ret ? refused(ret, bad) : 0;
}

static int bind(struct shim_aix_context *ctx, pid_t tid)
{
	int bad = -1;
	int ret;

	if (ctx->scope == AIX_SYSTEM && !ctx->tree)
		ret = shim_aix_cpus__bind(ctx);
	else
		ret = shim_counters__bind(ctx->counters, tid, ctx->bind, &bad);
	return ret ? refused(ret, bad) : 0;
}

/* Choose the target to bind, and the flags, according to the first set's mode. */
static void choose_target(struct shim_aix_context *ctx, enum shim_aix_scope scope)
{
	pm_mode_t mode = ctx->program.sets[0].mode;

	ctx->scope = scope;
	ctx->tree = mode.b.proctree;
	ctx->process = mode.b.process;
	ctx->since = shim_aix_target__tick();
	if (!mode.b.no_inherit)
		ctx->bind = VCPC_BIND_F_INHERIT;
	if (ctx->process)
		ctx->bind |= SHIM_BIND_F_PROCESS;
	if (ctx->tree)
		ctx->bind = SHIM_BIND_F_PROCESS | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE;
}

/*
 * Decide how a context is counted.  perf reports only a total for inherited threads, which suffices
 * for a group and a process tree.  A thread's program is inherited only if the module counts it,
 * which requires a single set and a thread that sets its own program.
 */
static void choose_back_end(const struct shim_aix_state *state, struct shim_aix_context *ctx,
			    bool third_party)
{
	bool by_module = shim_session__info(state->session)->features & VCPC_FEAT_INHERIT;

	ctx->remote = ctx->scope != AIX_THREAD || third_party;
	if (ctx->scope == AIX_THREAD &&
	    (!by_module || third_party || ctx->program.kind != AIX_PLAIN))
		ctx->bind &= ~VCPC_BIND_F_INHERIT;
}

static int has_context(void *state, pid_t tid)
{
	struct shim_aix_context *ctx;
	int ret = shim_aix_state__of_thread(state, tid, &ctx);

	if (ret)
		return ret;
	return ctx ? Pmapi_ContextExists : 0;
}

/* Check that none of a process's threads has a context, if all of them become a group. */
static int check_members(struct shim_aix_state *state, const struct shim_aix_context *ctx,
			 pid_t tid)
{
	int ret;

	if (!ctx->process)
		return 0;
	ret = shim_aix_target__each_thread(tid, has_context, state);
	return ret < 0 ? shim_aix__error(ret) : ret;
}

static int install(struct shim_aix_state *state, struct shim_aix_context *ctx, pid_t tid)
{
	bool all = ctx->scope != AIX_THREAD;
	int ret = create(state, ctx);

	if (!ret)
		ret = bind(ctx, tid);
	/* Existing members of a group also get the initial state. */
	if (!ret && ctx->program.sets[0].mode.b.count) {
		ret = shim_counters__enable_at(ctx->counters, all ? 0 : tid,
					       all ? SHIM_TARGET_F_ALL : 0);
		ret = ret ? refused(ret, -1) : 0;
		ctx->on = !ret;
	}
	return ret;
}

static int set_locked(struct shim_aix_state *state, struct shim_aix_who who,
		      struct shim_aix_context *ctx)
{
	struct shim_aix_context *old;
	pid_t tid;
	int ret = shim_aix_state__find(state, who, &old, &tid);

	if (ret)
		return ret;
	if (old)
		return Pmapi_ContextExists;
	ret = shim_aix_program__pack(&ctx->program, &state->table, state->filter, who.scope);
	if (ret)
		return ret;
	choose_target(ctx, who.scope);
	ctx->root = tid;
	choose_back_end(state, ctx, who.other);
	ret = check_members(state, ctx, tid);
	if (!ret)
		ret = shim_aix_state__claim(state, ctx->scope);
	if (ret)
		return ret;
	ret = install(state, ctx, tid);
	if (ret)
		shim_aix_state__unclaim(state, ctx->scope);
	else
		shim_aix_state__add(state, ctx, !who.other && who.scope != AIX_SYSTEM);
	return ret;
}

/*
 * Take ownership of @program, even on failure.  @ret is the result of creating the program, and is
 * returned only if the library is initialized.
 */
static int set(struct shim_aix_who who, struct shim_aix_program *program, int ret)
{
	struct shim_aix_context *ctx = calloc(1, sizeof(*ctx));
	struct shim_aix_state *state;
	int entered;

	if (!ctx) {
		shim_aix_program__free(program);
		return Pmapi_Malloc_Err;
	}
	ctx->program = *program;
	atomic_init(&ctx->refs, 1);
	entered = shim_aix_state__enter(&state);
	if (entered) {
		shim_aix_context__put(ctx);
		return entered;
	}
	ctx->number = ++state->nprograms;
	if (!ret)
		ret = set_locked(state, who, ctx);
	if (ret)
		shim_aix_context__put(ctx);
	shim_aix_state__leave(state);
	return ret;
}

int shim_aix__set(struct shim_aix_who who, const pm_prog_t *prog)
{
	struct shim_aix_program program = { 0 };
	int ret = shim_aix_program__plain(&program, prog);

	return set(who, &program, ret);
}

int shim_aix__set_mx(struct shim_aix_who who, const pm_prog_mx_t *prog)
{
	struct shim_aix_program program = { 0 };
	int ret = shim_aix_program__mx(&program, prog);

	return set(who, &program, ret);
}

int shim_aix__set_mm(struct shim_aix_who who, const pm_prog_mm_t *prog)
{
	struct shim_aix_program program = { 0 };
	int ret = shim_aix_program__mm(&program, prog);

	return set(who, &program, ret);
}

/* Forget the context of the calling thread after its instance has been unbound. */
static void let_go(struct shim_aix_call *call)
{
	if (!call->who.other)
		shim_aix_self__has(call->state, NULL);
}

/* Unbind a thread.  The context is removed with its last thread. */
static int delete_thread(struct shim_aix_call *call)
{
	int last = shim_aix_state__deserted(call->ctx, call->tid);
	int ret = last < 0 ? last : shim_counters__unbind_at(call->ctx->counters, call->tid, 0);

	if (ret)
		return shim_aix__error(ret);
	let_go(call);
	if (last)
		shim_aix_state__remove(call->state, call->ctx);
	return 0;
}

static int delete_locked(struct shim_aix_call *call, void *arg)
{
	(void)arg;
	if (shim_aix_state__is_member(call))
		return Pmapi_Unsupported;
	if (call->who.scope == AIX_THREAD)
		return delete_thread(call);
	shim_aix_state__remove(call->state, call->ctx);
	return 0;
}

/*
 * Give up a thread that could not be bound again: it no longer has a program.  If it was the
 * context's last thread, remove the context.
 */
static void abandon(struct shim_aix_call *call)
{
	let_go(call);
	if (shim_aix_state__deserted(call->ctx, 0) > 0)
		shim_aix_state__remove(call->state, call->ctx);
}

/*
 * Unbind and bind again, which clears the counts and starts the first set with a full multiplex
 * slot.
 */
static int rebind_thread(struct shim_aix_call *call)
{
	struct shim_aix_context *ctx = call->ctx;
	__u32 state;
	bool counts;
	int bad, ret;

	ret = shim_aix_sums__state(ctx, call->tid, &state);
	if (ret && ret != -EAGAIN)
		return shim_aix__error(ret);
	counts = ret ? ctx->program.sets[0].mode.b.count : state & VCPC_STATE_COUNTING;
	ret = shim_counters__unbind_at(ctx->counters, call->tid, 0);
	if (ret)
		return shim_aix__error(ret);
	ret = shim_counters__bind(ctx->counters, call->tid, ctx->bind, &bad);
	if (!ret && counts)
		ret = shim_counters__enable_at(ctx->counters, call->tid, 0);
	else if (ret)
		abandon(call);
	return shim_aix__error(ret);
}

/*
 * Like rebind_thread(), on all CPUs.  If binding fails, shim_aix_cpus__follow() tries again at the
 * next call.
 */
static int rebind_cpus(struct shim_aix_context *ctx)
{
	int ret = shim_counters__unbind_at(ctx->counters, 0, SHIM_TARGET_F_ALL);

	if (ret)
		return shim_aix__error(ret);
	ret = bind(ctx, 0);
	if (ret)
		ctx->online[0] = '\0';
	if (!ret && ctx->on)
		ret = shim_aix__error(shim_counters__enable_at(ctx->counters, 0,
							       SHIM_TARGET_F_ALL));
	return ret;
}

/* Reset without unbinding: the counts so far become the base, which later reads subtract. */
static int rebase(struct shim_aix_context *ctx)
{
	struct shim_aix_sums *base;
	int ret = shim_aix_sums__read(ctx, 0, VCPC_SAMPLE_F_TOTAL, &base);

	if (ret)
		return shim_aix__error(ret);
	free(ctx->base);
	ctx->base = base;
	return 0;
}

static int reset_locked(struct shim_aix_call *call, void *arg)
{
	struct shim_aix_context *ctx = call->ctx;

	(void)arg;
	if (shim_aix_state__is_member(call))
		return Pmapi_Unsupported;
	if (call->who.scope == AIX_THREAD)
		return rebind_thread(call);
	return ctx->tree || call->who.scope == AIX_GROUP ? rebase(ctx) : rebind_cpus(ctx);
}

int shim_aix__delete(struct shim_aix_who who)
{
	return shim_aix_state__call(who, delete_locked, NULL);
}

int shim_aix__reset(struct shim_aix_who who)
{
	return shim_aix_state__call(who, reset_locked, NULL);
}
