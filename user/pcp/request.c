// SPDX-License-Identifier: LGPL-2.1-or-later
/* The request of a fetch, and the values in a record that it requests */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "request.h"

void shim_request__fini(struct shim_request *req)
{
	free(req->pmids);
	free(req->items);
	free(req->answers);
	free(req->vsets);
	free(req->types);
	free(req->values);
	shim_pmidmap__fini(&req->map);
	memset(req, 0, sizeof(*req));
}

static int answers_for(struct shim_request *req, unsigned int n)
{
	return shim_vec__reserve(req->answers, &req->answers_room, n);
}

/* Interpolated values have no location, so this memory is only for records. */
static int locations_for(struct shim_request *req, unsigned int n)
{
	size_t vsets = req->vsets_room;

	if (shim_vec__reserve(req->vsets, &vsets, n))
		return -ENOMEM;
	return shim_vec__reserve(req->types, &req->vsets_room, n);
}

static bool is_same(const struct shim_request *req, unsigned int n, const uint32_t *pmids)
{
	return n == req->n && !memcmp(req->pmids, pmids, n * sizeof(*pmids));
}

static int add_item(struct shim_request *req, const struct shim_archive *ar, uint32_t pmid)
{
	struct shim_request_item *item = &req->items[req->n];
	uint32_t first = shim_pmidmap__get(&req->map, pmid);

	*item = (struct shim_request_item){ .same = SHIM_PMIDMAP_NONE };
	item->desc = shim_archive__desc(ar, pmid);
	if (first == SHIM_PMIDMAP_NONE) {
		int err = shim_pmidmap__add(&req->map, pmid, req->n);

		if (err)
			return err;
	} else {
		item->same = req->items[first].same;
		req->items[first].same = req->n;
	}
	req->nderived += shim_pmid__is_derived(pmid);
	req->pmids[req->n++] = pmid;
	return 0;
}

static int request_grow(struct shim_request *req, unsigned int n)
{
	size_t items = req->room;

	if (shim_vec__reserve(req->items, &items, n))
		return -ENOMEM;
	return shim_vec__reserve(req->pmids, &req->room, n);
}

int shim_request__set(struct shim_request *req, const struct shim_archive *ar, unsigned int n,
		      const uint32_t *pmids)
{
	int err;

	if (is_same(req, n, pmids))
		return 0;
	shim_pmidmap__fini(&req->map);
	req->n = req->nderived = 0;
	err = request_grow(req, n);
	if (!err)
		err = answers_for(req, n);
	for (unsigned int i = 0; i < n && !err; i++)
		err = add_item(req, ar, pmids[i]);
	if (err)
		req->n = 0;
	return err ? err : 1;
}

int shim_request__match(struct shim_request *req, const struct shim_record *rec)
{
	struct shim_vset vset = shim_record__sets(rec);
	int found = 0;
	int err = locations_for(req, req->n);

	if (err)
		return err;
	req->nlocated = 0;
	req->round++;
	while (!(err = shim_record__step(rec, &vset))) {
		uint32_t at = shim_pmidmap__get(&req->map, vset.pmid);

		for (; at != SHIM_PMIDMAP_NONE; at = req->items[at].same) {
			req->items[at].round = req->round;
			req->vsets[at] = vset;
			found++;
		}
	}
	return err == -ENOENT ? found : err;
}

int shim_request__locate(struct shim_request *req)
{
	for (unsigned int i = 0; i < req->n; i++) {
		const struct shim_request_item *item = &req->items[i];

		if (item->round != req->round) {
			req->vsets[i] = (struct shim_vset){ .pmid = req->pmids[i] };
			continue;
		}
		if (!item->desc)
			return -ENOENT;
		req->types[i] = item->desc->type;
	}
	return 0;
}

static int32_t type_of(const struct shim_archive *ar, uint32_t pmid)
{
	const struct shim_desc *desc = shim_archive__desc(ar, pmid);

	return desc ? desc->type : SHIM_TYPE_NOSUPPORT;
}

int shim_request__locate_all(struct shim_request *req, const struct shim_archive *ar,
			     const struct shim_record *rec)
{
	struct shim_vset vset = shim_record__sets(rec);
	unsigned int n = 0;
	int err;

	err = locations_for(req, rec->npmids);
	if (err)
		return err;
	for (; !(err = shim_record__step(rec, &vset)); n++) {
		/* A growing archive can describe a metric later. */
		if (n >= req->nlocated || req->vsets[n].pmid != vset.pmid ||
		    req->types[n] == SHIM_TYPE_NOSUPPORT)
			req->types[n] = type_of(ar, vset.pmid);
		req->vsets[n] = vset;
	}
	req->nlocated = n;
	return err == -ENOENT ? (int)n : err;
}

