// SPDX-License-Identifier: GPL-2.0
/*
 * The groups of an instance: one counts at a time, and when its turn is over
 * the next one does.
 *
 * All events of all groups stay open, and those of the present group are
 * enabled.  The events do not start and stop at the same instant; but counts
 * are taken from the first reading of a turn to its last, each of them one
 * section with interrupts off, so all requests of a group count for exactly the
 * same time.
 *
 * The alarm of the instance's clock tells when a turn may be over: that is the
 * thread's CPU time, or the CPU's time.  Changing over needs process context.
 * The work is queued on the CPU that is counted, so a thread does not run while
 * its groups are changed over, and loses nothing.
 *
 * A counter that was taken away spoils what was counted since the last look, and
 * nothing else: that is dropped, from counts and times, and the event tries
 * again at its group's next turn.  So such a set never becomes invalid by it.
 *
 * Locking: whatever ends or begins a turn is under the set's lock; struct
 * vcpc_mux says what the instance's lock guards.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "binding.h"
#include "counter.h"
#include "errand.h"
#include "instance.h"
#include "mux.h"
#include "operate.h"
#include "set.h"

static void rotate(struct vcpc_instance *inst)
{
	struct vcpc_counters *c = inst->counters;
	struct vcpc_mux *m = inst->mux;
	struct vcpc_group last, next;
	int ret;

	if (inst->state & (VCPC_INSTANCE_INVALID | VCPC_INSTANCE_SETTLED))
		return;
	last = vcpc_set_group(m->set, m->rotation.now);
	ret = vcpc_operate_on(inst, VCPC_OP_END_TURN, NULL);
	if (ret == -EINPROGRESS)
		vcpc_mux_arm(m);
	if (ret)
		return;
	next = vcpc_set_group(m->set, m->rotation.now);
	vcpc_counter_turn(c, last.begin, last.end, false);
	vcpc_counter_turn(c, next.begin, next.end, true);
	if (!vcpc_operate_on(inst, VCPC_OP_BEGIN_TURN, NULL))
		vcpc_mux_arm(m);
}

/* The instance holds its errand as long as it has a clock that may ring. */
static void ring(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct vcpc_mux *m = event->overflow_handler_context;

	vcpc_errand_go(m->errand);
}

/**
 * vcpc_mux_create() - groups that take turns
 * @set: the set, with groups
 * @inst: the instance
 * @birth: how many its binding had before; with another one begins another group
 *
 * Context: sleeps; under the set's lock.
 * Return: for vcpc_mux_close(), or NULL.
 */
struct vcpc_mux *vcpc_mux_create(struct vcpc_set *set, struct vcpc_instance *inst, u32 birth)
{
	u32 first = birth % set->groups;
	struct vcpc_mux *m;

	m = kvzalloc(sizeof(*m) + vcpc_rotation_more(set->groups), GFP_KERNEL_ACCOUNT);
	if (!m)
		return NULL;
	m->errand = vcpc_errand_create(inst, rotate);
	if (!m->errand) {
		kvfree(m);
		return NULL;
	}
	m->set = set;
	m->inst = inst;
	m->unseen = true;
	vcpc_rotation_init(&m->rotation, set->groups, first, set->slot);
	if (set->flags & VCPC_SET_F_SHUFFLE)
		vcpc_rotation_shuffle(&m->rotation, (u64)set->seed << 32 | birth);
	return m;
}

/**
 * vcpc_mux_close() - the instance is being closed
 * @m: its groups; the clock does not ring any more
 *
 * Context: under the set's lock.
 */
void vcpc_mux_close(struct vcpc_mux *m)
{
	vcpc_errand_close(m->errand);
	kvfree(m);
}

/*
 * Never 0, with which a clock would not ring at all: of a turn that is over already, and so
 * has to be ended.  Only what happens under the set's lock makes it less than it is here.
 */
static u64 period_left(const struct vcpc_mux *m)
{
	return max_t(u64, READ_ONCE(m->rotation.left), 1);
}

/**
 * vcpc_mux_alarm() - how a clock shall ring for the groups
 * @m: the groups
 * @alarm: filled
 */
void vcpc_mux_alarm(struct vcpc_mux *m, struct vcpc_alarm *alarm)
{
	m->period = period_left(m);
	alarm->period = m->period;
	alarm->ring = ring;
	alarm->context = m;
}

/**
 * vcpc_mux_arm() - ring when the present turn is over, or before
 * @m: the groups, which count
 *
 * The clock rings again and again.  If its period is what the turn has left, it rings in
 * time by itself: from when it last rang, which is when this turn's time began but for the
 * changing over.  Should that have taken long, the turn is not over then, and the clock is
 * set to the rest.
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_mux_arm(struct vcpc_mux *m)
{
	u64 left = period_left(m);

	if (left == m->period)
		return;
	m->period = left;
	vcpc_counter_alarm(m->inst->counters, left);
}

static void copy_values(struct vcpc_sample *to, const struct vcpc_sample *from, u32 begin, u32 end)
{
	memcpy(&to->values[begin], &from->values[begin], (end - begin) * sizeof(to->values[0]));
}

/* Who begins to count was not looked at, or has ended before it was looked at again. */
static bool wall_unknown(const struct vcpc_mux *m, const struct vcpc_sample *sample)
{
	return m->unseen || sample->state & VCPC_STATE_EXITED;
}

