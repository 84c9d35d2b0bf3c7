/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of the overflows of an instance: for those who find them out,
 * overflow.c when perf rings, leaving.c when the thread leaves its CPU.
 */
#ifndef VCPC_WATCH_H
#define VCPC_WATCH_H

#include <linux/irq_work.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

#include "instance.h"
#include "set.h"

struct perf_event;
struct task_struct;
struct vcpc_errand;

/* An instance that may not be frozen: it is so, or has nothing to freeze. */
#define VCPC_CANNOT_FREEZE	(VCPC_INSTANCE_CLOSED | VCPC_INSTANCE_INVALID | \
				 VCPC_INSTANCE_STOPPED | VCPC_INSTANCE_SETTLED | \
				 VCPC_INSTANCE_OFFLINE)

/**
 * struct vcpc_watch - what perf tells us with, one for each request
 * @o: whose
 * @from: what its counter was when it began to count; under the instance's lock
 * @periods: how often it has gone as far as from there to its end since; likewise
 * @count: how often it has overflowed in all; likewise
 */
struct vcpc_watch {
	struct vcpc_overflow *o;
	u64 from;
	u64 periods;
	u64 count;
};

/**
 * struct vcpc_overflow - who is told of an instance's overflows
 * @rcu: for freeing
 * @work: signals and wakes
 * @errand: goes to the thread if it has left meanwhile; NULL if it has a CPU
 * @inst: whose
 * @set: its set
 * @task: its thread, to which this holds a reference; NULL if it has a CPU
 * @leaving: is taken off the CPU with the thread; NULL if nobody needs to know
 * @freezes: an overflow stops the instance, and is told the thread
 * @unlooked: there was one where nothing could be locked
 * @first: and which request it was; written before @unlooked
 * @late: which it was, in VCPC_INSTANCE_LATE; under the instance's lock, as all below
 * @left: the thread has left, or is just leaving, and something has overflowed
 * @which: which request stopped the instance
 * @due: that is to be told the thread
 * @wake: what pollers are to be woken for, EPOLLPRI and EPOLLERR
 * @watch: one for each request
 */
struct vcpc_overflow {
	struct rcu_head rcu;
	struct irq_work work;
	struct vcpc_errand *errand;
	struct vcpc_instance *inst;
	struct vcpc_set *set;
	struct task_struct *task;
	struct perf_event *leaving;
	bool freezes;
	bool unlooked;
	u32 first;
	u32 late;
	bool left;
	u32 which;
	bool due;
	__poll_t wake;
	struct vcpc_watch watch[];
};

static inline bool vcpc_overflow_watches(const struct vcpc_overflow *o, u32 i)
{
	return o->set->requests[i].flags & VCPC_REQ_F_OVERFLOW;
}

u64 vcpc_overflow_periods(const struct vcpc_watch *watch, u64 value);

#endif
