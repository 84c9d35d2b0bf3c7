// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred work: what has to be done under a set's lock, and is found out where nobody can
 * sleep.
 *
 * If it is about a thread, that thread does it by itself before it is in user mode next: the
 * time is its own, at its own priority.  If it is about a CPU, a worker there does it; only
 * who may count CPUs can cause that.  Neither waits long for the set's lock, which whoever
 * samples the set may hold: the work is put off then until it is asked for again.  And a thread
 * spends no more than half of its time so: however many sets ask for it, and however often, it
 * gets on, and can be killed.
 *
 * What a caller wants to have done by a thread that counts nothing itself, and waits for, a
 * worker does at the caller's priority.
 *
 * Locking: that there is still something to do it with is under the guard's lock.
 */
#include <linux/atomic.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "compat/task_flags.h"
#include "deferred.h"
#include "internals.h"
#include "stats.h"

/* How often the lock is tried, once in a tick of the kernel's clock */
#define TRIES	4

/**
 * struct vcpc_deferred - something that may have to be done at any time
 * @refs: the owner's, and that of what is queued
 * @queued: on a thread's list
 * @by_thread: in that list
 * @by_worker: does it otherwise
 * @guard: whose lock is taken; holds a reference
 * @pace: of the thread, which is there as long as @arg; NULL if it is about a CPU
 * @fn: what to do
 * @arg: with what; NULL when it was closed; under the guard's lock
 */
struct vcpc_deferred {
	struct kref refs;
	atomic_t queued;
	struct callback_head by_thread;
	struct work_struct by_worker;
	struct vcpc_guard *guard;
	struct vcpc_pace *pace;
	vcpc_deferred_fn fn;
	void *arg;
};

static struct workqueue_struct *queue, *for_callers;
static unsigned int users;

/**
 * vcpc_guard_init() - one reference, not locked
 * @guard: part of a set
 * @free: frees that set
 */
void vcpc_guard_init(struct vcpc_guard *guard, void (*free)(struct vcpc_guard *guard))
{
	kref_init(&guard->refs);
	mutex_init(&guard->lock);
	guard->free = free;
}

static void guard_free(struct kref *refs)
{
	struct vcpc_guard *guard = container_of(refs, struct vcpc_guard, refs);

	mutex_destroy(&guard->lock);
	guard->free(guard);
}

/**
 * vcpc_guard_put() - give back a reference
 * @guard: of the set, which is freed with the last
 *
 * Context: sleeps; not under the lock, unless it cannot be the last.
 */
void vcpc_guard_put(struct vcpc_guard *guard)
{
	kref_put(&guard->refs, guard_free);
}

/**
 * vcpc_deferred_init() - at load; by KUnit's suites, too, before or after that
 *
 * Return: 0 or -ENOMEM.
 */
int vcpc_deferred_init(void)
{
	if (users) {
		users++;
		return 0;
	}
	queue = alloc_workqueue("vcpc", 0, 0);
	if (!queue)
		return -ENOMEM;
	for_callers = alloc_workqueue("vcpc_callers", WQ_UNBOUND, 0);
	if (!for_callers) {
		destroy_workqueue(queue);
		return -ENOMEM;
	}
	users = 1;
	return 0;
}

/**
 * vcpc_deferred_exit() - wait until nothing is being done any more; at unload
 */
void vcpc_deferred_exit(void)
{
	if (--users)
		return;
	destroy_workqueue(for_callers);
	destroy_workqueue(queue);
}

static void deferred_free(struct kref *refs)
{
	struct vcpc_deferred *d = container_of(refs, struct vcpc_deferred, refs);

	vcpc_guard_put(d->guard);
	kfree(d);
}

static bool lock_soon(struct mutex *lock)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (mutex_trylock(lock))
			return true;
		schedule_timeout_killable(1);
	}
	return false;
}

static bool is_early(const struct vcpc_pace *pace)
{
	return ktime_get_ns() < READ_ONCE(pace->not_before);
}

/*
 * Twice as long as it has taken: then it may be asked for again.  What was asked for before, while
 * the thread was in the kernel, waits as well.
 */
static void do_at_pace(struct vcpc_deferred *d)
{
	struct vcpc_pace *pace = d->pace;
	u64 begin = ktime_get_ns();

	if (is_early(pace)) {
		vcpc_stats_count(VCPC_STAT_POSTPONED);
		return;
	}

	WRITE_ONCE(pace->busy, true);
	d->fn(d->arg);
	WRITE_ONCE(pace->not_before, 2 * ktime_get_ns() - begin);
	WRITE_ONCE(pace->busy, false);
}

static void do_it(struct vcpc_deferred *d, bool by_thread)
{
	if (!lock_soon(&d->guard->lock)) {
		vcpc_stats_count(VCPC_STAT_POSTPONED);
		return;
	}
	if (d->arg && by_thread)
		do_at_pace(d);
	else if (d->arg)
		d->fn(d->arg);
	mutex_unlock(&d->guard->lock);
}

