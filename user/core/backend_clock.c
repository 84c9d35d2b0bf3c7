// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A synthetic PMU on a synthetic clock, for tests of what stands above it;
 * nothing but a test can pick it.
 *
 * Time passes only when the test says so, and the test says who ran meanwhile.
 * So it is known to the nanosecond what each group of each thread and CPU has
 * to have counted, by the reference model of counters that take turns.
 *
 * Locking: one lock guards everything.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_clock.h"

#define CLOCK_SLOTS	4
#define CLOCK_REQUESTS	2048
#define NO_SLOT		(~0ULL)

struct instance {
	struct instance *next;
	pid_t tid, tgid, root;
	unsigned int flags;		/* of the bind */
	bool on, exited, invalid;
	unsigned int first, cur;
	__u64 left, tick;
	__u64 random;			/* 0: nothing is shuffled */
	unsigned int place;
	unsigned int *order;		/* behind the values */
	__u64 stopped;
	struct vcpc_group_sample *group;
	double *values;			/* behind the groups */
};

struct clock_set {
	struct clock_set *next;
	unsigned int flags, n, groups;
	__u64 slot;
	__u32 seed;
	struct vcpc_request *reqs;
	struct instance *instances;	/* oldest first */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct clock_set *sets;
	shim_clock_rate *rate;
	__u64 now, gap;
	bool stolen;
} world = { .now = 1000000000 };

static double usual_rate(const struct vcpc_request *req, __u64 from, __u64 to)
{
	return (req->config + 1) * (double)(to - from) / 1000;
}

static bool is_software(const struct vcpc_request *req)
{
	return req->type == PERF_TYPE_SOFTWARE;
}

static bool is_dummy(const struct vcpc_request *req)
{
	return is_software(req) && req->config == PERF_COUNT_SW_DUMMY;
}

