// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts and labels of an archive, looked up by the object that they describe */
#include <stdlib.h>
#include <string.h>

#include "meta.h"

struct text {
	struct shim_hnode node;
	uint32_t type;
	uint32_t ident;
	const char *text;
};

/* The labels that apply from a time on; entries with equal times are in file order */
struct state {
	struct shim_ts stamp;
	size_t seq;
	struct shim_labels_iter sets;
};

/* A state in the list of all states of an object, from last to first in the file */
struct read_state {
	struct state state;
	struct read_state *before;
};

/*
 * struct shim_annotated - an object that has labels
 * @last: the state of its labels that was read last
 * @states: its @n states, ordered by time; set by sorting
 */
struct shim_annotated {
	struct shim_hnode node;
	struct shim_annotated *next;
	uint32_t level;
	uint32_t ident;
	struct read_state *last;
	struct state *states;
	size_t n;
};

void shim_texts_labels__init(struct shim_texts_labels *all)
{
	shim_hash__init(&all->texts);
	shim_hash__init(&all->labels);
}

void shim_texts_labels__free(struct shim_texts_labels *all)
{
	shim_hash__free(&all->texts);
	shim_hash__free(&all->labels);
}

static struct text *find_text(const struct shim_texts_labels *all, uint32_t type, uint32_t ident)
{
	struct shim_hnode *node = shim_hash__first(&all->texts,
						   shim_hash__u32(&all->texts, ident));

	for (; node; node = shim_hash__next(node)) {
		struct text *t = shim_hnode__entry(node, struct text, node);

		if (t->ident == ident && t->type == type)
			return t;
	}
	return NULL;
}

/* Add a text.  If there are several texts about an object, the last one is used. */
int shim_texts_labels__add_text(struct shim_texts_labels *all, struct shim_arena *arena,
				const struct shim_rec_text *rec)
{
	struct text *t = find_text(all, rec->type, rec->ident);

	if (!t) {
		t = shim_arena__alloc(arena, sizeof(*t));
		if (!t)
			return -ENOMEM;
		t->type = rec->type;
		t->ident = rec->ident;
		if (shim_hash__add(&all->texts, &t->node,
				   shim_hash__u32(&all->texts, rec->ident)))
			return -ENOMEM;
	}
	t->text = rec->text;
	all->text_types |= 1u << rec->type;
	return 0;
}

const char *shim_texts_labels__text(const struct shim_texts_labels *all, uint32_t type,
				    uint32_t ident)
{
	const struct text *t = find_text(all, type, ident);

	return t ? t->text : NULL;
}

static struct shim_annotated *annotated_find(const struct shim_texts_labels *all, uint32_t level,
					     uint32_t ident)
{
	struct shim_hnode *node = shim_hash__first(&all->labels,
						   shim_hash__u32(&all->labels, ident));

	for (; node; node = shim_hash__next(node)) {
		struct shim_annotated *a = shim_hnode__entry(node, struct shim_annotated, node);

		if (a->ident == ident && a->level == level)
			return a;
	}
	return NULL;
}

static struct shim_annotated *annotated_add(struct shim_texts_labels *all, struct shim_arena *arena,
					    uint32_t level, uint32_t ident)
{
	struct shim_annotated *a = shim_arena__alloc(arena, sizeof(*a));

	if (!a)
		return NULL;
	a->level = level;
	a->ident = ident;
	if (shim_hash__add(&all->labels, &a->node, shim_hash__u32(&all->labels, ident)))
		return NULL;
	a->next = all->annotated;
	all->annotated = a;
	return a;
}

static bool is_level(uint32_t level)
{
	return level && level <= SHIM_LEVEL_INSTANCES && !(level & (level - 1));
}

int shim_texts_labels__add_labels(struct shim_texts_labels *all, struct shim_arena *arena,
				  const struct shim_rec_labels *rec)
{
	/* PCP's importer writes an arbitrary number for a context. */
	uint32_t ident = rec->level == SHIM_LEVEL_CONTEXT ? SHIM_INDOM_NULL : rec->ident;
	struct read_state *now;
	struct shim_annotated *a;

	/* Labels of an unknown level cannot be requested. */
	if (!is_level(rec->level))
		return 0;
	a = annotated_find(all, rec->level, ident);
	if (!a)
		a = annotated_add(all, arena, rec->level, ident);
	now = a ? shim_arena__alloc(arena, sizeof(*now)) : NULL;
	if (!now)
		return -ENOMEM;
	*now = (struct read_state){ { rec->stamp, a->n, rec->sets }, a->last };
	a->last = now;
	a->n++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct state *sa = a, *sb = b;
	int cmp = shim_ts__cmp(sa->stamp, sb->stamp);

	return cmp ? cmp : (sa->seq > sb->seq) - (sa->seq < sb->seq);
}

