/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_DEFERRED_H
#define VCPC_DEFERRED_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/types.h>

struct vcpc_deferred;

/**
 * struct vcpc_guard - a set, as what stands below it sees it
 * @refs: references to the set
 * @lock: serializes all operations on it but a thread's sample of itself
 * @free: called when nobody has a reference any more; sleeps
 */
struct vcpc_guard {
	struct kref refs;
	struct mutex lock;	/* see above */
	void (*free)(struct vcpc_guard *guard);
};

void vcpc_guard_init(struct vcpc_guard *guard, void (*free)(struct vcpc_guard *guard));
void vcpc_guard_put(struct vcpc_guard *guard);

static inline void vcpc_guard_get(struct vcpc_guard *guard)
{
	kref_get(&guard->refs);
}

/**
 * struct vcpc_pace - how much of its time a thread spends on deferred work
 * @busy: it is at it
 * @not_before: CLOCK_MONOTONIC; until then it does none, so as to get on with its own
 *
 * Written by the thread only.
 */
struct vcpc_pace {
	bool busy;
	u64 not_before;
};

/**
 * typedef vcpc_deferred_fn - what to do
 * @arg: as given to vcpc_deferred_create()
 *
 * Context: sleeps; under the guard's lock.
 */
typedef void (*vcpc_deferred_fn)(void *arg);

int vcpc_deferred_init(void);
void vcpc_deferred_exit(void);

struct vcpc_deferred *vcpc_deferred_create(struct vcpc_guard *guard, struct vcpc_pace *pace,
					   vcpc_deferred_fn fn, void *arg);
void vcpc_deferred_close(struct vcpc_deferred *d);
void vcpc_deferred_by_thread(struct vcpc_deferred *d);
void vcpc_deferred_by_worker(struct vcpc_deferred *d);
void vcpc_deferred_for_caller(void (*fn)(void *arg), void *arg);

#endif
