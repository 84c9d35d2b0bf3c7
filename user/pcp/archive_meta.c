// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metadata of archives: descriptors, names, texts, labels, and the instances of a domain. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "archive.h"
#include "archive/indom.h"
#include "context.h"

_Static_assert(PM_TEXT_ONELINE == SHIM_TEXT_ONELINE && PM_TEXT_HELP == SHIM_TEXT_HELP,
	       "levels must equal those on disk");

_Static_assert((int)PM_LABEL_CONTEXT == SHIM_LEVEL_CONTEXT &&
	       (int)PM_LABEL_INSTANCES == SHIM_LEVEL_INSTANCES, "levels must equal those on disk");

#define ROW_NAME	64	/* names with a larger average length are copied one by one */

int shim_archive_source__desc(struct shim_context *ctx, pmID pmid, pmDesc *out)
{
	const struct shim_desc *desc = shim_archive__desc(ctx->ar, pmid);

	if (!desc)
		desc = shim_pmns_tree__builtin(pmid);
	if (!desc)
		return PM_ERR_PMID_LOG;
	shim_desc__copy(desc, out);
	return 0;
}

int shim_archive_source__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out)
{
	int found = 0;

	for (int i = 0; i < n; i++) {
		if (shim_archive_source__desc(ctx, pmids[i], &out[i]))
			out[i].pmid = PM_ID_NULL;
		else
			found++;
	}
	return found;
}

/* Get an archive's tree of names, which is built from its metrics at first use. */
static int tree_of(struct shim_context *ctx, const struct shim_pmns_tree **out)
{
	int err = ctx->pmns ? 0 : shim_pmns_tree__new(ctx->ar, &ctx->pmns);

	*out = ctx->pmns;
	return err;
}

/*
 * Look up names that all belong to metrics of the archive, which needs no tree.  A name that ends in
 * a dot cannot be found.
 */
static bool all_named(const struct shim_archive *ar, int n, const char *const *names, pmID *pmids)
{
	int i = 0;

	while (i < n && names[i] && *names[i] && names[i][strlen(names[i]) - 1] != '.' &&
	       shim_archive__named(ar, names[i], &pmids[i]))
		i++;
	return i == n;
}

int shim_archive_source__metrics(struct shim_context *ctx, int n, const char *const *names,
				 pmID *pmids)
{
	const struct shim_pmns_tree *tree;
	int err;

	if (!ctx->pmns && all_named(ctx->ar, n, names, pmids))
		return n;
	err = tree_of(ctx, &tree);
	return err ? err : shim_pmns_lookup__metrics(tree, n, names, pmids);
}

int shim_archive_source__children(struct shim_context *ctx, const char *name, char ***offspring,
				  int **status)
{
	const struct shim_pmns_tree *tree;
	int err = tree_of(ctx, &tree);

	return err ? err : shim_pmns_lookup__children(tree, name, offspring, status);
}

int shim_archive_source__leaves(struct shim_context *ctx, const char *name, char ***names)
{
	const struct shim_pmns_tree *tree;
	int err = tree_of(ctx, &tree);

	return err ? err : shim_pmns_lookup__leaves(tree, name, names);
}

int shim_archive_source__names(struct shim_context *ctx, pmID pmid, char ***nameset)
{
	const struct shim_desc *desc = shim_archive__desc(ctx->ar, pmid);
	const struct shim_pmns_tree *tree;
	int err = tree_of(ctx, &tree);

	if (err)
		return err;
	if (!desc)
		desc = shim_pmns_tree__builtin(pmid);
	return shim_pmns_lookup__desc_names(tree, desc, nameset);
}

static int text_find(const struct shim_context *ctx, unsigned int type, unsigned int ident,
		     const char **out)
{
	const char *text = shim_archive__text(ctx->ar, type, ident);

	if (!text)
		return shim_archive__has_text(ctx->ar, type) ? PM_ERR_TEXT : PM_ERR_NOTHOST;
	*out = text;
	return 0;
}

/*
 * Get the help text or, if it is missing or empty and PM_TEXT_DIRECT is not set, the one-line text.
 */