static void thread_does_it(struct callback_head *head)
{
	struct vcpc_deferred *d = container_of(head, struct vcpc_deferred, by_thread);

	/* It may be asked for again from now on. */
	atomic_set_release(&d->queued, 0);
	if (!(current->flags & PF_EXITING) && !fatal_signal_pending(current))
		do_it(d, true);
	kref_put(&d->refs, deferred_free);
	/* What is left of this function is waited for by vcpc_internals_exit(). */
	module_put(THIS_MODULE);
}

static void worker_does_it(struct work_struct *work)
{
	struct vcpc_deferred *d = container_of(work, struct vcpc_deferred, by_worker);

	do_it(d, false);
	kref_put(&d->refs, deferred_free);
}

/**
 * vcpc_deferred_create() - be ready to do something
 * @guard: of the set that it is about
 * @pace: of the thread that will do it, there until vcpc_deferred_close(); NULL: a worker will
 * @fn: what to do
 * @arg: for @fn, not NULL
 *
 * Context: sleeps.
 * Return: for vcpc_deferred_close(), or NULL.
 */
struct vcpc_deferred *vcpc_deferred_create(struct vcpc_guard *guard, struct vcpc_pace *pace,
					   vcpc_deferred_fn fn, void *arg)
{
	struct vcpc_deferred *d = kzalloc(sizeof(*d), GFP_KERNEL_ACCOUNT);

	if (!d)
		return NULL;
	kref_init(&d->refs);
	INIT_WORK(&d->by_worker, worker_does_it);
	vcpc_guard_get(guard);
	d->guard = guard;
	d->pace = pace;
	d->fn = fn;
	d->arg = arg;
	return d;
}

/**
 * vcpc_deferred_close() - it is not to be done any more
 * @d: the work; nobody asks for it any more
 *
 * Context: under the guard's lock.
 */
void vcpc_deferred_close(struct vcpc_deferred *d)
{
	d->arg = NULL;
	if (cancel_work(&d->by_worker))
		kref_put(&d->refs, deferred_free);
	kref_put(&d->refs, deferred_free);
}

/**
 * vcpc_deferred_by_thread() - the calling thread does it before it is in user mode next
 * @d: the work, which its owner still holds; may be under way already
 *
 * Context: in an interrupt of a thread that is not exiting; not NMI.  If
 * vcpc_task_work_works() is false, a worker does it.
 */
void vcpc_deferred_by_thread(struct vcpc_deferred *d)
{
	if (!vcpc_task_work_works() || current->flags & (PF_EXITING | VCPC_NEVER_IN_USER_MODE)) {
		vcpc_deferred_by_worker(d);
		return;
	}
	/* It is asked for again and again. */
	if (d->pace->busy || is_early(d->pace)) {
		vcpc_stats_count(VCPC_STAT_POSTPONED);
		return;
	}
	if (atomic_cmpxchg_acquire(&d->queued, 0, 1))
		return;
	kref_get(&d->refs);
	__module_get(THIS_MODULE);
	init_task_work(&d->by_thread, thread_does_it);
	vcpc_task_work_push(current, &d->by_thread);
}

/**
 * vcpc_deferred_by_worker() - a worker does it, on this CPU
 * @d: the work, which its owner still holds; may be under way already
 *
 * Context: interrupts off; not under an instance's lock, as who waits is woken.
 */
void vcpc_deferred_by_worker(struct vcpc_deferred *d)
{
	kref_get(&d->refs);
	if (!queue_work(queue, &d->by_worker))
		kref_put(&d->refs, deferred_free);
}

struct for_caller {
	struct work_struct work;
	void (*fn)(void *arg);
	void *arg;
	int nice;
};

static void do_for_caller(struct work_struct *work)
{
	struct for_caller *f = container_of(work, struct for_caller, work);
	int nice = task_nice(current);

	set_user_nice(current, f->nice);
	f->fn(f->arg);
	set_user_nice(current, nice);
}

/**
 * vcpc_deferred_for_caller() - let a worker do something at once, and wait for it
 * @fn: what to do; short, as the wait cannot be ended
 * @arg: with what
 *
 * This is the caller's work, and goes before nobody that the caller does not.  No control group
 * of the caller's is asked, so the caller sees to it that it is not done too often.
 *
 * Context: sleeps.
 */
void vcpc_deferred_for_caller(void (*fn)(void *arg), void *arg)
{
	struct for_caller f = { .fn = fn, .arg = arg, .nice = task_nice(current) };

	INIT_WORK_ONSTACK(&f.work, do_for_caller);
	queue_work(for_callers, &f.work);
	flush_work(&f.work);
	destroy_work_on_stack(&f.work);
}