/* A set of labels, and its position in the file */
struct place {
	int32_t inst;
	size_t seq;
	const uint8_t *at;
	size_t len;
};

static int by_instance(const void *a, const void *b)
{
	const struct place *pa = a, *pb = b;

	if (pa->inst != pb->inst)
		return pa->inst < pb->inst ? -1 : 1;
	return (pa->seq > pb->seq) - (pa->seq < pb->seq);
}

static size_t list_places(const struct state *states, size_t n, struct place *places)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		struct shim_labels_iter iter = states[i].sets;

		while (iter.n) {
			struct place *p = &places[found];
			struct shim_labelset set;

			p->at = iter.at;
			shim_labels__next(&iter, &set);
			p->len = (size_t)(iter.at - p->at);
			p->inst = set.inst;
			p->seq = found++;
		}
	}
	return found;
}

/*
 * Merge the sets of several records.  The first record with an instance defines the instance's set.
 */
static int sets_merge(struct shim_arena *arena, const struct state *states, size_t n,
		      struct shim_labels_iter *out)
{
	size_t total = 0, bytes = 0, kept = 0;
	struct place *places;
	uint8_t *copy;

	for (size_t i = 0; i < n; i++)
		total += states[i].sets.n;
	places = malloc((total ? total : 1) * sizeof(*places));
	if (!places)
		return -ENOMEM;
	list_places(states, n, places);
	qsort(places, total, sizeof(*places), by_instance);
	for (size_t i = 0; i < total; i++)
		if (!i || places[i].inst != places[kept - 1].inst) {
			places[kept++] = places[i];
			bytes += places[i].len;
		}
	copy = shim_arena__alloc(arena, bytes ? bytes : 1);
	if (copy) {
		*out = (struct shim_labels_iter){ (uint32_t)kept, copy, copy + bytes };
		for (size_t i = 0; i < kept; i++) {
			memcpy(copy, places[i].at, places[i].len);
			copy += places[i].len;
		}
	}
	free(places);
	return copy ? 0 : -ENOMEM;
}

/* Merge records with the same stamp into one state. */
static int records_unite(struct shim_annotated *a, struct shim_arena *arena)
{
	size_t n = 0, run;

	for (size_t i = 0; i < a->n; i += run) {
		for (run = 1; i + run < a->n; run++)
			if (shim_ts__cmp(a->states[i].stamp, a->states[i + run].stamp))
				break;
		a->states[n] = a->states[i];
		if (run > 1 && sets_merge(arena, &a->states[i], run, &a->states[n].sets))
			return -ENOMEM;
		n++;
	}
	a->n = n;
	return 0;
}

/* Set the states.  Most objects have only one, which is not copied. */
static int states_sort(struct shim_annotated *a, struct shim_arena *arena)
{
	size_t i = a->n;

	a->states = &a->last->state;
	if (a->n == 1)
		return 0;
	a->states = shim_arena__array(arena, a->n, sizeof(*a->states));
	if (!a->states)
		return -ENOMEM;
	for (const struct read_state *r = a->last; r; r = r->before)
		a->states[--i] = r->state;
	qsort(a->states, a->n, sizeof(*a->states), by_time);
	return records_unite(a, arena);
}

/**
 * shim_texts_labels__sort() - sort the labels after all of them have been added
 * @all: the texts and labels
 * @arena: memory for merged records
 *
 * If several records with the same stamp describe one object, each instance gets the labels of the
 * first record that contains it.  PCP uses only the first record.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_texts_labels__sort(struct shim_texts_labels *all, struct shim_arena *arena)
{
	int err = 0;

	for (struct shim_annotated *a = all->annotated; a && !err; a = a->next)
		err = states_sort(a, arena);
	return err;
}

bool shim_texts_labels__labels(const struct shim_texts_labels *all, uint32_t level, uint32_t ident,
			       struct shim_ts when, struct shim_labels_iter *out)
{
	const struct shim_annotated *a = annotated_find(all, level, ident);
	size_t lo = 0, hi = a ? a->n : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (shim_ts__cmp(a->states[mid].stamp, when) <= 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo)
		return false;
	*out = a->states[lo - 1].sets;
	return true;
}

bool shim_texts_labels__any_labels(const struct shim_texts_labels *all, uint32_t level,
				   uint32_t ident)
{
	return annotated_find(all, level, ident);
}
