/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set's events on one target, as a perf event group. */
#ifndef SHIM_CORE_PERF_GROUP_H
#define SHIM_CORE_PERF_GROUP_H

#include <linux/vcpc.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/fd.h"

#define SHIM_GROUP_MAX	64	/* events of a group */

/* The maximum distance to an overflow that perf accepts; no counter reaches it */
#define SHIM_GROUP_NEVER	(1ull << 62)

struct perf_event_attr;
struct perf_event_mmap_page;

/**
 * struct shim_group_place - the target of a group, and how it is counted
 * @tid: a thread; -1 with @cpu
 * @cpu: a CPU; -1 with @tid
 * @cgroup: with @cpu: the directory of a control group, to count only while its processes run
 * there; or NULL
 * @inherit: also count the threads and processes that the target starts; only the sum can then be
 *   read
 * @threads_only: with @inherit: count only threads, not processes
 * @on_exec: the thread's next execve enables the group
 * @own: the thread belongs to this process
 * @flexible: perf may multiplex it with other groups
 * @pinned: pin the group although it is inherited
 */
struct shim_group_place {
	pid_t tid;
	int cpu;
	const char *cgroup;
	bool inherit;
	bool threads_only;
	bool on_exec;
	bool own;
	bool flexible;
	bool pinned;
};

/*
 * A perf event's descriptor, and the event's ID, which detects that another file reuses the number
 */
struct shim_group_event {
	struct shim_fd fd;	/* nr -1: closed; the mapped page keeps the event open */
	__u64 id;
};

/**
 * struct shim_group - an open group
 * @n: number of events
 * @lead: index of the leader: the first event with VCPC_REQ_F_OVERFLOW, otherwise the first event
 * @overflows: bit mask of the events with VCPC_REQ_F_OVERFLOW
 * @events: the events in the order of the requests
 * @pages: the events' mapped pages, followed by the first page again; NULL if the pages could not
 *   be mapped
 */
struct shim_group {
	unsigned int n;
	unsigned int lead;
	__u64 overflows;
	struct shim_group_event *events;
	const volatile struct perf_event_mmap_page **pages;
};

/* The result of read(2): sums if the group is inherited */
struct shim_group_counts {
	__u64 nr;
	__u64 enabled;
	__u64 running;
	__u64 values[SHIM_GROUP_MAX];
};

bool shim_group__is_ours(const struct shim_group_event *event);
long shim_group__read_event(const struct shim_group_event *event, void *to, size_t size);
int shim_group__open_event(struct perf_event_attr *attr, const struct shim_group_place *place,
			   int leader);
void shim_group__describe(struct perf_event_attr *attr, const struct vcpc_request *req);
int shim_group__error(int err);
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

/* perf_try.c */
int shim_group__try(const struct vcpc_request *req);
unsigned int shim_group__slots(void);
int shim_group__why(void);

#endif /* SHIM_CORE_PERF_GROUP_H */
