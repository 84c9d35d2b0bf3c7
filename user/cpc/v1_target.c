// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Implement the obsolete calls of libcpc's version 1 that count two events on a thread of another
 * process, or on a CPU.
 *
 * The descriptor that represents a CPU is an open /dev/null; only its number is used.
 *
 * Locking: version 1's lock (v1.c) guards the list.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/api.h"
#include "impl.h"
#include "v1.h"

/**
 * struct target - a target that is or was counted
 * @next: next target in the list
 * @pctx: the process, NULL for a CPU
 * @lwpid: the thread in it
 * @fd: the descriptor that represents the CPU, or -1
 * @cpu: the CPU
 * @set: the set that is bound to it, or NULL
 * @buf: buffer for its samples
 * @invalid: samples fail with EAGAIN
 */
struct target {
	struct target *next;
	pctx_t *pctx;
	id_t lwpid;
	int fd;
	processorid_t cpu;
	cpc_set_t *set;
	cpc_buf_t *buf;
	bool invalid;
};

static struct target *targets;

/* Return whether the target's process was released. */
static bool is_gone(const struct target *t)
{
	return t->pctx && t->set && !t->set->pctx;
}

/* Context: the lock is held, here and in the following functions. */
static struct target *target_find(const pctx_t *pctx, id_t lwpid, int fd)
{
	struct target *t;

	for (t = targets; t; t = t->next)
		if (pctx ? t->pctx == pctx && t->lwpid == lwpid && !is_gone(t) :
			   !t->pctx && t->fd == fd)
			break;
	return t;
}

/* Unbind and destroy the set that is bound to a target.  Return 0, or -1 with errno set. */
static int end_set(struct target *t)
{
	cpc_t *cpc = shim_v1__handle();
	int ret = cpc_unbind(cpc, t->set);
	int err = errno;

	cpc_buf_destroy(cpc, t->buf);
	cpc_set_destroy(cpc, t->set);
	t->set = NULL;
	t->buf = NULL;
	t->invalid = false;
	errno = err;
	return ret;
}

static void target_forget(struct target *target)
{
	struct target **at;

	for (at = &targets; *at != target; at = &(*at)->next)
		;
	*at = target->next;
	free(target);
}

static struct target *add(struct target like)
{
	struct target *t = malloc(sizeof(*t));

	if (!t)
		return NULL;
	*t = like;
	t->next = targets;
	targets = t;
	return t;
}

static int make_set(struct target *t, const cpc_event_t *event)
{
	cpc_t *cpc = shim_v1__handle();
	int err;

	t->set = shim_v1__set(event, 0);
	if (!t->set)
		return -1;
	t->buf = cpc_buf_create(cpc, t->set);
	if (t->buf && (t->pctx ? !cpc_bind_pctx(cpc, t->pctx, t->lwpid, t->set, 0) :
				 !cpc_bind_cpu(cpc, t->cpu, t->set, 0)))
		return 0;
	err = errno;
	end_set(t);
	return shim_cpc__fail(err);
}

static int take(const struct target *t, cpc_event_t *event)
{
	cpc_t *cpc;

	if (!t || !t->set || !event)
		return shim_cpc__fail(EINVAL);
	if (t->invalid)
		return shim_cpc__fail(EAGAIN);
	cpc = shim_v1__handle();	/* already open; opening takes the lock held here */
	if (cpc_set_sample(cpc, t->set, t->buf))
		return -1;
	event->ce_hrt = cpc_buf_hrtime(cpc, t->buf);
	event->ce_tsc = cpc_buf_tick(cpc, t->buf);
	for (int i = 0; i < 2; i++)
		cpc_buf_get(cpc, t->buf, i, &event->ce_pic[i]);
	return 0;
}

static bool is_good(const cpc_event_t *event, int flags)
{
	return event->ce_cpuver == CPC_LINUX && !flags;
}

static void forget_gone(void)
{
	struct target *t = targets, *next;

	for (; t; t = next) {
		next = t->next;
		if (is_gone(t)) {
			end_set(t);
			target_forget(t);
		}
	}
}

static int bind_process(pctx_t *pctx, id_t lwpid, const cpc_event_t *event)
{
	struct target *t = target_find(pctx, lwpid, -1);
	int err;

	forget_gone();
	if (t)
		end_set(t);
	else
		t = add((struct target){ .pctx = pctx, .lwpid = lwpid, .fd = -1 });
	if (!t)
		return shim_cpc__fail(ENOMEM);
	if (!make_set(t, event))
		return 0;
	err = errno;
	target_forget(t);
	return shim_cpc__fail(err);
}

/**
 * cpc_pctx_bind_event() - count two events on a thread of a process
 * @pctx: the process, which is stopped
 * @lwpid: the thread
 * @event: the events, with start values; NULL to stop counting
 * @flags: 0
 *
 * Return: 0, or -1 and errno as for cpc_bind_pctx().
 */
SHIM_API int cpc_pctx_bind_event(pctx_t *pctx, id_t lwpid, cpc_event_t *event, int flags)
{
	int ret;

	if (!event)
		return cpc_pctx_rele(pctx, lwpid);
	if (!pctx || !is_good(event, flags))
		return shim_cpc__fail(EINVAL);
	if (!shim_v1__handle())
		return -1;
	shim_v1__lock();
	ret = bind_process(pctx, lwpid, event);
	shim_v1__unlock();
	return ret;
}

/**
 * cpc_pctx_take_sample() - get the values of a thread in a process
 * @pctx: the process
 * @lwpid: the thread
 * @event: its ce_pic, ce_hrt and ce_tsc are set
 *
 * Return: 0, or -1 and errno: EINVAL (no events are bound to the thread), EAGAIN (the
 * samples are invalid).
 */
