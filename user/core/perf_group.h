/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set's events on one target, as a group of perf's. */
#ifndef SHIM_CORE_PERF_GROUP_H
#define SHIM_CORE_PERF_GROUP_H

#include <linux/vcpc.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/process.h"

#define SHIM_GROUP_MAX	64	/* events of a group */

/* A distance to an overflow that no counter ever goes, the longest that can be asked for */
#define SHIM_GROUP_NEVER	(1ull << 62)

struct perf_event_mmap_page;

/**
 * struct shim_group_place - what a group counts
 * @tid: a thread; -1 with @cpu
 * @cpu: a CPU; -1 with @tid
 * @inherit: also count the threads and processes that it starts; only their sum can be read
 * @threads_only: with @inherit: only threads, not processes
 * @on_exec: enabled by the thread's next execve
 * @own: the thread is of this process
 * @flexible: perf may multiplex it with other groups
 * @pinned: pinned although it is inherited
 */
struct shim_group_place {
	pid_t tid;
	int cpu;
	bool inherit;
	bool threads_only;
	bool on_exec;
	bool own;
	bool flexible;
	bool pinned;
};

/* A perf event's descriptor, and the event's id, which another file of the same number lacks */
struct shim_group_event {
	struct shim_fd fd;	/* nr -1: closed; the mapped page keeps the event */
	__u64 id;
};

/**
 * struct shim_group - a group that is open
 * @n: events
 * @lead: index of the event that leads: the first that overflows, otherwise the first
 * @overflows: a bit for each event that overflows, beginning with the lowest
 * @events: of the requests in their order
 * @pages: their mapped pages, and the first once more; NULL if they could not be mapped
 */
struct shim_group {
	unsigned int n;
	unsigned int lead;
	__u64 overflows;
	struct shim_group_event *events;
	const volatile struct perf_event_mmap_page **pages;
};

/* What read(2) gives: sums if the group is inherited */
struct shim_group_counts {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	__u64 values[SHIM_GROUP_MAX];
};

bool shim_group__is_ours(const struct shim_group_event *event);
long shim_group__read_event(const struct shim_group_event *event, void *to, size_t size);
int shim_group__try(const struct vcpc_request *req);
unsigned int shim_group__slots(void);
int shim_group__why(void);
int shim_group__open(struct shim_group *group, const struct vcpc_request *reqs, unsigned int n,
		     struct shim_group_place place, int *bad);
void shim_group__close(struct shim_group *group);
void shim_group__forget(struct shim_group *group);
int shim_group__turn(const struct shim_group *group, bool on);
int shim_group__tell(const struct shim_group *group, pid_t tid, int signal);
int shim_group__set_distance(const struct shim_group *group, unsigned int i, __u64 distance);
int shim_group__limit(const struct shim_group *group, unsigned int i);
int shim_group__enable_one(const struct shim_group *group, unsigned int i);
int shim_group__read(const struct shim_group *group, struct shim_group_counts *counts);
int shim_group__read_any(const struct shim_group *group, struct shim_group_counts *counts);
bool shim_group__is_taken_apart(const struct shim_group *group);
int shim_group__read_each(const struct shim_group *group, struct shim_group_counts *counts);
bool shim_group__has_ended(const struct shim_group *group);

#endif /* SHIM_CORE_PERF_GROUP_H */
