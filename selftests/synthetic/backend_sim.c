// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A synthetic PMU for tests of the upper layers; only a test can select it.
 *
 * It has software events and perf's generic hardware events, of which it can count SIM_SLOTS at a
 * time.  While a target is enabled, each sample advances its time by 1 ms and each event by (index
 * of the request + 1) * 1000.
 *
 * Locking: a set's lock guards its targets.  Signals are blocked while it is held, because
 * handlers also sample.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_sim.h"
#include "base/process.h"
#include "core/clock.h"

#define SIM_SLOTS	4
#define SIM_REQUESTS	16
#define SIM_TARGETS	64
#define SIM_TICK_NS	1000000
#define SIM_STEP	1000

struct target {
	pid_t tid;		/* 0 if this entry is free */
	bool on;
	__u64 steps;		/* number of samples taken while enabled */
	__u64 restarted;	/* value of steps at the last restart */
	__u64 stopped;		/* time of the stop; 0 while enabled */
	__u64 from[SIM_REQUESTS];	/* start values since the last restart */
	__u64 preset[SIM_REQUESTS];	/* start values after the next restart */
};

struct sim_set {
	struct shim_siglock lock;
	unsigned int flags;
	unsigned int n;
	unsigned int hardware;	/* number of hardware requests */
	__u64 preset[SIM_REQUESTS];
	__u64 step[SIM_REQUESTS];
	struct target targets[SIM_TARGETS];	/* protected by lock */
};

static int sim_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	dev->ptr = NULL;
	*info = (struct vcpc_info_args) {
		.size = sizeof(*info),
		.abi = VCPC_ABI_VERSION,
		.features = VCPC_FEAT_SETS | VCPC_FEAT_INHERIT,
		.max_requests = SIM_REQUESTS,
		.max_sets = 64,
		.hw_slots = SIM_SLOTS,
	};
	return 0;
}

static void sim_close(union shim_backend_ref dev)
{
	(void)dev;
}

static bool known(const struct vcpc_request *req)
{
	return (req->type == PERF_TYPE_SOFTWARE && req->config < PERF_COUNT_SW_MAX) ||
	       (req->type == PERF_TYPE_HARDWARE && req->config < PERF_COUNT_HW_MAX) ||
	       req->type == PERF_TYPE_RAW;
}

static bool is_dummy(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_SOFTWARE && req->config == PERF_COUNT_SW_DUMMY;
}

static int check(const struct vcpc_request *reqs, unsigned int n, int *bad)
{
	if (!n || n > SIM_REQUESTS)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		*bad = i;
		if (!(reqs[i].flags & (VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)))
			return -EINVAL;
		if (!known(&reqs[i]))
			return -ENOENT;
	}
	*bad = -1;
	return 0;
}

static __u64 sim_now(void)
{
	return shim_clock__ns();
}

static int sim_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		      unsigned int flags, struct shim_terms terms, int *bad,
		      union shim_backend_ref *out)
{
	struct sim_set *set;
	int ret = check(reqs, n, bad);

	(void)dev;
	if (!ret && (terms.group || terms.slot || terms.seed || terms.signal))
		ret = -EINVAL;
	if (ret)
		return ret;
	set = calloc(1, sizeof(*set));
	if (!set)
		return -ENOMEM;
	shim_siglock__init(&set->lock);
	set->flags = flags;
	set->n = n;
	for (unsigned int i = 0; i < n; i++) {
		set->preset[i] = reqs[i].preset;
		set->step[i] = is_dummy(&reqs[i]) ? 0 : (i + 1) * SIM_STEP;
		set->hardware += reqs[i].type != PERF_TYPE_SOFTWARE;
	}
	out->ptr = set;
	return 0;
}

static void sim_destroy(union shim_backend_ref ref)
{
	struct sim_set *set = ref.ptr;

	shim_siglock__fini(&set->lock);
	free(set);
}

