/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A set inside: one of the back end's, or two where events take turns. */
#ifndef SHIM_SHIM_SET_H
#define SHIM_SHIM_SET_H

#include "core/counters.h"
#include "shim/shim.h"

/*
 * struct shim_set - a set
 * @counters: its counters; where events take turns those that do
 * @always: NULL, or the others then
 * @groups: that take turns; 0 or 1 if none do
 * @where: then, of each event, its place in @counters, or behind those in @always
 * @group_of: then, of each event, its group, or SHIM_SET_MAX: it is one of @always
 */
struct shim_set {
	struct shim_counters *counters;
	struct shim_counters *always;
	unsigned int n;
	unsigned int groups;
	unsigned int where[SHIM_SET_MAX];
	unsigned int group_of[SHIM_SET_MAX];
	char *names[SHIM_SET_MAX];
};

int shim_set__create(struct shim_handle *handle, const char *const *events, unsigned int n,
		     struct vcpc_request *reqs, unsigned int *bad, struct shim_set **out);

#endif /* SHIM_SHIM_SET_H */
