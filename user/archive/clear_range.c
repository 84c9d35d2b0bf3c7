// SPDX-License-Identifier: LGPL-2.1-or-later
/* Ranges of an archive that are known to contain no mark record. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "clear_range.h"

void shim_clear_ranges__init(struct shim_clear_ranges *known)
{
	*known = (struct shim_clear_ranges){ 0 };
	pthread_mutex_init(&known->lock, NULL);
}

void shim_clear_ranges__fini(struct shim_clear_ranges *known)
{
	free(known->all);
	pthread_mutex_destroy(&known->lock);
}

/* Number of ranges that end before a position, or at it if @or_at */
static size_t ended(const struct shim_clear_ranges *known, struct shim_position at, bool or_at)
{
	size_t lo = 0, hi = known->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (shim_position__cmp(known->all[mid].to, at) < (or_at ? 1 : 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool shim_clear_ranges__find(struct shim_clear_ranges *known, struct shim_position at, bool back,
			  struct shim_clear_range *out)
{
	bool found = false;
	size_t i;

	pthread_mutex_lock(&known->lock);
	i = ended(known, at, !back);
	if (i < known->n)
		found = shim_position__cmp(known->all[i].from, at) < (back ? 0 : 1);
	if (found)
		*out = known->all[i];
	pthread_mutex_unlock(&known->lock);
	return found;
}

/*
 * Whether two ranges, @a first, can be merged: they overlap, or they are adjacent and the stamps do
 * not go backwards between them.
 */
static bool are_one(const struct shim_clear_range *a, const struct shim_clear_range *b)
{
	int cmp = shim_position__cmp(a->to, b->from);

	return cmp > 0 || (!cmp && a->last <= b->first);
}

static void unite(struct shim_clear_range *all, const struct shim_clear_range *s)
{
	if (shim_position__cmp(s->from, all->from) < 0) {
		all->from = s->from;
		all->first = s->first;
	}
	if (shim_position__cmp(s->to, all->to) > 0) {
		all->to = s->to;
		all->last = s->last;
	}
}

/*
 * Replace the ranges from @lo to before @hi by @s.  If @s needs a new entry and there is no room
 * for it, drop it.
 */
static void replace(struct shim_clear_ranges *known, size_t lo, size_t hi,
		    const struct shim_clear_range *s)
{
	struct shim_clear_range *all;

	if (lo == hi && (known->n == SHIM_CLEAR_RANGES_MAX ||
			 shim_vec__room(known->all, &known->cap, known->n)))
		return;
	all = known->all;
	memmove(&all[lo + 1], &all[hi], (known->n - hi) * sizeof(*all));
	all[lo] = *s;
	known->n = known->n + 1 - (hi - lo);
}

void shim_clear_ranges__add(struct shim_clear_ranges *known, const struct shim_clear_range *s)
{
	struct shim_clear_range one = *s;
	size_t lo, hi;

	if (shim_clear_range__is_empty(s))
		return;
	pthread_mutex_lock(&known->lock);
	lo = ended(known, s->from, false);
	if (lo < known->n && !shim_position__cmp(known->all[lo].to, s->from) &&
	    !are_one(&known->all[lo], s))
		lo++;
	for (hi = lo; hi < known->n; hi++) {
		const struct shim_clear_range *other = &known->all[hi];

		if (shim_position__cmp(other->from, one.from) < 0 ? !are_one(other, &one) :
								    !are_one(&one, other))
			break;
		unite(&one, other);
	}
	replace(known, lo, hi, &one);
	pthread_mutex_unlock(&known->lock);
}

void shim_clear_ranges__forget(struct shim_clear_ranges *known)
{
	pthread_mutex_lock(&known->lock);
	known->n = 0;
	pthread_mutex_unlock(&known->lock);
}
