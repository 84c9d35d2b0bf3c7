/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_INSTANCE_H
#define VCPC_INSTANCE_H

#include <linux/bits.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "counter.h"

struct pid;
struct task_struct;
struct vcpc_set;
struct vcpc_spec;

/* struct vcpc_instance.state */
#define VCPC_INSTANCE_STOPPED	BIT(0)	/* disabled or frozen: values are in @kept */
#define VCPC_INSTANCE_INVALID	BIT(1)	/* counts were lost */
#define VCPC_INSTANCE_SETTLED	BIT(2)	/* ended, events released: values are in @kept */
#define VCPC_INSTANCE_CLOSED	BIT(3)	/* about to be freed */
#define VCPC_INSTANCE_WAITING	BIT(4)	/* STOPPED until the thread's next execve */

/**
 * struct vcpc_instance - a set's counters on one thread
 * @refs: held by the set's list and by a signal that is being delivered
 * @rcu: used to free it
 * @set: the set; holds no reference, because the set closes its instances
 * @spec: the set's requests
 * @task: the thread; holds a reference until settled
 * @pid: the thread's ID at BIND, or when it ended
 * @tgid: its process
 * @root: the thread that called BIND
 * @bind_flags: VCPC_BIND_F_* of that BIND
 * @in_set: node in the set's list; guarded by the set's mutex
 * @on_thread: node in the table of threads, see thread.c
 * @lock: guards all below; taken with interrupts disabled
 * @state: VCPC_INSTANCE_*; SETTLED is also guarded by the set's mutex
 * @bind: unique number, a new one for each instance and after each RESTART
 * @changes: number of times that @counters were stopped or continued
 * @which: index of the request whose overflow stopped the instance
 * @signal_due: the thread has not yet received the signal of that overflow
 * @signal_queued: @signal_work is in the thread's list
 * @unlooked: a counter has interrupted and has not been examined yet; written without the
 *	lock
 * @first: index of that counter; written before @unlooked
 * @program: the program that the thread executed at the overflow
 * @address: its user-mode address at the overflow
 * @look_work: examines the counters after an interrupt, or wakes the thread for its signal
 * @signal_work: sends the signal, in the thread
 * @switches: an event that reports context switches of the thread; NULL if not needed
 * @presets: u64[nr], the values from which RESTART continues
 * @kept: the values while STOPPED or SETTLED; its @state is always valid
 * @room: temporary storage for a sample
 * @counters: the thread's counters
 */
struct vcpc_instance {
	struct kref refs;
	struct rcu_head rcu;
	struct vcpc_set *set;
	const struct vcpc_spec *spec;
	struct task_struct *task;
	struct pid *pid;
	struct pid *tgid;
	struct pid *root;
	u32 bind_flags;
	struct list_head in_set;
	struct hlist_node on_thread;

	raw_spinlock_t lock;	/* see above */
	u32 state;
	u64 bind;
	u32 changes;
	u32 which;
	bool signal_due;
	bool signal_queued;
	bool unlooked;
	u32 first;
	u64 program;
	unsigned long address;
	struct irq_work look_work;
	struct callback_head signal_work;
	struct perf_event *switches;
	u64 *presets;
	struct vcpc_sample *kept;
	struct vcpc_sample *room;
	struct vcpc_counters counters;
};

/**
 * struct vcpc_start - initial state of an instance
 * @set: the set
 * @spec: the set's requests
 * @root: the thread that called BIND
 * @bind_flags: VCPC_BIND_F_* of that BIND
 * @presets: u64[nr] to start from if the thread inherits the set; NULL for the requests' presets
 * @state: VCPC_INSTANCE_STOPPED to wait for ENABLE, VCPC_INSTANCE_WAITING to wait for execve, or 0
 */
struct vcpc_start {
	struct vcpc_set *set;
	const struct vcpc_spec *spec;
	struct pid *root;
	u32 bind_flags;
	const u64 *presets;
	u32 state;
};

enum vcpc_op {
	VCPC_OP_ENABLE = _IOC_NR(VCPC_IOC_ENABLE),
	VCPC_OP_DISABLE = _IOC_NR(VCPC_IOC_DISABLE),
	VCPC_OP_RESTART = _IOC_NR(VCPC_IOC_RESTART),
	VCPC_OP_PRESET = _IOC_NR(VCPC_IOC_PRESET),
	/* Not an ioctl: execve enables a WAITING instance. */
	VCPC_OP_EXEC = _IOC_NRMASK + 1,
};

struct vcpc_instance *vcpc_instance_open(const struct vcpc_start *start, int *bad);
void vcpc_instance_close(struct vcpc_instance *inst);
void vcpc_instance_put(struct vcpc_instance *inst);
void vcpc_instance_settle(struct vcpc_instance *inst, u64 *scratch);

int vcpc_instance_sample_own(struct vcpc_instance *inst, struct vcpc_sample *sample);
int vcpc_instance_sample_other(struct vcpc_instance *inst, struct vcpc_sample *sample,
			       u64 *scratch);
int vcpc_instance_op(struct vcpc_instance *inst, enum vcpc_op op,
		     const struct vcpc_preset_args *preset);
u32 vcpc_instance_state(struct vcpc_instance *inst);
struct pid *vcpc_instance_pid(const struct vcpc_instance *inst);

/* Initialize the constant fields of a sample. */
static inline void vcpc_sample_init(struct vcpc_sample *sample, u32 nr)
{
	sample->size = sizeof(*sample);
	sample->nr = nr;
}

/*
 * Stop the instance with @state as its sample's state.  The caller holds the instance's lock and
 * has just read the values into @kept.
 */
static inline void vcpc_instance_stop(struct vcpc_instance *inst, u32 state)
{
	inst->kept->state = state;
	WRITE_ONCE(inst->changes, inst->changes + 1);
	inst->state |= VCPC_INSTANCE_STOPPED;
}

/*
 * Return whether the instance has ended, because its thread has exited or has gained privileges at
 * an execve.
 */
static inline bool vcpc_instance_ended(const struct vcpc_instance *inst)
{
	return READ_ONCE(inst->state) & VCPC_INSTANCE_SETTLED ||
	       vcpc_counters_ended(&inst->counters);
}

/* Return whether perf still schedules the instance's counters.  The caller is an RCU reader. */
static inline bool vcpc_instance_lives(struct vcpc_instance *inst)
{
	unsigned long flags;
	bool lives;

	raw_spin_lock_irqsave(&inst->lock, flags);
	lives = !(inst->state & VCPC_INSTANCE_CLOSED) && !vcpc_instance_ended(inst);
	raw_spin_unlock_irqrestore(&inst->lock, flags);
	return lives;
}

#endif
