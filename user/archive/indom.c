// SPDX-License-Identifier: LGPL-2.1-or-later
/* Expand the states of an instance domain: apply deltas to make each state complete. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "indom.h"

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

static int by_id(const void *a, const void *b)
{
	const struct shim_indom_entry *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

struct shim_indom_entry *shim_indom__entries(const struct shim_rec_indom *rec, size_t *n)
{
	struct shim_indom_entry *e = malloc((rec->n ? rec->n : 1) * sizeof(*e));
	bool sorted = true;
	size_t last = 0;

	if (!e)
		return NULL;
	for (uint32_t i = 0; i < rec->n; i++) {
		e[i] = (struct shim_indom_entry){ shim_rec_indom__id(rec, i), i,
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

/* Apply the changes @e to @base. @inst and @name must have space for the entries of both. */
static void indom_merge(const struct shim_indom *base, const struct shim_indom_entry *e,
			size_t n, struct shim_indom *out, int32_t *inst, const char **name)
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
	struct shim_indom_entry *e;
	const char **name;
	int32_t *inst;
	size_t n, room;

	if (s->rec.delta && i)
		base = atomic_load_explicit(&d->states[i - 1].whole, memory_order_relaxed);
	room = s->rec.n + (base ? base->n : 0);
	if (room > *budget)
		return -ENOMEM;
	e = shim_indom__entries(&s->rec, &n);
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
		indom_merge(base, e, n, whole, inst, name);
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

	/* Find the newest earlier state that does not depend on another one. */
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

/* Find instances of a domain's state by name */

#define SMALL		16	/* maximum number of instances whose names are searched linearly */
#define TABLE_AFTER	2	/* searches; building a table takes as long as one or two of them */
#define MOST_PROBES	64	/* with a good hash, searches take far fewer probes */
#define FREE		UINT32_MAX

/*
 * struct shim_inst_table - hash table of the names in a state, by whole name and by the part before
 * a blank
 * @mask: number of slots per kind, minus one
 * @longest: length of the longest name up to its first blank
 * @words: slots for parts before a blank, after @names
 *
 * A slot contains the index of the first instance with that name or that first part.
 */
struct shim_inst_table {
	uint64_t seed;
	uint32_t mask;
	size_t longest;
	uint32_t *words;
	uint32_t names[];
};

/* The cast is safe: the search data stored with a state is not part of its value. */
static struct shim_inst_names *names_of(const struct shim_indom *state)
{
	return (struct shim_inst_names *)&((const struct shim_named_indom *)state)->names;
}

