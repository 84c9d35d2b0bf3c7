// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tree of metric names, built from an archive's descriptors or from a list.
 *
 * Threads: a tree is built once and read under its context's lock.
 */
#define _GNU_SOURCE
#include <pcp/pmapi.h>

#include "list.h"
#include "pmns.h"

#define NONE SHIM_PMNS_NONE
#define ROOT 0

struct node {
	const char *name;	/* the last component, which is @len bytes of the original name */
	uint32_t len;
	uint32_t parent;
	uint32_t child;		/* the newest child */
	uint32_t sibling;	/* the next older one */
	uint32_t chain;		/* next node in the hash bucket */
	uint32_t hash;
	pmID pmid;
	bool leaf;
};

/*
 * struct shim_pmns_tree - names
 * @last, @last_len: the name that was added last, up to and including its last dot; names of one
 *	group are added together, so the next one often begins with the same bytes
 * @last_group: the group of that name
 */
struct shim_pmns_tree {
	struct node *nodes;
	uint32_t n, room;
	uint32_t *buckets;
	uint32_t mask;
	const char *last;
	size_t last_len;
	uint32_t last_group;
	bool ambiguous;		/* a name may not lead to the metric for which it was added */
};

static const char *const flags_name = "event.flags";
static const char *const missed_name = "event.missed";

static const struct shim_desc builtins[] = {
	{ .pmid = DYNAMIC_PMID << 22 | 1, .type = SHIM_TYPE_U32, .indom = SHIM_INDOM_NULL,
	  .sem = SHIM_SEM_DISCRETE, .nnames = 1, .names = &flags_name },
	{ .pmid = DYNAMIC_PMID << 22 | 2, .type = SHIM_TYPE_U32, .indom = SHIM_INDOM_NULL,
	  .sem = SHIM_SEM_DISCRETE, .nnames = 1, .names = &missed_name },
};

#define NBUILTINS (sizeof(builtins) / sizeof(builtins[0]))

_Static_assert(sizeof(pmUnits) == sizeof(uint32_t), "units are 32 bits");
_Static_assert(sizeof(pmDesc) == 20, "pmDesc must have the original's size");

const struct shim_desc *shim_pmns_tree__builtin(uint32_t pmid)
{
	for (unsigned int i = 0; i < NBUILTINS; i++)
		if (builtins[i].pmid == pmid)
			return &builtins[i];
	return NULL;
}

static uint32_t hash_of(uint32_t parent, const char *name, uint32_t len)
{
	uint32_t h = 2166136261u ^ parent;

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h ^ h >> 15;
}

static uint32_t child_with(const struct shim_pmns_tree *pmns, uint32_t parent, const char *name,
			   uint32_t len, uint32_t hash)
{
	uint32_t at;

	if (!pmns->buckets)
		return NONE;
	for (at = pmns->buckets[hash & pmns->mask]; at != NONE; at = pmns->nodes[at].chain) {
		const struct node *node = &pmns->nodes[at];

		if (node->hash == hash && node->parent == parent && node->len == len &&
		    !memcmp(node->name, name, len))
			return at;
	}
	return NONE;
}

static uint32_t child_of(const struct shim_pmns_tree *pmns, uint32_t parent, const char *name,
			 uint32_t len)
{
	return child_with(pmns, parent, name, len, hash_of(parent, name, len));
}

static void chain_in(struct shim_pmns_tree *pmns, uint32_t at)
{
	struct node *node = &pmns->nodes[at];
	uint32_t *bucket = &pmns->buckets[node->hash & pmns->mask];

	node->chain = *bucket;
	*bucket = at;
}

static int tree_grow(struct shim_pmns_tree *pmns, uint32_t room)
{
	uint32_t *buckets = malloc(room * sizeof(*buckets));
	struct node *nodes = buckets ? realloc(pmns->nodes, room * sizeof(*nodes)) : NULL;

	if (!nodes) {
		free(buckets);
		return -ENOMEM;
	}
	free(pmns->buckets);
	pmns->nodes = nodes;
	pmns->buckets = buckets;
	pmns->room = room;
	pmns->mask = room - 1;
	memset(buckets, 0xff, room * sizeof(*buckets));
	for (uint32_t i = 1; i < pmns->n; i++)
		chain_in(pmns, i);
	return 0;
}

/* Link a new node among its parent's children, as the first one or, with @last, as the last one. */
static void link_in(struct shim_pmns_tree *pmns, uint32_t at, bool last)
{
	uint32_t *link = &pmns->nodes[pmns->nodes[at].parent].child;

	while (last && *link != NONE)
		link = &pmns->nodes[*link].sibling;
	pmns->nodes[at].sibling = *link;
	*link = at;
}

