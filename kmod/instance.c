// SPDX-License-Identifier: GPL-2.0
/*
 * Open, sample, stop, start and close a set's instance on one thread.
 *
 * DISABLE does not touch the perf events: it saves the values, and ENABLE continues from them.
 * Therefore neither costs more than a sample, both act on all requests at the same instant, and the
 * set keeps its hardware counters.  An overflow stops an instance in the same way.
 *
 * An instance goes through four states: open, ended, settled, closed.  It ends when its perf events
 * end: when the thread exits, or gains privileges at an execve.  Settling saves the last values and
 * releases the events.
 *
 * Everything except settling and closing runs in the counted thread.
 *
 * Locking: the instance's lock, see struct vcpc_instance.  Instances are opened, settled and closed
 * under the set's mutex.
 */
#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/overflow.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "instance.h"
#include "limits.h"
#include "overflow.h"
#include "spec.h"
#include "thread.h"

/* Number of attempts to read an instance that its thread keeps changing */
#define READ_TRIES	64

static atomic64_t last_bind = ATOMIC64_INIT(0);

static struct vcpc_instance *instance_alloc(const struct vcpc_start *start)
{
	const struct vcpc_spec *spec = start->spec;
	size_t head = struct_size_t(struct vcpc_instance, counters.counter, spec->nr);
	struct vcpc_instance *inst;
	u32 i;

	inst = kvzalloc(head + 2 * vcpc_sample_size(spec->nr) + spec->nr * sizeof(u64),
			GFP_KERNEL_ACCOUNT);
	if (!inst)
		return NULL;
	inst->kept = (void *)inst + head;
	inst->room = (void *)inst->kept + vcpc_sample_size(spec->nr);
	inst->presets = inst->room->values + spec->nr;
	kref_init(&inst->refs);
	raw_spin_lock_init(&inst->lock);
	inst->set = start->set;
	inst->spec = spec;
	inst->task = get_task_struct(current);
	inst->pid = get_task_pid(current, PIDTYPE_PID);
	inst->tgid = get_task_pid(current, PIDTYPE_TGID);
	inst->root = get_pid(start->root);
	inst->bind_flags = start->bind_flags;
	inst->bind = atomic64_inc_return(&last_bind);
	for (i = 0; i < spec->nr; i++) {
		inst->presets[i] = start->presets ? start->presets[i] : spec->requests[i].preset;
		inst->counters.counter[i].add = inst->presets[i];
		inst->counters.counter[i].from = inst->presets[i];
	}
	vcpc_sample_init(inst->kept, spec->nr);
	vcpc_sample_init(inst->room, spec->nr);
	inst->kept->time = ktime_get_ns();
	memcpy(inst->kept->values, inst->presets, spec->nr * sizeof(u64));
	/* Open events can interrupt.  Ignore interrupts until all events are open. */
	inst->state = VCPC_INSTANCE_STOPPED;
	return inst;
}

/* An inherited instance of a set with a signal starts stopped; its signal handler restarts it. */
static int start_counting(struct vcpc_instance *inst, const struct vcpc_start *start)
{
	if (start->presets && inst->spec->signal && !(start->state & VCPC_INSTANCE_WAITING)) {
		vcpc_overflow_inherited(inst);
		return 0;
	}
	inst->state |= start->state;
	return start->state ? 0 : vcpc_instance_op(inst, VCPC_OP_ENABLE, NULL);
}

/**
 * vcpc_instance_open() - open an instance of a set on the calling thread
 * @start: its initial state
 * @bad: set to the request's index if a request caused the failure
 *
 * Context: sleeps; under the set's mutex.
 * Return: the instance, or an ERR_PTR: -ESRCH, -ENOSPC, -EUSERS, -ENOMEM, or the PMU's error.
 */
struct vcpc_instance *vcpc_instance_open(const struct vcpc_start *start, int *bad)
{
	struct vcpc_instance *inst = instance_alloc(start);
	int ret;

	if (!inst)
		return ERR_PTR(-ENOMEM);
	ret = vcpc_thread_add(inst) ?: vcpc_overflow_open(inst) ?:
	      vcpc_counters_open(&inst->counters, inst->spec, vcpc_overflow_interrupt, inst, bad) ?:
	      start_counting(inst, start);
	if (!ret)
		return inst;
	vcpc_instance_close(inst);
	return ERR_PTR(ret == -EAGAIN ? -ENOSPC : ret);
}

static void give_events_back(struct vcpc_instance *inst)
{
	vcpc_thread_del(inst);
	vcpc_counters_close(&inst->counters);
	vcpc_overflow_close(inst);
}

/**
 * vcpc_instance_close() - close a thread's instance
 * @inst: the instance, no longer in any list; freed with its last reference
 *
 * Context: sleeps; under the set's mutex.
 */
void vcpc_instance_close(struct vcpc_instance *inst)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->state |= VCPC_INSTANCE_CLOSED;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	give_events_back(inst);
	vcpc_instance_put(inst);
}

