// SPDX-License-Identifier: GPL-2.0
/*
 * Multiplexing: groups of one thread's or CPU's counters, of which one counts at a time, and
 * when its turn is over the next one does.
 *
 * All events of all groups stay open, and those of the present group are
 * enabled.  The events do not start and stop at the same instant; but counts
 * are taken from the first reading of a turn to its last, each of them one
 * section with interrupts off, so all requests of a group count for exactly the
 * same time.
 *
 * A counter that was taken away spoils what was counted since the last look, and
 * nothing else: that is dropped, from counts and times, and the event tries
 * again at its group's next turn.  So such a set never becomes invalid by it.
 *
 * Locking: struct vcpc_groups says what the instance's lock guards.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "counter.h"
#include "groups.h"
#include "spec.h"

/**
 * vcpc_groups_create() - groups that take turns
 * @spec: which requests are in which
 * @birth: how many instances there were before; with another one begins another group
 *
 * Context: sleeps.
 * Return: for vcpc_groups_free(), or NULL.
 */
struct vcpc_groups *vcpc_groups_create(const struct vcpc_spec *spec, u32 birth)
{
	struct vcpc_groups *g;

	g = kvzalloc(sizeof(*g) + vcpc_rotation_more(spec->groups), GFP_KERNEL_ACCOUNT);
	if (!g)
		return NULL;
	g->spec = spec;
	g->unseen = true;
	vcpc_rotation_init(&g->rotation, spec->groups, birth % spec->groups, spec->slot);
	if (spec->flags & VCPC_SET_F_SHUFFLE)
		vcpc_rotation_shuffle(&g->rotation, (u64)spec->seed << 32 | birth);
	g->period = vcpc_groups_left(g);
	return g;
}

/**
 * vcpc_groups_free() - they take no turns any more
 * @g: the groups, or NULL
 */
void vcpc_groups_free(struct vcpc_groups *g)
{
	kvfree(g);
}

/**
 * vcpc_groups_left() - how long the present turn still takes
 * @g: the groups
 *
 * Only what happens under the set's lock makes it less than it is here.
 *
 * Return: never 0, with which a clock would have no alarm at all: a turn that is over already
 * has to be ended, too.
 */
u64 vcpc_groups_left(const struct vcpc_groups *g)
{
	return max_t(u64, READ_ONCE(g->rotation.left), 1);
}

static void copy_values(struct vcpc_sample *to, const struct vcpc_sample *from, u32 begin, u32 end)
{
	memcpy(&to->values[begin], &from->values[begin], (end - begin) * sizeof(to->values[0]));
}

/* Who begins to count was not looked at, or has ended before it was looked at again. */
static bool is_wall_unknown(const struct vcpc_groups *g, const struct vcpc_sample *sample)
{
	return g->unseen || sample->state & VCPC_STATE_EXITED;
}

static void spend(struct vcpc_groups *g, const struct vcpc_sample *sample, bool whole)
{
	u64 tick = sample->tick - g->tick;
	u64 time = is_wall_unknown(g, sample) ? tick : sample->time - g->time;

	vcpc_rotation_spend(&g->rotation, time, tick, whole);
	g->time = sample->time;
	g->tick = sample->tick;
	g->unseen = false;
}

/**
 * vcpc_groups_read() - sample the groups, and note how far the present turn has come
 * @g: the groups, which are not disabled
 * @c: their counters
 * @kept: values of the groups that do not count; gets those of the one that does
 * @sample: filled
 *
 * Context: where counters can be read; under the instance's lock.
 */
void vcpc_groups_read(struct vcpc_groups *g, struct vcpc_counters *c, struct vcpc_sample *kept,
		      struct vcpc_sample *sample)
{
	int ret = vcpc_counter_read(c, ktime_get_ns(), sample);

	/* Nothing has begun if it waits for exec. */
	if (sample->state & VCPC_STATE_COUNTING && !g->gap) {
		spend(g, sample, !ret);
		if (!ret)
			copy_values(kept, sample, c->begin, c->end);
	}
	copy_values(sample, kept, 0, g->spec->nr);
}

/**
 * vcpc_groups_resume() - count again after a stop, with what is left of the turn
 * @g: the groups
 * @c: their counters
 * @kept: from which values
 * @sample: room for a sample
 *
 * Context: as vcpc_groups_read().
 */
