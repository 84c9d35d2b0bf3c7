// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A synthetic PMU on a synthetic clock, for tests of the upper layers; only a test can select it.
 *
 * Only the test advances the time, and it determines which thread has run.  The reference model of
 * multiplexed counters therefore knows the exact counts of each group, for each thread and CPU.
 *
 * Locking: one lock protects everything.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock_world.h"

#define CLOCK_SLOTS	4
#define CLOCK_REQUESTS	2048

static struct clock_world *const world = &shim_clock__world;

static int clock_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	dev->ptr = NULL;
	*info = (struct vcpc_info_args) {
		.size = sizeof(*info),
		.abi = VCPC_ABI_VERSION,
		.features = VCPC_FEAT_SETS | VCPC_FEAT_INHERIT,
		.max_requests = CLOCK_REQUESTS,
		.max_sets = 1024,
		.hw_slots = CLOCK_SLOTS,
	};
	return 0;
}

static void clock_close(union shim_backend_ref dev)
{
	(void)dev;
}

static int check_one(const struct vcpc_request *req)
{
	if (!(req->flags & (VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)))
		return -EINVAL;
	if ((clock_is_software(req) && req->config < PERF_COUNT_SW_MAX) ||
	    (req->type == PERF_TYPE_HARDWARE && req->config < PERF_COUNT_HW_MAX) ||
	    req->type == PERF_TYPE_RAW)
		return 0;
	return -ENOENT;
}

/* Return whether request @i's group number equals the previous request's, or is one higher. */
static bool is_in_order(const __u16 *group, unsigned int i)
{
	return !group || (i ? group[i] == group[i - 1] || group[i] == group[i - 1] + 1 : !group[0]);
}

static int check(const struct vcpc_request *reqs, unsigned int n, struct shim_terms terms, int *bad)
{
	bool grouped = terms.group;
	__u64 slot = terms.slot;

	*bad = -1;
	if (!n || n > CLOCK_REQUESTS || (slot && (!grouped || slot < SHIM_SLOT_MIN ||
						  slot > SHIM_SLOT_MAX)))
		return -EINVAL;
	if (terms.shuffle ? !grouped : terms.seed)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		int ret = is_in_order(terms.group, i) ? check_one(&reqs[i]) : -EINVAL;

		if (ret) {
			*bad = i;
			return ret;
		}
	}
	return 0;
}

static int clock_create(union shim_backend_ref dev, const struct vcpc_request *reqs,
			unsigned int n, unsigned int flags, struct shim_terms terms, int *bad,
			union shim_backend_ref *out)
{
	struct clock_set *set;
	int ret = check(reqs, n, terms, bad);

	(void)dev;
	if (ret)
		return ret;
	set = calloc(1, sizeof(*set) + n * (sizeof(*reqs) + sizeof(*set->group)));
	if (!set)
		return -ENOMEM;
	set->reqs = (void *)(set + 1);
	memcpy(set->reqs, reqs, n * sizeof(*reqs));
	set->group = (void *)(set->reqs + n);
	if (terms.group)
		memcpy(set->group, terms.group, n * sizeof(*set->group));
	set->n = n;
	set->flags = flags;
	set->groups = set->group[n - 1] + 1;
	set->slot = !terms.group ? NO_SLOT : terms.slot ? terms.slot : SHIM_SLOT_DEFAULT;
	set->shuffle = terms.shuffle;
	set->seed = terms.seed;
	pthread_mutex_lock(&world->lock);
	set->next = world->sets;
	world->sets = set;
	pthread_mutex_unlock(&world->lock);
	out->ptr = set;
	return 0;
}

static void clock_destroy(union shim_backend_ref ref)
{
	struct clock_set *set = ref.ptr, **at;

	pthread_mutex_lock(&world->lock);
	for (at = &world->sets; *at != set; at = &(*at)->next)
		;
	*at = set->next;
	pthread_mutex_unlock(&world->lock);
	while (set->instances) {
		struct clock_instance *inst = set->instances;

		set->instances = inst->next;
		free(inst);
	}
	free(set);
}

struct clock_instance *shim_clock__exactly(struct clock_set *set, pid_t tid, bool cpu)
{
	for (struct clock_instance *inst = set->instances; inst; inst = inst->next)
		if (inst->tid == tid && clock_is_cpu(inst) == cpu)
			return inst;
	return NULL;
}

static struct clock_instance *find(struct clock_set *set, pid_t tid, bool cpu)
{
	struct clock_instance *own;

