// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Labels at the context's time, in sets that the caller frees, or merged into one JSON object
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/json.h"
#include "base/vec.h"
#include "context.h"

_Static_assert(sizeof(pmLabel) == 8 && sizeof(pmLabelSet) == 40, "structures must have the original's sizes");

#define NAME_MAX_LEN	255

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

static int hand_out_sets(struct shim_label_sets *sets, int err, pmLabelSet **out)
{
	if (err) {
		pmFreeLabelSets(sets->all, sets->n);
		return err;
	}
	*out = sets->all;
	return sets->n;
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
static int labels_get(uint32_t level, uint32_t ident, pmLabelSet **out)
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
	return shim_context__leave(ctx, hand_out_sets(&sets, err, out));
}

/**
 * pmGetContextLabels() - get the labels of the whole archive
 * @sets: one set; if the archive has no context labels at any time, the set contains the host's
 *   name
 *
 * The calls for labels return the labels at the context's time.  The caller frees them with
 * pmFreeLabelSets(); *@sets is NULL if there are none.
 *
 * Return: the number of sets, or 0 if there are none at that time; PM_ERR_NOCONTEXT, -EINVAL,
 * -ENOMEM.
 */
SHIM_API int pmGetContextLabels(pmLabelSet **sets)
{
	return labels_get(PM_LABEL_CONTEXT, PM_IN_NULL, sets);
}

/**
 * pmGetDomainLabels() - get the labels of all metrics of a domain
 * @domain: the domain's number
 * @sets: one set
 *
 * Return: as for pmGetContextLabels().
 */
SHIM_API int pmGetDomainLabels(int domain, pmLabelSet **sets)
{
	return labels_get(PM_LABEL_DOMAIN, (uint32_t)domain, sets);
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
	return labels_get(PM_LABEL_INDOM, indom, sets);
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
	return labels_get(PM_LABEL_CLUSTER, pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0),
			  sets);
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
	return labels_get(PM_LABEL_ITEM, pmid, sets);
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
	return labels_get(PM_LABEL_INSTANCES, indom, sets);
}

/**
 * pmLookupLabels() - get all labels of a metric except its instances' labels
 * @pmid: the metric
 * @sets: the sets of context, domain, instance domain, cluster and item, in this order
 *
 * Return: as for pmGetContextLabels(), and PM_ERR_PMID_LOG.
 */
SHIM_API int pmLookupLabels(pmID pmid, pmLabelSet **sets)
{
	return labels_get(0, pmid, sets);
}

/*
 * struct entry - one label of one of the objects
 * @name: @namelen bytes
 * @source: index of its object; if several labels have the same name, the highest index wins
 * @wanted: whether the caller's filter accepts it
 */
struct entry {
	char name[NAME_MAX_LEN + 1];
	unsigned int namelen;
	const char *value;
	size_t valuelen;
	int source;
	bool wanted;
};

struct merge {
	struct entry *entries;
	size_t n;
	size_t cap;
};

static int by_name(const void *a, const void *b)
{
	const struct entry *ea = a, *eb = b;
	int cmp = strcmp(ea->name, eb->name);

	return cmp ? cmp : (ea->source > eb->source) - (ea->source < eb->source);
}

static struct entry *new_entry(struct merge *m, int source)
{
	struct entry *entry;

	if (shim_vec__room(m->entries, &m->cap, m->n))
		return NULL;
	entry = &m->entries[m->n++];
	entry->source = source;
	entry->wanted = true;
	return entry;
}

/* Set a label's name: member "b" of object "a" is named "a.b".  @prefix is "" or ends in a dot. */
static int set_name(struct entry *e, const char *prefix, const char *name, size_t len)
{
	size_t front = strlen(prefix);

	if (front + len > NAME_MAX_LEN)
		return -E2BIG;
	memcpy(e->name, prefix, front);
	memcpy(e->name + front, name, len);
	e->name[front + len] = '\0';
	e->namelen = (unsigned int)(front + len);
	return 0;
}

static int add_object(struct merge *m, int source, const char *prefix, const char *text,
		      size_t len);

/*
 * Add a member.  The members of a nested object become separate labels; an empty object is one
 * label.
 */
static int add_member(struct merge *m, int source, const char *prefix,
		      const struct shim_json_member *member)
{
	struct entry *e = new_entry(m, source);
	struct shim_json_member inner;
	struct shim_json json;
	char path[NAME_MAX_LEN + 2];
	int err;

	if (!e)
		return -ENOMEM;
	if (!shim_json__is_name(member->name, member->namelen))
		return -EINVAL;
	err = set_name(e, prefix, member->name, member->namelen);
	if (err)
		return err;
	e->value = member->value;
	e->valuelen = member->valuelen;
	if (shim_json__begin(&json, member->value, member->valuelen) ||
	    shim_json__next(&json, &inner) == 0)
		return 0;
	memcpy(path, e->name, e->namelen);
	memcpy(path + e->namelen, ".", 2);
	m->n--;
	return add_object(m, source, path, member->value, member->valuelen);
}

static int add_object(struct merge *m, int source, const char *prefix, const char *text,
		      size_t len)
{
	struct shim_json_member member;
	struct shim_json json;
	int err = shim_json__begin(&json, text, len);

	while (!err) {
		err = shim_json__next(&json, &member);
		if (err <= 0)
			break;
		err = add_member(m, source, prefix, &member);
	}
	return err;
}