static int add_node(struct shim_pmns_tree *pmns, uint32_t parent, const char *name, uint32_t len,
		    uint32_t hash, bool last, uint32_t *out)
{
	uint32_t at = pmns->n;

	if (at == pmns->room) {
		int err = tree_grow(pmns, 2 * pmns->room);

		if (err)
			return err;
	}
	pmns->nodes[at] = (struct node){
		.name = name, .len = len, .parent = parent, .child = NONE, .sibling = NONE,
		.chain = NONE, .hash = hash, .pmid = PM_ID_NULL,
	};
	pmns->n++;
	if (at != ROOT) {
		link_in(pmns, at, last);
		chain_in(pmns, at);
	}
	*out = at;
	return 0;
}

static int add_name(struct shim_pmns_tree *pmns, const char *name, pmID pmid, bool last)
{
	const char *whole = name;
	uint32_t at = ROOT, child;

	if (pmns->last_len && !strncmp(name, pmns->last, pmns->last_len)) {
		name += pmns->last_len;
		at = pmns->last_group;
	}
	for (;;) {
		uint32_t len = strchrnul(name, '.') - name, hash = hash_of(at, name, len);

		child = child_with(pmns, at, name, len, hash);
		/* A name that ends in a dot cannot be found. */
		pmns->ambiguous |= !len;
		if (child == NONE) {
			int err = add_node(pmns, at, name, len, hash, last, &child);

			if (err)
				return err;
		}
		if (!name[len])
			break;
		at = child;
		name += len + 1;
	}
	pmns->last = whole;
	pmns->last_len = (size_t)(name - whole);
	pmns->last_group = at;
	if (pmns->nodes[child].leaf) {
		/* The first metric that has a name keeps it. */
		pmns->ambiguous |= pmns->nodes[child].pmid != pmid;
		return 0;
	}
	pmns->nodes[child].leaf = true;
	pmns->nodes[child].pmid = pmid;
	return 0;
}

static int add_desc(struct shim_pmns_tree *pmns, const struct shim_desc *desc, bool last)
{
	int err = 0;

	for (unsigned int i = 0; i < desc->nnames && !err; i++)
		err = add_name(pmns, desc->names[i], desc->pmid, last);
	return err;
}

/* Return the room for @n names and their groups, a power of two. */
static uint32_t room_for(unsigned int n)
{
	uint32_t room = 64;

	while (room < 1u << 20 && room / 3 * 2 < n)
		room *= 2;
	return room;
}

/* Create a tree without names, which has room for about @n of them. */
static int tree_begin(unsigned int n, struct shim_pmns_tree **out)
{
	struct shim_pmns_tree *pmns = calloc(1, sizeof(*pmns));
	uint32_t root;
	int err;

	if (!pmns)
		return -ENOMEM;
	*out = pmns;
	err = tree_grow(pmns, room_for(n));
	return err ? err : add_node(pmns, NONE, "", 0, 0, false, &root);
}

/* Add the built-in names of every context last, unless an archive also contains these names. */
static int end(struct shim_pmns_tree *pmns, int err, struct shim_pmns_tree **out)
{
	for (unsigned int i = 0; i < NBUILTINS && !err; i++)
		err = add_desc(pmns, &builtins[i], true);
	if (err)
		shim_pmns_tree__free(pmns);
	else
		*out = pmns;
	return err;
}

int shim_pmns_tree__new(const struct shim_archive *ar, struct shim_pmns_tree **out)
{
	struct shim_pmns_tree *pmns = NULL;
	int err = tree_begin(shim_archive__ndescs(ar), &pmns);

	for (unsigned int i = 0; i < shim_archive__ndescs(ar) && !err; i++)
		err = add_desc(pmns, shim_archive__desc_at(ar, i), false);
	return end(pmns, err, out);
}

/* Children are listed newest first, so the first entry must be added last. */
int shim_pmns_tree__of(const struct shim_pmns_entry *entries, unsigned int n,
		       struct shim_pmns_tree **out)
{
	struct shim_pmns_tree *pmns = NULL;
	int err = tree_begin(n, &pmns);

	while (n-- && !err)
		err = add_name(pmns, entries[n].name, entries[n].pmid, false);
	return end(pmns, err, out);
}

void shim_pmns_tree__free(struct shim_pmns_tree *pmns)
{
	if (!pmns)
		return;
	free(pmns->nodes);
	free(pmns->buckets);
	free(pmns);
}

uint32_t shim_pmns_tree__find(const struct shim_pmns_tree *pmns, const char *name)
{
	uint32_t at = ROOT;

	while (*name && at != NONE) {
		uint32_t len = strchrnul(name, '.') - name;

		at = child_of(pmns, at, name, len);
		name += len;
		if (*name && !*++name)
			return NONE;	/* the name ends in a dot */
	}
	return at;
}

bool shim_pmns_tree__metric(const struct shim_pmns_tree *pmns, uint32_t at, uint32_t *pmid)
{
	if (!pmns->nodes[at].leaf)
		return false;
	*pmid = pmns->nodes[at].pmid;
	return true;
}

