// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Keep the API's state of this process: the tables, and the list of contexts.
 *
 * The API's calls do not pass a context, so it is looked up by thread.  A thread's context is the
 * one in which it has an instance, because it set a program, inherited the instance, or is a member
 * of a group.  The back end is queried once for the context; self.c caches it.
 *
 * Locking: one lock guards everything; signals are blocked while it is held, so that a signal
 * handler may use the library.  A forked child starts without contexts; its parent's contexts are
 * not affected.  A thread that exits is unbound from its own context, but its counts for a group
 * are kept.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "state.h"

static struct shim_aix_state the_state;

static void free_context(struct shim_aix_context *ctx)
{
	shim_counters__put(ctx->counters);
	shim_aix_program__free(&ctx->program);
	free(ctx->base);
	free(ctx);
}

static void in_child(void)
{
	struct shim_aix_state *state = &the_state;
	bool may_free = shim_aix_self__forked();

	while (state->contexts) {
		struct shim_aix_context *ctx = state->contexts;

		state->contexts = ctx->next;
		atomic_store(&ctx->removed, true);
		/* Any other references are held by threads that exist only in the parent. */
		if (may_free)
			free_context(ctx);
	}
	state->nthreads = 0;
	state->generation++;
}

static struct shim_siglock lock = SHIM_SIGLOCK_INITIALIZER(0, in_child);

/**
 * shim_aix_state__lock() - take the lock, even if the library is not initialized
 *
 * Return: the state, to be passed to shim_aix_state__leave().
 */
struct shim_aix_state *shim_aix_state__lock(void)
{
	/* If this fails for lack of memory, a forked child may find the lock held forever. */
	shim_fork__wait_for(&lock);
	shim_siglock__enter(&lock);
	if (!the_state.generation)
		the_state.generation = 1;
	return &the_state;
}

void shim_aix_state__leave(struct shim_aix_state *state)
{
	(void)state;
	shim_siglock__leave(&lock);
}

/* Open the back end if it is not open.  Return 0, or an API error. */
int shim_aix_state__session(struct shim_aix_state *state)
{
	return state->session ? 0 : shim_aix__error(shim_session__open(&state->session));
}

/**
 * shim_aix_state__enter() - take the lock if the library is initialized, and open a back end
 * @state: set only on success; to be passed to shim_aix_state__leave()
 *
 * Return: 0 or the API's error.
 */
int shim_aix_state__enter(struct shim_aix_state **state)
{
	struct shim_aix_state *s = shim_aix_state__lock();
	int ret = s->initialised ? shim_aix_state__session(s) : Pmapi_NoInit;

	if (ret)
		shim_aix_state__leave(s);
	else
		*state = s;
	return ret;
}

static bool is_of_threads(const struct shim_aix_context *ctx)
{
	return ctx->scope != AIX_SYSTEM;
}

/*
 * Check whether a thread has an instance in a context.  Return 1, 0, or a core error if this cannot
 * be determined now.  The result is 1 for an invalid instance (-EAGAIN), and for an instance whose
 * values perf adds to the values of inheriting threads (-EOPNOTSUPP).  It is 0 if the thread has
 * exited, because another thread may have its ID by now.
 */
static int has_thread(const struct shim_aix_context *ctx, pid_t tid)
{
	__u32 state;
	int ret;

	if (!is_of_threads(ctx))
		return 0;
	if (ctx->process && shim_aix_target__is_in(tid, ctx->root))
		return 1;
	ret = shim_aix_sums__state(ctx, tid, &state);
	if (ret == -EAGAIN || ret == -EOPNOTSUPP)
		return 1;
	if (ret)
		return ret == -EINVAL ? 0 : ret;
	return !(state & VCPC_STATE_EXITED);
}

/* Querying up to this many contexts is faster than reading a thread's start time from /proc. */
#define MANY	32

/* Return whether a thread may have an instance in a context.  Only a result of false is certain. */
static bool may_have(const struct shim_aix_state *state, const struct shim_aix_context *ctx,
		     pid_t tid, struct shim_aix_start *start)
{
	if (ctx->process || ctx->root == tid)
		return true;
	if (!(ctx->bind & VCPC_BIND_F_INHERIT))
		return false;
	return state->nthreads <= MANY || shim_aix_target__start(start, tid) >= ctx->since;
}

