// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The back end that counts through perf_event_open(2).
 *
 * A set on a target is a perf event group (perf_instance.c).  A value is the event's count plus a
 * base, which a restart changes.  On threads of this process the library multiplexes the groups of
 * a set (perf_multiplex.c); on all other targets perf does (perf_flexible.c).  Only threads of this
 * process receive overflow signals (perf_overflow.c).  Requests that perf cannot serve are
 * rejected: overflows on other targets, samples of individual inherited threads (perf reports only
 * their sum), and counts in transactions.
 *
 * Threads: one lock guards the lists of all sets.  Signals are blocked while the lock is held, and
 * fork() waits for the lock.  A thread that samples itself takes no lock (perf_sample.c).
 *
 * A set belongs to the process that created it; in a forked child, operations on it fail
 * (perf_sample.c).
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "perf_kinds.h"
#include "perf_overflow.h"
#include "perf_set.h"
#include "clock.h"

#define MOST_SETS	1024

/* Maximum number of requests in a set with groups; each group has at most SHIM_GROUP_MAX */
#define MOST_REQUESTS	2048

struct shim_siglock shim_perf__lock = SHIM_SIGLOCK_INITIALIZER(2, shim_overflow__in_child);

/**
 * shim_perf__prepare() - prepare this process for sets that perf counts
 *
 * Return: 0 or -ENOMEM.
 */
int shim_perf__prepare(void)
{
	shim_clock__find();
	return shim_fork__wait_for(&shim_perf__lock) ? -ENOMEM : 0;
}

static int perf_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	int ret = shim_group__why();

	if (ret == -EPERM || ret == -ENOSYS)
		ret = -ENODEV;
	if (!ret)
		ret = shim_perf__prepare();
	if (ret)
		return ret;
	dev->ptr = NULL;
	*info = (struct vcpc_info_args) {
		.size = sizeof(*info),
		.abi = VCPC_ABI_VERSION,
		.features = VCPC_FEAT_SETS |
			    (shim_overflow__is_possible() ? VCPC_FEAT_OVERFLOW : 0),
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

/* Check that a request belongs to the group of the request before it, or starts the next group. */
static int check_group(const struct vcpc_request *reqs, unsigned int i, const __u16 *group,
		       unsigned int *size)
{
	unsigned int last = i && group ? group[i - 1] : 0;

	if (!group)
		return 0;
	if (reqs[i].flags & VCPC_REQ_F_OVERFLOW)
		return -EINVAL;
	*size = group[i] == last ? *size + 1 : 1;
	if (group[i] != last && (!i || group[i] != last + 1))
		return -EINVAL;
	return *size > SHIM_GROUP_MAX ? -EINVAL : 0;
}

static int check_slots(unsigned int flags, struct shim_terms terms)
{
	if (flags & ~VCPC_SET_F_DISABLED)
		return -EOPNOTSUPP;
	if (terms.shuffle ? !terms.group : terms.seed)
		return -EINVAL;
	if (!terms.group)
		return terms.slot ? -EINVAL : 0;
	if (terms.slot && (terms.slot < SHIM_SLOT_MIN || terms.slot > SHIM_SLOT_MAX))
		return -EINVAL;
	return 0;
}

static int requests_check(const struct vcpc_request *reqs, unsigned int n, unsigned int flags,
			  struct shim_terms terms, int *bad)
{
	int ret = check_slots(flags, terms);
	bool overflows = false;
	unsigned int size = 0;

	*bad = -1;
	if (!ret && (!n || n > (terms.group ? MOST_REQUESTS : SHIM_GROUP_MAX)))
		ret = -EINVAL;
	for (unsigned int i = 0; i < n && !ret; i++) {
		ret = check_group(reqs, i, terms.group, &size);
		if (!ret && !(reqs[i].flags & (VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)))
			ret = -EINVAL;
		if (!ret)
			ret = shim_kinds__try(&reqs[i]);
		if (ret)
			*bad = i;
		overflows |= reqs[i].flags & VCPC_REQ_F_OVERFLOW;
	}
	if (!ret)
		ret = shim_kinds__check(reqs, n, terms.group);
	if (!ret && terms.signal && (!overflows || terms.signal >= _NSIG))
		ret = -EINVAL;
	return ret;
}

/**
 * shim_perf__make() - create a set of requests that have already been checked
 * @reqs: struct vcpc_request[@n]
 * @n: number of @reqs
 * @flags: VCPC_SET_F_*
 * @terms: groups and slots, and the signal for overflows
 *
 * Return: the set, for the operations of shim_backend__perf; NULL if out of memory.
 */
struct shim_perf_set *shim_perf__make(const struct vcpc_request *reqs, unsigned int n,
				      unsigned int flags, struct shim_terms terms)
{
	static _Atomic __u64 serials;
	size_t size = n * sizeof(*reqs), groups = terms.group ? n * sizeof(*terms.group) : 0;
	struct shim_perf_set *set = calloc(1, sizeof(*set) + size + groups);

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
	if (terms.group)
		set->slots = (struct shim_slots) {
			.group = memcpy(set->reqs + n, terms.group, groups),
			.groups = terms.group[n - 1] + 1,
			.length = terms.slot ? terms.slot : SHIM_SLOT_DEFAULT,
			.shuffle = terms.shuffle,
			.seed = terms.seed,
		};
	set->n = n;
	memcpy(set->reqs, reqs, size);
	return set;
}

static int perf_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad,
		       union shim_backend_ref *out)
{
	int ret = requests_check(reqs, n, flags, terms, bad);

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
 * Move the instances to set->gone: later calls do not find them there, but a call in progress may
 * still be reading an instance's pages.
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
	set->instances = set->latest = NULL;
	/* Threads that have bound the set may keep a reference; do not wait for them. */
	shim_perf__sweep(set);
	shim_siglock__leave(&shim_perf__lock);
}

static void perf_release(union shim_backend_ref ref)
{
	struct shim_perf_set *set = ref.ptr;
	bool here = shim_perf__is_made_here(set);

	/*
	 * The caller is a signal handler that interrupted a sample, perhaps of this set.  Leak the
	 * set, because the sample may still read it.
	 */
	if (here && shim_perf__is_reading())
		return;
	shim_siglock__enter(&shim_perf__lock);
	shim_instance__free(set->instances, here);
	shim_instance__free(set->gone, here);
	shim_siglock__leave(&shim_perf__lock);
	free(set->cgroup);
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
	.create = perf_create,
	.destroy = perf_destroy,
	.release = perf_release,
	.limit = shim_perf__limit,
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
