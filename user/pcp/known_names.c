// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find names, and groups of names, by hash. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "known_names.h"

int shim_known_names__new(struct shim_known_names *k, size_t room)
{
	shim_hash__init(&k->hash);
	k->n = 0;
	k->all = malloc((room ? room : 1) * sizeof(*k->all));
	return k->all ? 0 : -ENOMEM;
}

void shim_known_names__free(struct shim_known_names *k)
{
	shim_hash__free(&k->hash);
	free(k->all);
}

struct shim_known_name *shim_known_names__find(const struct shim_known_names *k, const char *text,
					       size_t len)
{
	struct shim_hnode *node = shim_hash__first(&k->hash, shim_hash__bytes(&k->hash, text, len));

	for (; node; node = shim_hash__next(node)) {
		struct shim_known_name *name = shim_hnode__entry(node, struct shim_known_name, node);

		if (name->len == len && !memcmp(name->text, text, len))
			return name;
	}
	return NULL;
}

struct shim_known_name *shim_known_names__add(struct shim_known_names *k, const char *text, size_t len)
{
	struct shim_known_name *name = &k->all[k->n];

	*name = (struct shim_known_name){ .text = text, .len = len };
	if (shim_hash__add(&k->hash, &name->node, shim_hash__bytes(&k->hash, text, len)))
		return NULL;
	k->n++;
	return name;
}
