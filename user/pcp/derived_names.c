// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and descriptors of a context's metrics with the derived ones among them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "context.h"
#include "derived.h"
#include "list.h"

/* A derived metric that could not be bound in the context has no name there. */
static bool is_visible(const struct shim_derived_entry *e)
{
	return !e->masked && !e->taken && e->state != SHIM_DERIVED_BAD;
}

int shim_derived__metrics(struct shim_context *ctx, int n, const char *const *names, pmID *pmids)
{
	int found = ctx->source->metrics(ctx, n, names, pmids), more = 0;

	if (found < 0 && found != PM_ERR_NAME && found != PM_ERR_NONLEAF)
		return found;
	for (int i = 0; i < n; i++) {
		struct shim_derived_entry *e = pmids[i] == PM_ID_NULL && names[i] ?
			shim_derived__by_name(ctx, names[i]) : NULL;

		if (e) {
			pmids[i] = e->def->pmid;
			more++;
		}
	}
	if (!more)
		return found;
	return more + (found > 0 ? found : 0);
}

/* The part of a metric's name below @name: "" for @name itself, NULL if it is not below */
static const char *below(const char *metric, const char *name)
{
	size_t len = strlen(name);

	if (!len)
		return metric;
	if (strncmp(metric, name, len))
		return NULL;
	return metric[len] == '.' ? metric + len + 1 : metric[len] ? NULL : metric + len;
}

/*
 * struct children - the names one level below another
 * @part, @len: a name, not terminated
 */
struct children {
	struct child {
		const char *part;
		size_t len;
		int status;
	} *all;
	int n;
	size_t room;
	size_t bytes;
};

static bool has_child(const struct children *c, const char *part, size_t len)
{
	for (int i = 0; i < c->n; i++)
		if (c->all[i].len == len && !memcmp(c->all[i].part, part, len))
			return true;
	return false;
}

static int add_child(struct children *c, const char *part, size_t len, int status)
{
	if (shim_vec__room(c->all, &c->room, c->n))
		return -ENOMEM;
	c->all[c->n++] = (struct child){ part, len, status };
	c->bytes += len + 1;
	return 0;
}

/* Adds the derived metrics below @name, and sets *@leaf if one has that name: 0 or -ENOMEM */
static int add_derived(struct shim_context *ctx, const char *name, struct children *c, bool *leaf)
{
	struct shim_derived *d = &ctx->derived;
	int err = 0;

	for (unsigned int i = 0; i < d->n && !err; i++) {
		const char *part = is_visible(d->all[i]) ? below(d->all[i]->def->name, name) : NULL;
		size_t len = part ? strcspn(part, ".") : 0;

		if (part && !*part)
			*leaf = true;
		else if (part && !has_child(c, part, len))
			err = add_child(c, part, len, part[len] ? PMNS_NONLEAF_STATUS :
								  PMNS_LEAF_STATUS);
	}
	return err;
}

static int hand_out(const struct children *c, char ***offspring, int **status)
{
	struct shim_list list;
	int *copy = NULL;

	if (status) {
		copy = malloc((size_t)c->n * sizeof(*copy));
		if (!copy)
			return -ENOMEM;
		for (int i = 0; i < c->n; i++)
			copy[i] = c->all[i].status;
	}
	if (shim_list__new(&list, (size_t)c->n, c->bytes)) {
		free(copy);
		return -ENOMEM;
	}
	for (int i = 0; i < c->n; i++)
		shim_list__add(&list, (size_t)i, c->all[i].part, c->all[i].len);
	*offspring = list.strings;
	if (status)
		*status = copy;
	return c->n;
}

/* Merges the source's @n children, @names and @states, and derived ones: how many, or an error */
static int merge(struct shim_context *ctx, const char *name, int n, char **names, int *states,
		 struct children *c)
{
	bool leaf = false;
	int err = 0;

	for (int i = 0; i < n && !err; i++)
		err = add_child(c, names[i], strlen(names[i]), states[i]);
	if (!err)
		err = add_derived(ctx, name, c, &leaf);
	if (err)
		return err;
	return leaf && n < 0 ? 0 : c->n ? c->n : n;
}

int shim_derived__children(struct shim_context *ctx, const char *name, char ***offspring,
			   int **status)
{
	struct children c = { 0 };
	char **names = NULL;
	int *states = NULL;
	int n, all;

	shim_derived__refresh(ctx);
	if (!ctx->derived.n)
		return ctx->source->children(ctx, name, offspring, status);
	n = ctx->source->children(ctx, name, &names, &states);
	if (!n || (n < 0 && n != PM_ERR_NAME))
		return n;
	all = merge(ctx, name, n, names, states, &c);
	if (all > 0)
		all = hand_out(&c, offspring, status);
	free(c.all);
	if (n > 0) {
		free(names);
		free(states);
	}
	return all;
}

