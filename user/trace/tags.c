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

#include "tags.h"

#define MAX_NAME	254	/* what PCP's library takes */
#define ROOM		65536	/* for tags, got at a time */

/**
 * shim_tag_key__init() - check and hash a tag's name
 * @key: filled in
 * @name: the caller's
 *
 * Return: 0, PMTRACE_ERR_TAGNAME (NULL or empty), PMTRACE_ERR_TAGLENGTH.
 */
int shim_tag_key__init(struct shim_tag_key *key, const char *name)
{
	uint32_t hash = 2166136261u, len;

	if (!name || !*name)
		return PMTRACE_ERR_TAGNAME;
	for (len = 0; name[len]; len++) {
		if (len == MAX_NAME)
			return PMTRACE_ERR_TAGLENGTH;
		hash = (hash ^ (unsigned char)name[len]) * 16777619u;
	}
	*key = (struct shim_tag_key) { .name = name, .len = len, .hash = hash };
	return 0;
}

static struct shim_tag *_Atomic *bucket(struct shim_process *p, uint32_t hash)
{
	return &p->buckets[(hash ^ hash >> 16) % TAG_BUCKETS];
}

/* The tag, or NULL if this process has never used it */
struct shim_tag *shim_tags__find(struct shim_process *p, const struct shim_tag_key *key)
{
	struct shim_tag *tag = atomic_load_explicit(bucket(p, key->hash), memory_order_acquire);

	for (; tag; tag = tag->next)
		if (tag->hash == key->hash && tag->len == key->len &&
		    !memcmp(tag->name, key->name, key->len))
			break;
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
		pthread_mutex_lock(&p->lock);
		found = shim_tags__find(p, key);
		if (!found)
			err = add(p, key, &found);
		pthread_mutex_unlock(&p->lock);
	}
	if (!err)
		*tag = found;
	return err;
}

/* 0, or PMTRACE_ERR_INPROGRESS */
int shim_tag__begin(struct shim_tag *tag)
{
	return atomic_exchange(&tag->progress, SHIM_BEGUN) == SHIM_BEGUN ?
	       PMTRACE_ERR_INPROGRESS : 0;
}

/* 0, PMTRACE_ERR_NOPROGRESS, or PMTRACE_ERR_NOSUCHTAG if it was never begun */
int shim_tag__finish(struct shim_tag *tag)
{
	int progress = SHIM_BEGUN;

	if (atomic_compare_exchange_strong(&tag->progress, &progress, SHIM_NOT_BEGUN))
		return 0;
	return progress == SHIM_NOT_BEGUN ? PMTRACE_ERR_NOPROGRESS : PMTRACE_ERR_NOSUCHTAG;
}
