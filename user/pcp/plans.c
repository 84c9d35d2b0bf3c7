// SPDX-License-Identifier: LGPL-2.1-or-later
/* Build the results of records with the same layout as an earlier record. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/bytes.h"
#include "base/vec.h"
#include "plans.h"
#include "request.h"

#define MOST_FAILURES	10	/* at most 2^10 - 1 records are skipped between two plans */
#define ENOUGH		24	/* records of a kind without a plan before the first attempt */
#define MOST_OTHERS	4	/* records of other kinds that do not end a kind */
#define SAMPLES		8	/* maximum number of instances per set in a signature */

static uint64_t mix(uint64_t signature, uint32_t word)
{
	return (signature ^ word) * 0x9e3779b97f4a7c15ull;
}

static struct shim_plan *slot_of(const struct shim_plans *plans, const struct shim_record *rec)
{
	uint64_t hash = mix(mix(0, rec->len), rec->npmids);

	return (struct shim_plan *)&plans->all[(hash >> 32) % SHIM_PLANS];
}

static pmResult *make_result(const struct shim_plan *plan, const uint8_t *data)
{
	char *result = malloc(plan->size);

	if (!result)
		return NULL;
	memcpy(result, plan->image, plan->size);
	for (size_t i = 0; i < plan->links.n; i++) {
		const struct shim_move *m = &plan->links.all[i];

		*(void **)(result + m->to) = result + m->from;
	}
	for (size_t i = 0; i < plan->words.n; i++) {
		const struct shim_move *m = &plan->words.all[i];

		*(uint32_t *)(result + m->to) = shim_be32__get(data + m->from);
	}
	for (size_t i = 0; i < plan->doubles.n; i++) {
		const struct shim_move *m = &plan->doubles.all[i];
		uint64_t v = shim_be64__get(data + m->from);

		memcpy(result + m->to, &v, sizeof(v));	/* blocks are only 4-byte aligned */
	}
	for (size_t i = 0; i < plan->bytes.n; i++) {
		const struct shim_move *m = &plan->bytes.all[i];

		memcpy(result + m->to, data + m->from, m->len);
	}
	return (pmResult *)result;
}

int shim_plans__apply(const struct shim_plans *plans, const struct shim_record *rec,
		      pmResult **out)
{
	struct shim_plan *plan = slot_of(plans, rec);
	pmResult *result;

	if (!shim_record_layout__fits(&plan->layout, rec))
		return -ENOENT;
	plan->failures = plan->rest = plan->others = 0;
	if (!plan->image)
		return 0;
	result = make_result(plan, rec->data);
	if (!result)
		return -ENOMEM;
	*out = result;
	return 1;
}

static int move_add(struct shim_moves *moves, size_t from, size_t to, size_t len)
{
	if (shim_vec__room(moves->all, &moves->cap, moves->n))
		return -ENOMEM;
	moves->all[moves->n++] =
		(struct shim_move){ (uint32_t)from, (uint32_t)to, (uint32_t)len };
	return 0;
}

/*
 * Plan the copy of a value's block.  Event records are converted as a whole, so they have no plan.
 */
static int add_block(struct shim_plan *plan, const struct shim_record *rec,
		     const struct shim_value *raw, const pmValueBlock *block, const char *base)
{
	size_t from = (const uint8_t *)raw->bytes - rec->data;
	size_t to = block->vbuf - base;

	switch (block->vtype) {
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return move_add(&plan->doubles, from, to, 8);
	case PM_TYPE_FLOAT:
		return move_add(&plan->words, from, to, 4);
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		return -ENOTSUP;
	}
	return move_add(&plan->bytes, from, to, raw->len);
}

static int add_value(struct shim_plan *plan, const struct shim_record *rec,
		     const struct shim_vset *vset, unsigned int i, const pmValue *value,
		     const char *base)
{
	size_t at = (const char *)&value->value - base;
	struct shim_value raw;
	int err;

	if (vset->valfmt == SHIM_VAL_INSITU)
		return move_add(&plan->words, vset->vlist + (size_t)i * SHIM_VALUE_LEN + 4 - rec->data, at, 4);
	err = shim_vset__raw(rec, vset, i, &raw);
	if (!err)
		err = move_add(&plan->links, (const char *)value->value.pval - base, at, 0);
	return err ? err : add_block(plan, rec, &raw, value->value.pval, base);
}

/* Match values by instance, because the profile may exclude some values of the set. */
static int add_set(struct shim_plan *plan, const struct shim_record *rec,
		   const struct shim_vset *vset, const pmValueSet *set, const char *base)
{
	unsigned int i = 0;
	int err = 0;

	for (int j = 0; j < set->numval && !err; j++) {
		if (set->numval != vset->numval)
			while ((int32_t)shim_be32__get(vset->vlist + (size_t)i * SHIM_VALUE_LEN) !=
			       set->vlist[j].inst)
				i++;
		err = add_value(plan, rec, vset, i++, &set->vlist[j], base);
	}
	return err;
}

