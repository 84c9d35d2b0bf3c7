// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sets on the threads of a process that libpctx controls. */
#include <errno.h>

#include "base/api.h"
#include "base/vec.h"
#include "impl.h"
#include "pctx.h"

/*
 * Guards the users of all processes.  It is taken under a handle's lock, never in the reverse
 * order.  There is one lock for all processes, so fork() can wait for it: a forked child takes it
 * to remove its handles from the processes of its parent's sets.
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
 * Record a handle that has a set on the process, so that it is notified when the process is
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

/* Context: @cpc is locked. */
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

/* Record the set's process before the set is bound, so every bound set has a known process. */
static int join(cpc_t *cpc, pctx_t *pctx, cpc_set_t *set, pid_t tid)
{
	int ret;

	shim_cpc__lock(cpc);
	ret = add_user(pctx, cpc);
	if (!ret) {
		set->pctx = pctx;
		set->tid = tid;
	}
	shim_cpc__unlock(cpc);
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
 * Return: 0, or -1 and errno: EINVAL (flags, no requests, not this handle's), ESRCH (no such
 * thread), and those of cpc_bind_curlwp().
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
 * Detach a set that is unbound or destroyed from its process.  If it was the handle's last set
 * there, the process no longer notifies the handle.  Returns whether the set still had a process:
 * false if the process was already released.
 */
bool shim_cpc__leave_pctx(cpc_t *cpc, cpc_set_t *set)
{
	bool used = false;
	pctx_t *pctx;

	shim_cpc__lock(cpc);
	pctx = set->pctx;
	set->pctx = NULL;
	for (const cpc_set_t *s = cpc->sets; s; s = s->next)
		used |= s->pctx == pctx;
	if (pctx && !used)
		remove_user(pctx, cpc);
	shim_cpc__unlock(cpc);
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

static void forget(cpc_t *cpc, const pctx_t *pctx)
{
	shim_cpc__lock(cpc);
	for (cpc_set_t *set = cpc->sets; set; set = set->next)
		if (set->pctx == pctx)
			set->pctx = NULL;
	shim_cpc__unlock(cpc);
}

/* Remove one of the handles that have sets on the process and return it; NULL if there is none. */
static cpc_t *take_user(pctx_t *pctx)
{
	cpc_t *cpc = NULL;

	shim_siglock__enter(&users_lock);
	if (pctx->nusers)
		cpc = pctx->users[--pctx->nusers];
	shim_siglock__leave(&users_lock);
	return cpc;
}

/* A process is being released: sets that were bound to it no longer have a process. */
void shim_cpc__forget_pctx(pctx_t *pctx)
{
	cpc_t *cpc;

	while ((cpc = take_user(pctx)))
		forget(cpc, pctx);
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
	shim_cpc__lock(cpc);
	for (cpc_set_t *set = cpc->sets; set; set = set->next)
		if (set->pctx)
			pctx_terminate(set->pctx);
	shim_cpc__unlock(cpc);
}
