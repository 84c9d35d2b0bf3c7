/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find and read the statistics of a 'why' that any process has open. */
#ifndef SHIM_CORE_BPF_WHY_MAPS_H
#define SHIM_CORE_BPF_WHY_MAPS_H

#include <errno.h>

#include <bpf/bpf.h>

#include "bpf_why.h"

/**
 * struct shim_why_maps - the maps of a 'why'
 * @program: ID of its program that adds to the maps; 0: no program was found
 * @stat: descriptor of vw_stat
 * @tag: descriptor of vw_tag
 */
struct shim_why_maps {
	uint32_t program;
	int stat, tag;
};

/**
 * struct shim_why_sums - totals of a tag's transactions
 * @count: number of ended transactions
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
void shim_why_maps__note(uint32_t program);
bool shim_why_maps__has_own(void);
void shim_why_maps__forget(uint32_t program);

/*
 * Get the key after @from, or the first key.  Return 0, -ENOENT after the last key, or another
 * errno.
 */
static inline int shim_why_row__next(int fd, const void *from, void *key)
{
	return bpf_map_get_next_key(fd, from, key) ? -errno : 0;
}

/* Read a row.  Return 0, -ENOENT if it was just removed, or another errno. */
static inline int shim_why_row__read(int fd, const void *key, void *value)
{
	return bpf_map_lookup_elem(fd, key, value) ? -errno : 0;
}

int shim_why_rows__walk(int tags, int stats, size_t cpus, shim_bpf_why_tag_fn *fn, void *arg);

#endif /* SHIM_CORE_BPF_WHY_MAPS_H */
