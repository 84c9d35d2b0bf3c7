// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bind sets to the calling thread; sample, stop, restart and unbind them.
 *
 * A signal handler may call all of these functions: all locks are taken with signals blocked, and
 * no memory is allocated after a set has been bound for the first time, except by the perf back end
 * when it binds.
 */
#include <errno.h>

#include "base/api.h"
#include "core/clock.h"
#include "impl.h"
#include "inheritable.h"

/*
 * Bind a set to the calling thread.  An overflow may occur before the bind call has returned, and
 * its handler may use the set.  Therefore set->where is set first, and reset if the call fails.
 */
static int bind_self(cpc_t *cpc, cpc_set_t *set, bool inherit)
{
	enum cpc_where before = atomic_exchange(&set->where, CPC_ON_LWP);
	int ret = shim_cpc__bind(cpc, set, 0, inherit ? VCPC_BIND_F_INHERIT : 0);

	if (ret)
		atomic_store(&set->where, before);
	return ret;
}

/* Return 0 or an errno. */
static int prepare_to_inherit(const cpc_t *cpc, const cpc_set_t *set)
{
	if (!(shim_session__info(cpc->session)->features & VCPC_FEAT_INHERIT))
		return ENOTSUP;
	return -shim_inheritable__prepare(set->n);
}

/*
 * Return whether a set belongs to a handle.  The set must still exist.  This does not take
 * shim_cpc__lock(), which costs more than a sample.
 */
static bool is_of(const cpc_t *cpc, const cpc_set_t *set)
{
	return set && set->cpc == cpc;
}

/**
 * cpc_bind_curlwp() - count on the calling thread, starting at the presets
 * @cpc: the handle
 * @set: a set of this handle; it replaces the set that the thread had bound
 * @flags: 0, or CPC_BIND_LWP_INHERIT to also count threads that this thread starts later, and
 *	threads that they start, with separate values
 *
 * Return: 0, or -1 and errno: EINVAL (invalid flags, a set of another handle, no requests, too
 * many requests, the same picnum twice; with a subcode: CPC_REQ_INVALID_FLAGS, CPC_INVALID_EVENT,
 * CPC_INVALID_ATTRIBUTE, CPC_ATTRIBUTE_OUT_OF_RANGE, CPC_RESOURCE_UNAVAIL), EACCES
 * (CPC_ATTR_REQUIRES_PRIVILEGE: system mode requires CAP_PERFMON), ENOTSUP (CPC_BIND_LWP_INHERIT
 * without the module, or if the kernel does not report new threads; or CPC_OVF_NOTIFY_EMT for an
 * event that has no overflow interrupt), EAGAIN (the user has too many sets), EMFILE, ENOMEM.
 */
SHIM_API int cpc_bind_curlwp(cpc_t *cpc, cpc_set_t *set, uint_t flags)
{
	bool inherit = flags & CPC_BIND_LWP_INHERIT;
	int ret;

	if (!is_of(cpc, set) || flags & ~CPC_BIND_LWP_INHERIT || !set->n)
		return shim_cpc__fail(EINVAL);
	if (inherit) {
		ret = prepare_to_inherit(cpc, set);
		if (ret)
			return shim_cpc__fail(ret);
	}
	shim_cpc__settle(cpc, set);
	if (atomic_load(&set->where) == CPC_ON_CPU)
		shim_cpc__unbind_cpu(set);
	shim_lwp__detach();
	if (shim_cpc__check_requests(cpc, __func__, set))
		return -1;
	ret = bind_self(cpc, set, inherit);
	return ret ? shim_cpc__refused(cpc, __func__, set, ret) : 0;
}

static bool is_mine(cpc_set_t *set)
{
	struct shim_counters *mine = shim_lwp__bound();

	return mine && mine == atomic_load(&set->counters);
}

/**
 * cpc_unbind() - unbind a set from the calling thread, a CPU, or a process
 * @cpc: the handle
 * @set: a set of this handle; it is always unbound afterwards
 *
 * Return: 0, or -1 and errno: EINVAL (the set belongs to another handle, is not bound, or was
 * bound by cpc_bind_curlwp() to other threads), EAGAIN (the thread bound to the CPU has moved).
 */
SHIM_API int cpc_unbind(cpc_t *cpc, cpc_set_t *set)
{
	enum cpc_where where;

	if (!shim_cpc__owns(cpc, set))
		return shim_cpc__fail(EINVAL);
	shim_cpc__settle(cpc, set);
	where = atomic_exchange(&set->where, CPC_UNBOUND);
	if (where == CPC_ON_PCTX)
		return shim_cpc__unbind_pctx(cpc, set);
	if (where == CPC_ON_CPU)
		return shim_cpc__unbind_cpu(set);
	/* Do not rely on @where: the thread that bound the set may have unbound it since. */
	if (!is_mine(set))
		return shim_cpc__fail(EINVAL);
	shim_lwp__detach();
	return 0;
}

/* Return the size in bytes of a sample for this buffer. */
size_t shim_cpc__sample_size(const cpc_buf_t *buf)
{
	return sizeof(buf->sample) + buf->n * sizeof(buf->sample.values[0]);
}

static int sample_lwp(cpc_set_t *set, cpc_buf_t *buf)
{
	int ret = -EINVAL;

	if (is_mine(set))
		ret = shim_counters__sample(shim_lwp__bound(), 0, &buf->sample,
					    shim_cpc__sample_size(buf));
	return ret;
}

