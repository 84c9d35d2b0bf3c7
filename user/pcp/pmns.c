// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The name space: a tree made of an archive's descriptors, and the calls that
 * look names up in it and walk it.
 *
 * Threads: a tree is built once, under its context's lock, and read under it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "context.h"
#include "err.h"

#define NONE UINT32_MAX
#define ROOT 0

struct node {
	const char *name;	/* the last component, @len bytes in the archive's memory */
	uint32_t len;
	uint32_t parent;
	uint32_t child;		/* the newest one */
	uint32_t sibling;	/* the next older one */
	uint32_t chain;		/* of its hash bucket */
	pmID pmid;
	bool leaf;
};

struct shim_pmns {
	struct node *nodes;
	uint32_t n, room;
	uint32_t *buckets;
	uint32_t mask;
};

static const char *const flags_name = "event.flags";
static const char *const missed_name = "event.missed";

static const struct shim_desc builtins[] = {
	{ .pmid = DYNAMIC_PMID << 22 | 2, .type = SHIM_TYPE_U32, .indom = SHIM_INDOM_NULL,
	  .sem = SHIM_SEM_DISCRETE, .nnames = 1, .names = &missed_name },
	{ .pmid = DYNAMIC_PMID << 22 | 1, .type = SHIM_TYPE_U32, .indom = SHIM_INDOM_NULL,
	  .sem = SHIM_SEM_DISCRETE, .nnames = 1, .names = &flags_name },
};

#define NBUILTINS (sizeof(builtins) / sizeof(builtins[0]))

const struct shim_desc *shim_pmns__builtin(uint32_t pmid)
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

static uint32_t child_of(const struct shim_pmns *pmns, uint32_t parent, const char *name,
			 uint32_t len)
{
	uint32_t at;

	if (!pmns->buckets)
		return NONE;
	at = pmns->buckets[hash_of(parent, name, len) & pmns->mask];
	for (; at != NONE; at = pmns->nodes[at].chain) {
		const struct node *node = &pmns->nodes[at];

		if (node->parent == parent && node->len == len && !memcmp(node->name, name, len))
			return at;
	}
	return NONE;
}

static void chain_in(struct shim_pmns *pmns, uint32_t at)
{
	struct node *node = &pmns->nodes[at];
	uint32_t *bucket = &pmns->buckets[hash_of(node->parent, node->name, node->len) &
					  pmns->mask];

	node->chain = *bucket;
	*bucket = at;
}

