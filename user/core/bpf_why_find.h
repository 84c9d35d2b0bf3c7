/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds and reads the statistics of a 'why' that any process has open. */
#ifndef SHIM_CORE_BPF_WHY_FIND_H
#define SHIM_CORE_BPF_WHY_FIND_H

#include <stdint.h>

#include "bpf/why.h"

/**
 * struct shim_why_maps - the maps of a 'why'
 * @program: ID of its program that adds to them; 0: none was found
 * @stat: descriptor of vw_stat
 * @tag: descriptor of vw_tag
 */
struct shim_why_maps {
	uint32_t program;
	int stat, tag;
};

/**
 * struct shim_why_sums - what a tag's transactions have in common
 * @count: how many ended
 * @part: the parts of their time in ns, by enum vc_why_part
 */
struct shim_why_sums {
	uint64_t count;
	uint64_t part[VC_WHY_PARTS];
};

typedef int shim_why_sums_fn(void *arg, const char *name, uint32_t user,
			     const struct shim_why_sums *sums);

int shim_why_maps__find(struct shim_why_maps *maps);
int shim_why_maps__has_ended(const struct shim_why_maps *maps);
int shim_why_maps__walk(const struct shim_why_maps *maps, shim_why_sums_fn *fn, void *arg);
void shim_why_maps__close(struct shim_why_maps *maps);

#endif /* SHIM_CORE_BPF_WHY_FIND_H */
