// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The calling thread's set of counters that go along with its transactions, where the thread
 * writes its statistics itself (direct.c).
 *
 * Threads: each has at most one such set, which it has bound to itself.  It holds the set's memory,
 * so that another thread may destroy the set at any time: from then on there is nothing to read.
 *
 * Signal handlers may begin and end transactions at any point of these functions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/process.h"
#include "counters.h"
#include "traced.h"

/* A set with more events is refused: a sample of it has to be on the stack. */
#define MOST_EVENTS	64

__thread struct shim_traced shim_traced__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The thread has no set any more; a call that a handler has interrupted may still use it. */
static void drop(void)
{
	struct shim_counters *held = shim_traced__own.held;

	shim_traced__own.counters = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	if (shim_traced__own.uses)
		return;
	shim_traced__own.held = NULL;
	shim_counters__unhold(held);
}

static void thread_exits(void *unused)
{
	(void)unused;
	drop();
}

static struct shim_thread_end at_end = { .fn = thread_exits };

/**
 * shim_traced__is_direct() - whether the process's threads write their statistics themselves
 */
bool shim_traced__is_direct(void)
{
	const char *way = shim_environ__get("SHIM_TRACE");

	return way && !strcasecmp(way, "direct");
}

/**
 * shim_traced__set() - from now on, read a set when a transaction of the calling thread begins or ends
 * @counters: bound to the calling thread; the set before is not read any more
 *
 * Return: 0, -EOPNOTSUPP if the set has too many events, -ENOMEM.
 */
int shim_traced__set(struct shim_counters *counters)
{
	static _Atomic uint64_t serials;

	if (shim_counters__nr(counters) > MOST_EVENTS)
		return -EOPNOTSUPP;
	if (shim_thread_end__arm(&at_end, &shim_traced__own))
		return -ENOMEM;
	drop();
	/* If a call is using the set before, that leaks. */
	shim_traced__own.held = shim_counters__hold(counters);
	shim_traced__own.serial = atomic_fetch_add(&serials, 1) + 1;
	atomic_signal_fence(memory_order_seq_cst);
	shim_traced__own.counters = counters;
	return 0;
}

/**
 * shim_traced__unset() - the calling thread's transactions do not read a set any more
 * @counters: nothing happens if the thread has another one, or none
 */
void shim_traced__unset(const struct shim_counters *counters)
{
	if (counters && shim_traced__own.counters == counters)
		drop();
}

/* By a system call: the counters cannot be read in user mode now, or not at all. */
static __attribute__((noinline)) bool sample(struct shim_counters *counters, __u64 *values)
{
	union {
		struct vcpc_sample sample;
		uint64_t words[sizeof(struct vcpc_sample) / sizeof(uint64_t) + MOST_EVENTS];
	} room;
	int ret = shim_counters__is_own(counters) ?
		  shim_counters__sample(counters, gettid(), &room.sample, sizeof(room)) : -EBADF;

	/* The set was destroyed or unbound, or this is a forked child. */
	if (ret == -EBADF || ret == -EINVAL)
		shim_traced__unset(counters);
	if (ret || !(room.sample.state & VCPC_STATE_COUNTING))
		return false;
	memcpy(values, room.sample.values, shim_counters__nr(counters) * sizeof(*values));
	return true;
}

/**
 * shim_traced__events() - what the calling thread's set counts
 *
 * Context: between shim_traced__enter() and _leave(), after shim_traced__any().
 * Return: the first of its events; NULL if a signal handler has just taken the set from the thread.
 */
const struct vc_events *shim_traced__events(void)
{
	const struct shim_counters *counters = shim_traced__own.counters;

	return counters ? counters->events : NULL;
}

/**
 * shim_traced__read() - what the calling thread's set has counted by now
 * @values: of the first events; of events that there are not, anything
 *
 * Context: as for shim_traced__events().
 * Return: whether they were read; if not, the set does not count now, or there is none any more.
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
