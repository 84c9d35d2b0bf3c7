// SPDX-License-Identifier: LGPL-2.1-or-later
/* Expand the states of an instance domain: apply deltas to make each state complete. */
#include "base/vec.h"
#include "indom.h"
#include "inst_names.h"

int shim_domain__add(struct shim_domain *d, const struct shim_rec_indom *rec)
{
	struct shim_state *state;

	if (shim_vec__room(d->states, &d->cap, d->n))
		return -ENOMEM;
	state = &d->states[d->n];
	state->rec = *rec;
	state->seq = d->n++;
	atomic_init(&state->whole, NULL);
	return 0;
}

static int by_stamp(const void *a, const void *b)
{
	const struct shim_state *x = a, *y = b;
	int c = shim_ts__cmp(x->rec.stamp, y->rec.stamp);

	return c ? c : x->seq < y->seq ? -1 : x->seq > y->seq;
}

void shim_domain__sort(struct shim_domain *d)
{
	for (size_t i = 1; i < d->n; i++) {
		if (shim_ts__cmp(d->states[i - 1].rec.stamp, d->states[i].rec.stamp) > 0) {
			qsort(d->states, d->n, sizeof(*d->states), by_stamp);
			return;
		}
	}
}

bool shim_domain__at(const struct shim_domain *d, struct shim_ts when, size_t *out)
{
	size_t lo = 0, hi = d->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (shim_ts__cmp(d->states[mid].rec.stamp, when) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	*out = lo - 1;
	return true;
}

/* An entry of a record to merge into a state; @name is NULL if the instance is deleted */
struct entry {
	int32_t id;
	uint32_t seq;
	const char *name;
};

static int by_id(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

/* The record's entries by ascending id; if an id occurs several times, only the last entry */
static struct entry *take_entries(const struct shim_rec_indom *rec, size_t *n)
{
	struct entry *e = malloc((rec->n ? rec->n : 1) * sizeof(*e));
	bool sorted = true;
	size_t last = 0;

	if (!e)
		return NULL;
	for (uint32_t i = 0; i < rec->n; i++) {
		e[i] = (struct entry){ shim_rec_indom__id(rec, i), i,
				       shim_rec_indom__name(rec, i) };
		if (i && e[i].id <= e[i - 1].id)
			sorted = false;
	}
	*n = rec->n;
	if (sorted)
		return e;
	qsort(e, rec->n, sizeof(*e), by_id);
	for (uint32_t i = 1; i < rec->n; i++) {
		if (e[i].id != e[last].id)
			last++;
		e[last] = e[i];
	}
	*n = last + 1;
	return e;
}

/* Apply the changes @e to @base; @inst and @name must have room for the entries of both. */
static void merge(const struct shim_indom *base, const struct entry *e, size_t n,
		  struct shim_indom *out, int32_t *inst, const char **name)
{
	size_t i = 0, j = 0, k = 0, nbase = base ? base->n : 0;

	while (i < nbase || j < n) {
		if (j == n || (i < nbase && base->inst[i] < e[j].id)) {
			inst[k] = base->inst[i];
			name[k++] = base->name[i++];
			continue;
		}
		if (i < nbase && base->inst[i] == e[j].id)
			i++;
		if (e[j].name) {
			inst[k] = e[j].id;
			name[k++] = e[j].name;
		}
		j++;
	}
	out->n = (unsigned int)k;
	out->inst = inst;
	out->name = name;
}

static int spell_one(struct shim_domain *d, size_t i, struct shim_arena *arena, uint64_t *budget)
{
	const struct shim_indom *base = NULL;
	struct shim_state *s = &d->states[i];
	struct shim_named_indom *named;
	struct shim_indom *whole;
	struct entry *e;
	const char **name;
	int32_t *inst;
	size_t n, room;

	if (s->rec.delta && i)
		base = atomic_load_explicit(&d->states[i - 1].whole, memory_order_relaxed);
	room = s->rec.n + (base ? base->n : 0);
	if (room > *budget)
		return -ENOMEM;
	e = take_entries(&s->rec, &n);
	if (!e)
		return -ENOMEM;
	named = shim_arena__alloc(arena, sizeof(*named));
	whole = named ? &named->indom : NULL;
	inst = shim_arena__array(arena, room, sizeof(*inst));
	name = shim_arena__array(arena, room, sizeof(*name));
	if (whole && inst && name) {
		whole->stamp = s->rec.stamp;
		whole->indom = d->indom;
		whole->one_record = !base;
		merge(base, e, n, whole, inst, name);
		*budget -= room;
		atomic_store_explicit(&s->whole, whole, memory_order_release);
	}
	free(e);
	return whole && inst && name ? 0 : -ENOMEM;
}

int shim_domain__spell(struct shim_domain *d, size_t i, struct shim_arena *arena, uint64_t *budget)
{
	size_t from = i;
	int err;

	/* find the newest earlier state that does not depend on another one */
	while (from && d->states[from].rec.delta &&
	       !atomic_load_explicit(&d->states[from].whole, memory_order_relaxed))
		from--;
	for (; from <= i; from++) {
		if (atomic_load_explicit(&d->states[from].whole, memory_order_relaxed))
			continue;
		err = spell_one(d, from, arena, budget);
		if (err)
			return err;
	}
	return 0;
}
