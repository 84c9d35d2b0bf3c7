// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The back end for machines with the module: it chooses the better back end for each set.
 *
 * The module counts the calling thread and threads that inherit from it.  perf counts everything
 * else: other threads, existing processes, CPUs and multiplexed groups.  perf also counts a set of
 * hardware events that a thread binds to itself, if the set needs no overflows and the thread can
 * read perf's mmap pages, because the thread can then sample itself without a system call.  On
 * machines with several kinds of core, perf counts all sets with hardware events, using an event
 * for each kind (perf_kinds.c).
 *
 * A set may have instances in both back ends.  Operations on a thread are passed to the back end
 * that has the thread's instance; operations on all instances are passed to both.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_both.h"
#include "perf_kinds.h"
#include "perf_set.h"
#include "pmus.h"
#include "session.h"

/**
 * struct both - a set
 * @vcpc: the module's part, if @by_module
 * @perf: perf's part; its pointer is NULL if perf cannot count the set
 * @by_module: the module may count the set
 * @by_pages: prefer perf for a thread that can read its own counters through perf's mmap pages
 * @began: the module has started to count the set for this process
 */
struct both {
	union shim_backend_ref vcpc;
	union shim_backend_ref perf;
	bool by_module, by_pages;
	atomic_bool began;
};

#define module_ops	shim_backend__vcpc
#define perf_ops	shim_backend__perf

/**
 * shim_both__counts() - find the back end that counts a set for its threads
 * @set: of shim_backend__both
 *
 * Return: perf if it has bound the set or the module cannot count it, otherwise the module.
 */
const struct shim_backend_ops *shim_both__counts(union shim_backend_ref set)
{
	const struct both *both = set.ptr;

	return !both->by_module || shim_perf__is_bound(both->perf) ? &perf_ops : &module_ops;
}

/*
 * Return whether a set has only hardware events and needs no overflows.  Software events have no
 * hardware counter, so they cannot be read through perf's pages.
 */
static bool only_counts(const struct vcpc_request *reqs, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (reqs[i].type == PERF_TYPE_SOFTWARE || reqs[i].type == PERF_TYPE_TRACEPOINT ||
		    reqs[i].type == PERF_TYPE_BREAKPOINT || reqs[i].flags & VCPC_REQ_F_OVERFLOW)
			return false;
	return true;
}

/*
 * Return whether perf may count a set that the module has rejected with @ret: the module rejects
 * events that count only on CPUs, and sets that are too large.
 */
static bool may_be_perfs(int ret)
{
	return ret == -EINVAL || ret == -ENOENT || ret == -EOPNOTSUPP;
}

static int halves_create(struct both *both, union shim_backend_ref dev,
			 const struct vcpc_request *reqs, unsigned int n, unsigned int flags, struct shim_terms terms, int *bad)
{
	int by_perf, ret;

	if (terms.group || terms.remote || shim_kinds__are_needed(reqs, n))
		return perf_ops.create(dev, reqs, n, flags, terms, bad, &both->perf);
	ret = module_ops.create(dev, reqs, n, flags, terms, bad, &both->vcpc);
	if (may_be_perfs(ret))
		return perf_ops.create(dev, reqs, n, flags, terms, &by_perf, &both->perf) ? ret : 0;
	if (ret)
		return ret;
	both->by_module = true;
	both->by_pages = only_counts(reqs, n) && shim_sysctl__number(SHIM_USER_ACCESS) > 0;
	/*
	 * The module accepted the requests.  If memory for perf's part cannot be allocated, the
	 * module counts all targets.
	 */
	if (n <= SHIM_GROUP_MAX)
		both->perf.ptr = shim_perf__make(reqs, n, flags, terms);
	return 0;
}

static int both_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad,
		       union shim_backend_ref *out)
{
	struct both *both = calloc(1, sizeof(*both));
	int ret = both ? halves_create(both, dev, reqs, n, flags, terms, bad) : -ENOMEM;

	if (ret)
		free(both);
	else
		out->ptr = both;
	return ret;
}

static void both_destroy(union shim_backend_ref set)
{
	struct both *both = set.ptr;

	if (both->by_module)
		module_ops.destroy(both->vcpc);
	if (both->perf.ptr)
		perf_ops.destroy(both->perf);
}

static void both_release(union shim_backend_ref set)
{
	struct both *both = set.ptr;

	if (both->perf.ptr)
		perf_ops.release(both->perf);
	free(both);
}

/*
 * Try to make perf count the calling thread.  If this returns true, @ret is the result of the bind.
 */
static bool bind_by_perf(struct both *both, int *bad, int *ret)
{
	*ret = perf_ops.bind(both->perf, 0, 0, bad);
	if (*ret)
		return *ret == -EBUSY;
	if (shim_perf__reads_itself(both->perf))
		return true;
	perf_ops.unbind(both->perf, gettid(), 0);
	return false;
}

