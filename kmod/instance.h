/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_INSTANCE_H
#define VCPC_INSTANCE_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "counter.h"
#include "spec.h"

struct perf_event;
struct perf_sample_data;
struct pid;
struct pt_regs;
struct task_struct;
struct vcpc_binding;
struct vcpc_deferred;
struct vcpc_guard;
struct vcpc_groups;
struct vcpc_instance;
struct vcpc_overflow;
struct vcpc_pace;

/* struct vcpc_instance.state; 0 is what it mostly is */
#define VCPC_INSTANCE_CLOSED	BIT(0)	/* nothing may be read any more */
#define VCPC_INSTANCE_INVALID	BIT(1)	/* counts were lost */
#define VCPC_INSTANCE_STOPPED	BIT(2)	/* disabled, or frozen by an overflow */
#define VCPC_INSTANCE_SETTLED	BIT(3)	/* its thread has ended; the counters are given back */
#define VCPC_INSTANCE_GROUPS	BIT(4)	/* it has groups that take turns */
#define VCPC_INSTANCE_OFFLINE	BIT(5)	/* its CPU is offline; the counters do not count */

/* How an instance begins */
#define VCPC_OPEN_STOPPED	BIT(0)	/* disabled */
#define VCPC_OPEN_ON_EXEC	BIT(1)	/* waiting for the thread's next execve */
#define VCPC_OPEN_INHERITED	BIT(2)	/* in the thread itself, before it was in user mode */

/* What can be done with an instance where its counters can be read */
enum vcpc_op {
	VCPC_OP_CHECK,		/* only see whether the counters are whole */
	VCPC_OP_SAMPLE,
	VCPC_OP_ENABLE,
	VCPC_OP_DISABLE,
	VCPC_OP_RESTART,	/* count from the presets */
	VCPC_OP_END_TURN,	/* -EINPROGRESS if it is not over */
	VCPC_OP_BEGIN_TURN,
};

/**
 * struct vcpc_start - what an instance begins with
 * @spec: what it counts
 * @guard: of its set
 * @pace: of its thread; NULL for a CPU
 * @task: its thread, to which the caller holds a reference; NULL: @cpu
 * @cpu: its CPU, or -1
 * @flags: VCPC_OPEN_*
 * @birth: how many instances its BIND had before
 * @presets: its own, one for each request; NULL: the requests'
 */
struct vcpc_start {
	const struct vcpc_spec *spec;
	struct vcpc_guard *guard;
	struct vcpc_pace *pace;
	struct task_struct *task;
	int cpu;
	u32 flags;
	u32 birth;
	const u64 *presets;
};

/**
 * struct vcpc_instance - a set on one thread or CPU
 * @node: in the set's table by thread, until it is settled; changed under the
 *	set's lock, read under RCU
 * @on_thread: in the list of its thread's instances, if somebody looks there
 * @in_binding: in its binding's list, in the order of their birth; under the
 *	set's lock
 * @rcu: for freeing
 * @binding: what brought it about; outlives it
 * @traced: its samples go along with its thread's trace events
 * @spec: what is counted
 * @guard: of its set
 * @cpu: its CPU, or -1
 * @on_cpu: in the list of those that have one
 * @task: the thread; alive as long as @counters are; NULL if it has a CPU
 * @pid: its id when it was bound, which outlives it; NULL if it has a CPU
 * @tgid: its process's id, which execve makes its own
 * @deferred: changes over to the next group
 * @lock: guards all that follow; taken with interrupts off, inside perf's
 *	context locks, also by what perf calls in its interrupts
 * @state: VCPC_INSTANCE_*
 * @offline: how often its CPU has gone offline
 * @counters: its counters; they go away after VCPC_INSTANCE_CLOSED or
 *	VCPC_INSTANCE_SETTLED is set
 * @groups: its groups, if it has some
 * @overflow: watches for overflows, if any are asked for
 * @presets: what RESTART starts from, if not from the requests' presets; also
 *	written under the set's lock only
 * @spare: room for a sample that nobody is given
 * @kept: what is read while it is stopped or offline, and after it was settled;
 *	of groups whose turn it is not, at any time
 */
