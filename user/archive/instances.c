// SPDX-License-Identifier: LGPL-2.1-or-later
/* The set of all instances that an instance domain ever had. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "instances.h"

#define FREE UINT32_MAX

static uint32_t slot_of(const struct shim_instances *set, int32_t inst)
{
	uint32_t h = (uint32_t)inst * 0x9e3779b1u;
	uint32_t i = (h ^ h >> 15) & set->mask;

	while (set->slots[i] != FREE && set->ids[set->slots[i]] != inst)
		i = (i + 1) & set->mask;
	return i;
}

static int grow(struct shim_instances *set)
{
	unsigned int room = set->room ? set->room * 2 : 16;
	int32_t *ids = realloc(set->ids, room * sizeof(*ids));
	const char **names;
	uint32_t *slots;

	if (!ids)
		return -ENOMEM;
	set->ids = ids;
	names = realloc(set->names, room * sizeof(*names));
	if (!names)
		return -ENOMEM;
	set->names = names;
	slots = realloc(set->slots, room * 2 * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	set->slots = slots;
	set->room = room;
	set->mask = room * 2 - 1;
	memset(slots, 0xff, room * 2 * sizeof(*slots));
	for (unsigned int i = 0; i < set->n; i++)
		slots[slot_of(set, ids[i])] = i;
	return 0;
}

static int add(struct shim_instances *set, int32_t inst, const char *name)
{
	uint32_t slot;

	if (set->n == set->room && grow(set))
		return -ENOMEM;
	slot = slot_of(set, inst);
	if (set->slots[slot] != FREE)
		return 0;
	set->ids[set->n] = inst;
	set->names[set->n] = name;
	set->slots[slot] = set->n++;
	return 0;
}

/*
 * Add the instances of a state that are not in the set yet.  The instances of the next newer state
 * are in the set.  Because ids are ascending in both states, one pass skips them.
 */
static int add_older(struct shim_instances *set, const struct shim_indom *state,
		     const struct shim_indom *newer)
{
	unsigned int j = 0, n = newer ? newer->n : 0;
	int err = 0;

	for (unsigned int i = 0; i < state->n && !err; i++) {
		while (j < n && newer->inst[j] < state->inst[i])
			j++;
		if (j == n || newer->inst[j] != state->inst[i])
			err = add(set, state->inst[i], state->name[i]);
	}
	return err;
}

int shim_instances__union(struct shim_instances *set, const struct shim_archive *ar,
			  uint32_t indom)
{
	unsigned int n = shim_archive__nindoms(ar, indom);
	const struct shim_indom *newer = NULL;
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		const struct shim_indom *state = shim_archive__indom_at(ar, indom, i);

		err = state ? add_older(set, state, newer) : -ENOMEM;
		newer = state;
	}
	return err;
}

void shim_instances__fini(struct shim_instances *set)
{
	free(set->ids);
	free(set->names);
	free(set->slots);
	*set = (struct shim_instances){ 0 };
}

int shim_instances__search(const struct shim_indom *state, int32_t inst)
{
	unsigned int lo = 0, hi = state->n;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (state->inst[mid] < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < state->n && state->inst[lo] == inst ? (int)lo : -1;
}
