/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads of Solaris: POSIX threads under other names.
 *
 * Every thread is bound to a kernel thread.  Creating a suspended thread, and waiting for the first
 * thread to exit, fail with ENOTSUP because Linux supports neither.
 */
#ifndef SHIM_THREAD_H
#define SHIM_THREAD_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "synch.h"

/* With -std=c99, glibc's <pthread.h> does not declare this. */
#if defined(__STRICT_ANSI__) && !defined(__cplusplus)
int pthread_attr_setstack(pthread_attr_t *attr, void *stack, size_t size);
#endif

typedef pthread_t thread_t;

#define THR_BOUND	0x00000001
#define THR_NEW_LWP	0x00000002
#define THR_DETACHED	0x00000040
#define THR_SUSPENDED	0x00000080

static __inline__ int shim_thr_attr(pthread_attr_t *attr, void *stack, size_t size, long flags)
{
	int ret = 0;

	if (stack)
		ret = pthread_attr_setstack(attr, stack, size);
	else if (size)
		ret = pthread_attr_setstacksize(attr, size);
	if (!ret && flags & THR_DETACHED)
		ret = pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	return ret;
}

static __inline__ int thr_create(void *stack, size_t size, void *(*fn)(void *arg), void *arg,
				 long flags, thread_t *out)
{
	pthread_attr_t attr;
	thread_t made;
	int ret;

	if (flags & ~(THR_BOUND | THR_NEW_LWP | THR_DETACHED))
		return ENOTSUP;
	ret = pthread_attr_init(&attr);
	if (ret)
		return ret;
	ret = shim_thr_attr(&attr, stack, size, flags);
	if (!ret)
		ret = pthread_create(out ? out : &made, &attr, fn, arg);
	pthread_attr_destroy(&attr);
	return ret;
}

static __inline__ int thr_join(thread_t thread, thread_t *departed, void **status)
{
	int ret = thread ? pthread_join(thread, status) : ENOTSUP;

	if (!ret && departed)
		*departed = thread;
	return ret;
}

static __inline__ thread_t thr_self(void)
{
	return pthread_self();
}

static __inline__ __attribute__((__noreturn__)) void thr_exit(void *status)
{
	pthread_exit(status);
}

static __inline__ void thr_yield(void)
{
	sched_yield();
}

/* This is a hint, which Linux ignores. */
static __inline__ int thr_setconcurrency(int level)
{
	return level < 0 ? EINVAL : 0;
}

#endif /* SHIM_THREAD_H */
