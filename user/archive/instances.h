/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The set of all instances that an instance domain ever had. */
#ifndef SHIM_ARCHIVE_INSTANCES_H
#define SHIM_ARCHIVE_INSTANCES_H

#include "reader.h"

/*
 * struct shim_instances - instances of one domain, each once
 * @ids, @names: in the order in which they were added; the archive owns the names
 * @slots: hash table of ids; contains positions in @ids
 */
struct shim_instances {
	unsigned int n;
	unsigned int room;
	int32_t *ids;
	const char **names;
	uint32_t *slots;
	uint32_t mask;
};

/* Add the instances of all states of a domain, the newest state first. */
int shim_instances__union(struct shim_instances *set, const struct shim_archive *ar,
			  uint32_t indom);
void shim_instances__fini(struct shim_instances *set);

/* The index of an id in a state, or -1 */
int shim_instances__search(const struct shim_indom *state, int32_t inst);

#endif /* SHIM_ARCHIVE_INSTANCES_H */