static int find_best(const struct shim_context *ctx, unsigned int about, unsigned int ident,
		     int level, const char **out)
{
	int err = text_find(ctx, about | (level & ~PM_TEXT_DIRECT), ident, out);
	int line;

	if (level != PM_TEXT_HELP || (!err && **out))
		return err;
	line = text_find(ctx, about | SHIM_TEXT_ONELINE, ident, out);
	return err ? line : 0;
}

int shim_archive_source__text(struct shim_context *ctx, unsigned int about, unsigned int ident,
			      int level, char **out)
{
	const char *text;
	char *mine;
	int err;

	err = find_best(ctx, about, ident, level, &text);
	if (err)
		return err;
	mine = strdup(text);
	if (!mine)
		return -ENOMEM;
	*out = mine;
	return 0;
}

/* A set without labels gets no text. */
static int copy_set(pmLabelSet *to, const struct shim_labelset *from)
{
	uint32_t len = from->jsonlen;

	to->inst = from->inst;
	to->nlabels = from->nlabels;
	if (from->nlabels <= 0)
		return 0;
	to->json = malloc(len + 1);
	if (!to->json)
		return -ENOMEM;
	memcpy(to->json, from->json, len);
	to->json[len] = '\0';
	to->jsonlen = len;
	to->labels = calloc(from->nlabels, sizeof(*to->labels));
	if (!to->labels)
		return -ENOMEM;
	for (int i = 0; i < from->nlabels; i++) {
		struct shim_labelref ref = shim_labelset__at(from, i);

		to->labels[i].name = ref.name;
		to->labels[i].namelen = ref.namelen;
		to->labels[i].flags = ref.flags;
		to->labels[i].value = ref.value;
		to->labels[i].valuelen = ref.valuelen;
	}
	return 0;
}

/* The caller frees the sets, even after an error. */
static int add_level(struct shim_label_sets *sets, const struct shim_context *ctx,
		     uint32_t level, uint32_t ident)
{
	struct shim_labels_iter iter;
	pmLabelSet *to;

	if (!shim_archive__labels(ctx->ar, level, ident, ctx->origin, &iter) || !iter.n)
		return 0;
	to = shim_label_sets__grow(sets, iter.n);
	if (!to)
		return -ENOMEM;
	for (; iter.n; to++) {
		struct shim_labelset set;

		shim_labels__next(&iter, &set);
		sets->n++;
		if (copy_set(to, &set))
			return -ENOMEM;
	}
	return 0;
}

/* If an archive has no context labels, add one with the name of its host. */
static int add_host(struct shim_label_sets *sets, const struct shim_context *ctx)
{
	const char *host = shim_archive__label(ctx->ar)->host;
	pmLabelSet *set = shim_label_sets__grow(sets, 1);
	int len;

	if (!set)
		return -ENOMEM;
	sets->n++;
	set->inst = PM_IN_NULL;
	len = asprintf(&set->json, "{\"hostname\":\"%s\"}", host);
	if (len < 0) {
		set->json = NULL;
		return -ENOMEM;
	}
	set->labels = calloc(1, sizeof(*set->labels));
	if (!set->labels)
		return -ENOMEM;
	set->jsonlen = len;
	set->nlabels = 1;
	set->labels[0] = (pmLabel){
		.name = strlen("{\""),
		.namelen = strlen("hostname"),
		.flags = PM_LABEL_CONTEXT,
		.value = strlen("{\"hostname\":"),
		.valuelen = strlen(host) + 2,
	};
	return 0;
}

static int add_context(struct shim_label_sets *sets, const struct shim_context *ctx)
{
	if (!shim_archive__has_labels(ctx->ar, PM_LABEL_CONTEXT, PM_IN_NULL))
		return add_host(sets, ctx);
	return add_level(sets, ctx, PM_LABEL_CONTEXT, PM_IN_NULL);
}

/* Add all labels of a metric except its instances' labels, in ascending order of precedence. */
static int add_metric(struct shim_label_sets *sets, const struct shim_context *ctx, pmID pmid)
{
	const struct shim_desc *desc = shim_archive__desc(ctx->ar, pmid);
	int err;

	if (!desc)
		desc = shim_pmns_tree__builtin(pmid);
	if (!desc)
		return PM_ERR_PMID_LOG;
	err = add_context(sets, ctx);
	if (!err)
		err = add_level(sets, ctx, PM_LABEL_DOMAIN, pmID_domain(pmid));
	if (!err && desc->indom != PM_INDOM_NULL)
		err = add_level(sets, ctx, PM_LABEL_INDOM, desc->indom);
	if (!err)
		err = add_level(sets, ctx, PM_LABEL_CLUSTER,
				pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0));
	if (!err)
		err = add_level(sets, ctx, PM_LABEL_ITEM, pmid);
	return err;
}

