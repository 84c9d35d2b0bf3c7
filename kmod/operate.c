// SPDX-License-Identifier: GPL-2.0
/*
 * What can be done with an instance where its counters can be read: sampling, starting and
 * stopping, the turns of its groups, and what it does by itself at an overflow.
 *
 * Disabling does not touch the perf events: it notes the values, and enabling
 * continues from them.  So both cost no more than a sample, act on all requests
 * at the same instant, and a set that has found room keeps it.  An overflow stops an instance
 * in the same way.
 *
 * Locking: see struct vcpc_instance.  vcpc_instance_do() is under the
 * set's lock; vcpc_instance_sample_own() is not, and finds out by VCPC_INSTANCE_CLOSED that
 * the instance is on its way out.
 */
#include <linux/err.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>

#include "deferred.h"
#include "groups.h"
#include "instance.h"
#include "overflow.h"
#include "remote.h"
#include "stats.h"

/* An instance that an overflow may not stop: it is stopped, or has nothing to stop. */
#define CANNOT_STOP	(VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | VCPC_INSTANCE_STOPPED | \
			 VCPC_INSTANCE_SETTLED | VCPC_INSTANCE_OFFLINE)

/* In these states there is nothing to be read before the CPU goes offline. */
#define OFFLINE_NOTHING	(VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | VCPC_INSTANCE_STOPPED | \
			 VCPC_INSTANCE_OFFLINE)

/**
 * struct action - an operation on its way to where the counters can be read
 * @inst: on what
 * @op: what
 * @sample: room for a sample
 * @groups: room for what its groups have had, or NULL
 */
struct action {
	struct vcpc_instance *inst;
	enum vcpc_op op;
	struct vcpc_sample *sample;
	struct vcpc_group_sample *groups;
};

/**
 * vcpc_instance_lost() - counts were lost: the instance is invalid from now on
 * @inst: the instance
 *
 * Context: under the instance's lock.
 */
void vcpc_instance_lost(struct vcpc_instance *inst)
{
	if (!(inst->state & VCPC_INSTANCE_INVALID))
		vcpc_stats_count(VCPC_STAT_INVALID);
	inst->state |= VCPC_INSTANCE_INVALID;
}

/**
 * vcpc_instance_load() - begin with the presets
 * @inst: the instance; what it keeps becomes what it shall count from
 *
 * Context: under the instance's lock, unless it is not seen by anybody yet.
 */
void vcpc_instance_load(struct vcpc_instance *inst)
{
	const struct vcpc_spec *spec = inst->spec;
	u32 i;

	for (i = 0; i < spec->nr; i++)
		inst->kept.values[i] = inst->presets ? inst->presets[i] : spec->requests[i].preset;
}

static int read_counters(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (inst->groups) {
		vcpc_groups_read(inst->groups, inst->counters, &inst->kept, act->sample);
		return 0;
	}
	ret = vcpc_counter_read(inst->counters, ktime_get_ns(), act->sample);
	if (ret)
		vcpc_instance_lost(inst);
	return ret;
}

/* Groups were tried out, and go on without one that finds no room later. */
static int do_check(struct action *act)
{
	return act->inst->groups ? 0 : read_counters(act);
}

static int do_sample(struct action *act)
{
	struct vcpc_instance *inst = act->inst;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return read_counters(act);
	vcpc_sample_copy(act->sample, &inst->kept);
	if (vcpc_counter_ended(inst->counters))
		act->sample->state |= VCPC_STATE_EXITED;
	return 0;
}

/* From what is kept, and whoever watches for overflows begins at the same instant. */
static void go_on(struct vcpc_instance *inst, const struct vcpc_sample *now)
{
	vcpc_counter_set(inst->counters, now, &inst->kept);
	if (inst->overflow) {
		vcpc_overflow_from(inst->overflow, inst->kept.values);
		vcpc_overflow_restart(inst->overflow, inst->counters);
	}
	inst->state &= ~VCPC_INSTANCE_STOPPED;
}

static int do_enable(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return -EINVAL;
	if (inst->groups) {
		vcpc_groups_resume(inst->groups, inst->counters, &inst->kept, act->sample);
		inst->state &= ~VCPC_INSTANCE_STOPPED;
		return 0;
	}
	ret = read_counters(act);
	if (!ret)
		go_on(inst, act->sample);
	return ret;
}

/* Virtual time goes on: from where it was stopped, or from now. */
static int do_restart(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (inst->groups)
		return -EINVAL;
	ret = read_counters(act);
	if (ret)
		return ret;
	if (!(act->sample->state & VCPC_STATE_COUNTING) || act->sample->state & VCPC_STATE_EXITED)
		return -EINVAL;
	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		inst->kept.tick = act->sample->tick;
	vcpc_instance_load(inst);
	go_on(inst, act->sample);
	return 0;
}

static int do_disable(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	if (inst->state & VCPC_INSTANCE_STOPPED)
		return -EINVAL;
	ret = read_counters(act);
	if (ret)
		return ret;
	/* It has not even begun if it waits for exec. */
	if (!(act->sample->state & VCPC_STATE_COUNTING))
		return -EINVAL;
	vcpc_sample_copy(&inst->kept, act->sample);
	inst->kept.state &= ~VCPC_STATE_COUNTING;
	inst->state |= VCPC_INSTANCE_STOPPED;
	return 0;
}

