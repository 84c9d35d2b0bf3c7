/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A hash table that maps a pmid to a small number, such as the metric's index in an array. */
#ifndef SHIM_ARCHIVE_PMIDMAP_H
#define SHIM_ARCHIVE_PMIDMAP_H

#include <stdint.h>

#define SHIM_PMIDMAP_NONE UINT32_MAX

struct shim_pmidmap {
	uint32_t n;
	uint32_t mask;		/* number of slots - 1; 0 before the first entry */
	uint64_t factor;	/* hash multiplier: odd; secret, because archives may be hostile */
	struct shim_pmidmap_slot {
		uint32_t pmid;
		uint32_t at;	/* SHIM_PMIDMAP_NONE if free */
	} *slots;
};

/* Add a pmid, which must not exist yet.  Return 0 or -ENOMEM. */
int shim_pmidmap__add(struct shim_pmidmap *map, uint32_t pmid, uint32_t at);
void shim_pmidmap__fini(struct shim_pmidmap *map);

static inline uint32_t shim_pmidmap__hash(const struct shim_pmidmap *map, uint32_t pmid)
{
	uint64_t h = pmid * map->factor;

	return (uint32_t)(h >> 32 ^ h >> 47);
}

/* Return the number stored for @pmid, or SHIM_PMIDMAP_NONE. */
static inline uint32_t shim_pmidmap__get(const struct shim_pmidmap *map, uint32_t pmid)
{
	if (!map->mask)
		return SHIM_PMIDMAP_NONE;
	for (uint32_t i = shim_pmidmap__hash(map, pmid) & map->mask;; i = (i + 1) & map->mask) {
		const struct shim_pmidmap_slot *slot = &map->slots[i];

		if (slot->at == SHIM_PMIDMAP_NONE || slot->pmid == pmid)
			return slot->at;
	}
}

#endif /* SHIM_ARCHIVE_PMIDMAP_H */
