// SPDX-License-Identifier: LGPL-2.1-or-later
/* Find instances of a domain's state by name. */
#include <string.h>

#include "inst_names.h"

#define SMALL		16	/* instances; a linear search of this many names is fast */
#define TABLE_AFTER	2	/* searches; building a table takes as long as one or two of them */
#define MOST_PROBES	64	/* in a good table, every search takes far fewer probes */
#define FREE		UINT32_MAX

/*
 * struct shim_inst_table - hash table of the names in a state, by whole name and by the part before
 * a blank
 * @mask: number of slots per kind, minus one
 * @longest: length of the longest name up to its first blank
 * @words: slots for parts before a blank, after @names
 *
 * A slot contains the index of the first instance with that name, or with that first part.
 */
struct shim_inst_table {
	uint64_t seed;
	uint32_t mask;
	size_t longest;
	uint32_t *words;
	uint32_t names[];
};

/* The search data next to a state is not part of its value, so it may change. */
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

/* Whether a name is @text or, for @words, begins with @text and a blank */
static bool is(const char *name, const char *text, size_t len, bool words)
{
	return !strncmp(name, text, len) && name[len] == (words ? ' ' : '\0');
}

/* The slot of a text, or a free slot for it; NULL after too many probes */
static uint32_t *slot_of(struct shim_inst_table *t, const struct shim_indom *state, bool words,
			 const char *text, size_t len, uint64_t hash)
{
	uint32_t *slots = words ? t->words : t->names;

	for (uint32_t i = 0; i < MOST_PROBES; i++) {
		uint32_t *slot = &slots[(hash + i) & t->mask];

		if (*slot == FREE || is(state->name[*slot], text, len, words))
			return slot;
	}
	return NULL;
}

static bool put(struct shim_inst_table *t, const struct shim_indom *state, unsigned int at,
		bool words, size_t len)
{
	const char *text = state->name[at];
	uint32_t *slot = slot_of(t, state, words, text, len, hash_of(t, text, len));

	if (slot && *slot == FREE)
		*slot = at;
	return slot;
}

/* Fill a table; returns false if searches would be slow. */
static bool fill(struct shim_inst_table *t, const struct shim_indom *state)
{
	for (unsigned int i = 0; i < state->n; i++) {
		const char *blank = strchr(state->name[i], ' ');
		size_t word = blank ? (size_t)(blank - state->name[i]) : 0;

		if (!put(t, state, i, false, strlen(state->name[i])) ||
		    (blank && !put(t, state, i, true, word)))
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

/* The first instance that equals @name, of @len bytes, up to a blank; or FREE */
static uint32_t find_word(struct shim_inst_table *t, const struct shim_indom *state,
			  const char *name, size_t len)
{
	uint32_t found = FREE;
	uint64_t h = t->seed;

	for (size_t i = 0; i <= len && i <= t->longest; i++) {
		const uint32_t *slot = slot_of(t, state, true, name, i, h);

		if (slot && *slot < found)
			found = *slot;
		h = longer(h, name[i]);
	}
	return found;
}

static int find_in(struct shim_inst_table *t, const struct shim_indom *state, const char *name)
{
	size_t len = strlen(name);
	const uint32_t *slot = slot_of(t, state, false, name, len, hash_of(t, name, len));
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
