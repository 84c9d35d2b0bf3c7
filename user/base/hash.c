// SPDX-License-Identifier: LGPL-2.1-or-later
/* Hash functions with a seed, and tables that grow by doubling. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "hash.h"

/* Mix 64 bits so that every bit of x affects every bit of the result. */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93u;
	x ^= x >> 32;
	return x;
}

/*
 * Seed the table with its own address and the random bytes that the kernel passes to each process.
 */
void shim_hash__init(struct shim_hash *h)
{
	const void *random = (const void *)getauxval(AT_RANDOM);
	uint64_t secret[2] = { 0 };

	if (random)
		memcpy(secret, random, sizeof(secret));
	*h = (struct shim_hash){ .seed = mix(secret[0] ^ mix(secret[1] ^ (uintptr_t)h)) };
}

void shim_hash__free(struct shim_hash *h)
{
	free(h->buckets);
	h->buckets = NULL;
	h->nbuckets = 0;
	h->n = 0;
}

uint64_t shim_hash__u32(const struct shim_hash *h, uint32_t key)
{
	return mix(h->seed + key);
}

uint64_t shim_hash__bytes(const struct shim_hash *h, const void *key, size_t len)
{
	const unsigned char *p = key;
	uint64_t hash = h->seed + len;
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word), p += sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = mix(hash ^ word) + h->seed;
	}
	word = 0;
	memcpy(&word, p, len);
	return mix(hash ^ word);
}

static int grow(struct shim_hash *h)
{
	size_t n = h->nbuckets ? 2 * h->nbuckets : 64;
	struct shim_hnode **buckets = calloc(n, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	for (size_t i = 0; i < h->nbuckets; i++) {
		struct shim_hnode *node, *next;

		for (node = h->buckets[i]; node; node = next) {
			struct shim_hnode **head = &buckets[node->hash & (n - 1)];

			next = node->next;
			node->next = *head;
			*head = node;
		}
	}
	free(h->buckets);
	h->buckets = buckets;
	h->nbuckets = n;
	return 0;
}

int shim_hash__add(struct shim_hash *h, struct shim_hnode *node, uint64_t hash)
{
	struct shim_hnode **head;

	if (h->n >= h->nbuckets) {
		int err = grow(h);

		if (err)
			return err;
	}
	head = &h->buckets[hash & (h->nbuckets - 1)];
	node->hash = hash;
	node->next = *head;
	*head = node;
	h->n++;
	return 0;
}

void shim_hash__del(struct shim_hash *h, struct shim_hnode *node)
{
	struct shim_hnode **at = &h->buckets[node->hash & (h->nbuckets - 1)];

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	h->n--;
}