/**
 * shim_aix_state__search() - find a thread's context by querying each one that may have the thread
 * @state: the process's state
 * @tid: the thread
 * @found: set to the context, or NULL, on success
 *
 * Return: 0 or the API's error.
 */
int shim_aix_state__search(const struct shim_aix_state *state, pid_t tid,
			   struct shim_aix_context **found)
{
	struct shim_aix_start start = { .known = false };
	struct shim_aix_context *ctx;

	for (ctx = state->contexts; ctx; ctx = ctx->next) {
		int has = may_have(state, ctx, tid, &start) ? has_thread(ctx, tid) : 0;

		if (has < 0)
			return shim_aix__error(has);
		if (has)
			break;
	}
	*found = ctx;
	return 0;
}

/**
 * shim_aix_state__of_thread() - get a thread's context
 * @state: the process's state
 * @tid: the thread
 * @ctx: set to the context, or NULL, on success
 *
 * Return: 0 or the API's error.
 */
int shim_aix_state__of_thread(struct shim_aix_state *state, pid_t tid,
			      struct shim_aix_context **ctx)
{
	return tid == gettid() ? shim_aix_self__context(state, ctx) :
				 shim_aix_state__search(state, tid, ctx);
}

static struct shim_aix_context *the_systems(const struct shim_aix_state *state)
{
	struct shim_aix_context *ctx;

	for (ctx = state->contexts; ctx && is_of_threads(ctx); ctx = ctx->next)
		;
	return ctx;
}

/**
 * shim_aix_state__find() - find the context of a call's target
 * @state: the process's state
 * @who: the target
 * @ctx: set to the context, or NULL
 * @tid: the thread or CPU
 *
 * Return: 0 or the API's error.
 */
int shim_aix_state__find(struct shim_aix_state *state, struct shim_aix_who who,
			 struct shim_aix_context **ctx, pid_t *tid)
{
	int ret = 0;

	*ctx = NULL;
	*tid = 0;
	if (who.wp)
		return Pmapi_Unsupported;
	if (who.scope == AIX_THREAD || who.scope == AIX_GROUP) {
		ret = shim_aix_target__check(who, tid);
		return ret ? ret : shim_aix_state__of_thread(state, *tid, ctx);
	}
	*ctx = the_systems(state);
	if (who.scope == AIX_CPU)
		*tid = who.nth ? shim_aix_target__nth_cpu(who.cpu) : who.cpu;
	if (who.nth && *tid < 0 && *tid != -ENXIO)
		return shim_aix__error(*tid);
	return *tid < 0 ? Pmapi_BadCpu : 0;
}

/**
 * shim_aix_state__call() - run a function on the context of a call's target
 * @who: the target; without a context the call fails with Pmapi_NoSetProg
 * @fn: called with the lock held
 * @arg: argument of @fn
 *
 * Return: the value that @fn returned, or the API's error.
 */
int shim_aix_state__call(struct shim_aix_who who, int (*fn)(struct shim_aix_call *call, void *arg),
			 void *arg)
{
	struct shim_aix_call call = { .who = who };
	int ret = shim_aix_state__enter(&call.state);

	if (ret)
		return ret;
	ret = shim_aix_state__find(call.state, who, &call.ctx, &call.tid);
	if (!ret && (!call.ctx || (who.scope == AIX_GROUP && call.ctx->scope != AIX_GROUP)))
		ret = Pmapi_NoSetProg;
	if (!ret && call.ctx->scope == AIX_SYSTEM && !call.ctx->tree)
		shim_aix_cpus__follow(call.ctx);
	if (!ret)
		ret = fn(&call, arg);
	shim_aix_state__leave(call.state);
	return ret;
}

/**
 * shim_aix_state__is_member() - check whether a call concerns one thread of a group
 * @call: the call, which has a context
 *
 * A group can only be changed as a whole.
 */
bool shim_aix_state__is_member(const struct shim_aix_call *call)
{
	return call->who.scope == AIX_THREAD && call->ctx->scope == AIX_GROUP;
}

/**
 * shim_aix_state__deserted() - check whether a context of threads has no live thread left
 * @ctx: the context
 * @but: a thread to ignore, or 0
 *
 * Return: 1 if all its threads have ended or were unbound, otherwise 0; or a core error.
 */