/* Extend the hash @h of a text by one byte; the hash of the empty text is the seed. */
static uint64_t longer(uint64_t h, char c)
{
	h = (h ^ (unsigned char)c) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t hash_of(const struct shim_inst_table *t, const char *text, size_t len)
{
	uint64_t h = t->seed;

	for (size_t i = 0; i < len; i++)
		h = longer(h, text[i]);
	return h;
}

/* Return whether a name is @text or, for @words, begins with @text and a blank. */
static bool is(const char *name, const char *text, size_t len, bool words)
{
	return !strncmp(name, text, len) && name[len] == (words ? ' ' : '\0');
}

/* Return the slot of a text, or a free slot for it; NULL after too many probes. */
static uint32_t *inst_names_slot_of(struct shim_inst_table *t, const struct shim_indom *state,
				    bool words, const char *text, size_t len, uint64_t hash)
{
	uint32_t *slots = words ? t->words : t->names;

	for (uint32_t i = 0; i < MOST_PROBES; i++) {
		uint32_t *slot = &slots[(hash + i) & t->mask];

		if (*slot == FREE || is(state->name[*slot], text, len, words))
			return slot;
	}
	return NULL;
}

static bool entry_put(struct shim_inst_table *t, const struct shim_indom *state, unsigned int at,
		      bool words, size_t len)
{
	const char *text = state->name[at];
	uint32_t *slot = inst_names_slot_of(t, state, words, text, len, hash_of(t, text, len));

	if (slot && *slot == FREE)
		*slot = at;
	return slot;
}

/* Fill a table. Return false if searches would be slow. */
static bool fill(struct shim_inst_table *t, const struct shim_indom *state)
{
	for (unsigned int i = 0; i < state->n; i++) {
		const char *blank = strchr(state->name[i], ' ');
		size_t word = blank ? (size_t)(blank - state->name[i]) : 0;

		if (!entry_put(t, state, i, false, strlen(state->name[i])) ||
		    (blank && !entry_put(t, state, i, true, word)))
			return false;
		if (word > t->longest)
			t->longest = word;
	}
	return true;
}

static uint32_t slots_for(unsigned int n)
{
	uint32_t slots = 2 * SMALL;

	while (slots / 2 < n)
		slots *= 2;
	return slots;
}

bool shim_inst_names__wants_table(const struct shim_indom *state)
{
	struct shim_inst_names *names = names_of(state);

	if (state->n <= SMALL || state->n > UINT32_MAX / 4 ||
	    atomic_load_explicit(&names->asked, memory_order_relaxed) >= TABLE_AFTER)
		return false;
	return atomic_fetch_add_explicit(&names->asked, 1, memory_order_relaxed) == TABLE_AFTER - 1;
}

void shim_inst_names__make_table(const struct shim_indom *state, struct shim_arena *arena,
				 uint64_t seed, uint64_t *bytes)
{
	uint32_t slots = slots_for(state->n);
	size_t size = sizeof(struct shim_inst_table) + 2 * sizeof(uint32_t) * (size_t)slots;
	struct shim_inst_table *t = size <= *bytes ? shim_arena__alloc(arena, size) : NULL;

	if (!t)
		return;
	*bytes -= size;
	t->seed = seed;
	t->mask = slots - 1;
	t->words = t->names + slots;
	memset(t->names, 0xff, 2 * sizeof(uint32_t) * (size_t)slots);
	if (fill(t, state))
		atomic_store_explicit(&names_of(state)->table, t, memory_order_release);
}

/*
 * Return the index of the first instance whose name up to its first blank is @name, of @len bytes,
 * or FREE.
 */
static uint32_t find_word(struct shim_inst_table *t, const struct shim_indom *state,
			  const char *name, size_t len)
{
	uint32_t found = FREE;
	uint64_t h = t->seed;

	for (size_t i = 0; i <= len && i <= t->longest; i++) {
		const uint32_t *slot = inst_names_slot_of(t, state, true, name, i, h);

		if (slot && *slot < found)
			found = *slot;
		h = longer(h, name[i]);
	}
	return found;
}

static int find_in(struct shim_inst_table *t, const struct shim_indom *state, const char *name)
{
	size_t len = strlen(name);
	const uint32_t *slot =
		inst_names_slot_of(t, state, false, name, len, hash_of(t, name, len));
	uint32_t at = slot ? *slot : FREE;

	if (at == FREE)
		at = find_word(t, state, name, len);
	return at == FREE ? -1 : (int)at;
}

static bool begins_like(const char *external, const char *name)
{
	const char *blank = strchr(external, ' ');

	return blank && !strncmp(external, name, (size_t)(blank - external));
}

int shim_inst_names__find(const struct shim_indom *state, const char *name)
{
	struct shim_inst_table *table = atomic_load_explicit(&names_of(state)->table,
							     memory_order_acquire);
	int found = -1;

	if (table)
		return find_in(table, state, name);
	for (unsigned int i = 0; i < state->n; i++) {
		const char *external = state->name[i];

		if (external[0] != name[0] && external[0] != ' ')
			continue;
		if (!strcmp(external, name))
			return (int)i;
		if (found < 0 && begins_like(external, name))
			found = (int)i;
	}
	return found;
}

int shim_instances__search(const struct shim_indom *state, int32_t inst)
{
	atomic_uint *after = &names_of(state)->after;
	unsigned int lo = atomic_load_explicit(after, memory_order_relaxed), hi = state->n;

	if (lo >= state->n || state->inst[lo] != inst) {
		lo = 0;
		while (lo < hi) {
			unsigned int mid = (lo + hi) / 2;

			if (state->inst[mid] < inst)
				lo = mid + 1;
			else
				hi = mid;
		}
	}
	if (lo >= state->n || state->inst[lo] != inst)
		return -1;
	atomic_store_explicit(after, lo + 1, memory_order_relaxed);
	return (int)lo;
}