static struct target *exactly(struct sim_set *set, pid_t tid)
{
	for (unsigned int i = 0; i < SIM_TARGETS; i++)
		if (set->targets[i].tid == tid)
			return &set->targets[i];
	return NULL;
}

static struct target *only(struct sim_set *set)
{
	struct target *found = NULL;

	for (unsigned int i = 0; i < SIM_TARGETS; i++) {
		if (!set->targets[i].tid)
			continue;
		if (found)
			return NULL;
		found = &set->targets[i];
	}
	return found;
}

static struct target *find(struct sim_set *set, pid_t tid)
{
	struct target *own;

	if (tid)
		return exactly(set, tid);
	own = exactly(set, gettid());
	return own ? own : only(set);
}

static int place(struct sim_set *set, pid_t tid, unsigned int flags)
{
	struct target *target;

	if (set->hardware > SIM_SLOTS)
		return -ENOSPC;
	if (exactly(set, tid))
		return -EBUSY;
	target = exactly(set, 0);
	if (!target)
		return -ENOSPC;
	target->tid = tid;
	target->steps = target->restarted = target->stopped = 0;
	memcpy(target->preset, set->preset, sizeof(set->preset));
	memcpy(target->from, set->preset, sizeof(set->preset));
	target->on = !(set->flags & VCPC_SET_F_DISABLED) && !(flags & VCPC_BIND_F_ENABLE_ON_EXEC);
	return 0;
}

static int sim_bind(union shim_backend_ref ref, pid_t tid, unsigned int flags, int *bad)
{
	struct sim_set *set = ref.ptr;
	int ret;

	*bad = -1;
	shim_siglock__enter(&set->lock);
	ret = place(set, tid ? tid : gettid(), flags);
	shim_siglock__leave(&set->lock);
	return ret;
}

/* Reject all flags, because only backend_clock.c implements groups, CPUs and trees. */
static int sim_unbind(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct sim_set *set = ref.ptr;
	struct target *target;

	if (flags)
		return -EINVAL;
	shim_siglock__enter(&set->lock);
	target = find(set, tid);
	if (target)
		target->tid = 0;
	shim_siglock__leave(&set->lock);
	return target ? 0 : -EINVAL;
}

static int turn(struct sim_set *set, pid_t tid, bool on)
{
	struct target *target;
	int ret = -EINVAL;

	shim_siglock__enter(&set->lock);
	target = find(set, tid);
	if (target && target->on != on) {
		target->on = on;
		target->stopped = on ? 0 : sim_now();
		ret = 0;
	}
	shim_siglock__leave(&set->lock);
	return ret;
}

static int sim_enable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return flags ? -EINVAL : turn(ref.ptr, tid, true);
}

static int sim_disable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return flags ? -EINVAL : turn(ref.ptr, tid, false);
}

static int sim_restart(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct sim_set *set = ref.ptr;
	struct target *target;

	if (flags)
		return -EINVAL;
	shim_siglock__enter(&set->lock);
	target = find(set, tid);
	if (target) {
		target->on = true;
		target->stopped = 0;
		target->restarted = target->steps;
		memcpy(target->from, target->preset, sizeof(target->from));
	}
	shim_siglock__leave(&set->lock);
	return target ? 0 : -EINVAL;
}

static int sim_preset(union shim_backend_ref ref, pid_t tid, unsigned int request, __u64 value)
{
	struct sim_set *set = ref.ptr;
	struct target *target;
	int ret = -EINVAL;

	shim_siglock__enter(&set->lock);
	target = find(set, tid);
	if (target && request < set->n) {
		target->preset[request] = value;
		ret = 0;
	}
	shim_siglock__leave(&set->lock);
	return ret;
}

static __u64 value_of(const struct sim_set *set, const struct target *target, unsigned int i)
{
	return target->from[i] + (target->steps - target->restarted) * set->step[i];
}

