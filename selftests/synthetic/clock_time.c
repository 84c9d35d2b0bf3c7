// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Advance the synthetic clock: threads run, start and exit, groups are multiplexed, and each group
 * counts the events that the test generates.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "clock_world.h"

struct clock_world shim_clock__world = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .now = 1000000000,
};

static struct clock_world *const world = &shim_clock__world;

static double usual_rate(const struct vcpc_request *req, __u64 from, __u64 to)
{
	return (req->config + 1) * (double)(to - from) / 1000;
}

static bool is_dummy(const struct vcpc_request *req)
{
	return clock_is_software(req) && req->config == PERF_COUNT_SW_DUMMY;
}

/* Start at group @first, and seed the random numbers if the groups are shuffled. */
void shim_clock__begin_order(const struct clock_set *set, struct clock_instance *inst,
			     unsigned int first)
{
	inst->first = inst->cur = first;
	inst->place = 0;
	for (unsigned int k = 0; k < set->groups; k++)
		inst->order[k] = (first + k) % set->groups;
	if (set->shuffle)
		inst->random = (set->seed + first + 1) * 0x9e3779b97f4a7c15ull | 1;
}

static __u64 draw(struct clock_instance *inst)
{
	inst->random ^= inst->random << 13;
	inst->random ^= inst->random >> 7;
	inst->random ^= inst->random << 17;
	return inst->random >> 32;
}

static void draw_order(const struct clock_set *set, struct clock_instance *inst)
{
	for (unsigned int i = set->groups - 1; i > 0; i--) {
		unsigned int j = draw(inst) % (i + 1), k = inst->order[i];

		inst->order[i] = inst->order[j];
		inst->order[j] = k;
	}
}

static void count(const struct clock_set *set, struct clock_instance *inst, __u64 from, __u64 to)
{
	for (unsigned int i = 0; i < set->n; i++)
		if (set->group[i] == inst->cur && !is_dummy(&set->reqs[i]))
			inst->values[i] += world->rate ? world->rate(&set->reqs[i], from, to) :
						       usual_rate(&set->reqs[i], from, to);
}

static void next_turn(const struct clock_set *set, struct clock_instance *inst)
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

/* Account a period in which the thread ran, as multiplex slots with gaps between them. */
static void spend(const struct clock_set *set, struct clock_instance *inst, __u64 from, __u64 to)
{
	inst->tick += to - from;
	while (from < to) {
		struct shim_group_sample *group = &inst->group[inst->cur];
		__u64 step = to - from < inst->left ? to - from : inst->left;

		if (!world->stolen) {
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
			from += world->gap < to - from ? world->gap : to - from;
		}
	}
}

/**
 * shim_clock__begin() - start a test
 * @rate: number of events, or NULL for the default
 * @gap: duration of switching to the next group
 */
void shim_clock__begin(shim_clock_rate *rate, __u64 gap)
{
	pthread_mutex_lock(&world->lock);
	world->rate = rate;
	world->gap = gap;
	world->stolen = false;
	pthread_mutex_unlock(&world->lock);
}

__u64 shim_clock__now(void)
{
	__u64 now;

	pthread_mutex_lock(&world->lock);
	now = world->now;
	pthread_mutex_unlock(&world->lock);
	return now;
}

/**
 * shim_clock__run() - advance the time
 * @tid: the thread that runs, or 0 for none; CPUs' clocks continue in any case
 * @ns: duration
 */
void shim_clock__run(pid_t tid, __u64 ns)
{
	pthread_mutex_lock(&world->lock);
	for (struct clock_set *set = world->sets; set; set = set->next)
		for (struct clock_instance *inst = set->instances; inst; inst = inst->next) {
			if (!inst->on || inst->exited)
				continue;
			if (clock_is_cpu(inst) || inst->tid == tid)
				spend(set, inst, world->now, world->now + ns);
			else
				inst->group[inst->cur].time += ns;
		}
	world->now += ns;
	pthread_mutex_unlock(&world->lock);
}

static void inherit(struct clock_set *set, const struct clock_instance *elder, pid_t child,
		    pid_t tgid)
{
	struct clock_instance *inst = shim_clock__add(set, child, elder->root, elder->flags);

	if (!inst)
		abort();
	inst->on = elder->on;
	inst->tgid = tgid;
	shim_clock__begin_order(set, inst, (elder->first + 1) % set->groups);
}

/**
 * shim_clock__born() - make a thread start another one
 * @parent: the parent thread
 * @child: the new thread
 * @same_process: both threads belong to the same process
 */
void shim_clock__born(pid_t parent, pid_t child, bool same_process)
{
	unsigned int wanted = same_process ? VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE :
					     VCPC_BIND_F_TREE;

	pthread_mutex_lock(&world->lock);
	for (struct clock_set *set = world->sets; set; set = set->next) {
		const struct clock_instance *elder = shim_clock__exactly(set, parent, false);

		if (elder && elder->flags & wanted && !shim_clock__exactly(set, child, false))
			inherit(set, elder, child, same_process ? elder->tgid : child);
	}
	pthread_mutex_unlock(&world->lock);
}

/**
 * shim_clock__exits() - make a thread end
 * @tid: the thread
 */
void shim_clock__exits(pid_t tid)
{
	pthread_mutex_lock(&world->lock);
	for (struct clock_set *set = world->sets; set; set = set->next) {
		struct clock_instance *inst = shim_clock__exactly(set, tid, false);

		if (inst)
			inst->exited = true;
	}
	pthread_mutex_unlock(&world->lock);
}

/**
 * shim_clock__steal() - make a simulated other user take or release the counters
 * @stolen: true to take them
 */
void shim_clock__steal(bool stolen)
{
	pthread_mutex_lock(&world->lock);
	world->stolen = stolen;
	pthread_mutex_unlock(&world->lock);
}

/**
 * shim_clock__cycle_counter() - add or remove a counter that counts only cycles
 * @there: true to add it
 */
void shim_clock__cycle_counter(bool there)
{
	pthread_mutex_lock(&world->lock);
	world->cycle_counter = there;
	pthread_mutex_unlock(&world->lock);
}