static bool module_has_none(const struct both *both)
{
	struct vcpc_instances_args args = {
		.size = sizeof(args), .info_size = sizeof(struct vcpc_instance_info),
	};

	return !module_ops.list(both->vcpc, &args) && !args.nr;
}

/*
 * Check whether the module has a live instance of the thread or its process.  Return 1, 0 or an
 * error.
 */
static int module_has(const struct both *both, pid_t tid, bool process)
{
	struct vcpc_instances_args args = {
		.size = sizeof(args), .info_size = sizeof(struct vcpc_instance_info),
	};
	struct vcpc_instance_info *info;
	int ret = module_ops.list(both->vcpc, &args), has = 0;

	if (ret || !args.nr)
		return ret;
	info = calloc(args.nr, sizeof(*info));
	if (!info)
		return -ENOMEM;
	args.info = (uintptr_t)info;
	args.room = args.nr;
	ret = module_ops.list(both->vcpc, &args);
	for (unsigned int i = 0; i < args.room && i < args.nr && !ret; i++)
		if (!(info[i].state & VCPC_STATE_EXITED))
			has |= info[i].tid == tid || (process && info[i].tgid == tid);
	free(info);
	return ret ? ret : has;
}

static int bind_by_module(struct both *both, unsigned int flags, int *bad)
{
	int ret = module_ops.bind(both->vcpc, 0, flags, bad);

	if (!ret)
		both->began = true;
	return ret;
}

static int both_limit(union shim_backend_ref set, const char *cgroup)
{
	struct both *both = set.ptr;

	return both->perf.ptr ? perf_ops.limit(both->perf, cgroup) : -EOPNOTSUPP;
}

static int both_bind(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad)
{
	bool thread = !(flags & SHIM_BIND_F_CPU);
	bool own = thread && (!tid || tid == gettid()) && !(flags & SHIM_BIND_F_PROCESS);
	struct both *both = set.ptr;
	int has = 0, ret;

	*bad = -1;
	/* Never count a thread in both back ends: a total would include it twice. */
	if (thread && both->began)
		has = module_has(both, tid ? tid : gettid(), flags & SHIM_BIND_F_PROCESS);
	if (has)
		return has < 0 ? has : -EBUSY;
	if (own && both->by_module && shim_perf__has(both->perf, gettid(), false))
		return -EBUSY;
	if (own && both->by_module && !flags && both->by_pages && both->perf.ptr &&
	    bind_by_perf(both, bad, &ret))
		return ret;
	*bad = -1;
	if (own && both->by_module)
		return bind_by_module(both, flags, bad);
	return both->perf.ptr ? perf_ops.bind(both->perf, tid, flags, bad) : -EINVAL;
}

/* The back ends to which an operation is passed */
struct where {
	bool perf, module;
	pid_t tid;
};

/*
 * A tid of 0 means the caller's own instance if it has one, otherwise the set's only instance.
 * With @all, 0 means all instances.
 */
static struct where both_find(const struct both *both, pid_t tid, unsigned int flags, bool all)
{
	pid_t self;

	if (!both->by_module || flags & SHIM_TARGET_F_CPU)
		return (struct where) { .perf = true, .tid = tid };
	if (!shim_perf__is_bound(both->perf))
		return (struct where) { .module = true, .tid = tid };
	/* gettid() is a system call, which most samples avoid by returning above. */
	self = tid ? tid : gettid();
	if (all)
		return (struct where) { .perf = true, .module = true, .tid = tid };
	if (shim_perf__has(both->perf, self, false) ||
	    (!tid && shim_perf__has_one(both->perf) && module_has_none(both)))
		return (struct where) { .perf = true, .tid = tid };
	return (struct where) { .module = true, .tid = self };
}

/* Combine the results of both back ends, one of which may have no instance to act on. */
static int either(int one, int other)
{
	if (one == -EINVAL)
		return other;
	return one ? one : other == -EINVAL ? 0 : other;
}

typedef int target_fn(union shim_backend_ref set, pid_t tid, unsigned int flags);

static int act(const struct both *both, pid_t tid, unsigned int flags, target_fn *on_perf,
	       target_fn *on_module)
{
	struct where where = both_find(both, tid, flags, flags & SHIM_TARGET_F_ALL);

	if (!where.perf)
		return on_module(both->vcpc, where.tid, flags);
	if (!where.module)
		return both->perf.ptr ? on_perf(both->perf, where.tid, flags) : -EINVAL;
	return either(on_perf(both->perf, tid, flags), on_module(both->vcpc, tid, flags));
}

