/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_OVERFLOW_H
#define VCPC_OVERFLOW_H

#include <linux/irq_work.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/vcpc.h>

#include "event.h"

struct perf_event;
struct task_struct;
struct vcpc_counters;
struct vcpc_overflow;

/**
 * enum vcpc_overflow_seen - what a look at counters has found
 * @VCPC_OVERFLOW_NONE: they go on
 * @VCPC_OVERFLOW_FOUND: all are stopped now, by an overflow
 * @VCPC_OVERFLOW_STILL: they were stopped before
 */
enum vcpc_overflow_seen {
	VCPC_OVERFLOW_NONE,
	VCPC_OVERFLOW_FOUND,
	VCPC_OVERFLOW_STILL,
};

/**
 * typedef vcpc_overflow_look_fn - something may have overflowed: find out by the values, and stop
 * @owner: of the counters
 * @which: the request whose counter interrupted
 *
 * Context: in the counted thread, interrupts off; under the owner's lock.
 * Return: what came of it.
 */
typedef enum vcpc_overflow_seen (*vcpc_overflow_look_fn)(void *owner, u32 which);

/**
 * struct vcpc_overflow_plan - what to watch
 * @look: what the owner does about overflows
 * @owner: for @look
 * @lock: the owner's, which guards the counters
 * @reqs: what is counted
 * @nr: how many
 * @from: from which values the counters begin
 * @task: the counted thread
 * @signal: what the thread is sent then; 0: nothing
 * @fd: si_fd of that
 */
struct vcpc_overflow_plan {
	vcpc_overflow_look_fn look;
	void *owner;
	raw_spinlock_t *lock;
	const struct vcpc_request *reqs;
	u32 nr;
	const u64 *from;
	struct task_struct *task;
	int signal;
	int fd;
};

/**
 * struct vcpc_watch - one request that may overflow
 * @o: whose
 * @from: what its counter was when it began to count; under the owner's lock
 */
struct vcpc_watch {
	struct vcpc_overflow *o;
	u64 from;
};

/**
 * struct vcpc_overflow - the overflows of one thread's counters
 * @rcu: for freeing
 * @work: signals, as perf may hold the scheduler's locks when it interrupts
 * @look: what the owner does
 * @owner: for @look
 * @lock: the owner's
 * @reqs: what is counted
 * @nr: how many
 * @task: the thread, to which this holds a reference
 * @switches: an event that calls when the thread leaves its CPU; NULL if it is not needed
 * @signal: what the thread is sent then
 * @fd: si_fd of that
 * @unlooked: there was an interrupt where nothing could be locked
 * @first: and which request it was; written before @unlooked
 * @which: which request stopped the counters; under the owner's lock, as all below
 * @due: and that is to be told the thread
 * @program: if it still executes this program
 * @address: and was here
 * @watch: one for each request
 */
struct vcpc_overflow {
	struct rcu_head rcu;
	struct irq_work work;
	vcpc_overflow_look_fn look;
	void *owner;
	raw_spinlock_t *lock;
	const struct vcpc_request *reqs;
	u32 nr;
	struct task_struct *task;
	struct perf_event *switches;
	int signal;
	int fd;
	bool unlooked;
	u32 first;

	u32 which;
	bool due;
	u64 program;
	unsigned long address;
	struct vcpc_watch watch[];
};

struct vcpc_overflow *vcpc_overflow_create(const struct vcpc_overflow_plan *plan);
void vcpc_overflow_close(struct vcpc_overflow *o);
bool vcpc_overflow_alarm(void *o, u32 i, struct vcpc_alarm *alarm);
void vcpc_overflow_from(struct vcpc_overflow *o, const u64 *values);
void vcpc_overflow_restart(struct vcpc_overflow *o, struct vcpc_counters *c);

bool vcpc_overflow_stops(struct vcpc_overflow *o, const u64 *values, u32 interrupted);
void vcpc_overflow_inherited(struct vcpc_overflow *o, u64 *values);

#endif
