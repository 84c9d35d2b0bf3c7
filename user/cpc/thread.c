// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The functions of Solaris' <thread.h> that differ from those of POSIX: a thread can be created
 * suspended, and a thread can wait for whichever thread ends first.
 *
 * Locking: threads.mutex guards the list and its elements, except @fn, @arg and @id, which do not
 * change.  It is not held while a function of the program runs.
 * Forks: the list of a child is empty.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/api.h"
#include "base/process.h"
#include "cpc/thread.h"

/*
 * A thread created by thr_create().  It is in the list until it is joined or, if it is detached,
 * until it ends.
 */
struct lwp {
	struct lwp *next;
	pthread_t id;
	void *(*fn)(void *arg);
	void *arg;
	bool detached, suspended, ended;
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;	/* a thread has ended, or may continue */
	struct lwp *first;
} threads = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL };

static void threads_forget(void)
{
	pthread_mutex_init(&threads.mutex, NULL);
	pthread_cond_init(&threads.changed, NULL);
	threads.first = NULL;
}

static struct shim_fork_hook at_fork = { .in_child = threads_forget };

static void threads_lock(void)
{
	pthread_mutex_lock(&threads.mutex);
}

static void threads_unlock(void *arg)
{
	(void)arg;
	pthread_mutex_unlock(&threads.mutex);
}

static struct lwp *lwp_find(pthread_t id)
{
	struct lwp *t = threads.first;

	while (t && !pthread_equal(t->id, id))
		t = t->next;
	return t;
}

/* Remove a thread from the list if the list contains it. */
static void lwp_take(struct lwp *t)
{
	struct lwp **at = &threads.first;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
}

static void wait_to_continue(struct lwp *t)
{
	threads_lock();
	pthread_cleanup_push(threads_unlock, NULL);
	while (t->suspended)
		pthread_cond_wait(&threads.changed, &threads.mutex);
	pthread_cleanup_pop(1);
}

static void finish(void *arg)
{
	struct lwp *t = arg;

	threads_lock();
	t->ended = true;
	if (t->detached) {
		lwp_take(t);
		free(t);
	}
	pthread_cond_broadcast(&threads.changed);
	threads_unlock(NULL);
}

static void *run(void *arg)
{
	struct lwp *t = arg;
	void *status;

	pthread_cleanup_push(finish, t);
	wait_to_continue(t);
	status = t->fn(t->arg);
	pthread_cleanup_pop(1);
	return status;
}

static int attr_set(pthread_attr_t *attr, void *stack, size_t size, bool detached)
{
	int ret = 0;

	if (stack)
		ret = pthread_attr_setstack(attr, stack, size);
	else if (size)
		ret = pthread_attr_setstacksize(attr, size);
	if (!ret && detached)
		ret = pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	return ret;
}

/* Start a thread while the list is locked, so that it is in the list before it can end. */
static int lwp_start(struct lwp *t, const pthread_attr_t *attr, thread_t *out)
{
	int ret;

	threads_lock();
	ret = pthread_create(&t->id, attr, run, t);
	if (!ret) {
		if (out)
			*out = t->id;
		t->next = threads.first;
		threads.first = t;
	}
	threads_unlock(NULL);
	return ret;
}

/**
 * thr_create() - create a thread
 * @stack: its stack, or NULL
 * @size: the size of the stack, or 0 for the default
 * @fn: the function to call; it returns the status
 * @arg: the argument of @fn
 * @flags: THR_BOUND and THR_NEW_LWP, which have no effect; THR_DETACHED; THR_SUSPENDED: wait for
 *	thr_continue() before calling @fn
 * @out: stores the thread, or NULL
 *
 * Return: 0, ENOTSUP for other flags, or an error of pthread_create(3).
 */
SHIM_API int thr_create(void *stack, size_t size, void *(*fn)(void *arg), void *arg, long flags,
			thread_t *out)
{
	pthread_attr_t attr;
	struct lwp *t;
	int ret;

	if (flags & ~(THR_BOUND | THR_NEW_LWP | THR_DETACHED | THR_SUSPENDED))
		return ENOTSUP;
	t = malloc(sizeof(*t));
	if (!t || shim_fork__hook(&at_fork)) {
		free(t);
		return ENOMEM;
	}
	*t = (struct lwp){ .fn = fn, .arg = arg, .detached = flags & THR_DETACHED,
			   .suspended = flags & THR_SUSPENDED };
	ret = pthread_attr_init(&attr);
	if (!ret) {
		ret = attr_set(&attr, stack, size, t->detached);
		if (!ret)
			ret = lwp_start(t, &attr, out);
		pthread_attr_destroy(&attr);
	}
	if (ret)
		free(t);
	return ret;
}

/**
 * thr_continue() - start a thread that was created with THR_SUSPENDED
 * @thread: the thread; it may already run
 *
 * Return: 0, or ESRCH if thr_create() has not created this thread.
 */
SHIM_API int thr_continue(thread_t thread)
{
	struct lwp *t;

	threads_lock();
	t = lwp_find(thread);
	if (t)
		t->suspended = false;
	pthread_cond_broadcast(&threads.changed);
	threads_unlock(NULL);
	return t ? 0 : ESRCH;
}

/* Find a thread that has ended.  Otherwise set @waits if there is one that may end. */
static struct lwp *find_ended(bool *waits)
{
	pthread_t self = pthread_self();

	*waits = false;
	for (struct lwp *t = threads.first; t; t = t->next) {
		if (t->detached || pthread_equal(t->id, self))
			continue;
		if (t->ended)
			return t;
		*waits = true;
	}
	return NULL;
}

/* Wait until a thread ends, and remove it from the list.  Return NULL if there is no other one. */
static struct lwp *wait_for_any(void)
{
	struct lwp *t;
	bool waits;

	threads_lock();
	pthread_cleanup_push(threads_unlock, NULL);
	for (t = find_ended(&waits); !t && waits; t = find_ended(&waits))
		pthread_cond_wait(&threads.changed, &threads.mutex);
	if (t)
		lwp_take(t);
	pthread_cleanup_pop(1);
	return t;
}

/* Remove a thread from the list; @t is NULL if thr_create() has not created it. */
static int claim(thread_t thread, struct lwp **t)
{
	int ret = 0;

	if (pthread_equal(thread, pthread_self()))
		return EDEADLK;
	threads_lock();
	*t = lwp_find(thread);
	if (*t && (*t)->detached)
		ret = ESRCH;
	else if (*t)
		lwp_take(*t);
	threads_unlock(NULL);
	return ret;
}

/**
 * thr_join() - wait until a thread ends
 * @thread: the thread, or 0 for whichever thread ends first of those that thr_create() has created
 *	and that are neither detached nor joined
 * @departed: stores the thread, or NULL
 * @status: stores its status, or NULL
 *
 * Return: 0, ESRCH if the thread is detached or no thread is left to wait for, EDEADLK if the caller
 * is the thread, or an error of pthread_join(3).
 */
SHIM_API int thr_join(thread_t thread, thread_t *departed, void **status)
{
	struct lwp *t = NULL;
	int ret = 0;

	if (thread)
		ret = claim(thread, &t);
	else
		t = wait_for_any();
	if (!ret && !thread && !t)
		ret = ESRCH;
	if (ret)
		return ret;
	thread = thread ? thread : t->id;
	ret = pthread_join(thread, status);
	free(t);
	if (!ret && departed)
		*departed = thread;
	return ret;
}
