// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Keep the tags of a process, which are looked up without a lock and added under the process's
 * lock.
 *
 * Tags are never removed, and a new tag is complete when it is put into the table, so the table can
 * be searched at any time.  A table that is half full is replaced by a larger one.  A thread that
 * is still searching the smaller table may miss a new tag, so it searches again under the lock
 * before it adds a tag.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <pcp/trace.h>

#include "core/probe.h"
#include "open.h"
#include "tags.h"

#define MAX_NAME	254	/* the limit of PCP's library */
#define ROOM		65536	/* size of each allocation for tags in bytes */
#define LINE		64	/* size of a cache line, which a tag with a short name fills */
#define FIRST_BITS	8	/* log2 of the first table's size */
#define GUESS_BITS	2	/* additional bits of the table indexed by addresses */

static uint64_t load(const char *s, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, s, size);
	return word;
}

/* Combine both halves of the product, so that the result depends on all bits of both numbers. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(hash ^ 0x9e3779b97f4a7c15u) *
				    (word ^ 0xa0761d6478bd642fu);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Hash a name 8 bytes at a time.  The last 8 bytes may overlap the previous ones. */
static uint64_t mix_all(const char *s, size_t len)
{
	uint64_t hash = len;
	size_t i;

	if (len < 4)
		return mix(hash, load(s, 1) | load(s + len / 2, 1) << 8 | load(s + len - 1, 1) << 16);
	if (len < 8)
		return mix(hash, load(s, 4) | load(s + len - 4, 4) << 32);
	for (i = 0; i + 8 < len; i += 8)
		hash = mix(hash, load(s + i, 8));
	return mix(hash, load(s + len - 8, 8));
}

/* The upper half of a product depends on all bits of its factors. */
static uint32_t hash_of(const char *s, size_t len)
{
	return mix_all(s, len) * 0x9e3779b97f4a7c15u >> 32;
}

/**
 * shim_tag_key__init() - check and hash a tag's name
 * @key: filled in
 * @name: the caller's name
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

static struct shim_tag *_Atomic *place(struct shim_tag_table *table, uint32_t i)
{
	return &table->at[i & ((1u << table->bits) - 1)];
}

static int is_named(const struct shim_tag *tag, const struct shim_tag_key *key)
{
	return tag->hash == key->hash && tag->len == key->len &&
	       !memcmp(tag->name, key->name, key->len);
}

static void tag_remember(struct shim_process *p, const char *name, struct shim_tag *tag)
{
	struct shim_tag_table *recent = atomic_load_explicit(&p->recent, memory_order_acquire);

	if (recent)
		atomic_store_explicit(shim_tags__guess(recent, name), tag, memory_order_release);
}

/* Find a tag.  Return NULL if this process has never used it. */
struct shim_tag *shim_tags__find(struct shim_process *p, const struct shim_tag_key *key)
{
	struct shim_tag_table *table = atomic_load_explicit(&p->tags, memory_order_acquire);
	struct shim_tag *tag;

	if (!table)
		return NULL;
	/* The table is never full, so an empty entry ends the search. */
	for (uint32_t i = key->hash;; i++) {
		tag = atomic_load_explicit(place(table, i), memory_order_acquire);
		if (!tag || is_named(tag, key))
			break;
	}
	if (tag)
		tag_remember(p, key->name, tag);
	return tag;
}

static void *memory_of(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

/*
 * Allocate memory for tags.  Programs built with <pcp/trace_inline.h> keep addresses of tags across
 * fork().  The memory is cleared in the child, so that the child does not use its parent's tags.
 */
static char *make_room(void)
{
	char *room = memory_of(ROOM);

	if (room && shim_process__wipes(shim_process__inherited()) &&
	    madvise(room, ROOM, MADV_WIPEONFORK)) {
		munmap(room, ROOM);
		room = NULL;
	}
	return room;
}

static void *take(struct shim_process *p, size_t size)
{
	char *room;

	size = (size + LINE - 1) & -(size_t)LINE;
	if (size > p->room_left) {
		room = make_room();
		if (!room)
			return NULL;
		p->room = room;
		p->room_left = ROOM;
	}
	room = p->room;
	p->room += size;
	p->room_left -= size;
	return room;
}

static struct shim_tag_table *make_table(uint32_t bits)
{
	struct shim_tag_table *table = memory_of(sizeof(*table) + (sizeof(table->at[0]) << bits));

	if (!table)
		return NULL;
	/* A forked child creates its own tables. */
	madvise(table, sizeof(*table) + (sizeof(table->at[0]) << bits), MADV_DONTFORK);
	table->bits = bits;
	table->shift = 32 - bits;
	return table;
}

static void put(struct shim_tag_table *table, struct shim_tag *tag)
{
	uint32_t i = tag->hash;

	while (atomic_load_explicit(place(table, i), memory_order_relaxed))
		i++;
	atomic_store_explicit(place(table, i), tag, memory_order_release);
}

/* Double the tables.  If memory runs out, the current tables are used until they are full. */
static int grow(struct shim_process *p)
{
	struct shim_tag_table *old = atomic_load_explicit(&p->tags, memory_order_relaxed);
	uint32_t bits = old ? old->bits + 1 : FIRST_BITS;
	struct shim_tag_table *table = make_table(bits), *recent;

	if (!table)
		return old && p->nr_tags + 1 < 1u << old->bits ? 0 : -ENOMEM;
	for (uint32_t i = 0; old && i < 1u << old->bits; i++) {
		struct shim_tag *tag = atomic_load_explicit(&old->at[i], memory_order_relaxed);

		if (tag)
			put(table, tag);
	}
	atomic_store_explicit(&p->tags, table, memory_order_release);
	recent = make_table(bits + GUESS_BITS);
	if (recent)
		atomic_store_explicit(&p->recent, recent, memory_order_release);
	return 0;
}

static int is_half_full(const struct shim_process *p)
{
	struct shim_tag_table *table = atomic_load_explicit(&p->tags, memory_order_relaxed);

	return !table || p->nr_tags >= 1u << (table->bits - 1);
}

static int add(struct shim_process *p, const struct shim_tag_key *key, struct shim_tag **out)
{
	int err = is_half_full(p) ? grow(p) : 0;
	struct shim_tag *tag = err ? NULL : take(p, sizeof(*tag) + key->len + 1);

	if (!tag)
		return -ENOMEM;
	if (shim_process__wipes(shim_process__inherited()))
		tag->state.gate = &p->gate;
	tag->hash = key->hash;
	tag->len = key->len;
	tag->index = p->nr_tags++;
	tag->owner = shim_open__me();
	memcpy(tag->name, key->name, key->len);
	tag->behind = 56 - key->len % 8 * 8;
	tag->id = shim_probe__hash(key->name, key->len);
	put(atomic_load_explicit(&p->tags, memory_order_relaxed), tag);
	tag_remember(p, key->name, tag);
	*out = tag;
	return 0;
}

/**
 * shim_tags__get() - find or create the tag with a name
 * @p: process
 * @key: the tag's name
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
