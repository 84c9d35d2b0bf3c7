// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fetches with derived metrics: request their operands from the source, and build a new result with
 * the metrics that the program requested.  Like any other result, it is one allocation.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "context.h"
#include "derived.h"
#include "derived_cell.h"
#include "result.h"

/*
 * struct wish - a fetch with derived metrics
 * @all: the @n requested metrics, then the operands
 * @entries: for each of the first @n metrics, its derived metric, or NULL
 * @has: the metrics in @all
 */
struct wish {
	int n, total;
	size_t room;
	pmID *all;
	struct shim_derived_entry **entries;
	struct shim_pmidmap has;
};

/* Set @at to the index of a metric, which is added if it is new. */
static int wish_add(struct wish *w, pmID pmid, int *at)
{
	int err;

	*at = (int)shim_pmidmap__get(&w->has, pmid);
	if (*at >= 0)
		return 0;
	*at = w->total;
	if (shim_vec__room(w->all, &w->room, w->total))
		return -ENOMEM;
	err = shim_pmidmap__add(&w->has, pmid, (uint32_t)w->total);
	if (!err)
		w->all[w->total++] = pmid;
	return err;
}

static int add_operands(struct wish *w, const struct shim_bound *b)
{
	int err = 0;

	for (int i = 0; i < b->expr->n && !err; i++)
		if (b->expr->nodes[i].kind == SHIM_NODE_NAME && !b->cells[i].unused &&
		    !b->cells[i].ruled_out)
			err = wish_add(w, b->cells[i].pmid, &b->cells[i].at);
	return err;
}

static void wish_fini(struct wish *w)
{
	free(w->all);
	free(w->entries);
	shim_pmidmap__fini(&w->has);
}

static int wish_begin(struct wish *w, int n, const pmID *pmids)
{
	w->n = w->total = n;
	w->entries = calloc((size_t)n, sizeof(struct shim_derived_entry *));
	if (!w->entries || shim_vec__reserve(w->all, &w->room, (size_t)n + 16))
		return -ENOMEM;
	memcpy(w->all, pmids, (size_t)n * sizeof(*pmids));
	for (int i = 0; i < n; i++)
		if (shim_pmidmap__get(&w->has, pmids[i]) == SHIM_PMIDMAP_NONE &&
		    shim_pmidmap__add(&w->has, pmids[i], (uint32_t)i))
			return -ENOMEM;
	return 0;
}

/*
 * Bind the derived metrics and add their operands.  Return the number of bound metrics, or -ENOMEM.
 */
static int find_derived(struct shim_context *ctx, struct wish *w)
{
	int found = 0, err = 0;

	for (int i = 0; i < w->n && !err; i++) {
		struct shim_derived_entry *e = shim_derived__by_pmid(ctx, w->all[i]);

		w->entries[i] = e;
		if (!e)
			continue;
		err = shim_derived__bind(ctx, e, true);
		if (err == -ENOMEM)
			break;
		if (err) {
			err = 0;
			continue;
		}
		found++;
		err = add_operands(w, &e->bound);
	}
	return err ? err : found;
}

/* Return 0, or -ENOMEM, after which the metric can be evaluated again with the same values. */
static int evaluate(struct shim_context *ctx, struct shim_derived_entry *e, const pmResult *raw,
		    struct shim_ts stamp)
{
	if (e->round == ctx->derived.round && e->result != -ENOMEM)
		return 0;
	e->round = ctx->derived.round;
	e->result = e->state == SHIM_DERIVED_BOUND ?
		shim_bound__evaluate(ctx, &e->bound, raw, stamp) : PM_ERR_PMID;
	return e->result == -ENOMEM ? e->result : 0;
}

static const struct shim_cell *root_of(const struct shim_derived_entry *e)
{
	return &e->bound.cells[e->bound.expr->n - 1];
}

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

static bool is_in_place(int type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32;
}

static size_t number_size(int type)
{
	return type == PM_TYPE_FLOAT ? sizeof(float) : sizeof(double);
}

static size_t copied_room(const pmValueBlock *block)
{
	return shim_result__block_len(block->vtype, block->vlen - PM_VAL_HDR_SIZE);
}

static size_t blocks_room(const pmValueSet *set)
{
	size_t room = 0;

	for (int i = 0; i < set->numval && set->valfmt != PM_VAL_INSITU; i++)
		room += copied_room(set->vlist[i].value.pval);
	return room;
}

static size_t derived_room(const struct shim_derived_entry *e)
{
	const struct shim_cell *root = root_of(e);
	size_t room = 0;

	if (is_in_place(root->desc.type))
		return 0;
	if (is_number(root->desc.type))
		return (size_t)e->result * shim_result__block_len(root->desc.type,
								  number_size(root->desc.type));
	for (int i = 0; i < e->result; i++)
		room += copied_room(root->now.all[i].v.vbp);
	return room;
}

static int numval_of(const struct wish *w, const pmResult *raw, int i)
{
	return w->entries[i] ? w->entries[i]->result : raw->vset[i]->numval;
}

/* Compute the sizes of the result's value sets and value blocks. */
static void wish_measure(const struct wish *w, const pmResult *raw, size_t *sets, size_t *blocks)
{
	*sets = *blocks = 0;
	for (int i = 0; i < w->n; i++) {
		int numval = numval_of(w, raw, i);

		*sets += shim_result__set_len(numval);
		if (numval > 0)
			*blocks += w->entries[i] ? derived_room(w->entries[i]) :
						   blocks_room(raw->vset[i]);
	}
}

