// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The set of all instances that an instance domain ever had.
 *
 * Deltas are applied to a table of instances, starting with the oldest state.  Expanding every
 * state would instead store each instance once per state.  A domain of a thousand instances may get
 * a new state whenever one of them changes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "indom.h"

#define FREE	UINT32_MAX

/*
 * struct life - an instance while records are applied
 * @first, @last: its oldest state, and its newest one if it was deleted
 * @epoch: number of the last full record at or before its last entry
 * @alive: it was not deleted by its last entry
 */
struct life {
	int32_t id;
	uint32_t first, last;
	uint32_t epoch;
	bool alive;
	const char *name;
};

/*
 * struct history - the contents of the records up to a state
 * @start: the state of each full record
 * @epoch: number of full records so far
 * @now: number of instances in the state
 */
struct history {
	struct life *all;
	size_t n, room;
	uint32_t *slots;
	uint32_t mask;
	uint32_t *start;
	uint32_t epoch;
	unsigned int now, largest;
};

static uint32_t first_slot(int32_t inst, uint32_t mask)
{
	uint32_t h = (uint32_t)inst * 0x9e3779b1u;

	return (h ^ h >> 15) & mask;
}

static uint32_t history_slot(const struct history *h, int32_t inst)
{
	uint32_t i = first_slot(inst, h->mask);

	while (h->slots[i] != FREE && h->all[h->slots[i]].id != inst)
		i = (i + 1) & h->mask;
	return i;
}

static int history_grow(struct history *h)
{
	size_t room = h->room ? h->room * 2 : 16;
	struct life *all = realloc(h->all, room * sizeof(*all));
	uint32_t *slots;

	if (!all)
		return -ENOMEM;
	h->all = all;
	slots = realloc(h->slots, room * 2 * sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	h->slots = slots;
	h->room = room;
	h->mask = (uint32_t)(room * 2 - 1);
	memset(slots, 0xff, room * 2 * sizeof(*slots));
	for (size_t i = 0; i < h->n; i++)
		slots[history_slot(h, all[i].id)] = (uint32_t)i;
	return 0;
}

static bool is_alive(const struct history *h, const struct life *life)
{
	return life->alive && life->epoch == h->epoch;
}

static int set_name(struct history *h, const struct shim_indom_entry *e, uint32_t state)
{
	struct life *life;
	uint32_t slot;

	if (h->n == h->room && history_grow(h))
		return -ENOMEM;
	slot = history_slot(h, e->id);
	if (h->slots[slot] == FREE) {
		h->slots[slot] = (uint32_t)h->n;
		h->all[h->n++] = (struct life){ .id = e->id, .first = state };
	}
	life = &h->all[h->slots[slot]];
	h->now += !is_alive(h, life);
	life->name = e->name;
	life->epoch = h->epoch;
	life->alive = true;
	return 0;
}

static void set_deleted(struct history *h, const struct shim_indom_entry *e, uint32_t state)
{
	uint32_t at = h->n ? h->slots[history_slot(h, e->id)] : FREE;
	struct life *life = at == FREE ? NULL : &h->all[at];

	if (!life || !is_alive(h, life))
		return;
	life->last = state - 1;
	life->alive = false;
	h->now--;
}

/* Apply the record of a state.  A full record ends the instances of the previous state. */
static int apply(struct history *h, const struct shim_rec_indom *rec, uint32_t state)
{
	struct shim_indom_entry *e;
	size_t n;
	int err = 0;

	if (!rec->delta || !state) {
		h->start[++h->epoch] = state;
		h->now = 0;
	}
	e = shim_indom__entries(rec, &n);
	if (!e)
		return -ENOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		if (e[i].name)
			err = set_name(h, &e[i], state);
		else
			set_deleted(h, &e[i], state);
	}
	free(e);
	if (h->now > h->largest)
		h->largest = h->now;
	return err;
}

static void settle_last(struct history *h, size_t nstates)
{
	for (size_t i = 0; i < h->n; i++) {
		struct life *life = &h->all[i];

		if (is_alive(h, life))
			life->last = (uint32_t)nstates - 1;
		else if (life->alive)
			life->last = h->start[life->epoch + 1] - 1;
	}
}

static int by_newest(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	if (x->last != y->last)
		return x->last > y->last ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static int hand_over(struct history *h, struct shim_instances *set)
{
	size_t n = h->n;

	set->ids = malloc((n + 1) * sizeof(*set->ids));
	set->names = malloc((n + 1) * sizeof(*set->names));
	set->first = malloc((n + 1) * sizeof(*set->first));
	set->last = malloc((n + 1) * sizeof(*set->last));
	if (!set->ids || !set->names || !set->first || !set->last)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		set->ids[i] = h->all[i].id;
		set->names[i] = h->all[i].name;
		set->first[i] = h->all[i].first;
		set->last[i] = h->all[i].last;
		h->slots[history_slot(h, h->all[i].id)] = (uint32_t)i;
	}
	set->n = (unsigned int)n;
	set->largest = h->largest;
	set->slots = h->slots;
	set->mask = h->mask;
	h->slots = NULL;
	return 0;
}

static int history_of(struct history *h, const struct shim_domain *d)
{
	int err = 0;

	h->start = malloc((d->n + 2) * sizeof(*h->start));
	if (!h->start)
		return -ENOMEM;
	for (size_t i = 0; i < d->n && !err; i++)
		err = apply(h, &d->states[i].rec, (uint32_t)i);
	if (err)
		return err;
	settle_last(h, d->n);
	if (h->n) {
		qsort(h->all, h->n, sizeof(*h->all), by_newest);
		memset(h->slots, 0xff, h->room * 2 * sizeof(*h->slots));
	}
	return 0;
}

static struct shim_instances *find_all(const struct shim_domain *d)
{
	struct shim_instances *set = calloc(1, sizeof(*set));
	struct history h = { 0 };
	int err = set ? history_of(&h, d) : -ENOMEM;

	if (!err)
		err = hand_over(&h, set);
	free(h.all);
	free(h.slots);
	free(h.start);
	if (err) {
		shim_instances__free(set);
		return NULL;
	}
	set->states = d->states;
	set->nstates = d->n;
	return set;
}

const struct shim_instances *shim_domain__instances(struct shim_domain *d)
{
	struct shim_instances *set = atomic_load_explicit(&d->ever, memory_order_relaxed);

	if (set)
		return set;
	set = find_all(d);
	atomic_store_explicit(&d->ever, set, memory_order_release);
	return set;
}

int shim_instances__find(const struct shim_instances *set, int32_t inst)
{
	uint32_t i;

	if (!set->n)
		return -1;
	i = first_slot(inst, set->mask);
	while (set->slots[i] != FREE && set->ids[set->slots[i]] != inst)
		i = (i + 1) & set->mask;
	return set->slots[i] == FREE ? -1 : (int)set->slots[i];
}

void shim_instances__free(struct shim_instances *set)
{
	if (!set)
		return;
	free(set->ids);
	free(set->names);
	free(set->first);
	free(set->last);
	free(set->slots);
	free(set);
}