SHIM_API int cpc_pctx_take_sample(pctx_t *pctx, id_t lwpid, cpc_event_t *event)
{
	int ret;

	shim_v1__lock();
	ret = take(pctx ? target_find(pctx, lwpid, -1) : NULL, event);
	shim_v1__unlock();
	return ret;
}

/**
 * cpc_pctx_rele() - stop counting on a thread of a process
 * @pctx: the process
 * @lwpid: the thread
 *
 * Return: 0, or -1 and EINVAL if no events are bound to the thread.
 */
SHIM_API int cpc_pctx_rele(pctx_t *pctx, id_t lwpid)
{
	struct target *t;
	int ret = -1;

	shim_v1__lock();
	t = pctx ? target_find(pctx, lwpid, -1) : NULL;
	if (t) {
		ret = end_set(t);
		target_forget(t);
	}
	shim_v1__unlock();
	return t ? ret : shim_cpc__fail(EINVAL);
}

/**
 * cpc_pctx_invalidate() - make a thread's samples fail with EAGAIN until events are bound again
 * @pctx: the process
 * @lwpid: the thread
 *
 * Return: 0, or -1 and EINVAL if no events are bound to the thread.
 */
SHIM_API int cpc_pctx_invalidate(pctx_t *pctx, id_t lwpid)
{
	struct target *t;

	shim_v1__lock();
	t = pctx ? target_find(pctx, lwpid, -1) : NULL;
	if (t)
		t->invalid = true;
	shim_v1__unlock();
	return t ? 0 : shim_cpc__fail(EINVAL);
}

/* Test whether the thread may count on its CPU, using an event that conflicts with no other set. */
static int may_count(cpc_t *cpc, processorid_t cpu)
{
	cpc_set_t *set = cpc_set_create(cpc);
	int ret = -1, err;

	if (!set)
		return -1;
	if (!cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0, NULL))
		ret = cpc_bind_cpu(cpc, cpu, set, 0);
	err = errno;
	cpc_set_destroy(cpc, set);
	errno = err;
	return ret;
}

/**
 * cpc_shared_open() - open a descriptor for the CPU to which the calling thread is bound
 *
 * Return: a descriptor, to be closed by cpc_shared_close(), or -1 and errno: EINVAL (the thread is
 * not bound to one CPU), EACCES (CAP_PERFMON is required), and the errors from open(2) and
 * cpc_open().
 */
SHIM_API int cpc_shared_open(void)
{
	struct target target = { .fd = -1 };
	cpc_t *cpc = shim_v1__handle();
	bool added;

	if (!cpc || processor_bind(P_LWPID, P_MYID, PBIND_QUERY, &target.cpu))
		return -1;
	if (target.cpu == PBIND_NONE)
		return shim_cpc__fail(EINVAL);
	if (may_count(cpc, target.cpu))
		return -1;
	target.fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (target.fd < 0)
		return -1;
	shim_v1__lock();
	added = add(target);
	shim_v1__unlock();
	if (added)
		return target.fd;
	close(target.fd);
	return shim_cpc__fail(ENOMEM);
}

/**
 * cpc_shared_close() - stop counting on a CPU, and close its descriptor
 * @fd: descriptor from cpc_shared_open()
 */
SHIM_API void cpc_shared_close(int fd)
{
	struct target *t;

	shim_v1__lock();
	t = target_find(NULL, 0, fd);
	if (t) {
		if (t->set)
			end_set(t);
		target_forget(t);
		close(fd);
	}
	shim_v1__unlock();
}

/**
 * cpc_shared_bind_event() - count two events on a CPU
 * @fd: descriptor from cpc_shared_open(); only the thread that called it may use it
 * @event: the events, with start values; NULL to stop counting
 * @flags: 0
 *
 * Return: 0, or -1 and errno as for cpc_bind_cpu().
 */
SHIM_API int cpc_shared_bind_event(int fd, cpc_event_t *event, int flags)
{
	struct target *t;
	int ret = -1;

	if (!event)
		return cpc_shared_rele(fd);
	if (!is_good(event, flags))
		return shim_cpc__fail(EINVAL);
	shim_v1__lock();
	t = target_find(NULL, 0, fd);
	if (t) {
		if (t->set)
			end_set(t);
		ret = make_set(t, event);
	}
	shim_v1__unlock();
	return t ? ret : shim_cpc__fail(EBADF);
}

/**
 * cpc_shared_take_sample() - get the values of a CPU
 * @fd: descriptor from cpc_shared_open()
 * @event: its ce_pic, ce_hrt and ce_tsc are set
 *
 * Return: 0, or -1 and errno as for cpc_set_sample().
 */
SHIM_API int cpc_shared_take_sample(int fd, cpc_event_t *event)
{
	int ret;

	shim_v1__lock();
	ret = take(target_find(NULL, 0, fd), event);
	shim_v1__unlock();
	return ret;
}

/**
 * cpc_shared_rele() - stop counting on a CPU, without closing its descriptor
 * @fd: descriptor from cpc_shared_open()
 *
 * Return: 0, or -1 and errno: EINVAL (no events are bound), EAGAIN (the thread has moved).
 */
SHIM_API int cpc_shared_rele(int fd)
{
	struct target *t;
	int ret = -1;

	shim_v1__lock();
	t = target_find(NULL, 0, fd);
	if (t && t->set)
		ret = end_set(t);
	else
		t = NULL;
	shim_v1__unlock();
	return t ? ret : shim_cpc__fail(EINVAL);
}
