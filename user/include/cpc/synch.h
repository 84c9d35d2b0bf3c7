/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The mutexes and condition variables of Solaris: POSIX objects under other names.
 *
 * As on Solaris, an all-zero object is ready for use.
 */
#ifndef SHIM_SYNCH_H
#define SHIM_SYNCH_H

#include <errno.h>
#include <pthread.h>
#include <time.h>

typedef pthread_mutex_t mutex_t;
typedef pthread_cond_t cond_t;
typedef struct timespec timestruc_t;

#define USYNC_THREAD	0	/* between threads of a process */
#define USYNC_PROCESS	1	/* between processes that share the memory */

#define DEFAULTMUTEX	PTHREAD_MUTEX_INITIALIZER
#define DEFAULTCV	PTHREAD_COND_INITIALIZER

/* Linux returns ETIMEDOUT if a wait has timed out, Solaris ETIME. */
static __inline__ int shim_etime(int error)
{
	return error == ETIMEDOUT ? ETIME : error;
}

static __inline__ int mutex_init(mutex_t *mp, int type, void *arg)
{
	pthread_mutexattr_t attr;
	int ret;

	(void)arg;
	if (type != USYNC_THREAD && type != USYNC_PROCESS)
		return EINVAL;
	ret = pthread_mutexattr_init(&attr);
	if (ret)
		return ret;
	pthread_mutexattr_setpshared(&attr, type);
	ret = pthread_mutex_init(mp, &attr);
	pthread_mutexattr_destroy(&attr);
	return ret;
}

static __inline__ int mutex_destroy(mutex_t *mp)
{
	return pthread_mutex_destroy(mp);
}

static __inline__ int mutex_lock(mutex_t *mp)
{
	return pthread_mutex_lock(mp);
}

static __inline__ int mutex_trylock(mutex_t *mp)
{
	return pthread_mutex_trylock(mp);
}

static __inline__ int mutex_unlock(mutex_t *mp)
{
	return pthread_mutex_unlock(mp);
}

static __inline__ int cond_init(cond_t *cvp, int type, void *arg)
{
	pthread_condattr_t attr;
	int ret;

	(void)arg;
	if (type != USYNC_THREAD && type != USYNC_PROCESS)
		return EINVAL;
	ret = pthread_condattr_init(&attr);
	if (ret)
		return ret;
	pthread_condattr_setpshared(&attr, type);
	ret = pthread_cond_init(cvp, &attr);
	pthread_condattr_destroy(&attr);
	return ret;
}

static __inline__ int cond_destroy(cond_t *cvp)
{
	return pthread_cond_destroy(cvp);
}

static __inline__ int cond_wait(cond_t *cvp, mutex_t *mp)
{
	return pthread_cond_wait(cvp, mp);
}

/* Wait until a time of CLOCK_REALTIME; return ETIME if it has passed. */
static __inline__ int cond_timedwait(cond_t *cvp, mutex_t *mp, const timestruc_t *abstime)
{
	return shim_etime(pthread_cond_timedwait(cvp, mp, abstime));
}

static __inline__ int cond_signal(cond_t *cvp)
{
	return pthread_cond_signal(cvp);
}

static __inline__ int cond_broadcast(cond_t *cvp)
{
	return pthread_cond_broadcast(cvp);
}

#endif /* SHIM_SYNCH_H */