/* A process that was released is not controlled any more, so it can only be unbound. */
static int sample_pctx(cpc_set_t *set, cpc_buf_t *buf)
{
	bool released;

	shim_cpc__lock();
	released = !set->pctx;
	shim_cpc__unlock();
	if (released)
		return -EINVAL;
	return shim_counters__sample(atomic_load(&set->counters), set->tid, &buf->sample,
				     shim_cpc__sample_size(buf));
}

static __attribute__((noinline)) int ask(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf)
{
	/*
	 * A set that is bound to a thread need not be settled: inheritable.c forgets the parent's
	 * set at a fork.
	 */
	if (atomic_load(&set->where) != CPC_ON_LWP)
		shim_cpc__settle(cpc, set);
	switch (atomic_load(&set->where)) {
	case CPC_ON_PCTX:
		return sample_pctx(set, buf);
	case CPC_ON_CPU:
		return shim_cpc__sample_cpu(set, buf);
	default:
		return sample_lwp(set, buf);
	}
}

/**
 * cpc_set_sample() - sample the calling thread, a CPU, or a thread of a process
 * @cpc: the handle
 * @set: a set of this handle, bound to the calling thread, or by cpc_bind_cpu() or cpc_bind_pctx()
 * @buf: created for this set with its current requests; unspecified on failure
 *
 * If the set was stopped by cpc_disable() or an overflow, the values, hrtime and tick are from the
 * time when it stopped.
 *
 * Return: 0, or -1 and errno: EINVAL (the set belongs to another handle or is not bound to this
 * thread, its process was released, or the buffer belongs to another set or was created before a
 * request was added), EAGAIN (counts were lost because the counters were taken away, or the caller
 * is no longer bound to the CPU).
 */
SHIM_API int cpc_set_sample(cpc_t *cpc, cpc_set_t *set, cpc_buf_t *buf)
{
	struct shim_counters *own = shim_lwp__own;
	int ret;

	if (!is_of(cpc, set) || !buf || buf->shape != set->shape)
		return shim_cpc__fail(EINVAL);
	if (!own || atomic_load(&set->where) != CPC_ON_LWP || own != atomic_load(&set->counters)) {
		ret = ask(cpc, set, buf);
	} else if (shim_counters__read_own(own, 0, buf->sample.values, buf->n, &buf->sample.tick)) {
		buf->sample.time = shim_clock__ns();
		return 0;
	} else {
		/* Do not use the set, because a signal handler may have destroyed it. */
		ret = shim_counters__sample(own, 0, &buf->sample, shim_cpc__sample_size(buf));
	}
	return ret ? shim_cpc__fail(ret == -EBADF ? EINVAL : -ret) : 0;
}

static int turn(int (*how)(struct shim_counters *counters, pid_t tid))
{
	struct shim_counters *mine = shim_lwp__bound();
	int ret = mine ? how(mine, 0) : -EINVAL;

	return ret ? shim_cpc__fail(ret == -EBADF ? EINVAL : -ret) : 0;
}

/**
 * cpc_enable() - resume counting of the calling thread's set
 * @cpc: the handle
 *
 * Return: 0, or -1 and errno: EINVAL (no set is bound, or it is counting), EAGAIN (counts were lost
 * because the counters were taken away).
 */
SHIM_API int cpc_enable(cpc_t *cpc)
{
	return cpc ? turn(shim_counters__enable) : shim_cpc__fail(EINVAL);
}

/**
 * cpc_disable() - stop counting of the calling thread's set
 * @cpc: the handle
 *
 * Return: 0, or -1 and errno: EINVAL (no set is bound, or it is stopped), EAGAIN (counts were lost
 * because the counters were taken away).
 */
SHIM_API int cpc_disable(cpc_t *cpc)
{
	return cpc ? turn(shim_counters__disable) : shim_cpc__fail(EINVAL);
}

/**
 * cpc_set_restart() - restart the calling thread's set from its presets
 * @cpc: the handle
 * @set: a set of this handle, bound to the calling thread
 *
 * The set may be counting or stopped.  Its tick is not reset.
 *
 * Context: may be called in a handler of SIGEMT.
 * Return: 0, or -1 and errno: EINVAL (the set belongs to another handle, or is not bound to
 * this thread), EAGAIN (counts were lost because the counters were taken away).
 */
SHIM_API int cpc_set_restart(cpc_t *cpc, cpc_set_t *set)
{
	if (!is_of(cpc, set) || !is_mine(set))
		return shim_cpc__fail(EINVAL);
	return turn(shim_counters__restart);
}

/**
 * cpc_request_preset() - set the start value of a request in the calling thread's set
 * @cpc: the handle
 * @index: the request
 * @preset: the value, used from the next cpc_set_restart() on, for this thread only
 *
 * Context: may be called in a handler of SIGEMT.
 * Return: 0, or -1 and errno: EINVAL (no set is bound, or it has no such request),
 * ENOMEM.
 */
SHIM_API int cpc_request_preset(cpc_t *cpc, int index, uint64_t preset)
{
	struct shim_counters *mine = shim_lwp__bound();
	int ret = -EINVAL;

	if (cpc && mine && index >= 0)
		ret = shim_counters__preset(mine, 0, index, preset);
	return ret ? shim_cpc__fail(ret == -EBADF ? EINVAL : -ret) : 0;
}