static int read_locked(struct vcpc_instance *inst, struct vcpc_sample *sample)
{
	int ret = vcpc_counters_read(&inst->counters, ktime_get_ns(), sample);

	if (ret == -EAGAIN)
		vcpc_instance_lost(inst);
	return ret;
}

/* Use memmove(), because @sample may be inst->kept itself. */
static void copy_kept(const struct vcpc_instance *inst, struct vcpc_sample *sample)
{
	memmove(sample, inst->kept, vcpc_sample_size(inst->spec->nr));
}

/**
 * vcpc_instance_sample_own() - sample the calling thread's instance
 * @inst: the instance
 * @sample: filled in; @size and @nr are set by the caller
 *
 * Context: the caller is an RCU reader or holds the set's mutex.
 * Return: 0; -EAGAIN if counts were lost; -EINVAL if it is being closed; -ESTALE if it has
 * ended and only vcpc_instance_sample_other() can sample it.
 */
int vcpc_instance_sample_own(struct vcpc_instance *inst, struct vcpc_sample *sample)
{
	unsigned long flags;
	int ret = 0;

	raw_spin_lock_irqsave(&inst->lock, flags);
	if (likely(!inst->state))
		ret = read_locked(inst, sample);
	else if (inst->state & VCPC_INSTANCE_CLOSED)
		ret = -EINVAL;
	else if (inst->state & VCPC_INSTANCE_INVALID)
		ret = -EAGAIN;
	else if (vcpc_instance_ended(inst))
		ret = -ESTALE;
	else
		copy_kept(inst, sample);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return ret;
}

/*
 * Copy the amounts to add to the events' counts; @changes detects whether they change afterwards.
 * Return: true if the instance is stopped, which makes @sample complete.
 */
static bool note_adds(struct vcpc_instance *inst, struct vcpc_sample *sample, u32 *changes)
{
	const struct vcpc_counters *c = &inst->counters;
	unsigned long flags;
	bool stopped;
	u32 i;

	raw_spin_lock_irqsave(&inst->lock, flags);
	stopped = inst->state & (VCPC_INSTANCE_STOPPED | VCPC_INSTANCE_SETTLED);
	*changes = inst->changes;
	if (stopped) {
		copy_kept(inst, sample);
	} else {
		for (i = 0; i < c->nr; i++)
			sample->values[i] = c->counter[i].add;
		sample->tick = c->tick_add;
		sample->state = VCPC_STATE_COUNTING;
		sample->time = ktime_get_ns();
	}
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return stopped;
}

static int read_counting(struct vcpc_instance *inst, struct vcpc_sample *sample, u64 *counts)
{
	unsigned int tries;
	u32 i, changes;
	u64 run;
	int ret;

	for (tries = 0; tries < READ_TRIES; tries++) {
		if (note_adds(inst, sample, &changes))
			return 0;
		ret = vcpc_counters_read_other(&inst->counters, counts, &run);
		if (ret)
			return ret;
		/* Pairs with the instance's lock, under which the thread changes the counts. */
		smp_rmb();
		if (READ_ONCE(inst->changes) != changes)
			continue;
		for (i = 0; i < inst->spec->nr; i++)
			sample->values[i] += counts[i];
		sample->tick += run;
		return 0;
	}
	return -EBUSY;
}

/**
 * vcpc_instance_sample_other() - sample another thread's instance, or one that has ended
 * @inst: the instance
 * @sample: filled in; @size and @nr are set by the caller
 * @scratch: u64[nr]
 *
 * The values are read counter by counter while the thread runs.
 *
 * Context: sleeps; under the set's mutex.
 * Return: 0; -EAGAIN if counts were lost; -EBUSY if the thread kept restarting it.
 */
int vcpc_instance_sample_other(struct vcpc_instance *inst, struct vcpc_sample *sample,
			       u64 *scratch)
{
	bool ended = vcpc_instance_ended(inst);
	unsigned long flags;
	int ret;

	if (READ_ONCE(inst->state) & VCPC_INSTANCE_INVALID)
		return -EAGAIN;
	ret = read_counting(inst, sample, scratch);
	if (ret == -EAGAIN) {
		raw_spin_lock_irqsave(&inst->lock, flags);
		vcpc_instance_lost(inst);
		raw_spin_unlock_irqrestore(&inst->lock, flags);
	}
	if (!ret && ended)
		sample->state |= VCPC_STATE_EXITED;
	return ret;
}

/**
 * vcpc_instance_settle() - save the last values of an instance that has ended
 * @inst: the instance, no longer in its thread's list
 * @scratch: u64[nr]
 *
 * Context: sleeps; under the set's mutex.
 */
void vcpc_instance_settle(struct vcpc_instance *inst, u64 *scratch)
{
	struct pid *pid = get_pid(vcpc_instance_pid(inst));
	unsigned long flags;

	/* This is now the only writer of @kept.  A failure marks the instance invalid. */
	(void)vcpc_instance_sample_other(inst, inst->kept, scratch);
	raw_spin_lock_irqsave(&inst->lock, flags);
	inst->kept->state |= VCPC_STATE_EXITED;
	inst->state |= VCPC_INSTANCE_SETTLED;
	swap(inst->pid, pid);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	put_pid(pid);
	give_events_back(inst);
	put_task_struct(inst->task);
	WRITE_ONCE(inst->task, NULL);
}

