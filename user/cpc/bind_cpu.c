// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bind sets to CPUs.  The calling thread is first bound to the CPU.  Its previous affinity is
 * restored when the set is unbound.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/api.h"
#include "base/vec.h"
#include "impl.h"
#include "inheritable.h"
#include "pctx.h"

/**
 * struct cpc_processor - a thread bound to a CPU for a set
 * @cpu: the CPU
 * @tid: the thread
 * @before: its previous affinity
 */
struct cpc_processor {
	processorid_t cpu;
	pid_t tid;
	cpu_set_t before;
};

static void only(processorid_t cpu, cpu_set_t *mask)
{
	CPU_ZERO(mask);
	CPU_SET(cpu, mask);
}

/* Bind the calling thread to the CPU, and save its affinity.  Return 0 or an errno. */
static int go_to(processorid_t cpu, struct cpc_processor **out)
{
	struct cpc_processor *processor;
	cpu_set_t mask;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return EINVAL;
	processor = calloc(1, sizeof(*processor));
	if (!processor)
		return ENOMEM;
	processor->cpu = cpu;
	processor->tid = (pid_t)syscall(SYS_gettid);
	only(cpu, &mask);
	if (sched_getaffinity(0, sizeof(processor->before), &processor->before) ||
	    sched_setaffinity(0, sizeof(mask), &mask)) {
		int err = errno;

		free(processor);
		return err;
	}
	*out = processor;
	return 0;
}

/*
 * Restore the thread's affinity if it is still a thread of this process: after a thread has ended,
 * its number may be reused.
 */
static void come_back(const struct cpc_processor *processor)
{
	if (!syscall(SYS_tgkill, getpid(), processor->tid, 0))
		sched_setaffinity(processor->tid, sizeof(processor->before), &processor->before);
}

/* Return whether the calling thread is still bound to the set's CPU, and to no other. */
static bool is_there(const struct cpc_processor *processor)
{
	cpu_set_t now, then;

	only(processor->cpu, &then);
	return !sched_getaffinity(0, sizeof(now), &now) && CPU_EQUAL(&now, &then);
}

/*
 * Translate an error.  If the CPU or the caller was rejected, fail without a subcode, because no
 * request is the cause.
 */
static int refused(cpc_t *cpc, const char *fn, const cpc_set_t *set, int ret)
{
	switch (ret) {
	case -EACCES:
	case -EPERM:
		return shim_cpc__fail(EACCES);
	case -ENODEV:
	case -EBUSY:
		return shim_cpc__fail(EAGAIN);
	}
	return shim_cpc__refused(cpc, fn, set, ret);
}

static int bind_there(cpc_t *cpc, const char *fn, cpc_set_t *set, processorid_t cpu)
{
	struct shim_counters *counters;
	int ret;

	if (shim_cpc__check_requests(cpc, fn, set))
		return -1;
	ret = shim_cpc__counters(cpc, set, true, &counters);
	if (ret)
		return shim_cpc__refused(cpc, fn, set, ret);
	ret = shim_cpc__bind(cpc, set, cpu, SHIM_BIND_F_CPU);
	return ret ? refused(cpc, fn, set, ret) : 0;
}

/**
 * cpc_bind_cpu() - count on a CPU, starting at the presets
 * @cpc: the handle
 * @id: the CPU, to which the calling thread is bound until cpc_unbind()
 * @set: a set of this handle
 * @flags: 0
 *
 * A request with CPC_OVF_NOTIFY_EMT is counted like other requests, but no SIGEMT is sent.  Sets on
 * threads can count hardware events at the same time.
 *
 * Return: 0, or -1 and errno: EINVAL (invalid flags, no requests, a set of another handle; with
 * CPC_PBIND_FAILED: the CPU does not exist or is offline), EACCES (CAP_PERFMON is required), EAGAIN
 * (this set already counts on the CPU), and the errors from cpc_bind_curlwp().
 */
