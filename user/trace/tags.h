/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tags of a process, which are looked up without a lock and added under the process's lock. */
#ifndef SHIM_TRACE_TAGS_H
#define SHIM_TRACE_TAGS_H

#include <string.h>

#include <pcp/trace.h>

#include "process.h"

/**
 * struct shim_tag_key - a checked tag name from the caller
 * @name: @len bytes, followed by a NUL
 * @len: 1..254
 * @hash: hash of the name
 */
struct shim_tag_key {
	const char *name;
	uint32_t len;
	uint32_t hash;
};

/* Load eight bytes from an address that is a multiple of eight. */
static inline uint64_t shim_tags__word(const char *at)
{
	uint64_t word;

	memcpy(&word, __builtin_assume_aligned(at, sizeof(word)), sizeof(word));
	return word;
}

/*
 * Return the entry for an address in the cache of tags.  Most names are literals, so the same
 * address usually means the same tag; the caller compares the names.  A tag's own name was checked
 * when the tag was added.
 */
static inline struct shim_tag *_Atomic *shim_tags__guess(struct shim_tag_table *recent,
							  const char *name)
{
	return &recent->at[(uint32_t)(uintptr_t)name * 0x9e3779b1u >> recent->shift];
}

/*
 * Return whether a name at a multiple of eight is the tag's name.  It is compared eight bytes at a
 * time: the last load may extend beyond the NUL, but not into another page.  The result for other
 * addresses is 0.
 */
static inline int shim_tags__is_aligned_name(const struct shim_tag *tag, const char *name)
{
	/* AddressSanitizer would report loads beyond the NUL. */
#if !defined(__SANITIZE_ADDRESS__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	const char *mine = tag->name;
	const char *last = mine + (tag->len & ~7u);

	if (!((uintptr_t)name % sizeof(uint64_t))) {
		for (; mine < last; mine += sizeof(uint64_t), name += sizeof(uint64_t))
			if (shim_tags__word(mine) != shim_tags__word(name))
				return 0;
		return !((shim_tags__word(mine) ^ shim_tags__word(name)) << tag->behind);
	}
#else
	(void)tag;
	(void)name;
#endif
	return 0;
}

/* Return the tag in the cache for this address.  The caller must compare the names. */
static inline struct shim_tag *shim_tags__cached(const struct shim_process *p, const char *name)
{
	struct shim_tag_table *recent = atomic_load_explicit(&p->recent, memory_order_acquire);

	return recent ? atomic_load_explicit(shim_tags__guess(recent, name),
					     memory_order_acquire) : NULL;
}

static inline struct shim_tag *shim_tags__recent(const struct shim_process *p, const char *name)
{
	struct shim_tag *tag = shim_tags__cached(p, name);

	return tag && (shim_tags__is_aligned_name(tag, name) || !strcmp(tag->name, name)) ? tag :
	       NULL;
}

int shim_tag_key__init(struct shim_tag_key *key, const char *name);
struct shim_tag *shim_tags__find(struct shim_process *p, const struct shim_tag_key *key);
int shim_tags__get(struct shim_process *p, const struct shim_tag_key *key, struct shim_tag **tag);

#endif /* SHIM_TRACE_TAGS_H */