static int grow(struct shim_pmns *pmns)
{
	uint32_t room = pmns->room ? pmns->room * 2 : 64;
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

static int add_node(struct shim_pmns *pmns, uint32_t parent, const char *name, uint32_t len,
		    uint32_t *out)
{
	uint32_t at = pmns->n;

	if (at == pmns->room) {
		int err = grow(pmns);

		if (err)
			return err;
	}
	pmns->nodes[at] = (struct node){
		.name = name, .len = len, .parent = parent, .child = NONE, .sibling = NONE,
		.chain = NONE, .pmid = PM_ID_NULL,
	};
	pmns->n++;
	if (at != ROOT) {
		pmns->nodes[at].sibling = pmns->nodes[parent].child;
		pmns->nodes[parent].child = at;
		chain_in(pmns, at);
	}
	*out = at;
	return 0;
}

static int add_name(struct shim_pmns *pmns, const char *name, pmID pmid)
{
	uint32_t at = ROOT;

	for (;;) {
		uint32_t len = strchrnul(name, '.') - name;
		uint32_t child = child_of(pmns, at, name, len);

		if (child == NONE) {
			int err = add_node(pmns, at, name, len, &child);

			if (err)
				return err;
		}
		at = child;
		if (!name[len])
			break;
		name += len + 1;
	}
	if (pmns->nodes[at].leaf)
		return 0;	/* the first metric of a name keeps it */
	pmns->nodes[at].leaf = true;
	pmns->nodes[at].pmid = pmid;
	return 0;
}

static int add_desc(struct shim_pmns *pmns, const struct shim_desc *desc)
{
	int err = 0;

	for (unsigned int i = 0; i < desc->nnames && !err; i++)
		err = add_name(pmns, desc->names[i], desc->pmid);
	return err;
}

int shim_pmns__new(const struct shim_archive *ar, struct shim_pmns **out)
{
	struct shim_pmns *pmns = calloc(1, sizeof(*pmns));
	uint32_t root;
	int err;

	if (!pmns)
		return -ENOMEM;
	err = add_node(pmns, NONE, "", 0, &root);
	for (unsigned int i = 0; i < NBUILTINS && !err; i++)
		err = add_desc(pmns, &builtins[i]);
	for (unsigned int i = 0; i < shim_archive__ndescs(ar) && !err; i++)
		err = add_desc(pmns, shim_archive__desc_at(ar, i));
	if (err) {
		shim_pmns__free(pmns);
		return err;
	}
	*out = pmns;
	return 0;
}

void shim_pmns__free(struct shim_pmns *pmns)
{
	if (!pmns)
		return;
	free(pmns->nodes);
	free(pmns->buckets);
	free(pmns);
}

/* The current context with its tree */
static int enter(struct shim_context **out)
{
	int err = shim_context__enter(out);

	if (err)
		return err;
	if (!(*out)->pmns)
		err = shim_pmns__new((*out)->ar, &(*out)->pmns);
	return err ? shim_context__leave(*out, err) : 0;
}

static uint32_t find(const struct shim_pmns *pmns, const char *name)
{
	uint32_t at = ROOT;

	while (*name && at != NONE) {
		uint32_t len = strchrnul(name, '.') - name;

		at = child_of(pmns, at, name, len);
		name += len;
		if (*name && !*++name)
			return NONE;	/* a dot at the end */
	}
	return at;
}

/* A node's status as a name to look up: 0 or an error. */
static int look_up(const struct shim_pmns *pmns, const char *name, pmID *pmid)
{
	uint32_t at = name ? find(pmns, name) : NONE;

	*pmid = PM_ID_NULL;
	if (at == NONE)
		return PM_ERR_NAME;
	if (!pmns->nodes[at].leaf)
		return PM_ERR_NONLEAF;
	*pmid = pmns->nodes[at].pmid;
	return 0;
}

/**
 * pmLookupName() - from names to metric identifiers
 * @numpmid: number of names
 * @namelist: the names
 * @pmidlist: their identifiers, PM_ID_NULL where there is no such metric
 *
 * Return: the number of names found; for a single name that is not,
 * PM_ERR_NAME or PM_ERR_NONLEAF; PM_ERR_TOOSMALL if @numpmid < 1.
 */
SHIM_API int pmLookupName(int numpmid, const char **namelist, pmID *pmidlist)
{
	struct shim_context *ctx;
	int found = 0;
	int err;

	if (numpmid < 1)
		return PM_ERR_TOOSMALL;
	if (!namelist || !pmidlist)
		return -EINVAL;
	err = enter(&ctx);
	if (err)
		return err;
	for (int i = 0; i < numpmid; i++) {
		err = look_up(ctx->pmns, namelist[i], &pmidlist[i]);
		found += err == 0;
	}
	return shim_context__leave(ctx, numpmid == 1 && err ? err : found);
}

/* Strings in one block behind their pointers, as the PMAPI hands lists out */
struct list {
	char **strings;
	char *end;
};

static int list_new(struct list *list, size_t n, size_t bytes)
{
	list->strings = malloc(n * sizeof(char *) + bytes);
	list->end = (char *)(list->strings + n);
	return list->strings ? 0 : -ENOMEM;
}

static void list_add(struct list *list, size_t i, const char *s, size_t len)
{
	list->strings[i] = list->end;
	memcpy(list->end, s, len);
	list->end[len] = '\0';
	list->end += len + 1;
}

static int children(const struct shim_pmns *pmns, uint32_t parent, char ***offspring,
		    int **status)
{
	struct list list;
	size_t bytes = 0;
	int n = 0;

	for (uint32_t c = pmns->nodes[parent].child; c != NONE; c = pmns->nodes[c].sibling) {
		bytes += pmns->nodes[c].len + 1;
		n++;
	}
	if (!n)
		return 0;
	if (list_new(&list, n, bytes))
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

		list_add(&list, n, node->name, node->len);
		if (status)
			(*status)[n] = node->leaf ? PMNS_LEAF_STATUS : PMNS_NONLEAF_STATUS;
		n++;
	}
	*offspring = list.strings;
	return n;
}

/**
 * pmGetChildrenStatus() - the names right below a name, and which are metrics
 * @name: a name; "" is the root
 * @offspring: a block to free(), if there are any
 * @status: a block to free(), if there are any; or NULL
 *
 * Return: how many, the newest first; 0 for a metric; PM_ERR_NAME.
 */
SHIM_API int pmGetChildrenStatus(const char *name, char ***offspring, int **status)
{
	struct shim_context *ctx;
	uint32_t at;
	int err;

	if (!name || !offspring)
		return PM_ERR_NAME;
	*offspring = NULL;
	if (status)
		*status = NULL;
	err = enter(&ctx);
	if (err)
		return err;
	at = find(ctx->pmns, name);
	return shim_context__leave(ctx, at == NONE ? PM_ERR_NAME :
				   children(ctx->pmns, at, offspring, status));
}

SHIM_API int pmGetChildren(const char *name, char ***offspring)
{
	return pmGetChildrenStatus(name, offspring, NULL);
}

/* The next node of the tree below top, depth first. */
static uint32_t step(const struct shim_pmns *pmns, uint32_t top, uint32_t at)
{
	if (pmns->nodes[at].child != NONE)
		return pmns->nodes[at].child;
	while (at != top && pmns->nodes[at].sibling == NONE)
		at = pmns->nodes[at].parent;
	return at == top ? NONE : pmns->nodes[at].sibling;
}