static int do_turn(struct action *act)
{
	struct vcpc_instance *inst = act->inst;

	if (inst->state & VCPC_INSTANCE_STOPPED)
		return -EINVAL;
	if (act->op == VCPC_OP_END_TURN)
		return vcpc_groups_end_turn(inst->groups, inst->counters, &inst->kept,
					    act->sample);
	vcpc_groups_begin_turn(inst->groups, inst->counters, &inst->kept, act->sample);
	return 0;
}

/* Without counters there is nothing to start or stop but the words for it. */
static int act_still(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	bool stopped = inst->state & VCPC_INSTANCE_STOPPED;

	if (act->op == VCPC_OP_ENABLE || act->op == VCPC_OP_DISABLE) {
		bool stop = act->op == VCPC_OP_DISABLE;

		if (stopped == stop)
			return -EINVAL;
		inst->state ^= VCPC_INSTANCE_STOPPED;
		inst->kept.state &= ~(VCPC_STATE_COUNTING | VCPC_STATE_FROZEN);
		if (!stop)
			inst->kept.state |= VCPC_STATE_COUNTING;
	} else if (act->op == VCPC_OP_RESTART) {
		return -EINVAL;
	} else if (act->op != VCPC_OP_SAMPLE) {
		return -ENODEV;
	}
	vcpc_sample_copy(act->sample, &inst->kept);
	return 0;
}

static int act_open(struct action *act)
{
	switch (act->op) {
	case VCPC_OP_CHECK:	return do_check(act);
	case VCPC_OP_SAMPLE:	return do_sample(act);
	case VCPC_OP_ENABLE:	return do_enable(act);
	case VCPC_OP_DISABLE:	return do_disable(act);
	case VCPC_OP_RESTART:	return do_restart(act);
	case VCPC_OP_END_TURN:	return do_turn(act);
	case VCPC_OP_BEGIN_TURN: return do_turn(act);
	}
	return -EINVAL;
}

static int act_locked(struct action *act)
{
	struct vcpc_instance *inst = act->inst;
	int ret;

	lockdep_assert_held(&inst->lock);

	if (inst->state & VCPC_INSTANCE_CLOSED)
		return -EINVAL;
	if (inst->state & VCPC_INSTANCE_INVALID)
		return -EAGAIN;
	if (inst->state & (VCPC_INSTANCE_SETTLED | VCPC_INSTANCE_OFFLINE))
		ret = act_still(act);
	else
		ret = act_open(act);
	if (!ret && act->groups)
		vcpc_groups_fill(inst->groups, act->groups);
	return ret;
}

static int act_there(void *arg)
{
	struct action *act = arg;
	int ret;

	raw_spin_lock(&act->inst->lock);
	ret = act_locked(act);
	raw_spin_unlock(&act->inst->lock);
	return ret;
}

static int act_here(struct action *act)
{
	unsigned long flags;
	int ret;

	local_irq_save(flags);
	ret = act_there(act);
	local_irq_restore(flags);
	return ret;
}

/* ENABLE before the exec that was waited for: wait no longer. */
static void start_waiting(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state |= VCPC_INSTANCE_STOPPED;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	vcpc_counter_start(inst->counters);
}

/*
 * Let the clock's alarm come when the present turn is over, or before.
 *
 * It comes again and again.  If its period is what the turn has left, it is in time by
 * itself: from when it last came, which is when this turn's time began but for the
 * changing over.  Should that have taken long, the turn is not over then, and the clock is
 * set to the rest.
 */
static void arm_turn(struct vcpc_instance *inst)
{
	struct vcpc_groups *g = inst->groups;
	u64 left = vcpc_groups_left(g);

	if (left == g->period)
		return;
	g->period = left;
	vcpc_counter_alarm(inst->counters, left);
}

/**
 * vcpc_instance_do() - do something with an instance, wherever its thread is
 * @inst: the instance
 * @op: what to do
 * @sample: room for a sample; a sample on success of VCPC_OP_SAMPLE; NULL if nobody wants it
 * @groups: filled on success; NULL if it has none, or nobody wants to know
 *
 * Context: sleeps; under the set's lock.
 * Return: 0; -EINVAL if it already is in the state asked for; -EAGAIN if counts
 * were lost, now or earlier; -EINTR; of turns -EINPROGRESS, or -ENODEV if the CPU is offline.
 */
int vcpc_instance_do(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample,
		     struct vcpc_group_sample *groups)
{
	struct action act = {
		.inst = inst,
		.op = op,
		.sample = sample ?: inst->spare,
		.groups = groups,
	};
	int ret;