static int clock_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	dev->ptr = NULL;
	*info = (struct vcpc_info_args) {
		.size = sizeof(*info),
		.abi = VCPC_ABI_VERSION,
		.features = VCPC_FEAT_SETS | VCPC_FEAT_INHERIT | VCPC_FEAT_CPU |
			    VCPC_FEAT_GROUPS | VCPC_FEAT_PROCESS,
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

static int clock_lock(union shim_backend_ref dev, int how)
{
	(void)dev;
	(void)how;
	return 0;
}

static int check_one(const struct vcpc_request *req, unsigned int last, bool grouped)
{
	if (!(req->flags & (VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)))
		return -EINVAL;
	if (grouped ? req->group != last && req->group != last + 1 : req->group)
		return -EINVAL;
	if ((is_software(req) && req->config < PERF_COUNT_SW_MAX) ||
	    (req->type == PERF_TYPE_HARDWARE && req->config < PERF_COUNT_HW_MAX) ||
	    req->type == PERF_TYPE_RAW)
		return 0;
	return -ENOENT;
}

static int check(const struct vcpc_request *reqs, unsigned int n, unsigned int flags,
		 struct shim_turns turns, int *bad)
{
	bool grouped = flags & VCPC_SET_F_GROUPS;
	__u64 slot = turns.slot;

	*bad = -1;
	if (!n || n > CLOCK_REQUESTS || (slot && (!grouped || slot < VCPC_SLOT_MIN ||
						  slot > VCPC_SLOT_MAX)))
		return -EINVAL;
	if (flags & VCPC_SET_F_SHUFFLE ? !grouped : turns.seed)
		return -EINVAL;
	for (unsigned int i = 0; i < n; i++) {
		unsigned int last = i ? reqs[i - 1].group : 0;
		int ret = !i && reqs[0].group ? -EINVAL : check_one(&reqs[i], last, grouped);

		if (ret) {
			*bad = i;
			return ret;
		}
	}
	return 0;
}

static int clock_create(union shim_backend_ref dev, const struct vcpc_request *reqs,
			unsigned int n, unsigned int flags, struct shim_turns turns, int *bad,
			union shim_backend_ref *out)
{
	struct clock_set *set;
	int ret = check(reqs, n, flags, turns, bad);

	(void)dev;
	if (ret)
		return ret;
	set = calloc(1, sizeof(*set) + n * sizeof(*reqs));
	if (!set)
		return -ENOMEM;
	set->reqs = (void *)(set + 1);
	memcpy(set->reqs, reqs, n * sizeof(*reqs));
	set->n = n;
	set->flags = flags;
	set->groups = reqs[n - 1].group + 1;
	set->slot = !(flags & VCPC_SET_F_GROUPS) ? NO_SLOT :
		    turns.slot ? turns.slot : VCPC_SLOT_DEFAULT;
	set->seed = turns.seed;
	pthread_mutex_lock(&lock);
	set->next = world.sets;
	world.sets = set;
	pthread_mutex_unlock(&lock);
	out->ptr = set;
	return 0;
}

static void clock_destroy(union shim_backend_ref ref)
{
	struct clock_set *set = ref.ptr, **at;

	pthread_mutex_lock(&lock);
	for (at = &world.sets; *at != set; at = &(*at)->next)
		;
	*at = set->next;
	pthread_mutex_unlock(&lock);
	while (set->instances) {
		struct instance *inst = set->instances;

		set->instances = inst->next;
		free(inst);
	}
	free(set);
}

static bool is_cpu(const struct instance *inst)
{
	return inst->flags & VCPC_BIND_F_CPU;
}

static struct instance *exactly(struct clock_set *set, pid_t tid, bool cpu)
{
	for (struct instance *inst = set->instances; inst; inst = inst->next)
		if (inst->tid == tid && is_cpu(inst) == cpu)
			return inst;
	return NULL;
}

static struct instance *find(struct clock_set *set, pid_t tid, bool cpu)
{
	struct instance *own;

	if (tid || cpu)
		return exactly(set, tid, cpu);
	own = exactly(set, gettid(), false);
	if (own)
		return own;
	return set->instances && !set->instances->next ? set->instances : NULL;
}

/* Who begins, and with VCPC_SET_F_SHUFFLE what is drawn from */
static void begin_order(const struct clock_set *set, struct instance *inst, unsigned int first)
{
	inst->first = inst->cur = first;
	inst->place = 0;
	for (unsigned int k = 0; k < set->groups; k++)
		inst->order[k] = (first + k) % set->groups;
	if (set->flags & VCPC_SET_F_SHUFFLE)
		inst->random = (set->seed + first + 1) * 0x9e3779b97f4a7c15ull | 1;
}

static __u64 draw(struct instance *inst)
{
	inst->random ^= inst->random << 13;
	inst->random ^= inst->random >> 7;
	inst->random ^= inst->random << 17;
	return inst->random >> 32;
}

static void draw_order(const struct clock_set *set, struct instance *inst)
{
	for (unsigned int i = set->groups - 1; i > 0; i--) {
		unsigned int j = draw(inst) % (i + 1), k = inst->order[i];

		inst->order[i] = inst->order[j];
		inst->order[j] = k;
	}
}

/* A new instance at the end of the list, with its groups and values behind it */
static struct instance *add(struct clock_set *set, pid_t tid, pid_t root, unsigned int flags)
{
	struct instance **at = &set->instances;
	struct instance *inst = calloc(1, sizeof(*inst) + set->groups * sizeof(*inst->group) +
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
	inst->stopped = world.now;
	while (*at)
		at = &(*at)->next;
	*at = inst;
	begin_order(set, inst, 0);
	return inst;
}

/* No group of it may need more counters than there are. */
static int room_for(const struct clock_set *set, int *bad)
{
	unsigned int hardware = 0;

	for (unsigned int i = 0; i < set->n; i++) {
		if (i && set->reqs[i].group != set->reqs[i - 1].group)
			hardware = 0;
		hardware += !is_software(&set->reqs[i]);
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
	bool cpu = flags & VCPC_BIND_F_CPU;
	int ret;

	*bad = -1;
	if (!cpu && !tid)
		tid = gettid();
	pthread_mutex_lock(&lock);
	ret = exactly(set, tid, cpu) ? -EBUSY : room_for(set, bad);
	if (!ret && !add(set, tid, tid, flags))
		ret = -ENOMEM;
	pthread_mutex_unlock(&lock);
	return ret;
}

/* Whether an operation is about an instance: one, or all that a bind began */
static bool meant(struct clock_set *set, const struct instance *inst, pid_t tid, unsigned int flags,
		  unsigned int all)
{
	const struct instance *one;

	if (flags & all && !tid)
		return true;
	one = find(set, tid, flags & VCPC_TARGET_F_CPU);
	return one && (flags & all ? inst->root == one->root : inst == one);
}

_Static_assert(VCPC_TARGET_F_CPU == VCPC_SAMPLE_F_CPU, "meant() takes both");

static int clock_unbind(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct clock_set *set = ref.ptr;
	struct instance **at, *gone = NULL;
	int ret = -EINVAL;

	pthread_mutex_lock(&lock);
	for (at = &set->instances; *at;) {
		struct instance *inst = *at;

		if (!meant(set, inst, tid, flags, VCPC_TARGET_F_ALL)) {
			at = &inst->next;
			continue;
		}
		*at = inst->next;
		inst->next = gone;
		gone = inst;
		ret = 0;
		if (!(flags & VCPC_TARGET_F_ALL))
			break;
	}
	pthread_mutex_unlock(&lock);
	while (gone) {
		struct instance *next = gone->next;

		free(gone);
		gone = next;
	}
	return ret;
}

static int turn(struct clock_set *set, pid_t tid, unsigned int flags, bool on)
{
	int ret = -EINVAL;

	pthread_mutex_lock(&lock);
	for (struct instance *inst = set->instances; inst; inst = inst->next) {
		if (!meant(set, inst, tid, flags, VCPC_TARGET_F_ALL))
			continue;
		if (inst->on != on || flags & VCPC_TARGET_F_ALL)
			ret = inst->invalid ? -EAGAIN : 0;
		if (inst->on && !on)
			inst->stopped = world.now;
		inst->on = on;
	}
	pthread_mutex_unlock(&lock);
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

static void add_up(const struct clock_set *set, const struct instance *inst,
		   struct vcpc_sample *buf, struct vcpc_group_sample *groups)
{
	for (unsigned int i = 0; i < set->n; i++)
		buf->values[i] += set->reqs[i].preset + (__u64)inst->values[i];
	for (unsigned int k = 0; k < set->groups && set->slot != NO_SLOT; k++) {
		groups[k].time += inst->group[k].time;
		groups[k].tick += inst->group[k].tick;
		groups[k].voids += inst->group[k].voids;
		if (!is_cpu(inst))
			groups[k].rounds += inst->group[k].rounds;
		else if (groups[k].rounds > inst->group[k].rounds)
			groups[k].rounds = inst->group[k].rounds;
	}
	buf->tick += inst->tick;
	buf->enabled = buf->running = buf->tick;
	buf->time = inst->on ? world.now : inst->stopped;
	if (inst->on)
		buf->state |= VCPC_STATE_COUNTING;
	if (inst->exited)
		buf->state |= VCPC_STATE_EXITED;
}

static int gather(struct clock_set *set, pid_t tid, unsigned int flags, struct vcpc_sample *buf)
{
	struct vcpc_group_sample *groups = (void *)&buf->values[set->n];
	unsigned int n = 0;

	for (struct instance *inst = set->instances; inst; inst = inst->next) {
		if (!meant(set, inst, tid, flags, VCPC_SAMPLE_F_TOTAL))
			continue;
		if (inst->invalid)
			return -EAGAIN;
		if (!n++ && is_cpu(inst))
			for (unsigned int k = 0; k < set->groups && set->slot != NO_SLOT; k++)
				groups[k].rounds = NO_SLOT;
		add_up(set, inst, buf, groups);
	}
	if (flags & VCPC_SAMPLE_F_TOTAL && n)
		buf->time = world.now;
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
		need += set->groups * sizeof(struct vcpc_group_sample);
	if (size < need)
		return -EINVAL;
	own = calloc(1, need);
	if (!own)
		return -ENOMEM;
	own->nr = set->n;
	pthread_mutex_lock(&lock);
	ret = gather(set, tid, flags, own);
	pthread_mutex_unlock(&lock);
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
	pthread_mutex_lock(&lock);
	for (struct instance *inst = set->instances; inst; inst = inst->next) {
		if (args->nr < args->room)
			info[args->nr] = (struct vcpc_instance_info) {
				.tid = inst->tid, .tgid = inst->tgid, .root = inst->root,
				.bind_flags = inst->flags,
				.state = (inst->on ? VCPC_STATE_COUNTING : 0) |
					 (inst->exited ? VCPC_STATE_EXITED : 0),
			};
		args->nr++;
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

static void count(const struct clock_set *set, struct instance *inst, __u64 from, __u64 to)
{
	for (unsigned int i = 0; i < set->n; i++)
		if (set->reqs[i].group == inst->cur && !is_dummy(&set->reqs[i]))
			inst->values[i] += world.rate ? world.rate(&set->reqs[i], from, to) :
						       usual_rate(&set->reqs[i], from, to);
}

static void next_turn(const struct clock_set *set, struct instance *inst)
{
	if (++inst->place == set->groups) {
		inst->place = 0;
		for (unsigned int k = 0; k < set->groups; k++)
			inst->group[k].rounds++;
		if (inst->random)
			draw_order(set, inst);
	}
	inst->cur = inst->order[inst->place];
	inst->left = set->slot;
	if (inst->random)
		inst->left += set->slot / 10 * (draw(inst) % 2001) / 1000 - set->slot / 10;
}

/* It ran all the time: turn after turn, with gaps between them */
static void spend(const struct clock_set *set, struct instance *inst, __u64 from, __u64 to)
{
	inst->tick += to - from;
	while (from < to) {
		struct vcpc_group_sample *group = &inst->group[inst->cur];
		__u64 step = to - from < inst->left ? to - from : inst->left;

		if (!world.stolen) {
			count(set, inst, from, from + step);
			group->time += step;
			group->tick += step;
		} else if (set->slot != NO_SLOT) {
			group->voids++;
		} else {
			inst->invalid = true;
		}
		from += step;
		inst->left -= step;
		if (!inst->left) {
			next_turn(set, inst);
			from += world.gap < to - from ? world.gap : to - from;
		}
	}
}

/**
 * shim_clock__begin() - what happens while time passes
 * @rate: how many events, or NULL for the usual
 * @gap: how long changing over to the next group takes
 */
void shim_clock__begin(shim_clock_rate *rate, __u64 gap)
{
	pthread_mutex_lock(&lock);
	world.rate = rate;
	world.gap = gap;
	world.stolen = false;
	pthread_mutex_unlock(&lock);
}

__u64 shim_clock__now(void)
{
	__u64 now;

	pthread_mutex_lock(&lock);
	now = world.now;
	pthread_mutex_unlock(&lock);
	return now;
}

/**
 * shim_clock__run() - time passes
 * @tid: the thread that runs, 0: nobody; CPUs' clocks go on in any case
 * @ns: how long
 */
void shim_clock__run(pid_t tid, __u64 ns)
{
	pthread_mutex_lock(&lock);
	for (struct clock_set *set = world.sets; set; set = set->next)
		for (struct instance *inst = set->instances; inst; inst = inst->next) {
			if (!inst->on || inst->exited)
				continue;
			if (is_cpu(inst) || inst->tid == tid)
				spend(set, inst, world.now, world.now + ns);
			else
				inst->group[inst->cur].time += ns;
		}
	world.now += ns;
	pthread_mutex_unlock(&lock);
}

static void inherit(struct clock_set *set, const struct instance *elder, pid_t child, pid_t tgid)
{
	struct instance *inst = add(set, child, elder->root, elder->flags);

	if (!inst)
		abort();
	inst->on = elder->on;
	inst->tgid = tgid;
	begin_order(set, inst, (elder->first + 1) % set->groups);
}

/**
 * shim_clock__born() - a thread starts another one
 * @parent: who does
 * @child: the new one
 * @same_process: it is no new process's
 */
void shim_clock__born(pid_t parent, pid_t child, bool same_process)
{
	unsigned int wanted = same_process ? VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE :
					     VCPC_BIND_F_TREE;

	pthread_mutex_lock(&lock);
	for (struct clock_set *set = world.sets; set; set = set->next) {
		const struct instance *elder = exactly(set, parent, false);

		if (elder && elder->flags & wanted && !exactly(set, child, false))
			inherit(set, elder, child, same_process ? elder->tgid : child);
	}
	pthread_mutex_unlock(&lock);
}

/**
 * shim_clock__exits() - a thread ends
 * @tid: the thread
 */
void shim_clock__exits(pid_t tid)
{
	pthread_mutex_lock(&lock);
	for (struct clock_set *set = world.sets; set; set = set->next) {
		struct instance *inst = exactly(set, tid, false);

		if (inst)
			inst->exited = true;
	}
	pthread_mutex_unlock(&lock);
}

/**
 * shim_clock__steal() - somebody else takes the counters, or gives them back
 * @stolen: takes
 */
void shim_clock__steal(bool stolen)
{
	pthread_mutex_lock(&lock);
	world.stolen = stolen;
	pthread_mutex_unlock(&lock);
}

const struct shim_backend_ops shim_backend__clock = {
	.name = "clock",
	.open = clock_open,
	.close = clock_close,
	.now = shim_clock__now,
	.lock = clock_lock,
	.create = clock_create,
	.destroy = clock_destroy,
	.bind = clock_bind,
	.unbind = clock_unbind,
	.sample = clock_sample,
	.enable = clock_enable,
	.disable = clock_disable,
	.list = clock_list,
};
