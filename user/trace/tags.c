// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tags of a process: found without a lock, added under the process's.
 *
 * Tags are never removed, so a chain can be walked at any time; a new tag is
 * linked when it is complete.  Begin and end race on one atomic word of the tag.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <pcp/trace.h>

#include "core/probe.h"
#include "tags.h"

#define MAX_NAME	254	/* what PCP's library takes */
#define ROOM		65536	/* for tags, got at a time */

static uint64_t load(const char *s, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, s, size);
	return word;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/* In words; the last one may overlap the one before. */
static uint32_t hash_of(const char *s, size_t len)
{
	uint64_t hash = len;
	size_t i;

	if (len < 4)
		return mix(mix(mix(hash, load(s, 1)), load(s + len / 2, 1)), load(s + len - 1, 1));
	if (len < 8)
		return mix(mix(hash, load(s, 4)), load(s + len - 4, 4));
	for (i = 0; i + 8 < len; i += 8)
		hash = mix(hash, load(s + i, 8));
	return mix(hash, load(s + len - 8, 8));
}

/**
 * shim_tag_key__init() - check and hash a tag's name
 * @key: filled in
 * @name: the caller's
 *
 * Return: 0, PMTRACE_ERR_TAGNAME (NULL or empty), PMTRACE_ERR_TAGLENGTH.
 */
int shim_tag_key__init(struct shim_tag_key *key, const char *name)
{
	size_t len;

	if (!name || !*name)
		return PMTRACE_ERR_TAGNAME;
	len = strlen(name);
	if (len > MAX_NAME)
		return PMTRACE_ERR_TAGLENGTH;
	*key = (struct shim_tag_key) { .name = name, .len = len, .hash = hash_of(name, len) };
	return 0;
}

static struct shim_tag *_Atomic *bucket(struct shim_process *p, uint32_t hash)
{
	return &p->buckets[hash % TAG_BUCKETS];
}

/* The tag, or NULL if this process has never used it */
struct shim_tag *shim_tags__find(struct shim_process *p, const struct shim_tag_key *key)
{
	struct shim_tag *tag = atomic_load_explicit(bucket(p, key->hash), memory_order_acquire);

	for (; tag; tag = tag->next)
		if (tag->hash == key->hash && tag->len == key->len &&
		    !memcmp(tag->name, key->name, key->len))
			break;
	if (tag)
		atomic_store_explicit(shim_tags__guess(p, key->name), tag, memory_order_release);
	return tag;
}

/* Memory of this process only: a child has no use for it, and could not free it. */
static void *take(struct shim_process *p, size_t size)
{
	char *room;

	size = (size + _Alignof(struct shim_tag) - 1) & -_Alignof(struct shim_tag);
	if (size > p->room_left) {
		room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (room == MAP_FAILED)
			return NULL;
		madvise(room, ROOM, MADV_DONTFORK);
		p->room = room;
		p->room_left = ROOM;
	}
	room = p->room;
	p->room += size;
	p->room_left -= size;
	return room;
}

static int add(struct shim_process *p, const struct shim_tag_key *key, struct shim_tag **out)
{
	struct shim_tag *tag = take(p, sizeof(*tag) + key->len + 1);

	if (!tag)
		return -ENOMEM;
	tag->hash = key->hash;
	tag->len = key->len;
	memcpy(tag->name, key->name, key->len);
	tag->id = shim_probe__hash(key->name, key->len);
	tag->next = atomic_load_explicit(bucket(p, key->hash), memory_order_relaxed);
	atomic_store_explicit(bucket(p, key->hash), tag, memory_order_release);
	*out = tag;
	return 0;
}

/**
 * shim_tags__get() - the tag of a name, made if this process has not used it yet
 * @p: process
 * @key: name
 * @tag: the tag, on success
 *
 * Return: 0 or -ENOMEM.
 */
int shim_tags__get(struct shim_process *p, const struct shim_tag_key *key, struct shim_tag **tag)
{
	struct shim_tag *found = shim_tags__find(p, key);
	int err = 0;

	if (!found) {
		shim_lock__enter(&p->lock);
		found = shim_tags__find(p, key);
		if (!found)
			err = add(p, key, &found);
		shim_lock__leave(&p->lock);
	}
	if (!err)
		*tag = found;
	return err;
}
