/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detect that a CPU is or was offline, for events on it that count only a control group. */
#ifndef SHIM_CORE_PERF_WATCH_H
#define SHIM_CORE_PERF_WATCH_H

#include "perf_group.h"

#define SHIM_WATCH_SLACK_NS	1000000

/**
 * struct shim_watch - an event that counts nothing, but is enabled all the time
 * @group: the event
 * @since: CLOCK_MONOTONIC of the last check
 * @enabled: its time enabled at that check
 */
struct shim_watch {
	struct shim_group group;
	__u64 since;
	__u64 enabled;
};

bool shim_watch__is_online(int cpu);
int shim_watch__open(struct shim_watch *watch, int cpu);
bool shim_watch__lags(struct shim_watch *watch);

/*
 * Return whether an enabled time that grew by @enabled ns during @wall ns shows that the CPU was
 * offline.
 */
static inline bool shim_watch__is_behind(__u64 enabled, __u64 wall)
{
	return enabled + SHIM_WATCH_SLACK_NS + wall / 1000 < wall;
}

#endif /* SHIM_CORE_PERF_WATCH_H */