bool shim_pmns_tree__is_ambiguous(const struct shim_pmns_tree *pmns)
{
	return pmns->ambiguous;
}

int shim_pmns_tree__children(const struct shim_pmns_tree *pmns, uint32_t parent, char ***offspring,
			     int **status)
{
	struct shim_list list;
	size_t bytes = 0;
	int n = 0;

	for (uint32_t c = pmns->nodes[parent].child; c != NONE; c = pmns->nodes[c].sibling) {
		bytes += pmns->nodes[c].len + 1;
		n++;
	}
	if (!n)
		return 0;
	if (shim_list__new(&list, n, bytes))
		return -ENOMEM;
	if (status) {
		*status = malloc(n * sizeof(**status));
		if (!*status) {
			free(list.strings);
			return -ENOMEM;
		}
	}
	n = 0;
	for (uint32_t c = pmns->nodes[parent].child; c != NONE; c = pmns->nodes[c].sibling) {
		const struct node *node = &pmns->nodes[c];

		shim_list__add(&list, n, node->name, node->len);
		if (status)
			(*status)[n] = node->leaf ? PMNS_LEAF_STATUS : PMNS_NONLEAF_STATUS;
		n++;
	}
	*offspring = list.strings;
	return n;
}

/* Return the next node of the tree below top, depth first. */
static uint32_t tree_step(const struct shim_pmns_tree *pmns, uint32_t top, uint32_t at)
{
	if (pmns->nodes[at].child != NONE)
		return pmns->nodes[at].child;
	while (at != top && pmns->nodes[at].sibling == NONE)
		at = pmns->nodes[at].parent;
	return at == top ? NONE : pmns->nodes[at].sibling;
}

/* Write a node's full name so that it ends at @end. Return its start. */
static char *name_before(const struct shim_pmns_tree *pmns, uint32_t at, char *end)
{
	for (; at != ROOT; at = pmns->nodes[at].parent) {
		const struct node *node = &pmns->nodes[at];

		end -= node->len;
		memcpy(end, node->name, node->len);
		if (node->parent != ROOT)
			*--end = '.';
	}
	return end;
}

static size_t name_len(const struct shim_pmns_tree *pmns, uint32_t at)
{
	size_t len = 0;

	for (; at != ROOT; at = pmns->nodes[at].parent)
		len += pmns->nodes[at].len + (pmns->nodes[at].parent != ROOT);
	return len;
}

/* Get all metrics at and below a name; the caller frees the list. */
int shim_pmns_tree__leaves(const struct shim_pmns_tree *pmns, uint32_t top, char ***names)
{
	struct shim_list list;
	size_t bytes = 0;
	int n = 0;

	for (uint32_t at = top; at != NONE; at = tree_step(pmns, top, at)) {
		if (pmns->nodes[at].leaf) {
			bytes += name_len(pmns, at) + 1;
			n++;
		}
	}
	if (shim_list__new(&list, n, bytes))
		return -ENOMEM;
	n = 0;
	for (uint32_t at = top; at != NONE; at = tree_step(pmns, top, at)) {
		if (pmns->nodes[at].leaf) {
			size_t len = name_len(pmns, at);

			list.end[len] = '\0';
			list.strings[n++] = name_before(pmns, at, list.end + len);
			list.end += len + 1;
		}
	}
	*names = list.strings;
	return n;
}

static uint32_t depth_of(const struct shim_pmns_tree *pmns, uint32_t at)
{
	uint32_t depth = 0;

	for (; at != ROOT; at = pmns->nodes[at].parent)
		depth++;
	return depth;
}

/* Nodes are numbered in the order in which they were added. */
int shim_pmns_tree__order(const struct shim_pmns_tree *pmns, uint32_t a, uint32_t b)
{
	int64_t below = (int64_t)depth_of(pmns, a) - depth_of(pmns, b);

	for (int64_t i = below; i > 0; i--)
		a = pmns->nodes[a].parent;
	for (int64_t i = below; i < 0; i++)
		b = pmns->nodes[b].parent;
	if (a == b)
		return below > 0 ? -1 : below < 0;
	while (pmns->nodes[a].parent != pmns->nodes[b].parent) {
		a = pmns->nodes[a].parent;
		b = pmns->nodes[b].parent;
	}
	return a < b ? -1 : 1;
}

void shim_desc__copy(const struct shim_desc *desc, pmDesc *out)
{
	out->pmid = desc->pmid;
	out->type = desc->type;
	out->indom = desc->indom;
	out->sem = desc->sem;
	memcpy(&out->units, &desc->units, sizeof(out->units));
}

int shim_desc__builtin(pmID pmid, pmDesc *out)
{
	const struct shim_desc *desc = shim_pmns_tree__builtin(pmid);

	if (!desc)
		return PM_ERR_PMID;
	shim_desc__copy(desc, out);
	return 0;
}
