// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Labels at the context's time, in sets that the caller frees; and the implementation for archives.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "archive_source.h"
#include "context.h"
#include "label_sets.h"

_Static_assert(sizeof(pmLabel) == 8 && sizeof(pmLabelSet) == 40, "sizes are the original's");
_Static_assert((int)PM_LABEL_CONTEXT == SHIM_LEVEL_CONTEXT &&
	       (int)PM_LABEL_INSTANCES == SHIM_LEVEL_INSTANCES, "levels are those of the file");

/**
 * pmFreeLabelSets() - free label sets
 * @sets: the sets from a call, or NULL
 * @nsets: their number, as returned by that call
 */
SHIM_API void pmFreeLabelSets(pmLabelSet *sets, int nsets)
{
	if (!sets)
		return;
	for (int i = 0; i < nsets; i++) {
		free(sets[i].json);
		free(sets[i].labels);
	}
	free(sets);
}

pmLabelSet *shim_label_sets__grow(struct shim_label_sets *sets, size_t n)
{
	pmLabelSet *all;

	if (n > (size_t)(INT_MAX - sets->n))
		return NULL;
	all = reallocarray(sets->all, sets->n + n, sizeof(*all));
	if (!all)
		return NULL;
	sets->all = all;
	memset(all + sets->n, 0, n * sizeof(*all));
	return all + sets->n;
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

/* The context label of an archive that has no labels of its own: the name of its host */
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

/* Add all labels of a metric except its instances', from the weakest level to the strongest. */
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

static int hand_out(struct shim_label_sets *sets, int err, pmLabelSet **out)
{
	if (err) {
		pmFreeLabelSets(sets->all, sets->n);
		return err;
	}
	*out = sets->all;
	return sets->n;
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

/* A derived metric has only the labels of its context and its instance domain. */
static int derived_labels(struct shim_context *ctx, pmID pmid, struct shim_label_sets *sets)
{
	pmDesc desc;
	int err = ctx->source->labels(ctx, PM_LABEL_CONTEXT, PM_IN_NULL, sets);

	if (!err && !shim_derived__desc(ctx, pmid, &desc) && desc.indom != PM_INDOM_NULL)
		err = ctx->source->labels(ctx, PM_LABEL_INDOM, desc.indom, sets);
	return err;
}

/* Get the labels of @ident at @level; level 0 means all levels of a metric. */
static int get(uint32_t level, uint32_t ident, pmLabelSet **out)
{
	struct shim_label_sets sets = { 0 };
	struct shim_context *ctx;
	int err;

	if (!out)
		return -EINVAL;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	if (!level && shim_derived__by_pmid(ctx, ident))
		err = derived_labels(ctx, ident, &sets);
	else
		err = ctx->source->labels(ctx, level, ident, &sets);
	return shim_context__leave(ctx, hand_out(&sets, err, out));
}

/**
 * pmGetContextLabels() - get the labels of the whole archive
 * @sets: one set; if the archive never has such labels, the name of its host
 *
 * All these calls return the labels that are valid at the context's time, to be freed by
 * pmFreeLabelSets(); *@sets is NULL if there are none.
 *
 * Return: the number of sets, 0 if there are none at that time, PM_ERR_NOCONTEXT, -EINVAL, -ENOMEM.
 */
SHIM_API int pmGetContextLabels(pmLabelSet **sets)
{
	return get(PM_LABEL_CONTEXT, PM_IN_NULL, sets);
}

/**
 * pmGetDomainLabels() - get the labels of all metrics of a domain
 * @domain: its number
 * @sets: one set
 *
 * Return: as for pmGetContextLabels().
 */
SHIM_API int pmGetDomainLabels(int domain, pmLabelSet **sets)
{
	return get(PM_LABEL_DOMAIN, (uint32_t)domain, sets);
}

/**
 * pmGetInDomLabels() - get the labels of all metrics with an instance domain
 * @indom: the instance domain
 * @sets: one set
 *
 * Return: as for pmGetContextLabels().
 */
SHIM_API int pmGetInDomLabels(pmInDom indom, pmLabelSet **sets)
{
	return get(PM_LABEL_INDOM, indom, sets);
}

/**
 * pmGetClusterLabels() - get the labels of all metrics of a cluster
 * @pmid: any metric of the cluster
 * @sets: one set
 *
 * Return: as for pmGetContextLabels().
 */
SHIM_API int pmGetClusterLabels(pmID pmid, pmLabelSet **sets)
{
	return get(PM_LABEL_CLUSTER, pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0), sets);
}

/**
 * pmGetItemLabels() - get the labels of one metric
 * @pmid: the metric
 * @sets: one set
 *
 * Return: as for pmGetContextLabels().
 */
SHIM_API int pmGetItemLabels(pmID pmid, pmLabelSet **sets)
{
	return get(PM_LABEL_ITEM, pmid, sets);
}

/**
 * pmGetInstancesLabels() - get the labels of each instance of a domain
 * @indom: the instance domain
 * @sets: a set for each instance, identified by its inst
 *
 * Return: as for pmGetContextLabels().
 */
SHIM_API int pmGetInstancesLabels(pmInDom indom, pmLabelSet **sets)
{
	return get(PM_LABEL_INSTANCES, indom, sets);
}

/**
 * pmLookupLabels() - get all labels of a metric except those of its instances
 * @pmid: the metric
 * @sets: the sets of context, domain, instance domain, cluster and item, in this order
 *
 * Return: as for pmGetContextLabels(), and PM_ERR_PMID_LOG.
 */
SHIM_API int pmLookupLabels(pmID pmid, pmLabelSet **sets)
{
	return get(0, pmid, sets);
}