/* A node's whole name, ending at end; returns its start. */
static char *name_before(const struct shim_pmns *pmns, uint32_t at, char *end)
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

static size_t name_len(const struct shim_pmns *pmns, uint32_t at)
{
	size_t len = 0;

	for (; at != ROOT; at = pmns->nodes[at].parent)
		len += pmns->nodes[at].len + (pmns->nodes[at].parent != ROOT);
	return len;
}

/* All metrics at and below a name; the caller frees the list. */
static int leaves(const struct shim_pmns *pmns, uint32_t top, char ***names)
{
	struct list list;
	size_t bytes = 0;
	int n = 0;

	for (uint32_t at = top; at != NONE; at = step(pmns, top, at)) {
		if (pmns->nodes[at].leaf) {
			bytes += name_len(pmns, at) + 1;
			n++;
		}
	}
	if (list_new(&list, n, bytes))
		return -ENOMEM;
	n = 0;
	for (uint32_t at = top; at != NONE; at = step(pmns, top, at)) {
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

/**
 * pmTraversePMNS_r() - call a function with every metric at and below a name
 * @name: a name; "" is the root
 * @func: called with each whole name; may call the PMAPI
 * @closure: handed to it
 *
 * Return: the number of metrics, PM_ERR_NAME, PM_ERR_NOCONTEXT.
 */
SHIM_API int pmTraversePMNS_r(const char *name, void (*func)(const char *name, void *closure),
			      void *closure)
{
	struct shim_context *ctx;
	char **names = NULL;
	uint32_t at;
	int n;

	if (!name || !func)
		return PM_ERR_NAME;
	n = enter(&ctx);
	if (n)
		return n;
	at = find(ctx->pmns, name);
	n = shim_context__leave(ctx, at == NONE ? PM_ERR_NAME : leaves(ctx->pmns, at, &names));
	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		func(names[i], closure);
	free(names);
	return n;
}

static void call_plain(const char *name, void *closure)
{
	void (*const *func)(const char *) = closure;

	(*func)(name);
}

/**
 * pmTraversePMNS() - call a function with every metric at and below a name
 * @name: a name; "" is the root
 * @func: called with each whole name; may call the PMAPI
 *
 * Return: the number of metrics, PM_ERR_NAME, PM_ERR_NOCONTEXT.
 */
SHIM_API int pmTraversePMNS(const char *name, void (*func)(const char *name))
{
	return func ? pmTraversePMNS_r(name, call_plain, &func) : PM_ERR_NAME;
}

/* Names that lead to another metric (a name has one metric) are left out. */
static bool owns(const struct shim_pmns *pmns, const char *name, pmID pmid)
{
	uint32_t at = find(pmns, name);

	return at != NONE && pmns->nodes[at].leaf && pmns->nodes[at].pmid == pmid;
}

static const struct shim_desc *desc_of(const struct shim_context *ctx, pmID pmid)
{
	const struct shim_desc *desc = shim_archive__desc(ctx->ar, pmid);

	return desc ? desc : shim_pmns__builtin(pmid);
}

static int names_of(const struct shim_context *ctx, pmID pmid, char ***nameset)
{
	const struct shim_desc *desc = desc_of(ctx, pmid);
	struct list list;
	size_t bytes = 0;
	int n = 0;

	for (unsigned int i = 0; desc && i < desc->nnames; i++) {
		if (owns(ctx->pmns, desc->names[i], pmid)) {
			bytes += strlen(desc->names[i]) + 1;
			n++;
		}
	}
	if (!n)
		return PM_ERR_PMID;
	if (list_new(&list, n, bytes))
		return -ENOMEM;
	n = 0;
	for (unsigned int i = 0; i < desc->nnames; i++)
		if (owns(ctx->pmns, desc->names[i], pmid))
			list_add(&list, n++, desc->names[i], strlen(desc->names[i]));
	*nameset = list.strings;
	return n;
}

/**
 * pmNameAll() - all names of a metric
 * @pmid: the metric
 * @nameset: one block to free()
 *
 * Return: how many, PM_ERR_PMID, PM_ERR_NOCONTEXT.
 */
SHIM_API int pmNameAll(pmID pmid, char ***nameset)
{
	struct shim_context *ctx;
	int err;

	if (!nameset)
		return -EINVAL;
	err = enter(&ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, names_of(ctx, pmid, nameset));
}

/**
 * pmNameID() - a name of a metric
 * @pmid: the metric
 * @name: a string to free()
 *
 * Return: 0, PM_ERR_PMID, PM_ERR_NOCONTEXT, -ENOMEM.
 */
SHIM_API int pmNameID(pmID pmid, char **name)
{
	char **names = NULL;
	int n;

	if (!name)
		return -EINVAL;
	n = pmNameAll(pmid, &names);
	if (n < 0)
		return n;
	*name = strdup(names[0]);
	free(names);
	return *name ? 0 : -ENOMEM;
}
