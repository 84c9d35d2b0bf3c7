/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find names, and groups of names, by hash. */
#ifndef SHIM_PCP_KNOWN_NAMES_H
#define SHIM_PCP_KNOWN_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

/*
 * struct shim_known_name - a name, or a group of names
 * @text, @len: not NUL-terminated
 * @last: index of the last metric of the group in a list
 * @own: the source has a metric with this name
 */
struct shim_known_name {
	struct shim_hnode node;
	const char *text;
	size_t len;
	int last;
	bool own;
};

/* struct shim_known_names - @n names; @all has room for all that will be added */
struct shim_known_names {
	struct shim_hash hash;
	struct shim_known_name *all;
	size_t n;
};

/* Make an empty list with room for @room names.  Return 0 or -ENOMEM. */
int shim_known_names__new(struct shim_known_names *k, size_t room);
void shim_known_names__free(struct shim_known_names *k);
struct shim_known_name *shim_known_names__find(const struct shim_known_names *k, const char *text,
					       size_t len);
/* Add a name, whose text is not copied.  Return it, or NULL if memory is exhausted. */
struct shim_known_name *shim_known_names__add(struct shim_known_names *k, const char *text,
					      size_t len);

#endif /* SHIM_PCP_KNOWN_NAMES_H */
