/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_OVERFLOW_H
#define VCPC_OVERFLOW_H

#include <linux/irq_work.h>
#include <linux/poll.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "event.h"
#include "sched_pmu.h"

struct task_struct;
struct vcpc_counters;
struct vcpc_overflow;

/**
 * struct vcpc_overflow_ops - what the owner does about overflows
 * @look: something may have overflowed: find out by the values, and stop or count.  In the
 *	counted thread, or on the counted CPU; under the owner's lock.  @which is the request
 *	whose counter interrupted.  With @sched_out, perf is just taking the thread's events
 *	off its CPU, and may not have interrupted for the last overflow.
 * @notify: wake pollers; interrupts off
 */
struct vcpc_overflow_ops {
	void (*look)(void *owner, u32 which, bool sched_out);
	void (*notify)(void *owner, __poll_t what);
};

/**
 * struct vcpc_overflow_plan - what to watch
 * @ops: what the owner does about overflows
 * @owner: for @ops
 * @lock: the owner's, which guards the counters
 * @reqs: what is counted
 * @nr: how many
 * @from: from which values the counters begin
 * @task: the counted thread; NULL: it is a CPU
 * @freezes: an overflow stops the counters
 * @signal: what the thread is sent then; 0: nothing
 * @fd: si_fd of that
 */
struct vcpc_overflow_plan {
	const struct vcpc_overflow_ops *ops;
	void *owner;
	raw_spinlock_t *lock;
	const struct vcpc_request *reqs;
	u32 nr;
	const u64 *from;
	struct task_struct *task;
	bool freezes;
	int signal;
	int fd;
};

/**
 * struct vcpc_watch - what is known of one request's overflows
 * @o: whose
 * @from: what its counter was when it began to count; under the owner's lock
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
 * struct vcpc_overflow - the overflows of one thread's or CPU's counters
 * @rcu: for freeing
 * @work: signals and wakes, as perf may hold the scheduler's locks when it interrupts
 * @ops: what the owner does
 * @owner: for @ops
 * @lock: the owner's
 * @reqs: what is counted
 * @nr: how many
 * @task: the thread, to which this holds a reference; NULL if it is a CPU
 * @sched: hears when the thread comes to a CPU and leaves it
 * @freezes: an overflow stops the counters
 * @signal: what the thread is sent then
 * @fd: si_fd of that
 * @unlooked: there was an interrupt where nothing could be locked
 * @first: and which request it was; written before @unlooked
 * @which: which request stopped the counters; under the owner's lock, as all below
 * @due: and that is to be told the thread
 * @program: if it still executes this program
 * @address: and was here
 * @wake: what pollers are to be woken for, EPOLLPRI and EPOLLERR
 * @watch: one for each request
 */
struct vcpc_overflow {
	struct rcu_head rcu;
	struct irq_work work;
	const struct vcpc_overflow_ops *ops;
	void *owner;
	raw_spinlock_t *lock;
	const struct vcpc_request *reqs;
	u32 nr;
	struct task_struct *task;
	struct vcpc_sched sched;
	bool freezes;
	int signal;
	int fd;
	bool unlooked;
	u32 first;

	u32 which;
	bool due;
	u64 program;
	unsigned long address;
	__poll_t wake;
	struct vcpc_watch watch[];
};

struct vcpc_overflow *vcpc_overflow_create(const struct vcpc_overflow_plan *plan);
void vcpc_overflow_close(struct vcpc_overflow *o);
bool vcpc_overflow_alarm(void *o, u32 i, struct vcpc_alarm *alarm);
void vcpc_overflow_from(struct vcpc_overflow *o, const u64 *values);
void vcpc_overflow_restart(struct vcpc_overflow *o, struct vcpc_counters *c);

bool vcpc_overflow_missed(const struct vcpc_overflow *o, const struct vcpc_counters *c,
			  u32 *which);
bool vcpc_overflow_throttled(const struct vcpc_overflow *o, const struct vcpc_counters *c);
bool vcpc_overflow_stops(struct vcpc_overflow *o, const u64 *values, u32 interrupted);
void vcpc_overflow_count(struct vcpc_overflow *o, const u64 *values);
void vcpc_overflow_inherited(struct vcpc_overflow *o, u64 *values);
void vcpc_overflow_counts(const struct vcpc_overflow *o, u64 *counts);

#endif