static int both_unbind(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return act(set.ptr, tid, flags, perf_ops.unbind, module_ops.unbind);
}

static int both_enable(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return act(set.ptr, tid, flags, perf_ops.enable, module_ops.enable);
}

static int both_disable(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return act(set.ptr, tid, flags, perf_ops.disable, module_ops.disable);
}

static int both_restart(union shim_backend_ref set, pid_t tid, unsigned int flags)
{
	return act(set.ptr, tid, flags, perf_ops.restart, module_ops.restart);
}

static int both_preset(union shim_backend_ref set, pid_t tid, unsigned int request, __u64 value)
{
	struct both *both = set.ptr;
	struct where where = both_find(both, tid, 0, false);

	return where.perf ? perf_ops.preset(both->perf, where.tid, request, value) :
			    module_ops.preset(both->vcpc, where.tid, request, value);
}

/* Add up the totals of both back ends. */
static int total(const struct both *both, pid_t tid, struct vcpc_sample *buf, size_t size)
{
	union {
		struct vcpc_sample sample;
		__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + SHIM_GROUP_MAX];
	} other;
	int ret = perf_ops.sample(both->perf, tid, VCPC_SAMPLE_F_TOTAL, buf, size);
	int err = module_ops.sample(both->vcpc, tid, VCPC_SAMPLE_F_TOTAL, &other.sample,
				    size < sizeof(other) ? size : sizeof(other));

	if (!ret && !err) {
		for (unsigned int i = 0; i < buf->nr; i++)
			buf->values[i] += other.sample.values[i];
		buf->tick += other.sample.tick;
		buf->state |= other.sample.state & VCPC_STATE_COUNTING;
		buf->state &= other.sample.state | ~(__u32)VCPC_STATE_EXITED;
	} else if (ret == -EINVAL && !err) {
		memcpy(buf, &other, sizeof(*buf) + other.sample.nr * sizeof(buf->values[0]));
	}
	return either(ret, err);
}

static int both_sample(union shim_backend_ref set, pid_t tid, unsigned int flags,
		       struct vcpc_sample *buf, size_t size)
{
	const struct both *both = set.ptr;
	struct where where;

	if (!both->perf.ptr && !(flags & SHIM_TARGET_F_CPU))
		return module_ops.sample(both->vcpc, tid, flags, buf, size);
	where = both_find(both, tid, flags, flags & VCPC_SAMPLE_F_TOTAL);
	if (!where.perf)
		return module_ops.sample(both->vcpc, where.tid, flags, buf, size);
	if (!where.module)
		return both->perf.ptr ? perf_ops.sample(both->perf, where.tid, flags, buf, size) :
					-EINVAL;
	return total(both, tid, buf, size);
}

static int both_list(union shim_backend_ref set, struct vcpc_instances_args *args)
{
	const struct both *both = set.ptr;
	struct vcpc_instances_args by_perf = *args;
	int ret;

	if (!both->by_module)
		return perf_ops.list(both->perf, args);
	if (!shim_perf__is_bound(both->perf))
		return module_ops.list(both->vcpc, args);
	ret = perf_ops.list(both->perf, &by_perf);
	if (ret)
		return ret;
	args->room = by_perf.nr < args->room ? args->room - by_perf.nr : 0;
	args->info += (args->room ? by_perf.nr : 0) * sizeof(struct vcpc_instance_info);
	ret = module_ops.list(both->vcpc, args);
	args->nr += by_perf.nr;
	return ret;
}

static const struct shim_perf_set *both_own(union shim_backend_ref set)
{
	const struct both *both = set.ptr;

	return both->by_pages || !both->by_module ? both->perf.ptr : NULL;
}

static int both_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	int ret = module_ops.open(dev, info);

	if (ret)
		return ret;
	ret = shim_perf__prepare();
	if (ret) {
		module_ops.close(*dev);
		return ret;
	}
	/* The module examined only the PMU of the CPU that loaded it. */
	if (shim_pmus__several()) {
		info->hw_slots = shim_group__slots();
		info->max_requests = SHIM_GROUP_MAX;
	}
	return 0;
}

static void both_close(union shim_backend_ref dev)
{
	module_ops.close(dev);
}

static __u64 both_now(void)
{
	return module_ops.now();
}

const struct shim_backend_ops shim_backend__both = {
	.name = "vcpc",
	.open = both_open,
	.close = both_close,
	.now = both_now,
	.create = both_create,
	.destroy = both_destroy,
	.release = both_release,
	.limit = both_limit,
	.bind = both_bind,
	.unbind = both_unbind,
	.sample = both_sample,
	.enable = both_enable,
	.disable = both_disable,
	.restart = both_restart,
	.preset = both_preset,
	.list = both_list,
	.own = both_own,
};
