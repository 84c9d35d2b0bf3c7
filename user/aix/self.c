// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Cache the calling thread's context, and read its values without the lock.
 *
 * A thread holds a reference to its context, which keeps the memory, until it deletes its program
 * or the context is removed.  The back end is queried once to find out whether the thread
 * inherited a context.  A thread without a context acquires one only through its own call, or when
 * its process becomes a group, which changes the state's generation.
 *
 * A context of AIX_THREAD is removed only by its last thread, so its counters exist while one of
 * its threads reads them.  Only a signal handler can remove the context during the read, so this
 * is checked afterwards.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "base/process.h"
#include "core/clock.h"
#include "state.h"

static __thread struct {
	struct shim_aix_context *ctx;
	unsigned int generation;	/* generation of the state when @ctx was set; 0: unknown */
	unsigned int reading;
} self __attribute__((tls_model("initial-exec")));

static void thread_exits(void *unused);

static struct shim_thread_end at_end = { .fn = thread_exits };

static void keep(const struct shim_aix_state *state, struct shim_aix_context *ctx)
{
	struct shim_aix_context *old = self.ctx;

	if (ctx)
		shim_aix_context__get(ctx);
	self.ctx = ctx;
	self.generation = state->generation;
	/* If a signal handler interrupted a read of the old context, keep the reference. */
	if (old && !self.reading)
		shim_aix_context__put(old);
}

/**
 * shim_aix_self__has() - set the calling thread's context
 * @state: the process's state
 * @ctx: the context, or NULL if none
 */
void shim_aix_self__has(struct shim_aix_state *state, struct shim_aix_context *ctx)
{
	keep(state, ctx);
	if (ctx)
		shim_thread_end__arm(&at_end, &self);
}

/**
 * shim_aix_self__lost() - forget a context that is being removed, if the calling thread has it
 * @state: the process's state
 * @ctx: the context
 */
void shim_aix_self__lost(struct shim_aix_state *state, const struct shim_aix_context *ctx)
{
	if (self.ctx == ctx)
		keep(state, NULL);
}

/**
 * shim_aix_self__context() - get the calling thread's context
 * @state: the process's state
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

struct room {
	struct vcpc_sample head;
	__u64 values[MAX_COUNTERS];
};

static inline bool has_own_program(const struct shim_aix_context *ctx)
{
	return ctx && ctx->scope == AIX_THREAD && ctx->program.kind == AIX_PLAIN &&
	       !atomic_load(&ctx->removed);
}

/* Read the clock only if the caller requests the time. */
static inline bool sample(const struct shim_aix_context *ctx, bool timed, struct room *room)
{
	if (!shim_counters__read_own(ctx->counters, 0, room->values, MAX_COUNTERS, &room->head.tick))
		return !shim_counters__sample(ctx->counters, 0, &room->head, sizeof(*room));
	if (timed)
		room->head.time = shim_clock__ns();
	return true;
}

/**
 * shim_aix_self__data() - get the calling thread's own values, if its context is of kind
 * AIX_THREAD
 * @data: filled in on success
 * @tick: set to the thread's time while counting, unless NULL
 * @time: set to the time of the sample, unless NULL
 *
 * Context: takes no lock; makes no system call if perf's mapped pages can be read.
 * Return: true on success; otherwise the caller takes the lock and determines the reason.
 */
bool shim_aix_self__data(pm_data_t *data, __u64 *tick, __u64 *time)
{
	unsigned int before = self.reading;
	struct shim_aix_context *ctx;
	struct room room;
	bool done = false;

	/*
	 * Do this before the look-up, because a signal handler could remove and free the context in
	 * between.
	 */
	self.reading = before + 1;
	atomic_signal_fence(memory_order_seq_cst);
	ctx = self.ctx;
	if (has_own_program(ctx) && sample(ctx, time, &room))
		done = !atomic_load(&ctx->removed) && self.ctx == ctx;
	if (done) {
		*data = (pm_data_t) {
			.ginfo = { .members = 1, .flags = { .b = { .consistent = 1 } } },
		};
		shim_aix_program__values(&ctx->program, 0, room.values, data->accu);
	}
	atomic_signal_fence(memory_order_seq_cst);
	self.reading = before;
	if (done && tick)
		*tick = room.head.tick;
	if (done && time)
		*time = room.head.time;
	return done;
}

/**
 * shim_aix_self__forked() - forget the calling thread's context, in a forked child
 *
 * Return: true if contexts can be freed; false if a signal handler forked while it interrupted a
 * read.
 */
bool shim_aix_self__forked(void)
{
	self.ctx = NULL;
	self.generation = 0;
	return !self.reading;
}

/*
 * Unbind an exiting thread from its own context.  A context is removed with its last thread.  Unless
 * all threads of the process belong to a group, only the thread that set it can read it, so it is
 * removed with that thread.
 */
static void thread_exits(void *unused)
{
	struct shim_aix_state *state = shim_aix_state__lock();
	struct shim_aix_context *ctx = self.ctx;

	(void)unused;
	if (ctx && !ctx->process && !atomic_load(&ctx->removed)) {
		if (ctx->scope == AIX_THREAD)
			shim_counters__unbind_at(ctx->counters, gettid(), 0);
		if (shim_aix_state__deserted(ctx, gettid()) > 0)
			shim_aix_state__remove(state, ctx);
	}
	keep(state, NULL);
	self.generation = 0;
	shim_aix_state__leave(state);
}
