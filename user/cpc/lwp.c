// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The set that is bound to the calling thread.
 *
 * In Solaris, the kernel keeps track of it: operations do not name a set, a new binding replaces
 * the old one, and a new process has none.  Here a set may have instances on many threads, and a
 * thread may have instances of many sets.  So the thread keeps a reference to the set that libcpc
 * bound to it, or that it has inherited.
 *
 * Threads: each has its own.  A thread that exits unbinds the set.  A forked child forgets it
 * without unbinding, because the instance belongs to the parent.
 */
#include <errno.h>
#include <stddef.h>

#include "base/process.h"
#include "inheritable.h"
#include "lwp.h"

__thread struct shim_counters *shim_lwp__own;

static void forget(void)
{
	struct shim_counters *counters = shim_lwp__own;

	shim_lwp__own = NULL;
	shim_counters__put(counters);
}

static void thread_exits(void *unused)
{
	(void)unused;
	shim_lwp__detach();
}

static struct shim_thread_end at_end = { .fn = thread_exits };
static struct shim_fork_hook at_fork = { .in_child = forget };

/**
 * shim_lwp__bound() - get the calling thread's set
 *
 * Return: a reference that the thread still owns, or NULL if nothing is bound.
 */
struct shim_counters *shim_lwp__bound(void)
{
	struct shim_counters *inherited;

	if (shim_lwp__own)
		return shim_lwp__own;
	inherited = shim_inheritable__inherited();
	if (inherited) {
		shim_lwp__attach(inherited);
		shim_counters__put(inherited);
	}
	return shim_lwp__own;
}

/**
 * shim_lwp__attach() - record a set as the calling thread's
 * @counters: already bound, or about to be bound; a reference is taken
 *
 * A set is recorded before it is bound, because an overflow may call the program's handler before
 * the bind call has returned, and the handler must find the set.
 *
 * Return: 0, or -ENOMEM if the thread's end or forks could not be watched.
 */
int shim_lwp__attach(struct shim_counters *counters)
{
	if (shim_fork__hook(&at_fork) || shim_thread_end__arm(&at_end, &shim_lwp__own))
		return -ENOMEM;
	forget();
	shim_lwp__own = shim_counters__get(counters);
	return 0;
}

/**
 * shim_lwp__forget() - forget a set that could not be bound
 * @counters: as passed to shim_lwp__attach(); a handler may have bound another one since then
 */
void shim_lwp__forget(const struct shim_counters *counters)
{
	if (shim_lwp__own == counters)
		forget();
}

/**
 * shim_lwp__detach() - unbind the calling thread's set, if it has one
 */
void shim_lwp__detach(void)
{
	struct shim_counters *bound = shim_lwp__bound();

	if (bound)
		shim_counters__unbind(bound, 0);
	forget();
}