	/* Both are set under the set's lock only. */
	if (inst->state & (VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_SETTLED))
		return act_here(&act);
	if (op == VCPC_OP_ENABLE && inst->cpu < 0 && vcpc_counter_waits(inst->counters))
		start_waiting(inst);
	ret = vcpc_remote_call(inst->counters, act_there, &act);
	/* A CPU that is offline has said so before. */
	if (ret == -ENXIO)
		ret = act_here(&act);
	if (!ret && op == VCPC_OP_ENABLE && inst->groups)
		arm_turn(inst);
	return ret;
}

/**
 * vcpc_instance_sample_locked() - sample an instance that does not just count
 * @inst: the calling thread's instance
 * @sample: filled on success
 * @groups: as for vcpc_instance_do()
 *
 * Context: interrupts off, @inst->lock held.
 * Return: 0; -EINVAL if it is being closed; -EAGAIN if counts were lost.
 */
int vcpc_instance_sample_locked(struct vcpc_instance *inst, struct vcpc_sample *sample,
				struct vcpc_group_sample *groups)
{
	struct action act = {
		.inst = inst,
		.op = VCPC_OP_SAMPLE,
		.sample = sample,
		.groups = groups,
	};

	return act_locked(&act);
}

/**
 * vcpc_instance_look() - a counter may have overflowed: then stop all
 * @owner: the instance
 * @which: the request whose counter interrupted
 *
 * Context: in the counted thread, interrupts off; under the instance's lock.
 * Return: VCPC_OVERFLOW_FOUND if it is stopped now, with the values of this moment.
 */
enum vcpc_overflow_seen vcpc_instance_look(void *owner, u32 which)
{
	struct vcpc_instance *inst = owner;

	lockdep_assert_held(&inst->lock);
	if (inst->state & CANNOT_STOP)
		return VCPC_OVERFLOW_STILL;
	/* Nobody else reads what is kept while it counts. */
	if (vcpc_counter_read(inst->counters, ktime_get_ns(), &inst->kept)) {
		vcpc_instance_lost(inst);
		return VCPC_OVERFLOW_STILL;
	}
	if (!(inst->kept.state & VCPC_STATE_COUNTING) ||
	    !vcpc_overflow_stops(inst->overflow, inst->kept.values, which))
		return VCPC_OVERFLOW_NONE;
	inst->kept.state &= ~VCPC_STATE_COUNTING;
	inst->kept.state |= VCPC_STATE_FROZEN;
	inst->state |= VCPC_INSTANCE_STOPPED;
	return VCPC_OVERFLOW_FOUND;
}

/**
 * vcpc_instance_turn_alarm() - the present group's turn may be over: the clock's alarm
 * @event: the clock
 * @data: not looked at
 * @regs: not looked at
 *
 * Context: in perf's interrupt.
 */
void vcpc_instance_turn_alarm(struct perf_event *event, struct perf_sample_data *data,
			      struct pt_regs *regs)
{
	struct vcpc_instance *inst = event->overflow_handler_context;

	if (inst->task && inst->task == current)
		vcpc_deferred_by_thread(inst->deferred);
	else
		vcpc_deferred_by_worker(inst->deferred);
}

static void change_over(struct vcpc_instance *inst)
{
	struct vcpc_groups *g = inst->groups;
	struct vcpc_range last, next;
	int ret;

	last = vcpc_spec_range(inst->spec, g->rotation.now);
	ret = vcpc_instance_do(inst, VCPC_OP_END_TURN, NULL, NULL);
	if (ret == -EINPROGRESS)
		arm_turn(inst);
	if (ret)
		return;
	next = vcpc_spec_range(inst->spec, g->rotation.now);
	vcpc_counter_turn(inst->counters, last.begin, last.end, false);
	vcpc_counter_turn(inst->counters, next.begin, next.end, true);
	if (!vcpc_instance_do(inst, VCPC_OP_BEGIN_TURN, NULL, NULL))
		arm_turn(inst);
	vcpc_stats_count(VCPC_STAT_ROTATIONS);
}

/**
 * vcpc_instance_rotate() - let the next group count, if the present one's turn is over
 * @arg: the instance, with groups
 *
 * Context: sleeps; under the set's lock.
 */
void vcpc_instance_rotate(void *arg)
{
	struct vcpc_instance *inst = arg;
	u64 start = ktime_get_ns();

	if (inst->state & (VCPC_INSTANCE_INVALID | VCPC_INSTANCE_SETTLED))
		return;
	change_over(inst);
	vcpc_stats_add(VCPC_STAT_ROTATION_NS, ktime_get_ns() - start);
}

/**
 * vcpc_instance_keep() - keep the values: the instance's CPU is going offline
 * @inst: the instance
 *
 * Context: on the CPU; not under the set's lock.
 */
void vcpc_instance_keep(struct vcpc_instance *inst)
{
	struct action act = { .inst = inst, .sample = inst->spare };
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	/* Without counters it is still being opened, which will fail. */
	if (!IS_ERR_OR_NULL(inst->counters) && !(inst->state & OFFLINE_NOTHING) &&
	    !read_counters(&act))
		vcpc_sample_copy(&inst->kept, act.sample);
	inst->kept.state |= VCPC_STATE_OFFLINE;
	inst->state |= VCPC_INSTANCE_OFFLINE;
	inst->offline++;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
}
