// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find values of instances for which no record contains a name, and count them per metric.
 *
 * A logger fetches values first and names later, so an instance that ends in between never gets a
 * name.  Archives with per-process metrics nearly always have some.
 */
#include <stdlib.h>

#include "base/vec.h"
#include "nameless.h"

/* Find @key, or append it to @n elements, which have room for it.  Returns 1 if it is new. */
static int position(struct shim_pmidmap *map, uint32_t key, size_t *n, uint32_t *at)
{
	*at = shim_pmidmap__get(map, key);
	if (*at != SHIM_PMIDMAP_NONE)
		return 0;
	*at = (uint32_t)*n;
	if (shim_pmidmap__add(map, key, *at))
		return -ENOMEM;
	(*n)++;
	return 1;
}

static int named_of(struct shim_nameless *nameless, uint32_t indom, struct shim_pmidmap **out)
{
	uint32_t at;
	int is_new;

	if (shim_vec__room(nameless->named, &nameless->named_room, nameless->ndomains))
		return -ENOMEM;
	is_new = position(&nameless->domains, indom, &nameless->ndomains, &at);
	if (is_new < 0)
		return is_new;
	if (is_new)
		nameless->named[at] = (struct shim_pmidmap){ 0 };
	*out = &nameless->named[at];
	return 0;
}

int shim_nameless__name(struct shim_nameless *nameless, const struct shim_rec_indom *rec)
{
	struct shim_pmidmap *named;
	int err = named_of(nameless, rec->indom, &named);

	for (uint32_t i = 0; i < rec->n && !err; i++) {
		uint32_t inst = (uint32_t)shim_rec_indom__id(rec, i);

		if (shim_rec_indom__name(rec, i) &&
		    shim_pmidmap__get(named, inst) == SHIM_PMIDMAP_NONE)
			err = shim_pmidmap__add(named, inst, 0);
	}
	return err;
}

static int count(struct shim_nameless *nameless, const struct shim_nameless_metric *found)
{
	uint32_t at;
	int is_new;

	if (shim_vec__room(nameless->all, &nameless->room, nameless->n))
		return -ENOMEM;
	is_new = position(&nameless->metrics, found->pmid, &nameless->n, &at);
	if (is_new < 0)
		return is_new;
	if (is_new)
		nameless->all[at] = *found;
	nameless->all[at].values += !is_new;
	return 0;
}

int shim_nameless__value(struct shim_nameless *nameless, uint32_t indom, int32_t inst,
			 const struct shim_nameless_metric *at)
{
	uint32_t domain = shim_pmidmap__get(&nameless->domains, indom);

	if (domain != SHIM_PMIDMAP_NONE &&
	    shim_pmidmap__get(&nameless->named[domain], (uint32_t)inst) != SHIM_PMIDMAP_NONE)
		return 0;
	return count(nameless, at);
}

void shim_nameless__fini(struct shim_nameless *nameless)
{
	for (size_t i = 0; i < nameless->ndomains; i++)
		shim_pmidmap__fini(&nameless->named[i]);
	free(nameless->named);
	free(nameless->all);
	shim_pmidmap__fini(&nameless->domains);
	shim_pmidmap__fini(&nameless->metrics);
}