static void copy_block(struct shim_builder *b, pmValue *v, const pmValueBlock *from)
{
	const size_t len = from->vlen - PM_VAL_HDR_SIZE;

	memcpy(shim_builder__block(b, v, from->vtype, len), from->vbuf, len);
}

static void copy_set(struct shim_builder *b, pmID pmid, const pmValueSet *from)
{
	pmValueSet *to = shim_builder__set(b, pmid, from->numval, from->valfmt);

	for (int i = 0; i < from->numval; i++) {
		to->vlist[i] = from->vlist[i];
		if (from->valfmt != PM_VAL_INSITU)
			copy_block(b, &to->vlist[i], from->vlist[i].value.pval);
	}
}

static void fill_value(struct shim_builder *b, pmValue *to, int type,
		       const struct shim_derived_value *from)
{
	to->inst = from->inst;
	if (is_in_place(type))
		to->value.lval = from->v.l;
	else if (is_number(type))
		memcpy(shim_builder__block(b, to, type, number_size(type)), &from->v,
		       number_size(type));
	else
		copy_block(b, to, from->v.vbp);
}

static void fill_set(struct shim_builder *b, pmID pmid, const struct shim_derived_entry *e)
{
	const int numval = e->result == SHIM_CELL_SOURCE_NOMEM ? -ENOMEM : e->result;
	const struct shim_cell *root = numval > 0 ? root_of(e) : NULL;
	const int type = root ? root->desc.type : PM_TYPE_NOSUPPORT;
	pmValueSet *to = shim_builder__set(b, pmid, numval,
					   is_in_place(type) ? PM_VAL_INSITU : PM_VAL_DPTR);

	for (int i = 0; i < numval; i++)
		fill_value(b, &to->vlist[i], type, &root->now.all[i]);
}

static int rebuild(const struct wish *w, const pmResult *raw, pmResult **out)
{
	struct shim_builder b;
	size_t sets, blocks;
	int err;

	wish_measure(w, raw, &sets, &blocks);
	err = shim_builder__begin(&b, (unsigned int)w->n, sets, blocks);
	if (err)
		return err;
	for (int i = 0; i < w->n; i++) {
		if (w->entries[i])
			fill_set(&b, w->all[i], w->entries[i]);
		else
			copy_set(&b, w->all[i], raw->vset[i]);
	}
	*out = b.result;
	return 0;
}

static void drop(struct shim_derived_kept *kept)
{
	if (kept->raw)
		pmFreeResult(kept->raw);
	free(kept->pmids);
	*kept = (struct shim_derived_kept){ 0 };
}

/*
 * Get the source's result into @kept.  If memory ran out in the previous fetch and this fetch
 * repeats it, reuse its result, because the source may have advanced in the archive.  Return 0 or
 * an error.
 */
static int fetch_raw(struct shim_context *ctx, const struct wish *w, struct shim_derived_kept *kept)
{
	size_t size = (size_t)w->total * sizeof(*w->all);
	int changes;

	if (kept->raw && kept->call == ctx->calls - 1 && kept->n == w->total &&
	    !memcmp(kept->pmids, w->all, size))
		return 0;
	drop(kept);
	kept->pmids = malloc(size);
	if (!kept->pmids)
		return -ENOMEM;
	memcpy(kept->pmids, w->all, size);
	changes = ctx->source->fetch(ctx, w->total, w->all, &kept->stamp, &kept->raw);
	if (changes < 0) {
		kept->raw = NULL;
		return changes;
	}
	kept->changes = changes;
	kept->n = w->total;
	ctx->derived.round++;
	return 0;
}

static int wish_fetch(struct shim_context *ctx, const struct wish *w, struct shim_ts *stamp,
		      pmResult **out)
{
	struct shim_derived_kept *kept = &ctx->derived.kept;
	int changes, err = fetch_raw(ctx, w, kept);

	if (err)
		return err;
	for (int i = 0; i < w->n && !err; i++)
		if (w->entries[i])
			err = evaluate(ctx, w->entries[i], kept->raw, kept->stamp);
	if (!err)
		err = rebuild(w, kept->raw, out);
	if (err) {
		kept->call = ctx->calls;
		return err;
	}
	*stamp = kept->stamp;
	changes = kept->changes;
	drop(kept);
	return changes;
}

static bool any_derived(struct shim_context *ctx, int n, const pmID *pmids)
{
	for (int i = 0; i < n; i++)
		if (shim_pmid__is_derived(pmids[i]) && shim_derived__by_pmid(ctx, pmids[i]))
			return true;
	return false;
}

int shim_derived__fetch(struct shim_context *ctx, int n, const pmID *pmids, struct shim_ts *stamp,
			pmResult **out)
{
	struct wish w = { 0 };
	int err;

	if (!any_derived(ctx, n, pmids))
		return ctx->source->fetch(ctx, n, pmids, stamp, out);
	err = wish_begin(&w, n, pmids);
	if (!err)
		err = find_derived(ctx, &w);
	if (err > 0)
		err = wish_fetch(ctx, &w, stamp, out);
	else if (!err)
		err = ctx->source->fetch(ctx, n, pmids, stamp, out);
	wish_fini(&w);
	return err;
}