	if (tid || cpu)
		return shim_clock__exactly(set, tid, cpu);
	own = shim_clock__exactly(set, gettid(), false);
	if (own)
		return own;
	return set->instances && !set->instances->next ? set->instances : NULL;
}

/* Add an instance at the end of the list; its groups and values are allocated with it. */
struct clock_instance *shim_clock__add(struct clock_set *set, pid_t tid, pid_t root,
				       unsigned int flags)
{
	struct clock_instance **at = &set->instances;
	struct clock_instance *inst = calloc(1, sizeof(*inst) + set->groups * sizeof(*inst->group) +
					  set->n * sizeof(*inst->values) +
					  set->groups * sizeof(*inst->order));

	if (!inst)
		return NULL;
	inst->group = (void *)(inst + 1);
	inst->values = (void *)(inst->group + set->groups);
	inst->order = (void *)(inst->values + set->n);
	inst->tid = tid;
	inst->tgid = getpid();
	inst->root = root;
	inst->flags = flags;
	inst->left = set->slot;
	inst->on = !(set->flags & VCPC_SET_F_DISABLED) && !(flags & VCPC_BIND_F_ENABLE_ON_EXEC);
	inst->stopped = world->now;
	while (*at)
		at = &(*at)->next;
	*at = inst;
	shim_clock__begin_order(set, inst, 0);
	return inst;
}

static bool is_cycles(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_HARDWARE && req->config == PERF_COUNT_HW_CPU_CYCLES;
}

/* Check that no group needs more counters than exist. */
static int room_for(const struct clock_set *set, int *bad)
{
	unsigned int hardware = 0, cycles = 0;

	for (unsigned int i = 0; i < set->n; i++) {
		if (i && set->group[i] != set->group[i - 1])
			hardware = cycles = 0;
		hardware += !clock_is_software(&set->reqs[i]);
		if (world->cycle_counter && is_cycles(&set->reqs[i]) && !cycles++)
			hardware--;
		if (hardware > CLOCK_SLOTS) {
			*bad = i;
			return -ENOSPC;
		}
	}
	return 0;
}

static int clock_bind(union shim_backend_ref ref, pid_t tid, unsigned int flags, int *bad)
{
	struct clock_set *set = ref.ptr;
	bool cpu = flags & SHIM_BIND_F_CPU;
	int ret;

	*bad = -1;
	if (!cpu && !tid)
		tid = gettid();
	pthread_mutex_lock(&world->lock);
	ret = shim_clock__exactly(set, tid, cpu) ? -EBUSY : room_for(set, bad);
	if (!ret && !shim_clock__add(set, tid, tid, flags))
		ret = -ENOMEM;
	pthread_mutex_unlock(&world->lock);
	return ret;
}

/*
 * Return whether an operation affects @inst: it affects one instance, or all instances of a bind.
 */
static bool meant(struct clock_set *set, const struct clock_instance *inst, pid_t tid,
		  unsigned int flags, unsigned int all)
{
	const struct clock_instance *one;

	if (flags & all && !tid)
		return true;
	one = find(set, tid, flags & SHIM_TARGET_F_CPU);
	return one && (flags & all ? inst->root == one->root : inst == one);
}

_Static_assert(SHIM_TARGET_F_CPU == SHIM_TARGET_F_CPU, "meant() takes both");

static int clock_unbind(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct clock_set *set = ref.ptr;
	struct clock_instance **at, *gone = NULL;
	int ret = -EINVAL;

	pthread_mutex_lock(&world->lock);
	for (at = &set->instances; *at;) {
		struct clock_instance *inst = *at;

		if (!meant(set, inst, tid, flags, SHIM_TARGET_F_ALL)) {
			at = &inst->next;
			continue;
		}
		*at = inst->next;
		inst->next = gone;
		gone = inst;
		ret = 0;
		if (!(flags & SHIM_TARGET_F_ALL))
			break;
	}
	pthread_mutex_unlock(&world->lock);
	while (gone) {
		struct clock_instance *next = gone->next;

		free(gone);
		gone = next;
	}
	return ret;
}

static int turn(struct clock_set *set, pid_t tid, unsigned int flags, bool on)
{
	int ret = -EINVAL;

	pthread_mutex_lock(&world->lock);
	for (struct clock_instance *inst = set->instances; inst; inst = inst->next) {
		if (!meant(set, inst, tid, flags, SHIM_TARGET_F_ALL))
			continue;
		if (inst->on != on || flags & SHIM_TARGET_F_ALL)
			ret = inst->invalid ? -EAGAIN : 0;
		if (inst->on && !on)
			inst->stopped = world->now;
		inst->on = on;
	}
	pthread_mutex_unlock(&world->lock);
	return ret;
}