static void fill(const struct sim_set *set, const struct target *target, struct vcpc_sample *buf)
{
	buf->time = target->stopped ? target->stopped : sim_now();
	buf->tick = target->steps * SIM_TICK_NS;
	buf->size = sizeof(*buf);
	buf->nr = set->n;
	buf->state = target->on ? VCPC_STATE_COUNTING : 0;
	for (unsigned int i = 0; i < set->n; i++)
		buf->values[i] = value_of(set, target, i);
}

static int sample(union shim_backend_ref ref, pid_t tid, struct vcpc_sample *buf, size_t size)
{
	struct sim_set *set = ref.ptr;
	struct target *target;

	if (size < sizeof(*buf) + set->n * sizeof(buf->values[0]))
		return -EINVAL;
	shim_siglock__enter(&set->lock);
	target = find(set, tid);
	if (target) {
		target->steps += target->on;
		fill(set, target, buf);
	}
	shim_siglock__leave(&set->lock);
	return target ? 0 : -EINVAL;
}

/* Add up the targets of @tid, or all targets if it is 0. */
static void sum_up(struct sim_set *set, pid_t tid, struct vcpc_sample *buf)
{
	*buf = (struct vcpc_sample) {
		.size = sizeof(*buf), .nr = set->n, .time = shim_clock__ns(),
	};
	memset(buf->values, 0, set->n * sizeof(buf->values[0]));
	for (unsigned int i = 0; i < SIM_TARGETS; i++) {
		struct target *target = &set->targets[i];

		if (!target->tid || (tid && target->tid != tid))
			continue;
		target->steps += target->on;
		buf->tick += target->steps * SIM_TICK_NS;
		if (target->on)
			buf->state = VCPC_STATE_COUNTING;
		for (unsigned int j = 0; j < set->n; j++)
			buf->values[j] += value_of(set, target, j);
	}
}

static bool any(const struct sim_set *set, pid_t tid)
{
	for (unsigned int i = 0; i < SIM_TARGETS; i++)
		if (set->targets[i].tid && (!tid || set->targets[i].tid == tid))
			return true;
	return false;
}

static int total(union shim_backend_ref ref, pid_t tid, struct vcpc_sample *buf, size_t size)
{
	struct sim_set *set = ref.ptr;
	int ret = -EINVAL;

	if (size < sizeof(*buf) + set->n * sizeof(buf->values[0]))
		return -EINVAL;
	shim_siglock__enter(&set->lock);
	if (any(set, tid)) {
		sum_up(set, tid, buf);
		ret = 0;
	}
	shim_siglock__leave(&set->lock);
	return ret;
}

static int sim_sample(union shim_backend_ref ref, pid_t tid, unsigned int flags,
		      struct vcpc_sample *buf, size_t size)
{
	if (flags & ~VCPC_SAMPLE_F_TOTAL)
		return -EINVAL;
	return flags ? total(ref, tid, buf, size) : sample(ref, tid, buf, size);
}

static int sim_list(union shim_backend_ref ref, struct vcpc_instances_args *args)
{
	struct vcpc_instance_info *info = (void *)(uintptr_t)args->info;
	struct sim_set *set = ref.ptr;

	shim_siglock__enter(&set->lock);
	args->nr = 0;
	for (unsigned int i = 0; i < SIM_TARGETS; i++) {
		struct target *target = &set->targets[i];

		if (!target->tid)
			continue;
		if (args->nr < args->room)
			info[args->nr] = (struct vcpc_instance_info) {
				.tid = target->tid, .tgid = getpid(), .root = target->tid,
				.state = target->on ? VCPC_STATE_COUNTING : 0,
			};
		args->nr++;
	}
	shim_siglock__leave(&set->lock);
	return 0;
}

const struct shim_backend_ops shim_backend__sim = {
	.name = "sim",
	.open = sim_open,
	.close = sim_close,
	.now = sim_now,
	.create = sim_create,
	.destroy = sim_destroy,
	.bind = sim_bind,
	.unbind = sim_unbind,
	.sample = sim_sample,
	.enable = sim_enable,
	.disable = sim_disable,
	.restart = sim_restart,
	.preset = sim_preset,
	.list = sim_list,
};