static bool same_name(const struct entry *a, const struct entry *b)
{
	return !strcmp(a->name, b->name);
}

/*
 * Keep the last label with each name, if it is wanted.  A duplicate name in one object is an error.
 */
static int settle(struct merge *m)
{
	size_t kept = 0;

	if (m->n)
		qsort(m->entries, m->n, sizeof(*m->entries), by_name);
	for (size_t i = 0; i < m->n; i++) {
		const struct entry *e = &m->entries[i];

		if (i + 1 < m->n && same_name(e, e + 1)) {
			if (e->source == e[1].source)
				return -EINVAL;
			continue;
		}
		if (e->wanted)
			m->entries[kept++] = *e;
	}
	m->n = kept;
	return 0;
}

/* Print {"name":value,...} and a NUL.  Return the length, or -E2BIG. */
static int print(const struct merge *m, char *buffer, int room)
{
	size_t len = 2 + (m->n ? m->n - 1 : 0);
	char *p = buffer;

	for (size_t i = 0; i < m->n; i++) {
		const struct entry *e = &m->entries[i];

		len += e->namelen + 3 + shim_json__squeeze(NULL, e->value, e->valuelen);
	}
	if (room < 0 || len >= (size_t)room)
		return -E2BIG;
	*p++ = '{';
	for (size_t i = 0; i < m->n; i++) {
		const struct entry *e = &m->entries[i];

		if (i)
			*p++ = ',';
		*p++ = '"';
		memcpy(p, e->name, e->namelen);
		p += e->namelen;
		*p++ = '"';
		*p++ = ':';
		p += shim_json__squeeze(p, e->value, e->valuelen);
	}
	*p++ = '}';
	*p = '\0';
	return (int)(p - buffer);
}

static int merge_finish(struct merge *m, int err, bool any, char *buffer, int room)
{
	if (!err)
		err = settle(m);
	if (!err && any)
		err = print(m, buffer, room);
	else if (!err && room > 0)
		*buffer = '\0';
	free(m->entries);
	return err;
}

/**
 * pmMergeLabels() - merge JSON objects of labels into one
 * @objects: the objects' texts; NULL or "" for none
 * @nobjects: number of objects
 * @buffer: receives the result, with a NUL
 * @buflen: size of @buffer
 *
 * Names are sorted, and blanks are omitted.  If several labels have the same name, the label of the
 * last object is used.  Nested objects become labels with dots in their names.
 *
 * Return: the length, which is 0 if there are no labels; -EINVAL if a text is not a JSON object,
 * has a duplicate or an invalid label name, or for invalid arguments; -E2BIG if @buffer is too
 * small, or a name is longer than 255 bytes; -ENOMEM.
 */
SHIM_API int pmMergeLabels(char **objects, int nobjects, char *buffer, int buflen)
{
	struct merge m = { 0 };
	int err = 0;

	if (!objects || nobjects < 1 || !buffer)
		return -EINVAL;
	for (int i = 0; i < nobjects && !err; i++)
		if (objects[i] && objects[i][0])
			err = add_object(&m, i, "", objects[i], strlen(objects[i]));
	return merge_finish(&m, err, m.n, buffer, buflen);
}

typedef int (*filter_fn)(const pmLabel *label, const char *json, void *arg);

static int add_label(struct merge *m, int source, const pmLabelSet *set, const pmLabel *label,
		     filter_fn filter, void *arg)
{
	struct entry *e = new_entry(m, source);

	if (!e)
		return -ENOMEM;
	if (label->name + label->namelen > set->jsonlen ||
	    label->value + label->valuelen > set->jsonlen ||
	    memchr(set->json + label->name, '\0', label->namelen))
		return -EINVAL;
	set_name(e, "", set->json + label->name, label->namelen);
	e->value = set->json + label->value;
	e->valuelen = label->valuelen;
	if (filter)
		e->wanted = filter(label, set->json, arg);
	return 0;
}

/**
 * pmMergeLabelSets() - merge label sets into one JSON object
 * @sets: the sets, from the weakest to the strongest; NULL for none
 * @nsets: number of sets
 * @buffer: receives the result, with a NUL
 * @buflen: size of @buffer
 * @filter: NULL, or a function that returns whether a label of a set is wanted; an unwanted label
 *	still hides labels with the same name in weaker sets
 * @arg: argument for @filter
 *
 * Sets that have an error instead of labels are skipped.
 *
 * Return: the length, which is 0 if there is no set; -EINVAL if a set is malformed, -E2BIG,
 * -ENOMEM.
 */
SHIM_API int pmMergeLabelSets(pmLabelSet **sets, int nsets, char *buffer, int buflen,
			      int (*filter)(const pmLabel *label, const char *json, void *arg),
			      void *arg)
{
	struct merge m = { 0 };
	bool any = false;
	int err = 0;

	if (!sets || nsets < 1 || !buffer)
		return -EINVAL;
	for (int i = 0; i < nsets && !err; i++) {
		if (!sets[i] || sets[i]->nlabels < 0)
			continue;
		any = true;
		for (int j = 0; j < sets[i]->nlabels && !err; j++)
			err = add_label(&m, i, sets[i], &sets[i]->labels[j], filter, arg);
	}
	return merge_finish(&m, err, any, buffer, buflen);
}
