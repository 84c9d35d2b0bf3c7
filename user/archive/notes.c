// SPDX-License-Identifier: LGPL-2.1-or-later
/* Texts and labels of an archive, found by what they are about. */
#include <stdlib.h>

#include "base/vec.h"
#include "notes.h"

struct text {
	struct shim_hnode node;
	uint32_t type;
	uint32_t ident;
	const char *text;
};

/* Labels from a time on; those of equal times in the order of the file */
struct state {
	struct shim_ts stamp;
	size_t seq;
	struct shim_labels_iter sets;
};

/* Something that has labels, by time once they are sorted */
struct shim_annotated {
	struct shim_hnode node;
	struct shim_annotated *next;
	uint32_t level;
	uint32_t ident;
	struct state *states;
	size_t n;
	size_t cap;
};

void shim_notes__init(struct shim_notes *notes)
{
	shim_hash__init(&notes->texts);
	shim_hash__init(&notes->labels);
}

void shim_notes__free(struct shim_notes *notes)
{
	for (struct shim_annotated *a = notes->annotated; a; a = a->next)
		free(a->states);
	shim_hash__free(&notes->texts);
	shim_hash__free(&notes->labels);
}

static struct text *find_text(const struct shim_notes *notes, uint32_t type, uint32_t ident)
{
	struct shim_hnode *node = shim_hash__first(&notes->texts,
						   shim_hash__u32(&notes->texts, ident));

	for (; node; node = shim_hash__next(node)) {
		struct text *t = shim_hnode__entry(node, struct text, node);

		if (t->ident == ident && t->type == type)
			return t;
	}
	return NULL;
}

/* The last of several texts counts */
int shim_notes__add_text(struct shim_notes *notes, struct shim_arena *arena,
			 const struct shim_rec_text *rec)
{
	struct text *t = find_text(notes, rec->type, rec->ident);

	if (!t) {
		t = shim_arena__alloc(arena, sizeof(*t));
		if (!t)
			return -ENOMEM;
		t->type = rec->type;
		t->ident = rec->ident;
		if (shim_hash__add(&notes->texts, &t->node,
				   shim_hash__u32(&notes->texts, rec->ident)))
			return -ENOMEM;
	}
	t->text = rec->text;
	notes->text_types |= 1u << rec->type;
	return 0;
}

const char *shim_notes__text(const struct shim_notes *notes, uint32_t type, uint32_t ident)
{
	const struct text *t = find_text(notes, type, ident);

	return t ? t->text : NULL;
}

static struct shim_annotated *find(const struct shim_notes *notes, uint32_t level, uint32_t ident)
{
	struct shim_hnode *node = shim_hash__first(&notes->labels,
						   shim_hash__u32(&notes->labels, ident));

	for (; node; node = shim_hash__next(node)) {
		struct shim_annotated *a = shim_hnode__entry(node, struct shim_annotated, node);

		if (a->ident == ident && a->level == level)
			return a;
	}
	return NULL;
}

static struct shim_annotated *add(struct shim_notes *notes, struct shim_arena *arena,
				  uint32_t level, uint32_t ident)
{
	struct shim_annotated *a = shim_arena__alloc(arena, sizeof(*a));

	if (!a)
		return NULL;
	a->level = level;
	a->ident = ident;
	if (shim_hash__add(&notes->labels, &a->node, shim_hash__u32(&notes->labels, ident)))
		return NULL;
	a->next = notes->annotated;
	notes->annotated = a;
	return a;
}

static bool is_level(uint32_t level)
{
	return level && level <= SHIM_LEVEL_INSTANCES && !(level & (level - 1));
}

int shim_notes__add_labels(struct shim_notes *notes, struct shim_arena *arena,
			   const struct shim_rec_labels *rec)
{
	struct shim_annotated *a;
	struct state *states;

	/* of something that nobody can ask for */
	if (!is_level(rec->level))
		return 0;
	a = find(notes, rec->level, rec->ident);
	if (!a)
		a = add(notes, arena, rec->level, rec->ident);
	if (!a)
		return -ENOMEM;
	states = shim_vec__room(a->states, &a->cap, a->n, sizeof(*states));
	if (!states)
		return -ENOMEM;
	a->states = states;
	states[a->n] = (struct state){ rec->stamp, a->n, rec->sets };
	a->n++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct state *sa = a, *sb = b;
	int cmp = shim_ts__cmp(sa->stamp, sb->stamp);

	return cmp ? cmp : (sa->seq > sb->seq) - (sa->seq < sb->seq);
}

void shim_notes__sort(struct shim_notes *notes)
{
	for (struct shim_annotated *a = notes->annotated; a; a = a->next)
		qsort(a->states, a->n, sizeof(*a->states), by_time);
}

bool shim_notes__labels(const struct shim_notes *notes, uint32_t level, uint32_t ident,
			struct shim_ts when, struct shim_labels_iter *out)
{
	const struct shim_annotated *a = find(notes, level, ident);
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

bool shim_notes__any_labels(const struct shim_notes *notes, uint32_t level, uint32_t ident)
{
	return find(notes, level, ident);
}