int shim_aix_state__deserted(const struct shim_aix_context *ctx, pid_t but)
{
	struct vcpc_instance_info *list;
	struct vcpc_instances_args args;
	bool deserted;
	int ret = shim_counters__list(ctx->counters, 0, &list, &args);

	if (ret)
		return ret;
	deserted = !args.pending;
	for (unsigned int i = 0; i < args.nr && deserted; i++)
		deserted = (but && list[i].tid == but) || list[i].state & VCPC_STATE_EXITED;
	free(list);
	return deserted;
}

/**
 * shim_aix_state__members() - count a context's present and past threads, except those that
 * inherited it
 * @ctx: a context of threads
 * @members: set on success
 *
 * Return: 0 or the API's error.
 */
int shim_aix_state__members(const struct shim_aix_context *ctx, unsigned int *members)
{
	struct vcpc_instance_info *list;
	struct vcpc_instances_args args;
	int ret = shim_counters__list(ctx->counters, 0, &list, &args);

	if (ret)
		return shim_aix__error(ret);
	free(list);
	*members = args.nr + args.folded;
	return 0;
}

static void sweep(struct shim_aix_state *state)
{
	struct shim_aix_context *ctx, *next;

	for (ctx = state->contexts; ctx; ctx = next) {
		next = ctx->next;
		if (is_of_threads(ctx) && shim_aix_state__deserted(ctx, 0) > 0)
			shim_aix_state__remove(state, ctx);
	}
}

/**
 * shim_aix_state__claim() - reserve the counters for the system or for threads
 * @state: the process's state
 * @scope: AIX_SYSTEM, or a scope of threads
 *
 * Threads' contexts share the counters; the system's context excludes all others of the process.
 *
 * Return: 0 or Pmapi_Locked.
 */
int shim_aix_state__claim(struct shim_aix_state *state, enum shim_aix_scope scope)
{
	if (scope == AIX_SYSTEM) {
		if (state->nthreads)
			sweep(state);
		return state->nthreads ? Pmapi_Locked : 0;
	}
	/* While threads have contexts, the system cannot have one, so do not search for it. */
	if (!state->nthreads && the_systems(state))
		return Pmapi_Locked;
	/* At each power of two, remove the contexts whose threads have all ended. */
	if (state->nthreads >= 64 && !(state->nthreads & (state->nthreads - 1)))
		sweep(state);
	state->nthreads++;
	return 0;
}

void shim_aix_state__unclaim(struct shim_aix_state *state, enum shim_aix_scope scope)
{
	if (scope != AIX_SYSTEM)
		state->nthreads--;
}

/**
 * shim_aix_state__add() - add a context to the process's list
 * @state: the process's state
 * @ctx: the context; the list takes over its only reference
 * @own: true if it is the calling thread's context
 */
void shim_aix_state__add(struct shim_aix_state *state, struct shim_aix_context *ctx, bool own)
{
	ctx->next = state->contexts;
	ctx->at = &state->contexts;
	if (ctx->next)
		ctx->next->at = &ctx->next;
	state->contexts = ctx;
	/* Threads that had no context may have this one now, and must look it up again. */
	if (ctx->process)
		state->generation++;
	if (own)
		shim_aix_self__has(state, ctx);
}

/**
 * shim_aix_state__remove() - end a context on all its targets
 * @state: the process's state
 * @ctx: the context; other threads that keep it see that it was removed
 */
void shim_aix_state__remove(struct shim_aix_state *state, struct shim_aix_context *ctx)
{
	*ctx->at = ctx->next;
	if (ctx->next)
		ctx->next->at = ctx->at;
	atomic_store(&ctx->removed, true);
	shim_counters__shut(ctx->counters);
	shim_aix_state__unclaim(state, ctx->scope);
	shim_aix_self__lost(state, ctx);
	shim_aix_context__put(ctx);
}

void shim_aix_context__get(struct shim_aix_context *ctx)
{
	atomic_fetch_add(&ctx->refs, 1);
}

void shim_aix_context__put(struct shim_aix_context *ctx)
{
	if (atomic_fetch_sub(&ctx->refs, 1) == 1)
		free_context(ctx);
}
