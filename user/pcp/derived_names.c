// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names and descriptors of a context's metrics, including derived ones. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "context.h"
#include "derived.h"
#include "err.h"
#include "known_names.h"
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
	struct shim_known_names known;
	struct child {
		const char *part;
		size_t len;
		int status;
	} *all;
	int n;
	size_t room;
	size_t bytes;
};

static int add_child(struct children *c, const char *part, size_t len, int status)
{
	if (shim_vec__room(c->all, &c->room, c->n) || !shim_known_names__add(&c->known, part, len))
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
		else if (part && !shim_known_names__find(&c->known, part, len))
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
	int own = n, err = shim_known_names__new(&c.known, (size_t)(n > 0 ? n : 0) + (size_t)derived->n);

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
	shim_known_names__free(&c.known);
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

/*
 * struct leaves - a list of metrics into which others are inserted
 * @known: the metrics and all groups that contain them
 * @next: index of the following metric, or -1
 * @head, @tail: first and last metric, or -1
 */
struct leaves {
	struct shim_known_names known;
	const char **all;
	int *next;
	int n, head, tail;
	size_t bytes;
};

/* Return the length of the group that contains a name of length @len, or 0. */
static size_t group_of(const char *name, size_t len)
{
	while (len && name[--len] != '.')
		;
	return len;
}

static size_t count_groups(char *const *names, int n)
{
	size_t groups = 0;

	for (int i = 0; i < n; i++)
		for (size_t len = strlen(names[i]); len; len = group_of(names[i], len))
			groups++;
	return groups;
}

/* Insert a metric after the one at @place.  Return its index. */
static int insert_leaf(struct leaves *l, int place, const char *name)
{
	int *before = place < 0 ? &l->head : &l->next[place];
	int i = l->n++;

	l->all[i] = name;
	l->next[i] = *before;
	*before = i;
	if (l->tail == place)
		l->tail = i;
	l->bytes += strlen(name) + 1;
	return i;
}

/* Add the source's metrics.  Start at the last one: each group then ends with its first metric. */
static int add_own(struct leaves *l, char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		insert_leaf(l, l->tail, names[i]);
	for (int i = n; i-- > 0;) {
		size_t len = strlen(names[i]);
		struct shim_known_name *known = shim_known_names__find(&l->known, names[i], len);

		if (known)
			known->own = true;
		for (bool own = true; len && !known; own = false) {
			struct shim_known_name *more = shim_known_names__add(&l->known, names[i], len);

			if (!more)
				return -ENOMEM;
			more->last = i;
			more->own = own;
			len = group_of(names[i], len);
			known = shim_known_names__find(&l->known, names[i], len);
		}
	}
	return 0;
}

/*
 * Return the position of a derived metric: after the last metric of the smallest group that
 * contains it.  A metric also counts as a group.
 */
static int place_of(const struct leaves *l, const char *name)
{
	for (size_t len = strlen(name); len; len = group_of(name, len)) {
		const struct shim_known_name *known = shim_known_names__find(&l->known, name, len);

		if (known)
			return known->last;
	}
	return l->tail;
}

/* Insert a derived metric at its position, and make it the last one of its groups. */
static int add_in_group(struct leaves *l, const char *name)
{
	int place = place_of(l, name), i = insert_leaf(l, place, name);

	for (size_t len = strlen(name); len; len = group_of(name, len)) {
		struct shim_known_name *known = shim_known_names__find(&l->known, name, len);

		if (known && known->last != place)
			break;
		if (!known)
			known = shim_known_names__add(&l->known, name, len);
		if (!known)
			return -ENOMEM;
		known->last = i;
	}
	return 0;
}

static int add_leaf(struct leaves *l, const char *name, bool last)
{
	const struct shim_known_name *known = shim_known_names__find(&l->known, name, strlen(name));

	if (known && known->own)
		return 0;
	if (!last)
		return add_in_group(l, name);
	insert_leaf(l, l->tail, name);
	return 0;
}

/* Replace *@names with the list.  Return the number of names, or -ENOMEM. */
static int hand_out_leaves(const struct leaves *l, char ***names)
{
	struct shim_list copy;
	size_t n = 0;

	if (shim_list__new(&copy, (size_t)l->n, l->bytes))
		return -ENOMEM;
	for (int i = l->head; i >= 0; i = l->next[i])
		shim_list__add(&copy, n++, l->all[i], strlen(l->all[i]));
	free(*names);
	*names = copy.strings;
	return l->n;
}

static int leaves_new(struct leaves *l, size_t n, size_t groups)
{
	l->all = malloc(n * sizeof(*l->all));
	l->next = malloc(n * sizeof(*l->next));
	return shim_known_names__new(&l->known, groups) || !l->all || !l->next ? -ENOMEM : 0;
}

static void leaves_free(struct leaves *l)
{
	shim_known_names__free(&l->known);
	free(l->all);
	free(l->next);
}

/* Remove the metrics that are not below a name. */
static void keep_below(struct names *list, const char *name)
{
	int n = 0;

	for (int i = 0; i < list->n; i++)
		if (below(list->all[i], name))
			list->all[n++] = list->all[i];
	list->n = n;
}

/*
 * Replace the @n names with a list that includes the derived metrics, either in their groups or, if
 * @last is set, at the end.  Return the number of names.
 */
static int merge_leaves(const struct names *derived, bool last, int n, char ***names)
{
	struct leaves l = { .head = -1, .tail = -1 };
	int own = n > 0 ? n : 0;
	int err = leaves_new(&l, (size_t)own + (size_t)derived->n,
			     count_groups(*names, own) +
				     count_groups((char *const *)derived->all, derived->n));

	if (!err)
		err = add_own(&l, *names, own);
	for (int i = 0; i < derived->n && !err; i++)
		err = add_leaf(&l, derived->all[i], last);
	if (err)
		n = err;
	else if (l.n > own)
		n = hand_out_leaves(&l, names);
	leaves_free(&l);
	return n;
}

static int with_leaves(struct names *derived, int err, const char *name, bool last, int n,
		       char ***names)
{
	keep_below(derived, name);
	if (err)
		n = err;
	else if (derived->n && (n >= 0 || n == PM_ERR_NAME))
		n = merge_leaves(derived, last, n, names);
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
		if (!shim_pmid__is_derived(pmids[i]) || !shim_derived__by_pmid(ctx, pmids[i]))
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
