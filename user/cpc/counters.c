// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Check a set's requests, create its counters in the back end at the first bind, and translate
 * errors.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "impl.h"
#include "inheritable.h"

#define KNOWN_FLAGS	(CPC_OVF_NOTIFY_EMT | CPC_COUNT_USER | CPC_COUNT_SYSTEM | CPC_COUNT_HV | \
			 CPC_COUNT_SAMPLE_MODE)

static bool same_pic(const cpc_set_t *set, uint_t i)
{
	for (uint_t j = 0; j < i; j++)
		if (set->reqs[i].picnum != CPC_ANY_PIC && set->reqs[i].picnum == set->reqs[j].picnum)
			return true;
	return false;
}

static bool notifies(const cpc_set_t *set)
{
	for (uint_t i = 0; i < set->n; i++)
		if (set->packed[i].flags & VCPC_REQ_F_OVERFLOW)
			return true;
	return false;
}

/* Check a set's requests in the same order as Solaris.  Return 0, or -1 with errno set. */
int shim_cpc__check_requests(cpc_t *cpc, const char *fn, const cpc_set_t *set)
{
	if (set->n > cpc_npic(cpc))
		return shim_cpc__fail(EINVAL);
	for (uint_t i = 0; i < set->n; i++) {
		if (same_pic(set, i))
			return shim_cpc__fail(EINVAL);
		if (set->reqs[i].flags & ~KNOWN_FLAGS)
			return shim_cpc__complain(cpc, fn, EINVAL, CPC_REQ_INVALID_FLAGS);
	}
	for (uint_t i = 0; i < set->n; i++)
		if (set->reqs[i].subcode)
			return shim_cpc__complain(cpc, fn, EINVAL, set->reqs[i].subcode);
	if (notifies(set) && !cpc_caps(cpc))
		return shim_cpc__fail(ENOTSUP);
	return 0;
}

/* Create counters for a CPU.  Do not request overflow interrupts, because they are not signaled. */
static int create_silent(cpc_t *cpc, const cpc_set_t *set, struct shim_counters **out)
{
	struct vcpc_request *reqs = malloc(set->n * sizeof(*reqs));
	int bad, ret;

	if (!reqs)
		return -ENOMEM;
	memcpy(reqs, set->packed, set->n * sizeof(*reqs));
	for (uint_t i = 0; i < set->n; i++)
		reqs[i].flags &= ~VCPC_REQ_F_OVERFLOW;
	ret = shim_counters__create(cpc->session, reqs, set->n, 0, &bad, out);
	free(reqs);
	return ret;
}

static int create(cpc_t *cpc, const cpc_set_t *set, bool silent, struct shim_counters **out)
{
	struct shim_terms terms = { .signal = notifies(set) ? SIGEMT : 0 };
	int bad;

	if (silent && terms.signal)
		return create_silent(cpc, set, out);
	return shim_counters__create_on(cpc->session, set->packed, set->n, 0, terms, &bad, out);
}

/**
 * shim_cpc__counters() - get a set's counters, which the first bind creates
 * @cpc: the handle
 * @set: a set of this handle
 * @silent: true for a CPU, which has no overflow signals
 * @out: set to the set's own reference
 *
 * Two threads may create the counters at the same time; both then use the same counters.  They must
 * not pass different values of @silent.
 *
 * Return: 0 or a negative error of VCPC_IOC_SET_CREATE.
 */
int shim_cpc__counters(cpc_t *cpc, cpc_set_t *set, bool silent, struct shim_counters **out)
{
	struct shim_counters *expected = NULL;
	int ret;

	shim_cpc__settle(cpc, set);
	if (atomic_load(&set->silent) != silent)
		shim_cpc__end_counters(set);
	*out = atomic_load(&set->counters);
	if (*out)
		return 0;
	ret = create(cpc, set, silent, out);
	if (ret)
		return ret;
	atomic_store(&set->silent, silent);
	if (!atomic_compare_exchange_strong(&set->counters, &expected, *out)) {
		shim_counters__put(*out);
		*out = expected;
	}
	return 0;
}

/**
 * shim_cpc__bind() - bind a set to a target
 * @cpc: the handle
 * @set: a set of this handle
 * @target: 0 for the calling thread, another thread, or a CPU
 * @flags: VCPC_BIND_F_*
 *
 * If the program has closed the set's descriptor since the last bind, a new one is created.
 *
 * Return: 0, or a negative error of VCPC_IOC_SET_CREATE or VCPC_IOC_BIND.
 */
int shim_cpc__bind(cpc_t *cpc, cpc_set_t *set, pid_t target, uint_t flags)
{
	bool self = !target && !(flags & SHIM_BIND_F_CPU);
	struct shim_counters *counters;
	int ret = -EBADF, bad;

	for (int tries = 0; tries < 2 && ret == -EBADF; tries++) {
		if (tries)
			shim_cpc__end_counters(set);
		ret = shim_cpc__counters(cpc, set, flags & SHIM_BIND_F_CPU, &counters);
		if (!ret && self)
			ret = shim_lwp__attach(counters);
		if (ret)
			continue;
		ret = shim_counters__bind(counters, target, flags, &bad);
		if (ret && self)
			shim_lwp__forget(counters);
	}
	if (!ret && flags & VCPC_BIND_F_INHERIT)
		shim_inheritable__add(&set->inheritable, counters);
	return ret;
}

/**
 * shim_cpc__refused() - translate the back end's error for a set into errno and subcode
 * @cpc: the handle
 * @fn: the public function's name
 * @set: the rejected set
 * @ret: negative error from the back end
 *
 * Return: -1.
 */
int shim_cpc__refused(cpc_t *cpc, const char *fn, const cpc_set_t *set, int ret)
{
	/* The events were accepted when the requests were added, so the overflow is the cause. */
	if (ret == -EOPNOTSUPP && notifies(set))
		return shim_cpc__fail(ENOTSUP);
	return shim_cpc__translate(cpc, fn, ret);
}
