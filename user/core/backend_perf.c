// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The back end that counts by perf_event_open(2), where the module is not loaded.
 *
 * A set on a target is a group of perf's (perf_instance.c).  A value is the event's count plus a
 * base, which restart changes.  Overflows (perf_overflow.c) and multiplexed groups
 * (perf_multiplex.c) are of threads of this process only.  What perf cannot do is refused: these on
 * other targets, samples of single threads that inherited (only their sum can be read), and counts
 * in transactions.
 *
 * Threads: one lock guards all sets' lists; signals are blocked while it is held, and fork() waits
 * for it.  A thread that samples itself takes no lock (perf_sample.c).
 *
 * A set belongs to the process that has made it: a forked child gets errors (perf_process.c).
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "perf_overflow.h"
#include "perf_set.h"
#include "clock.h"

#define MOST_SETS	1024

/* Requests of a set with groups, each of which has at most SHIM_GROUP_MAX; as many as the module's */
#define MOST_REQUESTS	2048

/* What needs perf's signals */
#define SIGNALED	(VCPC_FEAT_OVERFLOW | VCPC_FEAT_GROUPS | VCPC_FEAT_SHUFFLE)

struct shim_siglock shim_perf__lock = SHIM_SIGLOCK_INITIALIZER(2, shim_overflow__in_child);

static int perf_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	int ret = shim_group__why();

	if (ret == -EPERM || ret == -ENOSYS)
		ret = -ENODEV;
	if (!ret && shim_fork__wait_for(&shim_perf__lock))
		ret = -ENOMEM;
	if (ret)
		return ret;
	shim_clock__find();
	dev->ptr = NULL;
	*info = (struct vcpc_info_args) {
		.size = sizeof(*info),
		.abi = VCPC_ABI_VERSION,
		.features = VCPC_FEAT_SETS | VCPC_FEAT_CPU |
			    (shim_overflow__is_possible() ? SIGNALED : 0),
		.max_requests = SHIM_GROUP_MAX,
		.max_sets = MOST_SETS,
		.hw_slots = shim_group__slots(),
		.sample_size = sizeof(struct vcpc_sample),
	};
	return 0;
}

static void perf_close(union shim_backend_ref dev)
{
	(void)dev;
}

static __u64 perf_now(void)
{
	return shim_clock__ns();
}

/* perf shares the PMU between all its users, so there is nothing to lock. */
static int perf_lock(union shim_backend_ref dev, int how)
{
	(void)dev;
	(void)how;
	return 0;
}

/* The group of each request is that of the one before it, or the next. */
static int check_group(const struct vcpc_request *reqs, unsigned int i, bool groups,
		       unsigned int *size)
{
	unsigned int last = i ? reqs[i - 1].group : 0;

	if (!groups)
		return reqs[i].group ? -EINVAL : 0;
	if (reqs[i].flags & VCPC_REQ_F_OVERFLOW)
		return -EINVAL;
	*size = reqs[i].group == last ? *size + 1 : 1;
	if (reqs[i].group != last && (!i || reqs[i].group != last + 1))
		return -EINVAL;
	return *size > SHIM_GROUP_MAX ? -EINVAL : 0;
}

static int check_slots(unsigned int flags, struct shim_terms terms)
{
	if (flags & ~(VCPC_SET_F_DISABLED | VCPC_SET_F_GROUPS | VCPC_SET_F_SHUFFLE))
		return -EOPNOTSUPP;
	if (flags & VCPC_SET_F_SHUFFLE ? !(flags & VCPC_SET_F_GROUPS) : terms.seed)
		return -EINVAL;
	if (!(flags & VCPC_SET_F_GROUPS))
		return terms.slot ? -EINVAL : 0;
	if (!shim_overflow__is_possible())
		return -EOPNOTSUPP;
	return terms.slot && (terms.slot < VCPC_SLOT_MIN || terms.slot > VCPC_SLOT_MAX) ? -EINVAL : 0;
}

static int check(const struct vcpc_request *reqs, unsigned int n, unsigned int flags,
		 struct shim_terms terms, int *bad)
{
	bool groups = flags & VCPC_SET_F_GROUPS, overflows = false;
	unsigned int size = 0;
	int ret = check_slots(flags, terms);

