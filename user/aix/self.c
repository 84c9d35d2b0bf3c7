// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calling thread's own context, and its values without the lock.
 *
 * A thread that has a context keeps it until it lets it go or the context is removed; the kept
 * reference holds the memory.  What it has by inheritance is asked of the back end once.  A thread
 * that has none can get one only by a call of its own, or as one of a process that becomes a group.
 *
 * A context that is a thread's own, or inherited, is removed only by its last thread.  So its
 * counters are there while one of its threads reads them.  A signal handler may remove it even
 * then, which shows afterwards.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "state.h"

static __thread struct {
	struct shim_aix_context *ctx;
	unsigned int generation;	/* in which it has none, if it has none; 0: not known */
	unsigned int reading;
} self;

static void thread_exits(void *unused);

static struct shim_thread_end at_end = { .fn = thread_exits };

static void keep(const struct shim_aix_state *state, struct shim_aix_context *ctx)
{
	struct shim_aix_context *old = self.ctx;

	if (ctx)
		shim_aix_context__get(ctx);
	self.ctx = ctx;
	self.generation = state->generation;
	/* What a handler has interrupted may be using it: it stays. */
	if (old && !self.reading)
		shim_aix_context__put(old);
}

/**
 * shim_aix_self__has() - from now on the calling thread has this context
 * @state: the process's
 * @ctx: the context, or NULL: none
 */
void shim_aix_self__has(struct shim_aix_state *state, struct shim_aix_context *ctx)
{
	keep(state, ctx);
	if (ctx)
		shim_thread_end__arm(&at_end, &self);
}

/**
 * shim_aix_self__lost() - a context is removed, perhaps the calling thread's
 * @state: the process's
 * @ctx: the context
 */
void shim_aix_self__lost(struct shim_aix_state *state, const struct shim_aix_context *ctx)
{
	if (self.ctx == ctx)
		keep(state, NULL);
}

/**
 * shim_aix_self__context() - the calling thread's context
 * @state: the process's
 * @ctx: set to the context, or NULL, on success
 *
 * Return: 0 or the API's error.
 */
int shim_aix_self__context(struct shim_aix_state *state, struct shim_aix_context **ctx)
{
	bool known = self.ctx ? !atomic_load(&self.ctx->removed) :
				self.generation == state->generation;

	if (!known) {
		struct shim_aix_context *found;
		int ret = shim_aix_state__search(state, gettid(), &found);

		if (ret)
			return ret;
		shim_aix_self__has(state, found);
	}
	*ctx = self.ctx;
	return 0;
}

/**
 * shim_aix_self__read() - the calling thread's own values, if its context is a thread's
 * @fn: takes them; without the lock
 * @arg: for @fn
 *
 * Context: no lock; by perf's pages no system call.
 * Return: whether it was done; otherwise the call takes the lock, and says why.
 */
bool shim_aix_self__read(void (*fn)(const struct shim_aix_program *program,
				    const struct shim_aix_sums *sums, void *arg), void *arg)
{
	struct {
		struct vcpc_sample head;
		__u64 values[MAX_COUNTERS];
	} room;
	struct shim_aix_context *ctx;
	bool done = false;

	/* Looked up afterwards, as before a handler may remove it. */
	self.reading++;
	atomic_signal_fence(memory_order_seq_cst);
	ctx = self.ctx;
	if (ctx && ctx->scope == AIX_THREAD && ctx->program.kind == AIX_PLAIN &&
	    !atomic_load(&ctx->removed) &&
	    !shim_counters__sample(ctx->counters, 0, &room.head, sizeof(room))) {
		const struct shim_aix_sums sums = {
			.time = room.head.time,
			.state = room.head.state,
			.tick = room.head.tick,
			.values = room.head.values,
		};

		done = !atomic_load(&ctx->removed) && self.ctx == ctx;
		if (done)
			fn(&ctx->program, &sums, arg);
	}
	atomic_signal_fence(memory_order_seq_cst);
	self.reading--;
	return done;
}

/**
 * shim_aix_self__forked() - the only thread of a forked child has nothing
 *
 * Return: whether contexts may be freed: not if it forks in the middle of a sample, in a handler.
 */
bool shim_aix_self__forked(void)
{
	self.ctx = NULL;
	self.generation = 0;
	return !self.reading;
}

/* Nothing that the process has may be bound to the thread when it has ended. */
static void thread_exits(void *unused)
{
	struct shim_aix_state *state = shim_aix_state__lock();
	struct shim_aix_context *ctx = self.ctx;

	(void)unused;
	if (ctx && ctx->scope == AIX_THREAD && !atomic_load(&ctx->removed)) {
		shim_aix_both__unbind(ctx, gettid(), 0);
		if (shim_aix_state__deserted(ctx, 0) > 0)
			shim_aix_state__remove(state, ctx);
	}
	keep(state, NULL);
	self.generation = 0;
	shim_aix_state__leave(state);
}
