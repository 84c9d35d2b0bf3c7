// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Keep the sets that new threads inherit, and look up the set that a thread has inherited.
 *
 * The kernel gives a new thread its inherited instance without notifying the thread.  Therefore,
 * when a thread that has bound nothing needs its set, it checks for each inheritable set whether
 * that set has an instance on the thread.
 *
 * Locking: one lock guards the list.  All signals are blocked while it is held, so that a signal
 * handler may also look up its set, and fork() waits for it.  A forked child has not inherited a
 * set.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process.h"
#include "inheritable.h"

/*
 * The set that is bound to the calling thread.
 *
 * In Solaris, the kernel keeps track of this set: operations do not name a set, a new binding
 * replaces the old one, and a new process has none.  Here a set may have instances on many
 * threads, and a thread may have instances of many sets.  Therefore the thread keeps a reference
 * to the set that libcpc bound to it or that it has inherited.
 *
 * Threads: each thread has its own reference.  A thread that exits unbinds the set.  A forked
 * child forgets it without unbinding, because the instance belongs to the parent.
 */

__thread struct shim_counters *shim_lwp__own;

static void inheritable_forget(void)
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
static struct shim_fork_hook at_fork = { .in_child = inheritable_forget };

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
 * shim_lwp__attach() - record a set as the calling thread's set
 * @counters: already bound, or about to be bound; this takes a reference
 *
 * A set is recorded before it is bound, because an overflow may call the program's handler before
 * the bind call has returned, and the handler must find the set.
 *
 * Return: 0, or -ENOMEM if the handlers for thread exit and fork could not be installed.
 */
int shim_lwp__attach(struct shim_counters *counters)
{
	if (shim_fork__hook(&at_fork) || shim_thread_end__arm(&at_end, &shim_lwp__own))
		return -ENOMEM;
	inheritable_forget();
	shim_lwp__own = shim_counters__get(counters);
	return 0;
}

/**
 * shim_lwp__forget() - forget a set that could not be bound
 * @counters: the set as passed to shim_lwp__attach(); a handler may have bound another set since
 *   then
 */
void shim_lwp__forget(const struct shim_counters *counters)
{
	if (shim_lwp__own == counters)
		inheritable_forget();
}

/**
 * shim_lwp__detach() - unbind the calling thread's set, if it has one
 */
void shim_lwp__detach(void)
{
	struct shim_counters *bound = shim_lwp__bound();

	if (bound)
		shim_counters__unbind(bound, 0);
	inheritable_forget();
}

static struct {
	struct shim_inheritable *first;
	atomic_uint nr;
} inheritable;

/* Clear the list in a forked child, which has not inherited a set. */
static void in_child(void)
{
	for (struct shim_inheritable *e = inheritable.first; e; e = e->next)
		e->listed = false;
	inheritable.first = NULL;
	atomic_store(&inheritable.nr, 0);
}

/* This lock may be taken while version 1's lock is held. */
static struct shim_siglock lock = SHIM_SIGLOCK_INITIALIZER(1, in_child);

/* Memory for one sample; guarded by the lock.  A thread's stack may be too small for it. */
static struct {
	struct vcpc_sample *sample;
	size_t size;
} room;

static size_t sample_size(unsigned int nr)
{
	return sizeof(*room.sample) + nr * sizeof(room.sample->values[0]);
}

static int make_room(size_t size)
{
	struct vcpc_sample *larger = NULL, *other;

	shim_siglock__enter(&lock);
	other = room.size < size ? NULL : room.sample;
	shim_siglock__leave(&lock);
	if (other)
		return 0;
	larger = malloc(size);
	if (!larger)
		return -ENOMEM;
	shim_siglock__enter(&lock);
	other = larger;
	if (room.size < size) {
		other = room.sample;
		room.sample = larger;
		room.size = size;
	}
	shim_siglock__leave(&lock);
	free(other);
	return 0;
}

/**
 * shim_inheritable__prepare() - prepare for binding a set that new threads inherit
 * @nr: number of requests of the set
 *
 * From then on, fork() waits for the lock.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_inheritable__prepare(unsigned int nr)
{
	int ret = shim_fork__wait_for(&lock);

	return ret ? ret : make_room(sample_size(nr));
}

/**
 * shim_inheritable__add() - add a set that was bound for inheritance
 * @entry: the set's list entry
 * @counters: the set's bound counters
 */
void shim_inheritable__add(struct shim_inheritable *entry, struct shim_counters *counters)
{
	shim_siglock__enter(&lock);
	entry->counters = counters;
	if (!entry->listed) {
		entry->listed = true;
		entry->next = inheritable.first;
		inheritable.first = entry;
		atomic_fetch_add(&inheritable.nr, 1);
	}
	shim_siglock__leave(&lock);
}

/**
 * shim_inheritable__remove() - remove a set whose counters are about to be ended
 * @entry: the set's entry, which need not be in the list
 */
void shim_inheritable__remove(struct shim_inheritable *entry)
{
	struct shim_inheritable **at;

	shim_siglock__enter(&lock);
	for (at = &inheritable.first; *at && *at != entry; at = &(*at)->next)
		;
	if (*at) {
		*at = entry->next;
		atomic_fetch_sub(&inheritable.nr, 1);
	}
	entry->listed = false;
	shim_siglock__leave(&lock);
}

/*
 * Return whether a thread has an instance of a set.  An invalid instance (EAGAIN) counts as one; an
 * instance that has exited belongs to an earlier thread with the same number.  Context: the lock is
 * held.
 */
static bool has_instance(struct shim_counters *counters, pid_t tid)
{
	struct vcpc_sample *sample = room.sample;
	int ret;

	/* Memory checkers do not know that the call writes this field. */
	sample->state = 0;
	ret = shim_counters__sample(counters, tid, sample,
				    sample_size(shim_counters__nr(counters)));
	return ret == -EAGAIN || (!ret && !(sample->state & VCPC_STATE_EXITED));
}

/**
 * shim_inheritable__inherited() - get the set that the calling thread has inherited
 *
 * Return: a reference, to be released with shim_counters__put(), or NULL if the thread has
 * inherited no set.
 */
struct shim_counters *shim_inheritable__inherited(void)
{
	struct shim_counters *found = NULL;
	pid_t tid;

	if (!atomic_load(&inheritable.nr))
		return NULL;
	tid = (pid_t)syscall(SYS_gettid);
	shim_siglock__enter(&lock);
	for (struct shim_inheritable *e = inheritable.first; e && !found; e = e->next)
		if (has_instance(e->counters, tid))
			found = shim_counters__get(e->counters);
	shim_siglock__leave(&lock);
	return found;
}