static void spend(struct vcpc_mux *m, const struct vcpc_sample *sample, bool whole)
{
	u64 tick = sample->tick - m->tick;
	u64 time = wall_unknown(m, sample) ? tick : sample->time - m->time;

	vcpc_rotation_spend(&m->rotation, time, tick, whole);
	m->time = sample->time;
	m->tick = sample->tick;
	m->unseen = false;
}

/**
 * vcpc_mux_read() - sample the groups, and note how far the present turn has come
 * @m: the groups, which are not disabled
 * @sample: filled
 *
 * Context: where counters can be read; under the instance's lock.
 * Return: 0.
 */
int vcpc_mux_read(struct vcpc_mux *m, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst = m->inst;
	struct vcpc_counters *c = inst->counters;
	int ret = vcpc_counter_read(c, ktime_get_ns(), sample);

	/* Nothing has begun if it waits for exec. */
	if (sample->state & VCPC_STATE_COUNTING && !m->gap) {
		spend(m, sample, !ret);
		if (!ret)
			copy_values(&inst->kept, sample, c->begin, c->end);
	}
	copy_values(sample, &inst->kept, 0, m->set->nr);
	return 0;
}

/**
 * vcpc_mux_resume() - count again after a stop, with what is left of the turn
 * @m: the groups
 * @sample: room for a sample
 *
 * Context: as vcpc_mux_read().
 */
void vcpc_mux_resume(struct vcpc_mux *m, struct vcpc_sample *sample)
{
	struct vcpc_instance *inst = m->inst;
	int ret = vcpc_counter_read(inst->counters, ktime_get_ns(), sample);

	vcpc_counter_set(inst->counters, sample, &inst->kept);
	m->time = sample->time;
	m->tick = inst->kept.tick;
	m->unseen = false;
	if (ret)
		vcpc_rotation_spend(&m->rotation, 0, 0, false);
}

/**
 * vcpc_mux_end_turn() - if the present turn is over, let no group count
 * @m: the groups, which are not disabled
 * @sample: room for a sample
 *
 * Context: as vcpc_mux_read().
 * Return: 0, or -EINPROGRESS if the turn is not over.
 */
int vcpc_mux_end_turn(struct vcpc_mux *m, struct vcpc_sample *sample)
{
	if (!m->gap) {
		vcpc_mux_read(m, sample);
		if (!vcpc_rotation_due(&m->rotation))
			return -EINPROGRESS;
		vcpc_rotation_next(&m->rotation);
	}
	m->gap = true;
	vcpc_counter_choose(m->inst->counters, 0, 0);
	return 0;
}

/**
 * vcpc_mux_begin_turn() - let the group count whose events were enabled
 * @m: the groups
 * @sample: room for a sample
 *
 * Context: as vcpc_mux_read().
 */
void vcpc_mux_begin_turn(struct vcpc_mux *m, struct vcpc_sample *sample)
{
	struct vcpc_counters *c = m->inst->counters;
	struct vcpc_group group = vcpc_set_group(m->set, m->rotation.now);
	int ret;

	vcpc_counter_choose(c, group.begin, group.end);
	ret = vcpc_counter_read(c, ktime_get_ns(), sample);
	vcpc_counter_go_on(c, sample, &m->inst->kept);
	m->time = sample->time;
	m->tick = sample->tick;
	m->gap = false;
	if (ret)
		vcpc_rotation_spend(&m->rotation, 0, 0, false);
}

static void get_turn(const struct vcpc_rotation *r, u32 i, struct vcpc_group_sample *group)
{
	group->time = r->turn[i].time;
	group->tick = r->turn[i].tick;
	group->rounds = r->rounds;
	group->voids = r->turn[i].voids;
}

/**
 * vcpc_mux_turns() - what the groups have had of their turns
 * @m: the groups
 * @groups: one for each; filled
 *
 * Context: under the instance's lock.
 */
void vcpc_mux_turns(const struct vcpc_mux *m, struct vcpc_group_sample *groups)
{
	u32 i;

	for (i = 0; i < m->rotation.nr; i++)
		get_turn(&m->rotation, i, &groups[i]);
}

static void add_turn(struct vcpc_group_sample *sum, const struct vcpc_group_sample *one)
{
	sum->time += one->time;
	sum->tick += one->tick;
	sum->voids += one->voids;
}

/**
 * vcpc_mux_fold() - add a thread's turns to the sums of those that have ended
 * @m: the groups; the thread has ended
 * @sum: one for each; grow
 *
 * Context: under the set's lock.
 */
void vcpc_mux_fold(const struct vcpc_mux *m, struct vcpc_group_sample *sum)
{
	struct vcpc_group_sample one;
	u32 i;

	for (i = 0; i < m->rotation.nr; i++) {
		get_turn(&m->rotation, i, &one);
		add_turn(&sum[i], &one);
		sum[i].rounds += one.rounds;
	}
}

/**
 * vcpc_mux_add_up() - add turns to a total
 * @sum: grows; the rounds are U64_MAX until the first CPU's
 * @one: those of an instance, or sums
 * @nr: number of groups
 * @cpu: they are a CPU's, whose rounds are not added
 */
void vcpc_mux_add_up(struct vcpc_group_sample *sum, const struct vcpc_group_sample *one, u32 nr,
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