int shim_archive_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
				struct shim_label_sets *sets)
{
	if (!level)
		return add_metric(sets, ctx, ident);
	if (level == PM_LABEL_CONTEXT)
		return add_context(sets, ctx);
	return add_level(sets, ctx, level, ident);
}

typedef const struct shim_indom *state;

/*
 * With @all, get state @i of the archive, newest first.  Otherwise, get the state at the context's
 * time; @i must be 0.  Return 0, PM_ERR_INDOM_LOG if the domain does not have that state, or
 * -ENOMEM.
 */
static int state_at(const struct shim_context *ctx, pmInDom indom, bool all, unsigned int i,
		    state *s)
{
	if (all ? i >= shim_archive__nindoms(ctx->ar, indom) :
		  i || !shim_archive__has_indom(ctx->ar, indom, ctx->origin))
		return PM_ERR_INDOM_LOG;
	*s = all ? shim_archive__indom_at(ctx->ar, indom, i) :
		   shim_archive__indom(ctx->ar, indom, ctx->origin);
	return *s ? 0 : -ENOMEM;
}

/*
 * Allocate lists of @n IDs and names.  The list of names is followed by space for @bytes of text.
 */
static int make_lists(unsigned int n, size_t bytes, int **instlist, char ***namelist)
{
	*instlist = malloc(n * sizeof(**instlist));
	*namelist = malloc(n * sizeof(**namelist) + bytes);
	if (*instlist && *namelist)
		return 0;
	free(*instlist);
	free(*namelist);
	*instlist = NULL;
	*namelist = NULL;
	return -ENOMEM;
}

static int hand_out_instances(unsigned int n, const int32_t *ids, const char *const *names,
			      int **instlist, char ***namelist)
{
	size_t bytes = 0;
	char *end;
	int err;

	for (unsigned int i = 0; i < n; i++)
		bytes += strlen(names[i]) + 1;
	err = make_lists(n, bytes, instlist, namelist);
	if (err)
		return err;
	memcpy(*instlist, ids, n * sizeof(*ids));
	end = (char *)(*namelist + n);
	for (unsigned int i = 0; i < n; i++) {
		(*namelist)[i] = end;
		end = stpcpy(end, names[i]) + 1;
	}
	return 0;
}

/*
 * Return whether the names are close together in memory, which is the case if one record contains
 * the whole domain.  If so, the @bytes bytes at @first contain all names, and little else.
 */
static bool in_a_row(const struct shim_indom *s, const char **first, size_t *bytes)
{
	uintptr_t low = UINTPTR_MAX, high = 0;

	if (!s->one_record)
		return false;
	for (unsigned int i = 0; i < s->n; i++) {
		uintptr_t at = (uintptr_t)s->name[i];

		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	*first = (const char *)low;
	if (high - low > (size_t)s->n * ROW_NAME)
		return false;
	*bytes = high - low + strlen((const char *)high) + 1;
	return true;
}

/* Copy all names at once, with the bytes between them, which avoids measuring each name. */
static int hand_out_row(const struct shim_indom *s, const char *first, size_t bytes, int **instlist,
			char ***namelist)
{
	int err = make_lists(s->n, bytes, instlist, namelist);
	char *text;

	if (err)
		return err;
	text = (char *)(*namelist + s->n);
	memcpy(text, first, bytes);
	memcpy(*instlist, s->inst, s->n * sizeof(*s->inst));
	for (unsigned int i = 0; i < s->n; i++)
		(*namelist)[i] = text + (s->name[i] - first);
	return 0;
}

static int collect(const struct shim_context *ctx, pmInDom indom, int **instlist, char ***namelist)
{
	const char *first;
	size_t bytes;
	state s;
	int err = state_at(ctx, indom, false, 0, &s);

	if (err)
		return err;
	if (!s->n)
		return 0;
	err = in_a_row(s, &first, &bytes) ?
	      hand_out_row(s, first, bytes, instlist, namelist) :
	      hand_out_instances(s->n, s->inst, s->name, instlist, namelist);
	return err ? err : (int)s->n;
}

/* Get all instances of a domain that has any state.  Return 0, PM_ERR_INDOM_LOG or -ENOMEM. */
static int get_all(const struct shim_context *ctx, pmInDom indom, const struct shim_instances **set)
{
	if (!shim_archive__nindoms(ctx->ar, indom))
		return PM_ERR_INDOM_LOG;
	*set = shim_archive__instances(ctx->ar, indom);
	return *set ? 0 : -ENOMEM;
}

static int collect_all(const struct shim_context *ctx, pmInDom indom, int **instlist,
		       char ***namelist)
{
	const struct shim_instances *set;
	int err = get_all(ctx, indom, &set);

	if (err || !set->n)
		return err;
	err = hand_out_instances(set->n, set->ids, set->names, instlist, namelist);
	return err ? err : (int)set->n;
}

int shim_archive_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				   char ***namelist)
{
	return collect(ctx, indom, instlist, namelist);
}