/* Continue from @values instead of the values in @room, and rearm the overflow interrupts. */
static int continue_locked(struct vcpc_instance *inst, const u64 *values)
{
	if (!vcpc_overflow_restart(inst, values))
		return -ERESTART;
	memmove(inst->kept->values, values, inst->spec->nr * sizeof(u64));
	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		inst->kept->tick = inst->room->tick;
	vcpc_counters_set(&inst->counters, inst->room, inst->kept);
	inst->kept->state = VCPC_STATE_COUNTING;
	WRITE_ONCE(inst->changes, inst->changes + 1);
	inst->state &= ~VCPC_INSTANCE_STOPPED;
	return 0;
}

static int enable_locked(struct vcpc_instance *inst)
{
	int ret;

	if (!(inst->state & VCPC_INSTANCE_STOPPED))
		return -EINVAL;
	ret = read_locked(inst, inst->room);
	return ret ?: continue_locked(inst, inst->kept->values);
}

/* If perf throttles a counter, invalidate the instance instead of delaying execve. */
static int exec_locked(struct vcpc_instance *inst)
{
	inst->state &= ~VCPC_INSTANCE_WAITING;
	if (enable_locked(inst) == -ERESTART)
		vcpc_instance_lost(inst);
	return 0;
}

static int disable_locked(struct vcpc_instance *inst)
{
	int ret;

	if (inst->state & VCPC_INSTANCE_STOPPED)
		return -EINVAL;
	ret = read_locked(inst, inst->kept);
	if (ret)
		return ret;
	vcpc_instance_stop(inst, 0);
	return 0;
}

/* RESTART does not reset virtual time. */
static int restart_locked(struct vcpc_instance *inst)
{
	int ret = read_locked(inst, inst->room);

	if (ret)
		return ret;
	inst->bind = atomic64_inc_return(&last_bind);
	return continue_locked(inst, inst->presets);
}

static int op_locked(struct vcpc_instance *inst, enum vcpc_op op,
		     const struct vcpc_preset_args *preset)
{
	if (inst->state & (VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_SETTLED))
		return -EINVAL;
	if (inst->state & VCPC_INSTANCE_INVALID)
		return -EAGAIN;
	if (op == VCPC_OP_PRESET) {
		inst->presets[preset->request] = preset->preset;
		return 0;
	}
	/* Only execve can start an instance that waits for it. */
	if (op == VCPC_OP_EXEC ? !(inst->state & VCPC_INSTANCE_WAITING) :
				 inst->state & VCPC_INSTANCE_WAITING)
		return -EINVAL;
	switch (op) {
	case VCPC_OP_EXEC:	return exec_locked(inst);
	case VCPC_OP_ENABLE:	return enable_locked(inst);
	case VCPC_OP_DISABLE:	return disable_locked(inst);
	case VCPC_OP_RESTART:	return restart_locked(inst);
	default:		return -EINVAL;
	}
}

/**
 * vcpc_instance_op() - start, stop or restart the calling thread's instance
 * @inst: the instance
 * @op: the operation
 * @preset: for VCPC_OP_PRESET: the value that a request starts from at the next RESTART
 *
 * Context: the caller is an RCU reader or holds the set's mutex.
 * Return: 0; -EINVAL if the instance has ended or @op is not valid in its state; -EAGAIN if counts
 * were lost; -ERESTART if perf throttles a counter: retry after a timer tick.
 */
int vcpc_instance_op(struct vcpc_instance *inst, enum vcpc_op op,
		     const struct vcpc_preset_args *preset)
{
	unsigned long flags;
	int ret;

	raw_spin_lock_irqsave(&inst->lock, flags);
	ret = op_locked(inst, op, preset);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return ret == -ESTALE ? -EINVAL : ret;
}

/**
 * vcpc_instance_state() - get an instance's state, as INSTANCES reports it
 * @inst: the instance
 *
 * Context: under the set's mutex.
 * Return: VCPC_STATE_*, including VCPC_STATE_INVALID.
 */
u32 vcpc_instance_state(struct vcpc_instance *inst)
{
	bool ended = vcpc_instance_ended(inst);
	unsigned long flags;
	u32 state;

	raw_spin_lock_irqsave(&inst->lock, flags);
	state = inst->kept->state;
	if (inst->state & VCPC_INSTANCE_INVALID)
		state |= VCPC_STATE_INVALID;
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return ended ? state | VCPC_STATE_EXITED : state;
}

/**
 * vcpc_instance_pid() - get the ID that an instance's thread has, or had when it ended
 * @inst: the instance
 *
 * If a thread other than the thread group leader calls execve, the two threads swap IDs.
 *
 * Context: under the set's mutex.
 * Return: the ID; the instance holds the reference.
 */
struct pid *vcpc_instance_pid(const struct vcpc_instance *inst)
{
	if (!inst->task)
		return inst->pid;
	return READ_ONCE(inst->task->pid) == pid_nr(inst->tgid) ? inst->tgid : inst->pid;
}
