// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and descriptors of a context's metrics, including derived ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "context.h"
#include "derived.h"
#include "err.h"
#include "list.h"

/* A derived metric is not in the name space of a context in which it could not be bound. */
static bool is_visible(const struct shim_derived_entry *e)
{
	return !shim_definition__gone(e->def) && !e->masked && !e->taken &&
	       e->state != SHIM_DERIVED_BAD;
}

int shim_derived__metrics(struct shim_context *ctx, int n, const char *const *names, pmID *pmids)
{
	int found = ctx->source->metrics(ctx, n, names, pmids), more = 0, known = 0;

	for (int i = 0; i < n; i++) {
		struct shim_derived_entry *e = pmids[i] == PM_ID_NULL && names[i] ?
			shim_derived__by_name(ctx, names[i]) : NULL;

		if (e) {
			pmids[i] = e->def->pmid;
			more++;
		}
		known += pmids[i] != PM_ID_NULL;
	}
	if (!more)
		return found;
	/* If the source did not respond, it may still have the names that were not found. */
	if (found < 0 && found != PM_ERR_NAME && found != PM_ERR_NONLEAF)
		return known == n ? n : found;
	return more + (found > 0 ? found : 0);
}

/*
 * Return the part of a metric's name below @name: "" for @name itself, NULL if it is not below
 * @name.
 */
static const char *below(const char *metric, const char *name)
{
	size_t len = strlen(name);

	if (!len)
		return metric;
	if (strncmp(metric, name, len))
		return NULL;
	return metric[len] == '.' ? metric + len + 1 : metric[len] ? NULL : metric + len;
}

/* struct names - names of derived metrics */
struct names {
	const char **all;
	int n;
	size_t room;
};

static int add_name(struct names *list, const char *name)
{
	if (shim_vec__room(list->all, &list->room, list->n))
		return -ENOMEM;
	list->all[list->n++] = name;
	return 0;
}

/* List the derived metrics of a context. */
static int names_of_context(struct shim_context *ctx, struct names *list)
{
	struct shim_derived *d = &ctx->derived;
	int err = 0;

	for (unsigned int i = 0; i < d->n && !err; i++)
		if (is_visible(d->all[i]))
			err = add_name(list, d->all[i]->def->name);
	return err;
}

/* List the derived metrics of the process. */
static int names_of_registry(struct names *list)
{
	unsigned int n;
	int err = shim_registry__begin();

	n = shim_registry__count();
	for (unsigned int i = 0; i < n && !err; i++) {
		struct shim_definition *def = shim_registry__at(i);

		err = shim_definition__gone(def) ? 0 : add_name(list, def->name);
	}
	return err;
}

/*
 * struct children - the names one level below a name
 * @part, @len: a name, not NUL-terminated
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

/*
 * Add the derived metrics below @name, and set *@leaf if one of them has that name.  Return 0 or
 * -ENOMEM.
 */