void vcpc_groups_resume(struct vcpc_groups *g, struct vcpc_counters *c,
			const struct vcpc_sample *kept, struct vcpc_sample *sample)
{
	int ret = vcpc_counter_read(c, ktime_get_ns(), sample);

	vcpc_counter_set(c, sample, kept);
	g->time = sample->time;
	g->tick = kept->tick;
	g->unseen = false;
	if (ret)
		vcpc_rotation_spend(&g->rotation, 0, 0, false);
}

/**
 * vcpc_groups_end_turn() - if the present turn is over, let no group count
 * @g: the groups, which are not disabled
 * @c: their counters
 * @kept: as for vcpc_groups_read()
 * @sample: room for a sample
 *
 * Context: as vcpc_groups_read().
 * Return: 0, or -EINPROGRESS if the turn is not over.
 */
int vcpc_groups_end_turn(struct vcpc_groups *g, struct vcpc_counters *c, struct vcpc_sample *kept,
			 struct vcpc_sample *sample)
{
	if (!g->gap) {
		vcpc_groups_read(g, c, kept, sample);
		if (!vcpc_rotation_due(&g->rotation))
			return -EINPROGRESS;
		vcpc_rotation_next(&g->rotation);
	}
	g->gap = true;
	vcpc_counter_choose(c, 0, 0);
	return 0;
}

/**
 * vcpc_groups_begin_turn() - let the group count whose events were enabled
 * @g: the groups
 * @c: their counters
 * @kept: from which values
 * @sample: room for a sample
 *
 * Context: as vcpc_groups_read().
 */
void vcpc_groups_begin_turn(struct vcpc_groups *g, struct vcpc_counters *c,
			    const struct vcpc_sample *kept, struct vcpc_sample *sample)
{
	struct vcpc_range range = vcpc_spec_range(g->spec, g->rotation.now);
	int ret;

	vcpc_counter_choose(c, range.begin, range.end);
	ret = vcpc_counter_read(c, ktime_get_ns(), sample);
	vcpc_counter_go_on(c, sample, kept);
	g->time = sample->time;
	g->tick = sample->tick;
	g->gap = false;
	if (ret)
		vcpc_rotation_spend(&g->rotation, 0, 0, false);
}

static void get_turn(const struct vcpc_rotation *r, u32 i, struct vcpc_group_sample *group)
{
	group->time = r->turn[i].time;
	group->tick = r->turn[i].tick;
	group->rounds = r->rounds;
	group->voids = r->turn[i].voids;
}

/**
 * vcpc_groups_fill() - what the groups have had of their turns
 * @g: the groups
 * @groups: one for each; filled
 *
 * Context: under the instance's lock.
 */
void vcpc_groups_fill(const struct vcpc_groups *g, struct vcpc_group_sample *groups)
{
	u32 i;

	for (i = 0; i < g->rotation.nr; i++)
		get_turn(&g->rotation, i, &groups[i]);
}

static void add_turn(struct vcpc_group_sample *sum, const struct vcpc_group_sample *one)
{
	sum->time += one->time;
	sum->tick += one->tick;
	sum->voids += one->voids;
}

/**
 * vcpc_groups_fold() - add a thread's turns to the sums of those that have ended
 * @g: the groups; the thread has ended
 * @sum: one for each; grow
 *
 * Context: under the set's lock.
 */
void vcpc_groups_fold(const struct vcpc_groups *g, struct vcpc_group_sample *sum)
{
	struct vcpc_group_sample one;
	u32 i;

	for (i = 0; i < g->rotation.nr; i++) {
		get_turn(&g->rotation, i, &one);
		add_turn(&sum[i], &one);
		sum[i].rounds += one.rounds;
	}
}

/**
 * vcpc_groups_add_up() - add turns to a total
 * @sum: grows; the rounds are U64_MAX until the first CPU's
 * @one: those of an instance, or sums
 * @nr: number of groups
 * @cpu: they are a CPU's, whose rounds are not added
 */
void vcpc_groups_add_up(struct vcpc_group_sample *sum, const struct vcpc_group_sample *one, u32 nr,
			bool cpu)
{
	u32 i;

	for (i = 0; i < nr; i++) {
		add_turn(&sum[i], &one[i]);
		if (cpu)
			sum[i].rounds = min(sum[i].rounds, one[i].rounds);
		else
			sum[i].rounds += one[i].rounds;
	}
}
