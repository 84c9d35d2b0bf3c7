/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The threads of Solaris: POSIX threads under other names.
 *
 * Every thread is bound to a kernel thread.  A thread created by thr_create() must be joined by
 * thr_join(), which with 0 waits for whichever of these threads ends first.
 */
#ifndef SHIM_THREAD_H
#define SHIM_THREAD_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>

#include "synch.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef pthread_t thread_t;

#define THR_BOUND	0x00000001
#define THR_NEW_LWP	0x00000002
#define THR_DETACHED	0x00000040
#define THR_SUSPENDED	0x00000080

int thr_create(void *stack, size_t size, void *(*fn)(void *arg), void *arg, long flags,
	       thread_t *out);
int thr_continue(thread_t thread);
int thr_join(thread_t thread, thread_t *departed, void **status);

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

#ifdef __cplusplus
}
#endif

#endif /* SHIM_THREAD_H */
