// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The back end that has the module and perf's pages: each set counts where it is served best.
 *
 * A set of hardware events that only counts goes to perf when a thread binds it to itself, because
 * the thread then samples it without a system call.  Everything else is the module's: overflows,
 * groups that take turns, other threads, processes, CPUs, what is inherited, and transactions; and
 * a set that the module has begun to count stays there.  A set may have instances of both kinds:
 * an operation on a thread goes where that thread's instance is, one on all goes to both.
 *
 * Sets that perf counts are not seen by the module, which could not stop them when a set is bound
 * to a CPU.  So this back end is used only where the module's parameter "exclusive" is N.
 *
 * The device is the module's.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_both.h"
#include "perf_set.h"
#include "sysctl.h"

/**
 * struct both - a set
 * @vcpc: the module's
 * @perf: perf's; its pointer is NULL if the module has to count it
 * @began: the module has begun to count it for this process
 */
struct both {
	union shim_backend_ref vcpc;
	union shim_backend_ref perf;
	atomic_bool began;
};

#define module_ops	shim_backend__vcpc
#define perf_ops	shim_backend__perf

/**
 * shim_both__is_worth() - whether a set can be served better by perf than by the module
 * @info: what the module offers
 */
bool shim_both__is_worth(const struct vcpc_info_args *info)
{
	struct vcpc_info_args by_perf;
	union shim_backend_ref dev;

	return info->hw_slots && shim_sysctl__number(SHIM_USER_ACCESS) > 0 &&
	       shim_vcpc__shares_pmu() && !perf_ops.open(&dev, &by_perf);
}

/**
 * shim_both__counts() - who counts a set for its threads
 * @set: of shim_backend__both
 *
 * Return: perf, if a thread has bound it to itself and perf counts it; otherwise the module.
 */
const struct shim_backend_ops *shim_both__counts(union shim_backend_ref set)
{
	const struct both *both = set.ptr;

	return shim_perf__is_bound(both->perf) ? &perf_ops : &module_ops;
}

static bool only_counts(const struct vcpc_request *reqs, unsigned int n, unsigned int flags,
			struct shim_terms terms)
{
	if (n > SHIM_GROUP_MAX || flags & ~VCPC_SET_F_DISABLED || terms.slot || terms.signal)
		return false;
	for (unsigned int i = 0; i < n; i++)
		if (reqs[i].type == PERF_TYPE_SOFTWARE || reqs[i].type == PERF_TYPE_TRACEPOINT ||
		    reqs[i].type == PERF_TYPE_BREAKPOINT || reqs[i].group ||
		    reqs[i].flags & VCPC_REQ_F_OVERFLOW)
			return false;
	return true;
}

static int both_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad,
		       union shim_backend_ref *out)
{
	struct both *both = calloc(1, sizeof(*both));
	int ret = both ? module_ops.create(dev, reqs, n, flags, terms, bad, &both->vcpc) : -ENOMEM;

	/* The module has tried the requests.  Without memory for perf's part it counts the set. */
	if (!ret && only_counts(reqs, n, flags, terms))
		both->perf.ptr = shim_perf__make(reqs, n, flags, terms);
	if (ret)
		free(both);
	else
		out->ptr = both;
	return ret;
}

static void both_destroy(union shim_backend_ref set)
{
	struct both *both = set.ptr;

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

/* Let perf count the calling thread.  @ret: what the bind returns if this returns true */
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

static int both_bind(union shim_backend_ref set, pid_t tid, unsigned int flags, int *bad)
{
	struct both *both = set.ptr;
	bool own = !tid || tid == gettid();
	int ret;

	if (both->perf.ptr && own && !(flags & ~VCPC_BIND_F_YIELD) && !both->began &&
	    bind_by_perf(both, bad, &ret))
		return ret;
	*bad = -1;
	if (!(flags & VCPC_BIND_F_CPU) &&
	    shim_perf__has(both->perf, own ? gettid() : tid, flags & VCPC_BIND_F_PROCESS))
		return -EBUSY;
	ret = module_ops.bind(both->vcpc, tid, flags, bad);
	if (!ret)
		both->began = true;
	return ret;
}

/* Where one operation goes */
struct where {
	bool perf, module;
	pid_t tid;
};

static bool module_has_none(const struct both *both)
{
	struct vcpc_instances_args args = {
		.size = sizeof(args), .info_size = sizeof(struct vcpc_instance_info),
	};

	return !module_ops.list(both->vcpc, &args) && !args.nr;
}

/*
 * A thread's number that is 0 means the caller's own instance if it has one, otherwise the set's
 * only one; with @all, all instances.
 */
static struct where find(const struct both *both, pid_t tid, unsigned int flags, bool all)
{
	pid_t self;

	if (!shim_perf__is_bound(both->perf) || flags & VCPC_TARGET_F_CPU)
		return (struct where) { .module = true, .tid = tid };
	self = tid ? tid : gettid();
	if (all && !tid)
		return (struct where) { .perf = true, .module = true };
	if (shim_perf__has(both->perf, self, false) ||
	    (!tid && shim_perf__has_one(both->perf) && module_has_none(both)))
		return (struct where) { .perf = true, .tid = tid };
	return (struct where) { .module = true, .tid = self };
}

/* Of two answers, when one of the two may have nothing to act on */
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
	struct where where = find(both, tid, flags, flags & VCPC_TARGET_F_ALL);

	if (!where.perf)
		return on_module(both->vcpc, where.tid, flags);
	if (!where.module)
		return on_perf(both->perf, where.tid, flags);
	return either(on_perf(both->perf, 0, flags), on_module(both->vcpc, 0, flags));
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
	struct where where = find(both, tid, 0, false);

	return where.perf ? perf_ops.preset(both->perf, where.tid, request, value) :
			    module_ops.preset(both->vcpc, where.tid, request, value);
}

/* The sum of the totals of both */
static int total(const struct both *both, struct vcpc_sample *buf, size_t size)
{
	union {
		struct vcpc_sample sample;
		__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + SHIM_GROUP_MAX];
	} other;
	int ret = perf_ops.sample(both->perf, 0, VCPC_SAMPLE_F_TOTAL, buf, size);
	int err = module_ops.sample(both->vcpc, 0, VCPC_SAMPLE_F_TOTAL, &other.sample,
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

	if (!both->perf.ptr)
		return module_ops.sample(both->vcpc, tid, flags, buf, size);
	where = find(both, tid, flags, flags & VCPC_SAMPLE_F_TOTAL);
	if (!where.perf)
		return module_ops.sample(both->vcpc, where.tid, flags, buf, size);
	if (!where.module)
		return perf_ops.sample(both->perf, where.tid, flags, buf, size);
	return total(both, buf, size);
}

static int both_list(union shim_backend_ref set, struct vcpc_instances_args *args)
{
	const struct both *both = set.ptr;
	struct vcpc_instances_args by_perf = *args;
	int ret;

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

	return both->perf.ptr;
}

static int both_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	return module_ops.open(dev, info);
}

static void both_close(union shim_backend_ref dev)
{
	module_ops.close(dev);
}

static __u64 both_now(void)
{
	return module_ops.now();
}

static int both_lock(union shim_backend_ref dev, int how)
{
	return module_ops.lock(dev, how);
}

const struct shim_backend_ops shim_backend__both = {
	.name = "vcpc",
	.open = both_open,
	.close = both_close,
	.now = both_now,
	.lock = both_lock,
	.create = both_create,
	.destroy = both_destroy,
	.release = both_release,
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