static int copy_name(const char *from, char **name)
{
	*name = strdup(from);
	return *name ? 0 : -ENOMEM;
}

static int find_name(const struct shim_context *ctx, pmInDom indom, int inst, char **name)
{
	state s;
	int err = state_at(ctx, indom, false, 0, &s);
	int at = err ? -1 : shim_instances__search(s, inst);

	if (!err && at < 0)
		return PM_ERR_INST_LOG;
	return err ? err : copy_name(s->name[at], name);
}

static int find_name_ever(const struct shim_context *ctx, pmInDom indom, int inst, char **name)
{
	const struct shim_instances *set;
	int err = get_all(ctx, indom, &set);
	int at = err ? -1 : shim_instances__find(set, inst);

	if (!err && at < 0)
		return PM_ERR_INST_LOG;
	return err ? err : copy_name(set->names[at], name);
}

int shim_archive_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				       char **name)
{
	return find_name(ctx, indom, inst, name);
}

static int find_inst(const struct shim_context *ctx, pmInDom indom, bool all, const char *name)
{
	unsigned int i = 0;
	state s;
	int err;

	for (; !(err = state_at(ctx, indom, all, i, &s)); i++) {
		int at = shim_archive__find_inst(ctx->ar, s, name);

		if (at >= 0)
			return s->inst[at];
	}
	return i && err == PM_ERR_INDOM_LOG ? PM_ERR_INST_LOG : err;
}

int shim_archive_source__instance(struct shim_context *ctx, pmInDom indom, const char *name)
{
	return find_inst(ctx, indom, false, name);
}

/* Enter the current context, which must be on an archive, for a call about a domain. */
static int indom_enter(pmInDom indom, struct shim_context **ctx)
{
	return indom == PM_INDOM_NULL ? PM_ERR_INDOM : shim_context__enter_archive(ctx);
}

/**
 * pmGetInDomArchive() - get all instances that a domain has at any time in the archive
 * @indom: the domain
 * @instlist: their IDs: IDs in the newest state, then additional IDs in older states
 * @namelist: their names; if a name has changed, the newest one
 *
 * Return: as for pmGetInDom(), and PM_ERR_NOTARCHIVE.
 */
SHIM_API int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist)
{
	struct shim_context *ctx;
	int err;

	if (!instlist || !namelist)
		return -EINVAL;
	*instlist = NULL;
	*namelist = NULL;
	err = indom_enter(indom, &ctx);
	if (err)
		return err;
	return shim_context__leave(ctx, collect_all(ctx, indom, instlist, namelist));
}

/** pmNameInDomArchive() - get an instance's newest name; otherwise like pmNameInDom() */
SHIM_API int pmNameInDomArchive(pmInDom indom, int inst, char **name)
{
	struct shim_context *ctx;
	int err = name ? indom_enter(indom, &ctx) : -EINVAL;

	return err ? err : shim_context__leave(ctx, find_name_ever(ctx, indom, inst, name));
}

/** pmLookupInDomArchive() - look up an instance by name in the whole archive, newest state first */
SHIM_API int pmLookupInDomArchive(pmInDom indom, const char *name)
{
	struct shim_context *ctx;
	int err = name ? indom_enter(indom, &ctx) : -EINVAL;

	return err ? err : shim_context__leave(ctx, find_inst(ctx, indom, true, name));
}
