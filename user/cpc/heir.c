// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sets that new threads inherit, and finding the one that a thread has inherited.
 *
 * The kernel gives a new thread its inherited instance without notifying the
 * thread.  So when a thread that has bound nothing needs its set, it asks each set
 * that can be inherited whether it has an instance on the thread.
 *
 * Locking: one lock guards the list.  All signals are blocked while it is held,
 * so that a signal handler may ask, and fork() waits for it.  A forked child has
 * inherited nothing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process.h"
#include "heir.h"

static struct {
	struct shim_heir_estate *first;
	atomic_uint nr;
} estates;

/* The child has inherited nothing. */
static void in_child(void)
{
	for (struct shim_heir_estate *e = estates.first; e; e = e->next)
		e->listed = false;
	estates.first = NULL;
	atomic_store(&estates.nr, 0);
}

/* Taken inside version 1's lock */
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
 * shim_heir__prepare() - before a set is bound so that new threads inherit it
 * @nr: its number of requests
 *
 * fork() waits for the lock from then on.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_heir__prepare(unsigned int nr)
{
	int ret = shim_fork__wait_for(&lock);

	return ret ? ret : make_room(sample_size(nr));
}

/**
 * shim_heir__bequeath() - add a set that was bound so that new threads inherit it
 * @estate: the set's entry of the list
 * @counters: the set's, as bound
 */
void shim_heir__bequeath(struct shim_heir_estate *estate, struct shim_counters *counters)
{
	shim_siglock__enter(&lock);
	estate->counters = counters;
	if (!estate->listed) {
		estate->listed = true;
		estate->next = estates.first;
		estates.first = estate;
		atomic_fetch_add(&estates.nr, 1);
	}
	shim_siglock__leave(&lock);
}

/**
 * shim_heir__end() - remove a set that is about to be ended
 * @estate: the set's entry, which need not be in the list
 */
void shim_heir__end(struct shim_heir_estate *estate)
{
	struct shim_heir_estate **at;

	shim_siglock__enter(&lock);
	for (at = &estates.first; *at && *at != estate; at = &(*at)->next)
		;
	if (*at) {
		*at = estate->next;
		atomic_fetch_sub(&estates.nr, 1);
	}
	estate->listed = false;
	shim_siglock__leave(&lock);
}

/*
 * An invalid instance (EAGAIN) counts as one, too.  One that has exited belongs to an earlier
 * thread with the same number.
 * Context: the lock is held.
 */
static bool has_instance(struct shim_counters *counters, pid_t tid)
{
	struct vcpc_sample *sample = room.sample;
	int ret;

	/* Memory checkers do not know that the call writes it. */
	sample->state = 0;
	ret = shim_counters__sample(counters, tid, sample,
				    sample_size(shim_counters__nr(counters)));
	return ret == -EAGAIN || (!ret && !(sample->state & VCPC_STATE_EXITED));
}

/**
 * shim_heir__inherited() - the set that the calling thread has inherited
 *
 * Return: a reference, for shim_counters__put(), or NULL if there is none.
 */
struct shim_counters *shim_heir__inherited(void)
{
	struct shim_counters *found = NULL;
	pid_t tid;

	if (!atomic_load(&estates.nr))
		return NULL;
	tid = (pid_t)syscall(SYS_gettid);
	shim_siglock__enter(&lock);
	for (struct shim_heir_estate *e = estates.first; e && !found; e = e->next)
		if (has_instance(e->counters, tid))
			found = shim_counters__get(e->counters);
	shim_siglock__leave(&lock);
	return found;
}
