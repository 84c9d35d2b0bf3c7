// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Keep the set of counters that the calling thread samples for its transactions, if the thread
 * writes its statistics itself (direct.c).
 *
 * Threads: each thread has at most one set for its transactions, which it has bound to itself.  It
 * keeps a reference to the set's memory, so another thread may destroy the set at any time; reads
 * then fail.
 *
 * Signal handlers may call any of these functions at any point while a transaction begins or
 * ends.  Signals are blocked while a thread changes its set.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/process.h"
#include "base/signals.h"
#include "counters.h"
#include "traced.h"

/* Sets with more events are rejected, because samples are stored on the stack. */
#define MOST_EVENTS	64

__thread struct shim_traced shim_traced__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/*
 * Remove the thread's set.  If a call that a handler has interrupted still uses the set, its memory
 * is kept until that call ends.
 *
 * Context: signals are blocked.
 */
static void drop(void)
{
	shim_traced__own.counters = NULL;
	for (int i = 0; i < SHIM_HELD_MAX && !shim_traced__own.uses; i++) {
		shim_counters__unhold(shim_traced__own.held[i]);
		shim_traced__own.held[i] = NULL;
	}
}

/* Release the memory of a set that was removed while a call still used it. */
void shim_traced__tidy(void)
{
	sigset_t before;

	shim_signals__block(&before);
	if (!shim_traced__own.counters)
		drop();
	shim_signals__restore(&before);
}

/*
 * Drop the set of an ending thread.  A thread that is canceled does not return to an interrupted
 * call, so no call still uses the set.
 */
static void thread_exits(void *unused)
{
	sigset_t before;

	(void)unused;
	shim_signals__block(&before);
	shim_traced__own.uses = 0;
	drop();
	shim_signals__restore(&before);
}

static struct shim_thread_end at_end = { .fn = thread_exits };

/**
 * shim_traced__is_direct() - check whether the process's threads write their statistics themselves
 */
bool shim_traced__is_direct(void)
{
	const char *way = shim_environ__get("SHIM_TRACE");

	return way && !strcasecmp(way, "direct");
}

/**
 * shim_traced__set() - read a set whenever a transaction of the calling thread begins or ends
 * @counters: bound to the calling thread; replaces the previous set
 *
 * Return: 0, -EOPNOTSUPP if the set has too many events, -ENOMEM, or -EAGAIN if the thread's signal
 * handlers have replaced the set too often while one transaction began or ended.
 */
int shim_traced__set(struct shim_counters *counters)
{
	static _Atomic uint32_t serials;
	sigset_t before;
	int i = 0;

	if (shim_counters__nr(counters) > MOST_EVENTS)
		return -EOPNOTSUPP;
	if (shim_thread_end__arm(&at_end, &shim_traced__own))
		return -ENOMEM;
	shim_signals__block(&before);
	drop();
	while (i < SHIM_HELD_MAX && shim_traced__own.held[i])
		i++;
	if (i < SHIM_HELD_MAX) {
		shim_traced__own.held[i] = shim_counters__hold(counters);
		shim_traced__own.serial = atomic_fetch_add(&serials, 1) + 1;
		shim_traced__own.tid = gettid();
		shim_traced__own.counters = counters;
	}
	shim_signals__restore(&before);
	return i < SHIM_HELD_MAX ? 0 : -EAGAIN;
}

/**
 * shim_traced__unset() - stop reading a set in the calling thread's transactions
 * @counters: ignored if the thread has another set or none
 */
void shim_traced__unset(const struct shim_counters *counters)
{
	sigset_t before;

	if (!counters || shim_traced__own.counters != counters)
		return;
	shim_signals__block(&before);
	drop();
	shim_signals__restore(&before);
}

/* Sample with a system call, because the counters cannot be read in user mode. */
static __attribute__((noinline)) bool sample(struct shim_counters *counters, __u64 *values)
{
	union {
		struct vcpc_sample sample;
		uint64_t words[sizeof(struct vcpc_sample) / sizeof(uint64_t) + MOST_EVENTS];
	} room;
	pid_t tid = gettid();
	int ret = -EBADF;

	if (shim_counters__is_own(counters)) {
		/* A child of vfork(2) has its parent's memory, but not the parent's counters. */
		if (tid != shim_traced__own.tid)
			return false;
		ret = shim_counters__sample(counters, tid, &room.sample, sizeof(room));
	}
	/* The set was destroyed or unbound, or this is a forked child. */
	if (ret == -EBADF || ret == -EINVAL)
		shim_traced__unset(counters);
	if (ret || !(room.sample.state & VCPC_STATE_COUNTING))
		return false;
	memcpy(values, room.sample.values, shim_counters__nr(counters) * sizeof(*values));
	return true;
}

/**
 * shim_traced__read() - read the current counts of the calling thread's set
 * @values: counts of the first events; undefined beyond the set's number of events
 *
 * Context: between shim_traced__enter() and _leave().
 * Return: true if the counts were read; otherwise the set is not counting or was removed.
 */
bool shim_traced__read(__u64 values[VC_MAX_COUNTERS])
{
	struct shim_counters *counters = shim_traced__own.counters;
	__u64 all[MOST_EVENTS], tick;

	if (!counters)
		return false;
	if (counters->nr <= VC_MAX_COUNTERS &&
	    shim_counters__read_own(counters, 0, values, VC_MAX_COUNTERS, &tick))
		return true;
	if (!(counters->nr > VC_MAX_COUNTERS &&
	      shim_counters__read_own(counters, 0, all, MOST_EVENTS, &tick)) &&
	    !sample(counters, all))
		return false;
	memcpy(values, all, counters->events->nr * sizeof(*values));
	return true;
}