SHIM_API int cpc_bind_cpu(cpc_t *cpc, processorid_t id, cpc_set_t *set, uint_t flags)
{
	struct cpc_processor *processor = NULL;
	int err;

	if (flags || !shim_cpc__owns(cpc, set) || !set->n)
		return shim_cpc__fail(EINVAL);
	cpc_unbind(cpc, set);
	err = go_to(id, &processor);
	if (err == ENOMEM)
		return shim_cpc__fail(err);
	if (err)
		return shim_cpc__complain(cpc, __func__, err, CPC_PBIND_FAILED);
	if (bind_there(cpc, __func__, set, id)) {
		err = errno;
		come_back(processor);
		free(processor);
		return shim_cpc__fail(err);
	}
	shim_lwp__detach();
	set->processor = processor;
	atomic_store(&set->where, CPC_ON_CPU);
	return 0;
}

/*
 * Unbind a set from its CPU and restore the affinity of the thread that bound it.  Both are done
 * even if the caller is no longer bound to that CPU, but the result is then EAGAIN.
 */
int shim_cpc__unbind_cpu(cpc_set_t *set)
{
	struct cpc_processor *processor = set->processor;
	bool there = is_there(processor);
	int ret;

	set->processor = NULL;
	ret = shim_counters__unbind_at(atomic_load(&set->counters), processor->cpu,
				       SHIM_TARGET_F_CPU);
	come_back(processor);
	free(processor);
	if (!there)
		return shim_cpc__fail(EAGAIN);
	return ret ? shim_cpc__fail(ret == -EBADF ? EINVAL : -ret) : 0;
}

int shim_cpc__sample_cpu(cpc_set_t *set, cpc_buf_t *buf)
{
	if (!is_there(set->processor))
		return -EAGAIN;
	return shim_counters__sample_at(atomic_load(&set->counters), set->processor->cpu,
					SHIM_TARGET_F_CPU, &buf->sample,
					shim_cpc__sample_size(buf));
}

/* Bind sets to the threads of a process that libpctx controls. */

/*
 * Guards the users of all processes.  It is taken under shim_cpc__lock(), never in the reverse
 * order.  There is one lock for all processes, so that fork() can wait for it: a forked child takes
 * it to remove its handles from the processes of its parent's sets.
 */
static struct shim_siglock users_lock = SHIM_SIGLOCK_INITIALIZER(2, NULL);

/**
 * shim_cpc__watch_forks() - make fork() wait for the lock; called before the first process has
 * users
 *
 * Return: 0 or -ENOMEM.
 */
int shim_cpc__watch_forks(void)
{
	return shim_fork__wait_for(&users_lock);
}

/*
 * Record a handle that has a set on the process, so that the handle is notified when the process is
 * released.  Context: @cpc is locked.
 */
static int add_user(pctx_t *pctx, cpc_t *cpc)
{
	int ret = 0;

	shim_siglock__enter(&users_lock);
	for (size_t i = 0; i < pctx->nusers; i++)
		if (pctx->users[i] == cpc)
			goto out;
	ret = shim_vec__room(pctx->users, &pctx->users_room, pctx->nusers);
	if (!ret)
		pctx->users[pctx->nusers++] = cpc;
out:
	shim_siglock__leave(&users_lock);
	return ret;
}

/* Remove a handle from the process's users.  Context: @cpc is locked. */
static void remove_user(pctx_t *pctx, const cpc_t *cpc)
{
	shim_siglock__enter(&users_lock);
	for (size_t i = 0; i < pctx->nusers; i++)
		if (pctx->users[i] == cpc) {
			pctx->users[i] = pctx->users[--pctx->nusers];
			break;
		}
	shim_siglock__leave(&users_lock);
}

/* Record the set's process before the set is bound, so that every bound set has a known process. */
static int join(cpc_t *cpc, pctx_t *pctx, cpc_set_t *set, pid_t tid)
{
	int ret;

	shim_cpc__lock();
	ret = add_user(pctx, cpc);
	if (!ret) {
		set->pctx = pctx;
		set->tid = tid;
	}
	shim_cpc__unlock();
	return ret;
}

