/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances of sets that perf counts.  Each is a set on one target; one bind can create several. */
#ifndef SHIM_CORE_PERF_INSTANCE_H
#define SHIM_CORE_PERF_INSTANCE_H

#include "backend.h"
#include "perf_group.h"
#include "perf_watch.h"

/**
 * struct shim_overflow - the overflows of an instance
 * @next: next instance with overflows
 * @signal: the signal sent to the thread, or 0
 * @limited: bit mask of the events that will stop at their overflow; the others have already
 *	stopped
 * @until: the count at which each event overflows, 0: never
 */
struct shim_overflow {
	struct shim_instance *next;
	int signal;
	__u64 limited;
	__u64 *until;
};

/**
 * struct shim_slots - how the groups of a set are multiplexed
 * @group: the group of each request
 * @groups: number of groups, or 0
 * @length: length of a slot in the target's time; unused if perf multiplexes
 * @shuffle: change the order in each rotation
 * @seed: random seed of orders and lengths
 */
struct shim_slots {
	const __u16 *group;
	unsigned int groups;
	__u64 length;
	bool shuffle;
	__u32 seed;
};

/**
 * struct shim_instance - a set on one target
 * @next: next instance in a list
 * @reqs: its set's requests
 * @n: number of requests
 * @slots: how its set's groups are multiplexed, or NULL
 * @cgroup: the control group that is counted on a CPU, or NULL
 * @watch: with @cgroup, while the CPU is online: detects that it has been offline
 * @tid: the thread, or the CPU
 * @tgid: its process
 * @root: the thread or CPU that was passed to bind
 * @flags: VCPC_BIND_F_* and SHIM_BIND_F_*
 * @on: enabled; false while @waiting
 * @waiting: the target's next execve will enable it
 * @known: its thread has cached it and may be reading its pages without the lock
 * @offline: its CPU is offline, and its events are closed
 * @live: in the set's list of instances, not in its list of removed ones
 * @since: CLOCK_MONOTONIC of the last enable, or of the last read if the target is a CPU that is
 *	being counted
 * @ran: time enabled before @since, since the group was opened
 * @kept: time enabled before the CPU went offline
 * @stopped: CLOCK_MONOTONIC of the last disable
 * @group: the events; if they are in @multiplex, @flexible or @kinds, a clock
 * @multiplex: the groups if the library multiplexes them, or NULL; an overflow of the clock ends a
 *	slot
 * @flexible: the groups if perf multiplexes them, or NULL
 * @kinds: the events on machines with several kinds of core, or NULL
 * @plan: its thread's plan for reading the events' pages without the lock; NULL without pages
 * @overflow: private to perf_overflow.c
 * @preset: the values from which counting starts at the next restart; allocated after @from
 * @from: values added to each count; if groups are multiplexed, the values themselves
 */
struct shim_instance {
	struct shim_instance *next;
	const struct vcpc_request *reqs;
	unsigned int n;
	const struct shim_slots *slots;
	const char *cgroup;
	struct shim_watch watch;
	pid_t tid, tgid, root;
	unsigned int flags;
	bool on, waiting, known, offline;
	volatile bool live;
	__u64 since, ran, kept, stopped;
	struct shim_group group;
	struct shim_page_plan *plan;
	struct shim_multiplex *multiplex;
	struct shim_flexible *flexible;
	struct shim_kinds *kinds;
	struct shim_overflow overflow;
	__u64 *preset;
	__u64 from[];
};

/**
 * struct shim_binding - one bind
 * @reqs: struct vcpc_request[@n]
 * @n: number of requests
 * @taken: the instances that the set already has
 * @list: the instances that the bind creates
 * @root: the thread or CPU that was passed to bind
 * @flags: VCPC_BIND_F_*
 * @signal: the signal sent at overflows, or 0
 * @slots: how groups are multiplexed, or NULL
 * @cgroup: the control group that is counted on a CPU, or NULL
 * @bad: on failure, the index of the rejected request, or -1
 */
struct shim_binding {
	const struct vcpc_request *reqs;
	unsigned int n;
	struct shim_instance *taken;
	struct shim_instance *list;
	pid_t root;
	unsigned int flags;
	int signal;
	const struct shim_slots *slots;
	const char *cgroup;
	int *bad;
};

static inline bool shim_instance__is_cpu(const struct shim_instance *inst)
{
	return inst->flags & SHIM_BIND_F_CPU;
}

static inline bool shim_instance__is_inherited(const struct shim_instance *inst)
{
	return inst->flags & (VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE);
}

int shim_instance__bind(struct shim_binding *binding);
void shim_instance__free(struct shim_instance *inst, bool here);
void shim_instance__halt(struct shim_instance *inst);
struct shim_instance *shim_instance__find(struct shim_instance *list, pid_t tid, bool cpu);
int shim_instance__start(struct shim_instance *inst);
int shim_instance__stop(struct shim_instance *inst);
int shim_instance__turn(struct shim_instance *inst, bool on, bool all);
int shim_instance__restart(struct shim_instance *inst);
int shim_instance__read(struct shim_instance *inst, struct shim_group_counts *counts);
bool shim_instance__has_ended(const struct shim_instance *inst);

#endif /* SHIM_CORE_PERF_INSTANCE_H */