static int add_derived(const struct names *derived, const char *name, struct children *c, bool *leaf)
{
	int err = 0;

	for (int i = 0; i < derived->n && !err; i++) {
		const char *part = below(derived->all[i], name);
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
	int *copy = malloc((size_t)c->n * sizeof(*copy));

	if (!copy)
		return -ENOMEM;
	for (int i = 0; i < c->n; i++)
		copy[i] = c->all[i].status;
	if (shim_list__new(&list, (size_t)c->n, c->bytes)) {
		free(copy);
		return -ENOMEM;
	}
	for (int i = 0; i < c->n; i++)
		shim_list__add(&list, (size_t)i, c->all[i].part, c->all[i].len);
	free(*offspring);
	free(*status);
	*offspring = list.strings;
	*status = copy;
	return c->n;
}

/*
 * Replace the @n children with a list that includes derived metrics or, if the source had an error,
 * contains only derived metrics.  Return their number or an error.
 */
static int merge_children(const struct names *derived, const char *name, int n, char ***offspring,
			  int **status)
{
	struct children c = { 0 };
	bool leaf = false;
	int err = 0, own = n;

	for (int i = 0; i < n && !err; i++)
		err = add_child(&c, (*offspring)[i], strlen((*offspring)[i]), (*status)[i]);
	if (!err)
		err = add_derived(derived, name, &c, &leaf);
	if (err)
		n = err;
	else if (c.n > (own > 0 ? own : 0))
		n = hand_out(&c, offspring, status);
	else if (leaf && own < 0)
		n = 0;
	free(c.all);
	return n;
}

/* Add the derived names to the source's @n names, unless @err is set.  On error, free both. */
static int with_children(struct names *derived, int err, const char *name, int n,
			 char ***offspring, int **status)
{
	if (err)
		n = err;
	else if (derived->n && n != -ENOMEM)
		n = merge_children(derived, name, n, offspring, status);
	free(derived->all);
	if (n <= 0) {
		free(*offspring);
		free(*status);
		*offspring = NULL;
		*status = NULL;
	}
	return n;
}

int shim_derived__children(struct shim_context *ctx, const char *name, char ***offspring,
			   int **status)
{
	struct names derived = { 0 };
	int n;

	*offspring = NULL;
	*status = NULL;
	n = ctx->source->children(ctx, name, offspring, status);
	return with_children(&derived, names_of_context(ctx, &derived), name, n, offspring, status);
}

int shim_registry__children(const char *name, int n, char ***offspring, int **status)
{
	struct names derived = { 0 };

	return with_children(&derived, names_of_registry(&derived), name, n, offspring, status);
}

static bool has_name(char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/*
 * Return the length of the longest group that contains both names.  A metric also counts as a
 * group.
 */
static size_t common_group(const char *a, const char *b)
{
	size_t group = 0;

	for (size_t i = 0;; i++) {
		bool ends = !a[i] || a[i] == '.';

		if (ends && (!b[i] || b[i] == '.'))
			group = i;
		if (a[i] != b[i] || !a[i])
			return group;
	}
}

/*
 * Return the position of a derived metric: after the last name of the smallest group that contains
 * it.
 */
static int place_of(const struct names *list, const char *name)
{
	size_t most = 0;
	int place = list->n;

	for (int i = list->n; i-- > 0;) {
		size_t group = common_group(list->all[i], name);

		if (group > most) {
			most = group;
			place = i + 1;
		}
	}
	return place;
}

static int insert_name(struct names *list, int place, const char *name)
{
	int err = add_name(list, name);

	if (err)
		return err;
	memmove(&list->all[place + 1], &list->all[place],
		(size_t)(list->n - 1 - place) * sizeof(*list->all));
	list->all[place] = name;
	return 0;
}

/* Replace *@names with all of @list.  Return the number of names, or -ENOMEM. */
static int hand_out_names(const struct names *list, char ***names)
{
	struct shim_list copy;
	size_t bytes = 0;

	for (int i = 0; i < list->n; i++)
		bytes += strlen(list->all[i]) + 1;
	if (shim_list__new(&copy, (size_t)list->n, bytes))
		return -ENOMEM;
	for (int i = 0; i < list->n; i++)
		shim_list__add(&copy, (size_t)i, list->all[i], strlen(list->all[i]));
	free(*names);
	*names = copy.strings;
	return list->n;
}

/*
 * Replace the @n names with a list that includes the derived metrics, either in their groups or, if
 * @last is set, at the end.  Return the number of names.
 */
static int merge_leaves(const struct names *derived, const char *name, bool last, int n,
			char ***names)
{
	struct names merged = { 0 };
	int own = n > 0 ? n : 0, err = 0;

	for (int i = 0; i < own && !err; i++)
		err = add_name(&merged, (*names)[i]);
	for (int i = 0; i < derived->n && !err; i++) {
		const char *more = derived->all[i];

		if (below(more, name) && !has_name(*names, own, more))
			err = insert_name(&merged, last ? merged.n : place_of(&merged, more), more);
	}
	if (err)
		n = err;
	else if (merged.n > own)
		n = hand_out_names(&merged, names);
	free(merged.all);
	return n;
}

static int with_leaves(struct names *derived, int err, const char *name, bool last, int n,
		       char ***names)
{
	if (err)
		n = err;
	else if (derived->n && (n >= 0 || n == PM_ERR_NAME))
		n = merge_leaves(derived, name, last, n, names);
	free(derived->all);
	if (n < 0) {
		free(*names);
		*names = NULL;
	}
	return n;
}

/* Find out which derived metrics below a name this context does not have.  Return 0 or -ENOMEM. */
static int bind_below(struct shim_context *ctx, const char *name)
{
	struct shim_derived *d = &ctx->derived;

	for (unsigned int i = 0; i < d->n; i++)
		if (is_visible(d->all[i]) && below(d->all[i]->def->name, name) &&
		    shim_derived__bind(ctx, d->all[i], false) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

int shim_derived__leaves(struct shim_context *ctx, const char *name, char ***names)
{
	struct names derived = { 0 };
	int n, err = 0;

	*names = NULL;
	n = ctx->source->leaves(ctx, name, names);
	/*
	 * As in the original, a walk of the names binds the metrics, but pmGetChildren() does not.
	 */
	if (ctx->source->derived_last && (n >= 0 || n == PM_ERR_NAME))
		err = bind_below(ctx, name);
	if (!err)
		err = names_of_context(ctx, &derived);
	/*
	 * Derived names follow all names of pmcd, because the original reads pmcd's answer first.
	 */
	return with_leaves(&derived, err, name, ctx->source->derived_last, n, names);
}

int shim_registry__leaves(const char *name, int n, char ***names)
{
	struct names derived = { 0 };

	return with_leaves(&derived, names_of_registry(&derived), name, false, n, names);
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
	int found = shim_registry__begin();

	if (found)
		return found;
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
	int err = shim_registry__begin();

	if (err)
		return err;
	if (number >= 0 && !own)
		def = shim_registry__at((unsigned int)number);
	return def && !shim_definition__gone(def) ? name_of(def, nameset) : PM_ERR_PMID;
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

	if (shim_pcp__is_failure(found))
		return found;
	for (int i = 0; i < n; i++) {
		if (!shim_derived__by_pmid(ctx, pmids[i]))
			continue;
		err = shim_derived__desc(ctx, pmids[i], &out[i]);
		if (shim_pcp__is_failure(err))
			return err;
		more += !err;
	}
	/* As in the original, return the reason if a single name is not found. */
	if (!more)
		return n == 1 && err ? err : found;
	return more + (found > 0 ? found : 0);
}