static int clock_enable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return turn(ref.ptr, tid, flags, true);
}

static int clock_disable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return turn(ref.ptr, tid, flags, false);
}

static void add_up(const struct clock_set *set, const struct clock_instance *inst,
		   struct vcpc_sample *buf, struct shim_group_sample *groups)
{
	for (unsigned int i = 0; i < set->n; i++)
		buf->values[i] += set->reqs[i].preset + (__u64)inst->values[i];
	for (unsigned int k = 0; k < set->groups && set->slot != NO_SLOT; k++) {
		groups[k].time += inst->group[k].time;
		groups[k].tick += inst->group[k].tick;
		groups[k].voids += inst->group[k].voids;
		if (!clock_is_cpu(inst))
			groups[k].rounds += inst->group[k].rounds;
		else if (groups[k].rounds > inst->group[k].rounds)
			groups[k].rounds = inst->group[k].rounds;
	}
	buf->tick += inst->tick;
	buf->time = inst->on ? world->now : inst->stopped;
	if (inst->on)
		buf->state |= VCPC_STATE_COUNTING;
	if (inst->exited)
		buf->state |= VCPC_STATE_EXITED;
}

static int gather(struct clock_set *set, pid_t tid, unsigned int flags, struct vcpc_sample *buf)
{
	struct shim_group_sample *groups = (void *)&buf->values[set->n];
	unsigned int n = 0;

	for (struct clock_instance *inst = set->instances; inst; inst = inst->next) {
		if (!meant(set, inst, tid, flags, VCPC_SAMPLE_F_TOTAL))
			continue;
		if (inst->invalid)
			return -EAGAIN;
		if (!n++ && clock_is_cpu(inst))
			for (unsigned int k = 0; k < set->groups && set->slot != NO_SLOT; k++)
				groups[k].rounds = NO_SLOT;
		add_up(set, inst, buf, groups);
	}
	if (flags & VCPC_SAMPLE_F_TOTAL && n)
		buf->time = world->now;
	return n ? 0 : -EINVAL;
}

static int clock_sample(union shim_backend_ref ref, pid_t tid, unsigned int flags,
			struct vcpc_sample *buf, size_t size)
{
	struct clock_set *set = ref.ptr;
	size_t need = sizeof(*buf) + set->n * sizeof(buf->values[0]);
	struct vcpc_sample *own;
	int ret;

	if (set->slot != NO_SLOT)
		need += set->groups * sizeof(struct shim_group_sample);
	if (size < need)
		return -EINVAL;
	own = calloc(1, need);
	if (!own)
		return -ENOMEM;
	own->nr = set->n;
	pthread_mutex_lock(&world->lock);
	ret = gather(set, tid, flags, own);
	pthread_mutex_unlock(&world->lock);
	if (!ret)
		memcpy(buf, own, need);
	free(own);
	return ret;
}

static int clock_list(union shim_backend_ref ref, struct vcpc_instances_args *args)
{
	struct vcpc_instance_info *info = (void *)(uintptr_t)args->info;
	struct clock_set *set = ref.ptr;

	args->nr = args->folded = args->pending = args->lost = 0;
	pthread_mutex_lock(&world->lock);
	for (struct clock_instance *inst = set->instances; inst; inst = inst->next) {
		if (args->nr < args->room)
			info[args->nr] = (struct vcpc_instance_info) {
				.tid = inst->tid, .tgid = inst->tgid, .root = inst->root,
				.bind_flags = inst->flags,
				.state = (inst->on ? VCPC_STATE_COUNTING : 0) |
					 (inst->exited ? VCPC_STATE_EXITED : 0),
			};
		args->nr++;
	}
	pthread_mutex_unlock(&world->lock);
	return 0;
}

const struct shim_backend_ops shim_backend__clock = {
	.name = "clock",
	.open = clock_open,
	.close = clock_close,
	.now = shim_clock__now,
	.create = clock_create,
	.destroy = clock_destroy,
	.bind = clock_bind,
	.unbind = clock_unbind,
	.sample = clock_sample,
	.enable = clock_enable,
	.disable = clock_disable,
	.list = clock_list,
};
