// SPDX-License-Identifier: LGPL-2.1-or-later
/* A hash table that maps a pmid to a small number.  It grows and never shrinks. */
#include <errno.h>
#include <stdlib.h>

#include "base/hash.h"
#include "pmidmap.h"

static void insert(struct shim_pmidmap *map, uint32_t pmid, uint32_t at)
{
	uint32_t i = shim_pmidmap__hash(map, pmid) & map->mask;

	while (map->slots[i].at != SHIM_PMIDMAP_NONE)
		i = (i + 1) & map->mask;
	map->slots[i].pmid = pmid;
	map->slots[i].at = at;
}

/* Double the table, which is kept at most half full. */
static int grow(struct shim_pmidmap *map)
{
	uint32_t size = map->mask ? (map->mask + 1) * 2 : 16;
	struct shim_pmidmap old = *map;

	map->slots = malloc(size * sizeof(*map->slots));
	if (!map->slots) {
		*map = old;
		return -ENOMEM;
	}
	map->mask = size - 1;
	if (!map->factor) {
		struct shim_hash secret;

		shim_hash__init(&secret);
		map->factor = secret.seed | 1;
	}
	for (uint32_t i = 0; i < size; i++)
		map->slots[i].at = SHIM_PMIDMAP_NONE;
	for (uint32_t i = 0; old.mask && i <= old.mask; i++)
		if (old.slots[i].at != SHIM_PMIDMAP_NONE)
			insert(map, old.slots[i].pmid, old.slots[i].at);
	free(old.slots);
	return 0;
}

int shim_pmidmap__add(struct shim_pmidmap *map, uint32_t pmid, uint32_t at)
{
	if (!map->mask || map->n * 2 > map->mask) {
		int err = grow(map);

		if (err)
			return err;
	}
	insert(map, pmid, at);
	map->n++;
	return 0;
}

void shim_pmidmap__fini(struct shim_pmidmap *map)
{
	free(map->slots);
	*map = (struct shim_pmidmap){ 0 };
}
