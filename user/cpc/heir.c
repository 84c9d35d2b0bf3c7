// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets that new threads inherit, and which of them a thread has got.
 *
 * The kernel gives a new thread its instance; the thread itself is not told.
 * So a thread that has bound nothing asks each set that can be inherited, once
 * it wants to know.
 *
 * Locking: one lock guards the list.  All signals are blocked while it is held,
 * so that a signal handler may ask, and fork() waits for it.  A forked child has
 * inherited nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heir.h"

/* The most requests that the module ever lets a set have */
#define MOST_VALUES	128

static struct {
	pthread_mutex_t lock;
	sigset_t mask;				/* of who forks */
	struct shim_heir_estate *first;
	atomic_uint nr;
	pthread_once_t once;
	int error;
} estates = { .lock = PTHREAD_MUTEX_INITIALIZER, .once = PTHREAD_ONCE_INIT };

static void lock(sigset_t *mask)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, mask);
	pthread_mutex_lock(&estates.lock);
}

static void unlock(const sigset_t *mask)
{
	pthread_mutex_unlock(&estates.lock);
	pthread_sigmask(SIG_SETMASK, mask, NULL);
}

static void before_fork(void)
{
	sigset_t mask;

	lock(&mask);
	estates.mask = mask;
}

static void after_fork(void)
{
	sigset_t mask = estates.mask;

	unlock(&mask);
}

static void in_child(void)
{
	for (struct shim_heir_estate *e = estates.first; e; e = e->next)
		e->listed = false;
	estates.first = NULL;
	atomic_store(&estates.nr, 0);
	after_fork();
}

static void prepare(void)
{
	estates.error = pthread_atfork(before_fork, after_fork, in_child);
}

/**
 * shim_heir__prepare() - watch for forks, before the first set is bequeathed
 *
 * Return: 0 or -ENOMEM.
 */
int shim_heir__prepare(void)
{
	pthread_once(&estates.once, prepare);
	return estates.error ? -ENOMEM : 0;
}

/**
 * shim_heir__bequeath() - a set was bound so that new threads inherit it
 * @estate: the set's
 * @counters: as bound
 */
void shim_heir__bequeath(struct shim_heir_estate *estate, struct shim_counters *counters)
{
	sigset_t mask;

	lock(&mask);
	estate->counters = counters;
	if (!estate->listed) {
		estate->listed = true;
		estate->next = estates.first;
		estates.first = estate;
		atomic_fetch_add(&estates.nr, 1);
	}
	unlock(&mask);
}

/**
 * shim_heir__end() - a set is no more
 * @estate: the set's, bequeathed or not
 */
void shim_heir__end(struct shim_heir_estate *estate)
{
	struct shim_heir_estate **at;
	sigset_t mask;

	lock(&mask);
	for (at = &estates.first; *at && *at != estate; at = &(*at)->next)
		;
	if (*at) {
		*at = estate->next;
		atomic_fetch_sub(&estates.nr, 1);
	}
	estate->listed = false;
	unlock(&mask);
}

/* An invalid instance is one, too; another thread's, of the same number, has ended. */
static bool has_instance(struct shim_counters *counters, pid_t tid)
{
	union {
		struct vcpc_sample sample;
		__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + MOST_VALUES];
	} room;
	int ret;

	/* Checkers of memory do not know what the call writes. */
	room.sample.state = 0;
	ret = shim_counters__sample(counters, tid, &room.sample, sizeof(room));
	return ret == -EAGAIN || (!ret && !(room.sample.state & VCPC_STATE_EXITED));
}

/**
 * shim_heir__inherited() - the set that the calling thread has inherited
 *
 * Return: a reference, for shim_counters__put(), or NULL if there is none.
 */
struct shim_counters *shim_heir__inherited(void)
{
	struct shim_counters *found = NULL;
	sigset_t mask;
	pid_t tid;

	if (!atomic_load(&estates.nr))
		return NULL;
	tid = (pid_t)syscall(SYS_gettid);
	lock(&mask);
	for (struct shim_heir_estate *e = estates.first; e && !found; e = e->next)
		if (has_instance(e->counters, tid))
			found = shim_counters__get(e->counters);
	unlock(&mask);
	return found;
}