struct vcpc_instance {
	struct hlist_node node;
	struct hlist_node on_thread;
	struct list_head in_binding;
	struct rcu_head rcu;
	struct vcpc_binding *binding;
	bool traced;
	const struct vcpc_spec *spec;
	struct vcpc_guard *guard;
	int cpu;
	struct list_head on_cpu;
	struct task_struct *task;
	struct pid *pid;
	struct pid *tgid;
	struct vcpc_deferred *deferred;

	raw_spinlock_t lock;
	u32 state;
	u32 offline;
	struct vcpc_counters *counters;
	struct vcpc_groups *groups;
	struct vcpc_overflow *overflow;
	u64 *presets;
	struct vcpc_sample *spare;
	struct vcpc_sample kept;
};

struct vcpc_instance *vcpc_instance_open(const struct vcpc_start *start, int *bad);
void vcpc_instance_close(struct vcpc_instance *inst);
int vcpc_instance_settle(struct vcpc_instance *inst, struct vcpc_sample *scratch);
bool vcpc_instance_ended(const struct vcpc_instance *inst);
bool vcpc_instance_displaced(const struct vcpc_instance *inst);
struct pid *vcpc_instance_pid(const struct vcpc_instance *inst);
int vcpc_instance_preset(struct vcpc_instance *inst, u32 request, u64 preset);
bool vcpc_instance_can_restart(const struct vcpc_instance *inst);
u32 vcpc_instance_state(const struct vcpc_instance *inst);
void vcpc_instance_online(struct vcpc_instance *inst);
void vcpc_instance_offline(int cpu);
void vcpc_instance_back(int cpu);
void vcpc_instance_deprive(struct vcpc_instance *inst);

int vcpc_instance_do(struct vcpc_instance *inst, enum vcpc_op op, struct vcpc_sample *sample,
		     struct vcpc_group_sample *groups);
int vcpc_instance_sample_locked(struct vcpc_instance *inst, struct vcpc_sample *sample,
				struct vcpc_group_sample *groups);
void vcpc_instance_lost(struct vcpc_instance *inst);
void vcpc_instance_load(struct vcpc_instance *inst);
void vcpc_instance_keep(struct vcpc_instance *inst);
void vcpc_instance_rotate(void *arg);
void vcpc_instance_turn_alarm(struct perf_event *event, struct perf_sample_data *data,
			      struct pt_regs *regs);

enum vcpc_overflow_seen vcpc_instance_look(void *owner, u32 which);

/**
 * vcpc_instance_sample_own() - sample the calling thread's own instance
 * @inst: the instance
 * @sample: filled on success
 * @groups: filled on success if it has groups and this is not NULL
 *
 * Context: interrupts off.
 * Return: 0; -EINVAL if it is being closed; -EAGAIN if counts were lost.
 */
static __always_inline int vcpc_instance_sample_own(struct vcpc_instance *inst,
						    struct vcpc_sample *sample,
						    struct vcpc_group_sample *groups)
{
	int ret;

	raw_spin_lock(&inst->lock);
	if (likely(!inst->state)) {
		ret = vcpc_counter_read(inst->counters, ktime_get_ns(), sample);
		if (unlikely(ret))
			vcpc_instance_lost(inst);
	} else {
		ret = vcpc_instance_sample_locked(inst, sample, groups);
	}
	raw_spin_unlock(&inst->lock);
	return ret;
}

/**
 * vcpc_instance_is() - is it in one of these states?
 * @inst: the instance
 * @states: VCPC_INSTANCE_*
 *
 * For who does not hold the instance's lock, and so looks at what may change: what an
 * overflow does to it is seen now, or the next time.
 */
static inline bool vcpc_instance_is(const struct vcpc_instance *inst, u32 states)
{
	return READ_ONCE(inst->state) & states;
}

#endif
