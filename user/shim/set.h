/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* struct shim_set: one set of the back end, or two if events are multiplexed. */
#ifndef SHIM_SHIM_SET_H
#define SHIM_SHIM_SET_H

#include "core/counters.h"
#include "shim/shim.h"

/*
 * struct shim_set - a set
 * @counters: its counters; if events are multiplexed, the groups' counters
 * @always: if events are multiplexed, the counters that count all the time, or NULL
 * @in_cgroup: the set counts a control group, only on CPUs
 * @groups: number of multiplexed groups; 0 or 1 if none are
 * @where: if events are multiplexed, each event's index in @counters or in @always
 * @on_one_kind: if events are multiplexed, bit mask of the events that count on only one of several
 *	kinds of core
 * @group_of: if events are multiplexed, each event's group, or SHIM_SET_MAX if it is in @always
 */
struct shim_set {
	struct shim_counters *counters;
	struct shim_counters *always;
	unsigned int n;
	bool in_cgroup;
	unsigned int groups;
	unsigned int where[SHIM_SET_MAX];
	uint64_t on_one_kind;
	unsigned int group_of[SHIM_SET_MAX];
	char *names[SHIM_SET_MAX];
};

int shim_set__create(struct shim_handle *handle, const char *const *events, unsigned int n,
		     struct vcpc_request *reqs, unsigned int *bad, struct shim_set **out);

#endif /* SHIM_SHIM_SET_H */
