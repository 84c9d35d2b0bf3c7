/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_INSTANCE_H
#define VCPC_INSTANCE_H

#include <linux/bits.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "counter.h"

struct pid;
struct task_struct;
struct vcpc_binding;
struct vcpc_mux;
struct vcpc_overflow;

/* struct vcpc_instance.state; 0 is what it mostly is */
#define VCPC_INSTANCE_CLOSED	BIT(0)	/* nothing may be read any more */
#define VCPC_INSTANCE_INVALID	BIT(1)	/* counts were lost */
#define VCPC_INSTANCE_STOPPED	BIT(2)	/* disabled */
#define VCPC_INSTANCE_SETTLED	BIT(3)	/* its thread has ended; the counters are given back */
#define VCPC_INSTANCE_GROUPS	BIT(4)	/* it has groups that take turns */
#define VCPC_INSTANCE_OFFLINE	BIT(5)	/* its CPU is offline; the counters do not count */

#define VCPC_INSTANCE_LATE	BIT(6)	/* it has overflowed, and shall be frozen */
#define VCPC_INSTANCE_SHOWN	BIT(7)	/* its samples go to its slot of the set's page */

/* How an instance begins */
#define VCPC_OPEN_STOPPED	BIT(0)	/* disabled */
#define VCPC_OPEN_ON_EXEC	BIT(1)	/* waiting for the thread's next execve */
#define VCPC_OPEN_HEIR		BIT(2)	/* in the thread itself, before it was in user mode */

/**
 * struct vcpc_start - how an instance begins
 * @flags: VCPC_OPEN_*
 * @presets: its own, one for each request; NULL: the set's requests'
 */
struct vcpc_start {
	u32 flags;
	const u64 *presets;
};

/**
 * struct vcpc_instance - a set on one thread or CPU
 * @node: in the set's table by thread, until it is settled; changed under the
 *	set's lock, read under RCU
 * @by_task: in the table of all sets by thread, if somebody looks there
 * @in_binding: in its binding's list, in the order of their birth; under the
 *	set's lock
 * @rcu: for freeing
 * @binding: what brought it about; outlives it
 * @cpu: its CPU, or -1
 * @on_cpu: in the list of those that have one
 * @task: the thread; alive as long as @counters are; NULL if it has a CPU
 * @pid: its id when it was bound, which outlives it; NULL if it has a CPU
 * @tgid: its process's id, which execve makes its own
 * @lock: guards all that follow; taken with interrupts off, inside perf's
 *	context locks, never from an overflow handler
 * @state: VCPC_INSTANCE_*
 * @counters: its counters; they go away after VCPC_INSTANCE_CLOSED or
 *	VCPC_INSTANCE_SETTLED is set
 * @mux: its groups, if it has some
 * @overflow: who is told of its overflows, if any are asked for
 * @presets: what RESTART starts from, if not from the set's requests' presets; also
 *	written under the set's lock only
 * @slot: of the set's page, in VCPC_INSTANCE_SHOWN; changed under the set's lock, too
 * @spare: room for a sample that nobody is given
 * @kept: what is read while it is stopped or offline, and after it was settled;
 *	of groups whose turn it is not, at any time
 */
struct vcpc_instance {
	struct hlist_node node;
	struct hlist_node by_task;
	struct list_head in_binding;
	struct rcu_head rcu;
	struct vcpc_binding *binding;
	int cpu;
	struct list_head on_cpu;
	struct task_struct *task;
	struct pid *pid;
	struct pid *tgid;

	raw_spinlock_t lock;
	u32 state;
	struct vcpc_counters *counters;
	struct vcpc_mux *mux;
	struct vcpc_overflow *overflow;
	u64 *presets;
	struct vcpc_page_slot *slot;
	struct vcpc_sample *spare;
	struct vcpc_sample kept;
};

struct vcpc_instance *vcpc_instance_open(struct vcpc_binding *binding, struct task_struct *task,
					 const struct vcpc_start *start, int *bad);
void vcpc_instance_close(struct vcpc_instance *inst);
int vcpc_instance_settle(struct vcpc_instance *inst);
bool vcpc_instance_ended(const struct vcpc_instance *inst);
bool vcpc_instance_displaced(const struct vcpc_instance *inst);
struct pid *vcpc_instance_pid(const struct vcpc_instance *inst);
void vcpc_instance_load(struct vcpc_instance *inst);
int vcpc_instance_preset(struct vcpc_instance *inst, u32 request, u64 preset);
void vcpc_instance_online(struct vcpc_instance *inst);
void vcpc_instance_deprive(struct vcpc_instance *inst);

#endif