static bool has_name(char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* struct leaves - names of derived metrics below a name, which no other metric has */
struct leaves {
	const char **all;
	int n;
	size_t room;
};

static int add_leaf(struct leaves *leaves, const char *leaf, const char *name, char *const *names, int n)
{
	if (!below(leaf, name) || has_name(names, n, leaf))
		return 0;
	if (shim_vec__room(leaves->all, &leaves->room, leaves->n))
		return -ENOMEM;
	leaves->all[leaves->n++] = leaf;
	return 0;
}

/* Replaces *@names by a new list of its @n names and, after them, the derived ones: how many */
static int append_leaves(const struct leaves *leaves, char ***names, int n)
{
	struct shim_list list;
	size_t bytes = 0;
	int at = 0;

	if (!leaves->n)
		return n;
	n = n < 0 ? 0 : n;
	for (int i = 0; i < n; i++)
		bytes += strlen((*names)[i]) + 1;
	for (int i = 0; i < leaves->n; i++)
		bytes += strlen(leaves->all[i]) + 1;
	if (shim_list__new(&list, (size_t)(n + leaves->n), bytes))
		return -ENOMEM;
	for (; at < n; at++)
		shim_list__add(&list, (size_t)at, (*names)[at], strlen((*names)[at]));
	for (int i = 0; i < leaves->n; i++)
		shim_list__add(&list, (size_t)at++, leaves->all[i], strlen(leaves->all[i]));
	free(*names);
	*names = list.strings;
	return at;
}

/* The same, or after an error none */
static int with_leaves(struct leaves *leaves, int err, char ***names, int n)
{
	n = err ? err : append_leaves(leaves, names, n);
	free(leaves->all);
	if (n < 0) {
		free(*names);
		*names = NULL;
	}
	return n;
}

int shim_derived__leaves(struct shim_context *ctx, const char *name, char ***names)
{
	struct shim_derived *d = &ctx->derived;
	struct leaves leaves = { 0 };
	int n, err = 0;

	*names = NULL;
	n = ctx->source->leaves(ctx, name, names);
	if (n < 0 && n != PM_ERR_NAME)
		return n;
	shim_derived__refresh(ctx);
	for (unsigned int i = 0; i < d->n && !err; i++)
		if (is_visible(d->all[i]))
			err = add_leaf(&leaves, d->all[i]->def->name, name, *names, n);
	return with_leaves(&leaves, err, names, n);
}

int shim_registry__leaves(const char *name, char ***names, int n)
{
	unsigned int all;
	struct leaves leaves = { 0 };
	int err = 0;

	shim_registry__begin();
	all = shim_registry__count();
	for (unsigned int i = 0; i < all && !err; i++)
		err = add_leaf(&leaves, shim_registry__at(i)->name, name, *names, n);
	return with_leaves(&leaves, err, names, n);
}

static int name_of(const struct shim_definition *def, char ***nameset)
{
	size_t len = strlen(def->name);
	struct shim_list list;

	if (shim_list__new(&list, 1, len + 1))
		return -ENOMEM;
	shim_list__add(&list, 0, def->name, len);
	*nameset = list.strings;
	return 1;
}

int shim_derived__names(struct shim_context *ctx, pmID pmid, char ***nameset)
{
	struct shim_derived_entry *e = shim_derived__by_pmid(ctx, pmid);

	if (!e || e->masked)
		return ctx->source->names(ctx, pmid, nameset);
	return name_of(e->def, nameset);
}

int shim_registry__metrics(int n, const char *const *names, pmID *pmids)
{
	int found = 0;

	shim_registry__begin();
	for (int i = 0; i < n; i++) {
		int number = names[i] && pmids[i] == PM_ID_NULL ? shim_registry__find(names[i]) : -1;

		if (number >= 0) {
			pmids[i] = shim_derived__pmid((unsigned int)number, false);
			found++;
		}
	}
	return found;
}

int shim_registry__names(pmID pmid, char ***nameset)
{
	const struct shim_definition *def = NULL;
	bool own = false;
	int number = shim_derived__number(pmid, &own);

	shim_registry__begin();
	if (number >= 0 && !own)
		def = shim_registry__at((unsigned int)number);
	return def ? name_of(def, nameset) : PM_ERR_PMID;
}

int shim_derived__desc(struct shim_context *ctx, pmID pmid, pmDesc *out)
{
	struct shim_derived_entry *e = shim_derived__by_pmid(ctx, pmid);
	int err;

	if (!e)
		return ctx->source->desc(ctx, pmid, out);
	err = shim_derived__bind(ctx, e, true);
	if (!err)
		*out = e->bound.cells[e->bound.expr->n - 1].desc;
	return err;
}

int shim_derived__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out)
{
	int found = ctx->source->descs(ctx, n, pmids, out), more = 0, err = 0;

	if (found == PM_ERR_TIMEOUT || found == PM_ERR_IPC)
		return found;
	for (int i = 0; i < n; i++) {
		if (!shim_derived__by_pmid(ctx, pmids[i]))
			continue;
		err = shim_derived__desc(ctx, pmids[i], &out[i]);
		more += !err;
	}
	/* As the original: why a single one is not found is told. */
	if (!more)
		return n == 1 && err ? err : found;
	return more + (found > 0 ? found : 0);
}