/**
 * cpc_bind_pctx() - count on a thread of another process, starting at the presets
 * @cpc: the handle
 * @pctx: the process, which is stopped
 * @id: the thread's number in it, as passed to handlers
 * @set: a set of this handle
 * @flags: 0
 *
 * Return: 0, or -1 and errno: EINVAL (invalid flags, no requests, a set of another handle),
 * ESRCH (no such thread), and the errors from cpc_bind_curlwp().
 */
SHIM_API int cpc_bind_pctx(cpc_t *cpc, pctx_t *pctx, id_t id, cpc_set_t *set, uint_t flags)
{
	pid_t tid;
	int ret;

	if (flags || !pctx || !shim_cpc__owns(cpc, set) || !set->n)
		return shim_cpc__fail(EINVAL);
	tid = shim_pctx__tid(pctx, id);
	if (!tid)
		return shim_cpc__fail(ESRCH);
	cpc_unbind(cpc, set);
	if (shim_cpc__check_requests(cpc, __func__, set))
		return -1;
	if (join(cpc, pctx, set, tid))
		return shim_cpc__fail(ENOMEM);
	ret = shim_cpc__bind(cpc, set, tid, 0);
	if (!ret) {
		atomic_store(&set->where, CPC_ON_PCTX);
		return 0;
	}
	shim_cpc__leave_pctx(cpc, set);
	if (ret == -ESRCH)
		return shim_cpc__fail(ESRCH);
	return shim_cpc__refused(cpc, __func__, set, ret);
}

/*
 * Detach a set that is unbound or destroyed from its process.  If it was the handle's last set on
 * the process, the process no longer notifies the handle.  Return true if the set still had a
 * process, false if the process was already released.
 */
bool shim_cpc__leave_pctx(cpc_t *cpc, cpc_set_t *set)
{
	bool used = false;
	pctx_t *pctx;

	shim_cpc__lock();
	pctx = set->pctx;
	set->pctx = NULL;
	for (const cpc_set_t *s = cpc->sets; s; s = s->next)
		used |= s->pctx == pctx;
	if (pctx && !used)
		remove_user(pctx, cpc);
	shim_cpc__unlock();
	return pctx;
}

/*
 * Unbind a set from its process's thread; errors are ignored if the process was already released.
 */
int shim_cpc__unbind_pctx(cpc_t *cpc, cpc_set_t *set)
{
	int ret = shim_counters__unbind(atomic_load(&set->counters), set->tid);

	if (shim_cpc__leave_pctx(cpc, set) && ret)
		return shim_cpc__fail(ret == -EBADF ? EINVAL : -ret);
	return 0;
}

static void pctx_forget(cpc_t *cpc, const pctx_t *pctx)
{
	shim_cpc__lock();
	for (cpc_set_t *set = cpc->sets; set; set = set->next)
		if (set->pctx == pctx)
			set->pctx = NULL;
	shim_cpc__unlock();
}

/* Remove and return one of the handles that have sets on the process; NULL if none is left. */
static cpc_t *take_user(pctx_t *pctx)
{
	cpc_t *cpc = NULL;

	shim_siglock__enter(&users_lock);
	if (pctx->nusers)
		cpc = pctx->users[--pctx->nusers];
	shim_siglock__leave(&users_lock);
	return cpc;
}

/* Called when a process is released: sets that were bound to it no longer have a process. */
void shim_cpc__forget_pctx(pctx_t *pctx)
{
	cpc_t *cpc;

	while ((cpc = take_user(pctx)))
		pctx_forget(cpc, pctx);
}

/**
 * cpc_terminate() - make pctx_run() return for each process that is being counted
 * @cpc: the handle
 *
 * Context: may be called in a signal handler.
 */
SHIM_API void cpc_terminate(cpc_t *cpc)
{
	if (!cpc)
		return;
	shim_cpc__lock();
	for (cpc_set_t *set = cpc->sets; set; set = set->next)
		if (set->pctx)
			pctx_terminate(set->pctx);
	shim_cpc__unlock();
}