/* Convert a block's number to host byte order, according to the type in the block's header. */
static int to_host(struct shim_value *value)
{
	const uint8_t *p = value->bytes;

	switch (value->type) {
	case SHIM_TYPE_32:	/* these are stored in place, so the block is invalid */
	case SHIM_TYPE_U32:
		return -EBADMSG;
	case SHIM_TYPE_64:
	case SHIM_TYPE_U64:
	case SHIM_TYPE_DOUBLE:
		if (value->len != 8)
			return -EBADMSG;
		value->ull = shim_be64__get(p);
		return 0;
	case SHIM_TYPE_FLOAT:
		if (value->len != 4)
			return -EBADMSG;
		value->ul = shim_be32__get(p);
	}
	return 0;
}

/*
 * Get values that do not have the metric's type, or whose metric has no descriptor, in their stored
 * form.  pmExtractValue() fails if a program requests them as a different type.
 */
static int stored_values(const struct shim_record *rec, const struct shim_vset *vset,
			 struct shim_value *values)
{
	int err = 0;

	for (int i = 0; i < vset->numval && !err; i++) {
		err = shim_vset__raw(rec, vset, i, &values[i]);
		if (!err && vset->valfmt != SHIM_VAL_INSITU)
			err = to_host(&values[i]);
	}
	return err;
}

/*
 * Append a set's values to the values of @req.  Return their number, or an error.  @desc may be
 * NULL.
 */
static int add_values(struct shim_request *req, const struct shim_record *rec,
		      const struct shim_vset *vset, const struct shim_desc *desc,
		      const struct shim_filter *filter)
{
	bool all = !filter || !filter->has || !desc || desc->indom == SHIM_INDOM_NULL;
	struct shim_value *values;
	int n = 0;
	int err;

	err = shim_vec__reserve(req->values, &req->values_room, req->nvalues + vset->numval);
	if (err)
		return err;
	values = &req->values[req->nvalues];
	err = desc ? shim_vset__values(rec, vset, 0, vset->numval, desc->type, values) : -EBADMSG;
	if (err == -EBADMSG)
		err = stored_values(rec, vset, values);
	if (err)
		return err;
	if (all) {
		n = vset->numval;
	} else {
		for (int i = 0; i < vset->numval; i++)
			if (filter->has(filter->arg, desc->indom, values[i].inst))
				values[n++] = values[i];
	}
	req->nvalues += n;
	return n;
}

static int add_answer(struct shim_request *req, unsigned int i, const struct shim_record *rec,
		      const struct shim_vset *vset, const struct shim_desc *desc,
		      const struct shim_filter *filter)
{
	struct shim_answer *a = &req->answers[i];
	int n = vset->numval;

	if (n > 0)
		n = add_values(req, rec, vset, desc, filter);
	if (n < 0 && vset->numval > 0)
		return n;
	*a = (struct shim_answer){ .pmid = vset->pmid, .numval = n, .valfmt = vset->valfmt };
	return 0;
}

/* Set the answers' pointers into the array of values, which no longer grows. */
static void point_answers(struct shim_request *req, unsigned int n)
{
	const struct shim_value *values = req->values;

	for (unsigned int i = 0; i < n; i++) {
		if (req->answers[i].numval <= 0)
			continue;
		req->answers[i].values = values;
		values += req->answers[i].numval;
	}
}

int shim_request__answer(struct shim_request *req, const struct shim_record *rec,
			 const struct shim_filter *filter)
{
	req->nvalues = 0;
	for (unsigned int i = 0; i < req->n; i++) {
		const struct shim_request_item *item = &req->items[i];
		int err;

		if (item->round != req->round) {
			req->answers[i] = (struct shim_answer){ .pmid = req->pmids[i] };
			continue;
		}
		if (!item->desc)
			return -ENOENT;
		err = add_answer(req, i, rec, &req->vsets[i], item->desc, filter);
		if (err)
			return err;
	}
	point_answers(req, req->n);
	return 0;
}

int shim_request__answer_all(struct shim_request *req, const struct shim_archive *ar,
			     const struct shim_record *rec)
{
	struct shim_vset vset = shim_record__sets(rec);
	unsigned int n = 0;
	int err;

	err = answers_for(req, rec->npmids);
	if (!err)
		err = locations_for(req, rec->npmids);
	if (err)
		return err;
	req->nlocated = 0;
	req->nvalues = 0;
	while (!(err = shim_record__step(rec, &vset))) {
		err = add_answer(req, n, rec, &vset, shim_archive__desc(ar, vset.pmid), NULL);
		if (err)
			return err;
		req->vsets[n++] = vset;
	}
	if (err != -ENOENT)
		return err;
	point_answers(req, n);
	return n;
}
