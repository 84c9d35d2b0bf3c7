/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instances of perf's sets, each of them a set on one target, and all that one bind makes. */
#ifndef SHIM_CORE_PERF_INSTANCE_H
#define SHIM_CORE_PERF_INSTANCE_H

#include "backend.h"
#include "perf_group.h"

/**
 * struct shim_overflow - of an instance that overflows
 * @next: in the list of all of them
 * @signal: sent to the thread, or 0
 * @limited: a bit for each event that will stop when it overflows; otherwise it has done so
 * @until: the counts at which they overflow, 0: never; one for each event
 */
struct shim_overflow {
	struct shim_instance *next;
	int signal;
	__u64 limited;
	__u64 *until;
};

/**
 * struct shim_slots - how the groups of a set are multiplexed
 * @group: of each request its group
 * @groups: how many there are, or 0
 * @length: of a slot, in the target's time; where perf multiplexes, it is perf's own
 * @shuffle: in each round in another order
 * @seed: from which orders and lengths follow
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
 * @next: in a list
 * @reqs: its set's requests
 * @n: how many
 * @slots: how its set's groups are multiplexed, or NULL
 * @tid: the thread, or the CPU
 * @tgid: its process
 * @root: what the bind named
 * @flags: VCPC_BIND_F_* and SHIM_BIND_F_*
 * @on: enabled; not while @waiting
 * @waiting: to be enabled by the target's next execve
 * @known: its thread has remembered it, and may be reading its pages without the lock
 * @offline: its CPU is offline, and nothing is open
 * @live: in the set's list of instances, not in that of those that are gone
 * @since: CLOCK_MONOTONIC of the last enable; of a CPU that counts, of the last read
 * @ran: time enabled before @since, since the group was opened
 * @kept: time enabled before the CPU went offline
 * @stopped: CLOCK_MONOTONIC of the last disable
 * @group: the events; a clock if @multiplex, @flexible or @kinds have them
 * @multiplex: those groups if the library multiplexes them, or NULL; the clock ends slots
 * @flexible: those groups if perf multiplexes them, or NULL
 * @kinds: the events where there are several kinds of core, or NULL
 * @plan: how its thread reads the events' pages without the lock; NULL if there are none
 * @overflow: what perf_overflow.c knows of it
 * @preset: what values start from at the next restart; behind @from
 * @from: what is added to each count; if groups are multiplexed, the values
 */
struct shim_instance {
	struct shim_instance *next;
	const struct vcpc_request *reqs;
	unsigned int n;
	const struct shim_slots *slots;
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
 * @n: how many
 * @taken: the instances that the set already has
 * @list: the instances that the bind makes
 * @root: the thread or CPU that it names
 * @flags: VCPC_BIND_F_*
 * @signal: told of overflows, or 0
 * @slots: how groups are multiplexed, or NULL
 * @bad: on failure, the index of the request to blame, or -1
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