	*bad = -1;
	if (!ret && (!n || n > (groups ? MOST_REQUESTS : SHIM_GROUP_MAX)))
		ret = -EINVAL;
	for (unsigned int i = 0; i < n && !ret; i++) {
		ret = check_group(reqs, i, groups, &size);
		if (!ret && !(reqs[i].flags & (VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)))
			ret = -EINVAL;
		if (!ret)
			ret = shim_group__try(&reqs[i]);
		if (ret)
			*bad = i;
		overflows |= reqs[i].flags & VCPC_REQ_F_OVERFLOW;
	}
	if (!ret && terms.signal && (!overflows || terms.signal >= _NSIG))
		ret = -EINVAL;
	return ret;
}

/**
 * shim_perf__make() - make a set of requests that are known to be accepted
 * @reqs: struct vcpc_request[@n]
 * @n: how many
 * @flags: VCPC_SET_F_*
 * @terms: slots, and the signal that is sent at overflows
 *
 * Return: for the operations of shim_backend__perf; NULL if there is no memory.
 */
struct shim_perf_set *shim_perf__make(const struct vcpc_request *reqs, unsigned int n,
				      unsigned int flags, struct shim_terms terms)
{
	static _Atomic __u64 serials;
	struct shim_perf_set *set = calloc(1, sizeof(*set) + n * sizeof(*reqs));

	if (!set)
		return NULL;
	set->process = shim_perf__process();
	if (!set->process) {
		free(set);
		return NULL;
	}
	set->maker = *set->process;
	set->serial = ++serials;
	set->flags = flags;
	set->signal = terms.signal;
	if (flags & VCPC_SET_F_GROUPS)
		set->slots = (struct shim_slots) {
			.groups = reqs[n - 1].group + 1,
			.length = terms.slot ? terms.slot : VCPC_SLOT_DEFAULT,
			.shuffle = flags & VCPC_SET_F_SHUFFLE,
			.seed = terms.seed,
		};
	set->n = n;
	memcpy(set->reqs, reqs, n * sizeof(*reqs));
	return set;
}

static int perf_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad,
		       union shim_backend_ref *out)
{
	int ret = check(reqs, n, flags, terms, bad);

	(void)dev;
	if (ret)
		return ret;
	out->ptr = shim_perf__make(reqs, n, flags, terms);
	return out->ptr ? 0 : -ENOMEM;
}

static void stop_all(struct shim_perf_set *set)
{
	for (struct shim_instance *inst = set->instances; inst; inst = inst->next)
		shim_instance__halt(inst);
}

/*
 * Instances are moved to the list of those that are gone: a call that is under way finds no more
 * instances from now on, but may be reading the pages of one that it has found.
 */
static void perf_destroy(union shim_backend_ref ref)
{
	struct shim_perf_set *set = ref.ptr;
	struct shim_instance **end = &set->gone;

	if (!shim_perf__is_made_here(set))
		return;
	shim_siglock__enter(&shim_perf__lock);
	stop_all(set);
	while (*end)
		end = &(*end)->next;
	*end = set->instances;
	set->instances = NULL;
	/* Threads that have it bound may keep a reference until they end: do not wait for them. */
	shim_perf__sweep(set);
	shim_siglock__leave(&shim_perf__lock);
}

static void perf_release(union shim_backend_ref ref)
{
	struct shim_perf_set *set = ref.ptr;
	bool here = shim_perf__is_made_here(set);

	/*
	 * The caller is a signal handler that has interrupted a sample, perhaps of this set: leak
	 * the set rather than free what that sample is reading.
	 */
	if (here && shim_perf__is_reading())
		return;
	shim_siglock__enter(&shim_perf__lock);
	shim_instance__free(set->instances, here);
	shim_instance__free(set->gone, here);
	shim_siglock__leave(&shim_perf__lock);
	free(set);
}

static const struct shim_perf_set *perf_own(union shim_backend_ref set)
{
	return set.ptr;
}

const struct shim_backend_ops shim_backend__perf = {
	.name = "perf",
	.open = perf_open,
	.close = perf_close,
	.now = perf_now,
	.lock = perf_lock,
	.create = perf_create,
	.destroy = perf_destroy,
	.release = perf_release,
	.bind = shim_perf__bind,
	.unbind = shim_perf__unbind,
	.sample = shim_perf__sample,
	.enable = shim_perf__enable,
	.disable = shim_perf__disable,
	.restart = shim_perf__restart,
	.preset = shim_perf__preset,
	.list = shim_perf__list,
	.own = perf_own,
};