static int add_result(struct shim_plan *plan, const struct shim_record *rec,
		      const struct shim_request *req, const pmResult *result, size_t size)
{
	const char *base = (const char *)result;
	int err = 0;

	for (int i = 0; i < result->numpmid && !err; i++) {
		const pmValueSet *set = result->vset[i];

		err = move_add(&plan->links, (const char *)set - base,
			       (const char *)&result->vset[i] - base, 0);
		if (!err)
			err = add_set(plan, rec, &req->vsets[i], set, base);
	}
	if (err)
		return err;
	plan->image = malloc(size);
	if (!plan->image)
		return -ENOMEM;
	memcpy(plan->image, result, size);
	plan->size = size;
	return 0;
}

static size_t bytes_of(const struct shim_plan *plan)
{
	return 2 * (size_t)plan->layout.len + plan->size +
	       (plan->links.cap + plan->words.cap + plan->doubles.cap + plan->bytes.cap) *
	       sizeof(struct shim_move);
}

/*
 * Estimate the bytes of a plan for a record and its result of @size bytes: the layout, the image, and
 * about one or two moves per value.
 */
static size_t estimate(const struct shim_record *rec, size_t size)
{
	return 4 * (size_t)rec->len + size;
}

static void plan_forget(struct shim_plans *plans, struct shim_plan *plan)
{
	if (!plan->layout.len)
		return;
	plans->used -= bytes_of(plan);
	shim_record_layout__fini(&plan->layout);
	free(plan->image);
	free(plan->links.all);
	free(plan->words.all);
	free(plan->doubles.all);
	free(plan->bytes.all);
	*plan = (struct shim_plan){
		.len = plan->len, .npmids = plan->npmids, .seen = plan->seen,
		.signature = plan->signature, .fresh = plan->fresh,
		.failures = plan->failures, .rest = plan->rest,
	};
}

/*
 * Postpone the next plan.  After each attempt whose plan is not used, skip twice as many records.
 */
static void put_off(struct shim_plan *plan)
{
	plan->rest = (1u << plan->failures) - 1;
	if (plan->failures < MOST_FAILURES)
		plan->failures++;
}

/*
 * Hash the record's sets and a few of their instances.  Different layouts usually have different
 * hashes.
 */
static uint64_t sign(const struct shim_record *rec)
{
	uint64_t signature = mix(rec->len, rec->npmids);
	struct shim_vset vset = shim_record__sets(rec);
	int err;

	while (!(err = shim_record__step(rec, &vset))) {
		uint32_t n = vset.numval > 0 ? (uint32_t)vset.numval : 0;

		signature = mix(mix(signature, vset.pmid), (uint32_t)vset.numval);
		for (uint32_t i = 0; i < n; i += n / SAMPLES + 1)
			signature = mix(signature, shim_be32__get(vset.vlist + (size_t)i * SHIM_VALUE_LEN));
	}
	return signature;
}

/*
 * Making a plan costs as much as fetching several records.  Therefore a plan is made only if the
 * previous record of this kind seems to have had the same layout.
 */
static bool is_repeated(struct shim_plan *plan, const struct shim_record *rec)
{
	uint64_t signature = sign(rec);
	bool same = signature == plan->signature;

	if (same || plan->fresh)
		put_off(plan);
	plan->fresh = !same && !plan->fresh;
	plan->signature = signature;
	return same;
}

/*
 * Return whether the slot is used for this kind of record, and enough records of it have been seen
 * to expect that a plan pays.  If the records were of other kinds for a while, use the slot for this
 * kind from now on.
 */
static bool is_frequent(struct shim_plans *plans, struct shim_plan *plan,
			const struct shim_record *rec)
{
	if (plan->len == rec->len && plan->npmids == rec->npmids) {
		plan->others = 0;
		if (plan->seen < ENOUGH)
			plan->seen++;
		return plan->seen == ENOUGH;
	}
	if (!plan->len || plan->others++ == MOST_OTHERS) {
		plan_forget(plans, plan);
		/* If plans for the previous kind did not pay, this one's may not pay either. */
		*plan = (struct shim_plan){
			.len = rec->len, .npmids = rec->npmids,
			.failures = plan->failures, .rest = plan->rest,
		};
	}
	return false;
}

void shim_plans__learn(struct shim_plans *plans, const struct shim_record *rec,
		       const struct shim_request *req, const pmResult *result, size_t size)
{
	struct shim_plan *plan = slot_of(plans, rec);
	int err;

	if (!is_frequent(plans, plan, rec))
		return;
	plan_forget(plans, plan);
	if (plan->rest) {
		plan->rest--;
		return;
	}
	if (!is_repeated(plan, rec) ||
	    plans->used + estimate(rec, size) > SHIM_PLAN_BYTES ||
	    shim_record_layout__make(&plan->layout, rec))
		return;
	err = result ? add_result(plan, rec, req, result, size) : 0;
	plans->used += bytes_of(plan);
	if (err || plans->used > SHIM_PLAN_BYTES)
		plan_forget(plans, plan);
}

void shim_plans__reset(struct shim_plans *plans)
{
	for (unsigned int i = 0; i < SHIM_PLANS; i++)
		plan_forget(plans, &plans->all[i]);
	memset(plans, 0, sizeof(*plans));
}
