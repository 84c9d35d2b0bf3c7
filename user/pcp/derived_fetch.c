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

/*
 * struct wish - a fetch with derived metrics
 * @all: the @n requested metrics, then the operands
 * @entries: for each of the first @n, its derived metric, or NULL
 * @has: the metrics in @all
 */
struct wish {
	int n, total;
	size_t room;
	pmID *all;
	struct shim_derived_entry **entries;
	struct shim_pmidmap has;
};

static int wish_add(struct wish *w, pmID pmid)
{
	int err;

	if (shim_pmidmap__get(&w->has, pmid) != SHIM_PMIDMAP_NONE)
		return 0;
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
			err = wish_add(w, b->cells[i].pmid);
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

/* Bind the derived metrics and add their operands.  Returns the number bound, or -ENOMEM. */
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

/* Returns 0, or -ENOMEM, after which the metric can be evaluated again from the same values. */
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

/* A string's block has room for a NUL, in case the source's block has none. */
static size_t block_room(size_t len, int type)
{
	return (len + (type == PM_TYPE_STRING) + 3) & ~(size_t)3;
}

static size_t copied_room(const pmValueBlock *block)
{
	return block_room(block->vlen, block->vtype);
}

static size_t set_room(int numval)
{
	return offsetof(pmValueSet, vlist) + (size_t)(numval > 1 ? numval : 1) * sizeof(pmValue);
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
		return (size_t)e->result * block_room(PM_VAL_HDR_SIZE + number_size(root->desc.type),
						      root->desc.type);
	for (int i = 0; i < e->result; i++)
		room += copied_room(root->now.all[i].v.vbp);
	return room;
}

static int numval_of(const struct wish *w, const pmResult *raw, int i)
{
	return w->entries[i] ? w->entries[i]->result : raw->vset[i]->numval;
}

/* Compute the size of the result: its value sets and, from @blocks_at on, its value blocks. */
static size_t wish_measure(const struct wish *w, const pmResult *raw, size_t *blocks_at)
{
	size_t sets = offsetof(pmResult, vset) + (size_t)w->n * sizeof(pmValueSet *);
	size_t blocks = 0;

	for (int i = 0; i < w->n; i++) {
		int numval = numval_of(w, raw, i);

		sets += set_room(numval);
		if (numval > 0)
			blocks += w->entries[i] ? derived_room(w->entries[i]) :
						  blocks_room(raw->vset[i]);
	}
	*blocks_at = sets;
	return sets + blocks;
}

static pmValueBlock *copy_block(const pmValueBlock *from, char **blocks)
{
	size_t room = copied_room(from);
	char *to = *blocks;

	memset(to + room - 4, 0, 4);
	memcpy(to, from, from->vlen);
	*blocks += room;
	return (pmValueBlock *)to;
}

static pmValueBlock *make_block(int type, const pmAtomValue *v, char **blocks)
{
	size_t len = PM_VAL_HDR_SIZE + number_size(type);
	pmValueBlock *block = (pmValueBlock *)*blocks;

	block->vlen = len;
	block->vtype = type;
	memcpy(*blocks + PM_VAL_HDR_SIZE, v, number_size(type));
	*blocks += block_room(len, type);
	return block;
}

static void copy_set(pmValueSet *to, const pmValueSet *from, char **blocks)
{
	to->numval = from->numval;
	to->valfmt = from->valfmt;
	for (int i = 0; i < from->numval; i++) {
		to->vlist[i] = from->vlist[i];
		if (from->valfmt != PM_VAL_INSITU)
			to->vlist[i].value.pval = copy_block(from->vlist[i].value.pval, blocks);
	}
}

static void fill_set(pmValueSet *to, const struct shim_derived_entry *e, char **blocks)
{
	const struct shim_cell *root;
	int type;

	to->numval = e->result == SHIM_CELL_SOURCE_NOMEM ? -ENOMEM : e->result;
	to->valfmt = -1;
	if (e->result <= 0)
		return;
	root = root_of(e);
	type = root->desc.type;
	to->valfmt = is_in_place(type) ? PM_VAL_INSITU : PM_VAL_DPTR;
	for (int i = 0; i < e->result; i++) {
		const struct shim_derived_value *from = &root->now.all[i];
		pmValue *v = &to->vlist[i];

		v->inst = from->inst;
		if (is_in_place(type))
			v->value.lval = from->v.l;
		else if (is_number(type))
			v->value.pval = make_block(type, &from->v, blocks);
		else
			v->value.pval = copy_block(from->v.vbp, blocks);
	}
}

static int rebuild(const struct wish *w, const pmResult *raw, pmResult **out)
{
	size_t blocks_at, len = wish_measure(w, raw, &blocks_at);
	pmResult *result = malloc(len);
	char *sets, *blocks;

	if (!result)
		return -ENOMEM;
	result->numpmid = w->n;
	sets = (char *)result + offsetof(pmResult, vset) + (size_t)w->n * sizeof(pmValueSet *);
	blocks = (char *)result + blocks_at;
	for (int i = 0; i < w->n; i++) {
		pmValueSet *set = (pmValueSet *)sets;

		result->vset[i] = set;
		sets += set_room(numval_of(w, raw, i));
		set->pmid = w->all[i];
		if (w->entries[i])
			fill_set(set, w->entries[i], &blocks);
		else
			copy_set(set, raw->vset[i], &blocks);
	}
	*out = result;
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
 * repeats it, reuse its result, because the source may have advanced in the archive.  Returns 0 or
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

static int fetch(struct shim_context *ctx, const struct wish *w, struct shim_ts *stamp,
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

static bool any_derived(int n, const pmID *pmids)
{
	for (int i = 0; i < n; i++)
		if (IS_DERIVED(pmids[i]))
			return true;
	return false;
}

int shim_derived__fetch(struct shim_context *ctx, int n, const pmID *pmids, struct shim_ts *stamp,
			pmResult **out)
{
	struct wish w = { 0 };
	int err;

	if (!any_derived(n, pmids))
		return ctx->source->fetch(ctx, n, pmids, stamp, out);
	err = wish_begin(&w, n, pmids);
	if (!err)
		err = find_derived(ctx, &w);
	if (err > 0)
		err = fetch(ctx, &w, stamp, out);
	else if (!err)
		err = ctx->source->fetch(ctx, n, pmids, stamp, out);
	wish_fini(&w);
	return err;
}
