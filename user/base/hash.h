/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A hash table of nodes that are embedded in the caller's objects.
 *
 * The table stores only hashes; the caller walks the nodes with the hash of its key and compares
 * the keys.  Each table has a random seed, so an attacker cannot craft a file whose keys collide.
 */
#ifndef SHIM_BASE_HASH_H
#define SHIM_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct shim_hnode {
	struct shim_hnode *next;
	uint64_t hash;
};

struct shim_hash {
	struct shim_hnode **buckets;
	size_t nbuckets;	/* a power of two, or 0 */
	size_t n;
	uint64_t seed;
};

#define shim_hnode__entry(node, type, member) \
	((type *)((char *)(node) - offsetof(type, member)))

void shim_hash__init(struct shim_hash *h);
void shim_hash__free(struct shim_hash *h);

uint64_t shim_hash__u32(const struct shim_hash *h, uint32_t key);
uint64_t shim_hash__bytes(const struct shim_hash *h, const void *key, size_t len);

/* Return 0 or -ENOMEM.  Several nodes may have the same hash. */
int shim_hash__add(struct shim_hash *h, struct shim_hnode *node, uint64_t hash);
/* Remove a node that is in the table. */
void shim_hash__del(struct shim_hash *h, struct shim_hnode *node);

static inline struct shim_hnode *shim_hnode__same(struct shim_hnode *node, uint64_t hash)
{
	while (node && node->hash != hash)
		node = node->next;
	return node;
}

/*
 * Return the first node with a hash, or the next node with the same hash.  Return NULL if none is
 * left.
 */
static inline struct shim_hnode *shim_hash__first(const struct shim_hash *h, uint64_t hash)
{
	if (!h->nbuckets)
		return NULL;
	return shim_hnode__same(h->buckets[hash & (h->nbuckets - 1)], hash);
}

static inline struct shim_hnode *shim_hash__next(const struct shim_hnode *node)
{
	return shim_hnode__same(node->next, node->hash);
}

#endif /* SHIM_BASE_HASH_H */
