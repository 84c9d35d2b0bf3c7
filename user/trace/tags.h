/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tags of a process: found without a lock, added under the process's. */
#ifndef SHIM_TRACE_TAGS_H
#define SHIM_TRACE_TAGS_H

#include "process.h"

/**
 * struct shim_tag_key - a tag's name as the caller gave it, checked
 * @name: at least @len bytes, a NUL behind them
 * @len: 1..254
 * @hash: of the name
 */
struct shim_tag_key {
	const char *name;
	uint32_t len;
	uint32_t hash;
};

int shim_tag_key__init(struct shim_tag_key *key, const char *name);
struct shim_tag *shim_tags__find(struct shim_process *p, const struct shim_tag_key *key);
int shim_tags__get(struct shim_process *p, const struct shim_tag_key *key, struct shim_tag **tag);

int shim_tag__begin(struct shim_tag *tag);
int shim_tag__finish(struct shim_tag *tag);

#endif /* SHIM_TRACE_TAGS_H */
