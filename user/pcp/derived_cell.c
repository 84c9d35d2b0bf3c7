// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Evaluate the nodes of a derived metric that have at most one operand: get an operand's values
 * from a fetch's result, and compute with numbers of any type.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/real.h"
#include "base/vec.h"
#include "derived_cell.h"

/* The result is -1, 0 or 1 for less, equal or greater; 2 if either operand is NaN. */
#define COMPARE(a, b) ((a) < (b) ? -1 : (a) > (b) ? 1 : (a) == (b) ? 0 : 2)
#define CALCULATE(kind, a, b)						\
	((kind) == SHIM_NODE_PLUS ? (a) + (b) : (kind) == SHIM_NODE_MINUS ? (a) - (b) : (a) * (b))

/* Conversions between arithmetic types; the target type is at least as wide */

static double to_double(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_32:
		return v.l;
	case PM_TYPE_U32:
		return v.ul;
	case PM_TYPE_64:
		return (double)v.ll;
	case PM_TYPE_U64:
		return (double)v.ull;
	case PM_TYPE_FLOAT:
		return v.f;
	}
	return v.d;
}

static float number_to_float(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_32:
		return (float)v.l;
	case PM_TYPE_U32:
		return (float)v.ul;
	case PM_TYPE_64:
		return (float)v.ll;
	case PM_TYPE_U64:
		return (float)v.ull;
	case PM_TYPE_FLOAT:
		return v.f;
	}
	return (float)v.d;
}

static uint64_t to_64(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_32:
		return (uint64_t)(int64_t)v.l;
	case PM_TYPE_U32:
		return v.ul;
	}
	return v.ull;
}

pmAtomValue shim_number__promote(int to, int from, pmAtomValue v)
{
	pmAtomValue out = v;

	switch (to) {
	case PM_TYPE_64:
	case PM_TYPE_U64:
		out.ull = to_64(from, v);
		break;
	case PM_TYPE_FLOAT:
		out.f = number_to_float(from, v);
		break;
	case PM_TYPE_DOUBLE:
		out.d = to_double(from, v);
		break;
	}
	return out;
}

pmAtomValue shim_number__from_bool(int type, bool is)
{
	pmAtomValue v = { 0 };

	switch (type) {
	case PM_TYPE_FLOAT:
		v.f = is;
		break;
	case PM_TYPE_DOUBLE:
		v.d = is;
		break;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		v.ull = is;
		break;
	default:
		v.ul = is;
	}
	return v;
}

bool shim_number__is_zero(int type, pmAtomValue v)
{
	switch (type) {
	case PM_TYPE_FLOAT:
		return v.f == 0;
	case PM_TYPE_DOUBLE:
		return v.d == 0;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		return v.ull == 0;
	}
	return v.ul == 0;
}

int shim_number__compare(int type, pmAtomValue a, pmAtomValue b)
{
	switch (type) {
	case PM_TYPE_32:
		return COMPARE(a.l, b.l);
	case PM_TYPE_U32:
		return COMPARE(a.ul, b.ul);
	case PM_TYPE_64:
		return COMPARE(a.ll, b.ll);
	case PM_TYPE_U64:
		return COMPARE(a.ull, b.ull);
	case PM_TYPE_FLOAT:
		return COMPARE(a.f, b.f);
	}
	return COMPARE(a.d, b.d);
}

bool shim_number__holds(enum shim_node_kind kind, int order)
{
	switch (kind) {
	case SHIM_NODE_LT:
		return order == -1;
	case SHIM_NODE_LEQ:
		return order == -1 || order == 0;
	case SHIM_NODE_EQ:
		return order == 0;
	case SHIM_NODE_GEQ:
		return order == 0 || order == 1;
	case SHIM_NODE_GT:
		return order == 1;
	default:
		return order != 0;	/* NEQ */
	}
}

/*
 * Integers wrap around.  A quotient is always a double; 0 divided by any number, even by 0, is 0.
 */
pmAtomValue shim_number__calculate(enum shim_node_kind kind, int type, pmAtomValue a, pmAtomValue b)
{
	pmAtomValue v = { 0 };

	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		v.ul = CALCULATE(kind, a.ul, b.ul);
		break;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		v.ull = CALCULATE(kind, a.ull, b.ull);
		break;
	case PM_TYPE_FLOAT:
		v.f = CALCULATE(kind, a.f, b.f);
		break;
	default:
		if (kind == SHIM_NODE_SLASH)
			v.d = a.d == 0 ? 0 : a.d / b.d;
		else
			v.d = CALCULATE(kind, a.d, b.d);
	}
	return v;
}

/* The result has the type of delta(): it is signed, and wider if @type is unsigned. */
pmAtomValue shim_number__difference(int type, pmAtomValue now, pmAtomValue last)
{
	pmAtomValue v = { 0 };

	switch (type) {
	case PM_TYPE_32:
		v.ul = now.ul - last.ul;
		break;
	case PM_TYPE_U32:
		v.ll = (int64_t)now.ul - (int64_t)last.ul;
		break;
	case PM_TYPE_64:
		v.ull = now.ull - last.ull;
		break;
	case PM_TYPE_U64:
		v.d = (double)now.ull - (double)last.ull;
		break;
	case PM_TYPE_FLOAT:
		v.f = now.f - last.f;
		break;
	default:
		v.d = now.d - last.d;
	}
	return v;
}

/*
 * Compute the increase for rate().  The result is negative if the value has decreased, even for an
 * unsigned type.
 */
double shim_number__increase(int type, pmAtomValue now, pmAtomValue last)
{
	switch (type) {
	case PM_TYPE_32:
		return (int32_t)(now.ul - last.ul);
	case PM_TYPE_U32:
		return (double)now.ul - (double)last.ul;
	case PM_TYPE_64:
		return (double)(int64_t)(now.ull - last.ull);
	case PM_TYPE_U64:
		return now.ull < last.ull ? -(double)(last.ull - now.ull) :
					    (double)(now.ull - last.ull);
	case PM_TYPE_FLOAT:
		return now.f - last.f;
	}
	return now.d - last.d;
}

/* Get a number of @size bytes from a value block.  Return PM_ERR_LOGREC if it is missing. */
static int from_block(const pmValueSet *set, const pmValue *value, size_t size, pmAtomValue *out)
{
	const pmValueBlock *block = value->value.pval;

	if (set->valfmt == PM_VAL_INSITU || block->vlen < PM_VAL_HDR_SIZE + size)
		return PM_ERR_LOGREC;
	memcpy(out, block->vbuf, size);
	return 0;
}

static int value_of(int type, const pmValueSet *set, const pmValue *value, pmAtomValue *out)
{
	*out = (pmAtomValue){ 0 };
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		if (set->valfmt != PM_VAL_INSITU)
			return PM_ERR_LOGREC;
		out->l = value->value.lval;
		return 0;
	case PM_TYPE_FLOAT:
		if (set->valfmt != PM_VAL_INSITU)
			return from_block(set, value, sizeof(out->f), out);
		out->l = value->value.lval;
		return 0;
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return from_block(set, value, sizeof(out->ll), out);
	case PM_TYPE_STRING:
	case PM_TYPE_AGGREGATE:
	case PM_TYPE_AGGREGATE_STATIC:
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		if (set->valfmt == PM_VAL_INSITU)
			return PM_ERR_LOGREC;
		out->vbp = value->value.pval;
		return 0;
	}
	return PM_ERR_TYPE;
}

static const pmValueSet *set_of(struct shim_cell *cell, const pmResult *result)
{
	for (int i = 0; i < result->numpmid; i++, cell->at++) {
		if (cell->at >= result->numpmid)
			cell->at = 0;
		if (result->vset[cell->at]->pmid == cell->pmid)
			return result->vset[cell->at];
	}
	return NULL;
}

int shim_cell__operand(struct shim_cell *cell, const pmResult *result)
{
	const pmValueSet *set = set_of(cell, result);
	int err;

	cell->now.n = set ? set->numval : PM_ERR_PMID;
	if (cell->now.n == -ENOMEM)
		cell->now.n = SHIM_CELL_SOURCE_NOMEM;
	if (cell->now.n <= 0)
		return cell->now.n;
	err = shim_cell__room(&cell->now, set->numval);
	for (int i = 0; i < set->numval && !err; i++) {
		cell->now.all[i].inst = set->vlist[i].inst;
		err = value_of(cell->desc.type, set, &set->vlist[i], &cell->now.all[i].v);
	}
	if (err)
		cell->now.n = err;
	return cell->now.n;
}

int shim_cell__room(struct shim_derived_values *values, int n)
{
	return n > 0 ? shim_vec__reserve(values->all, &values->room, n) : 0;
}

int shim_cell__like(struct shim_cell *cell, const struct shim_cell *operand)
{
	int n = operand->now.n, err;

	cell->now.n = n;
	if (n <= 0)
		return n;
	err = shim_cell__room(&cell->now, n);
	if (err)
		return err;
	for (int i = 0; i < n; i++)
		cell->now.all[i].inst = operand->now.all[i].inst;
	return n;
}

int shim_cell__not(const struct shim_cell *operand, struct shim_cell *cell)
{
	int n = shim_cell__like(cell, operand);

	for (int i = 0; i < n; i++) {
		bool is = shim_number__is_zero(operand->desc.type, operand->now.all[i].v);

		cell->now.all[i].v = shim_number__from_bool(cell->desc.type, is);
	}
	return n;
}

int shim_cell__neg(const struct shim_cell *operand, struct shim_cell *cell)
{
	int n = shim_cell__like(cell, operand);

	for (int i = 0; i < n; i++) {
		pmAtomValue v = operand->now.all[i].v;

		switch (cell->desc.type) {
		case PM_TYPE_32:
			v.ul = 0u - v.ul;
			break;
		case PM_TYPE_64:
			v.ull = 0ull - v.ull;
			break;
		case PM_TYPE_FLOAT:
			v.f = -v.f;
			break;
		default:
			v.d = -v.d;
		}
		cell->now.all[i].v = v;
	}
	return n;
}

int shim_cell__rescale(const struct shim_node *node, const struct shim_cell *operand,
		       struct shim_cell *cell)
{
	int n = shim_cell__like(cell, operand), kept = 0;

	for (int i = 0; i < n; i++) {
		pmAtomValue in = operand->now.all[i].v;

		cell->now.all[kept].inst = operand->now.all[i].inst;
		if (pmConvScale(cell->desc.type, &in, &operand->desc.units,
				&cell->now.all[kept].v, &node->desc.units) >= 0)
			kept++;
	}
	return n < 0 ? n : (cell->now.n = kept);
}

static bool is_better(enum shim_node_kind kind, int type, pmAtomValue v, pmAtomValue best)
{
	return shim_number__compare(type, v, best) == (kind == SHIM_NODE_MAX ? 1 : -1);
}

int shim_cell__aggregate(const struct shim_node *node, const struct shim_cell *operand,
			 struct shim_cell *cell)
{
	int n = operand->now.n > 0 ? operand->now.n : 0, type = operand->desc.type;
	bool extreme = node->kind == SHIM_NODE_MAX || node->kind == SHIM_NODE_MIN;
	pmAtomValue sum = { 0 };
	int err = shim_cell__room(&cell->now, 1);

	if (err)
		return err;
	for (int i = 0; i < n; i++) {
		pmAtomValue v = operand->now.all[i].v;

		if (node->kind == SHIM_NODE_AVG)
			sum.f += number_to_float(type, v) / (float)n;
		else if (node->kind == SHIM_NODE_SUM)
			sum = shim_number__calculate(SHIM_NODE_PLUS, type, sum, v);
		else if (!i || is_better(node->kind, type, v, sum))
			sum = v;
	}
	cell->now.all[0] = (struct shim_derived_value){ .inst = PM_IN_NULL, .v = sum };
	cell->now.n = n || !extreme;
	return cell->now.n;
}

static int single(struct shim_cell *cell, pmAtomValue v)
{
	int err = shim_cell__room(&cell->now, 1);

	if (err)
		return err;
	cell->now.all[0] = (struct shim_derived_value){ .inst = PM_IN_NULL, .v = v };
	cell->now.n = 1;
	return 1;
}

int shim_cell__count(const struct shim_cell *operand, struct shim_cell *cell)
{
	pmAtomValue v = { 0 };

	v.ul = operand->now.n > 0 ? (uint32_t)operand->now.n : 0;
	return single(cell, v);
}

int shim_cell__scalar(const struct shim_cell *operand, struct shim_cell *cell)
{
	cell->now.n = operand->now.n;
	return operand->now.n > 0 ? single(cell, operand->now.all[0].v) : operand->now.n;
}

int shim_cell__constant(const struct shim_node *node, struct shim_cell *cell)
{
	pmAtomValue v = { 0 };

	switch (cell->desc.type) {
	case PM_TYPE_FLOAT:
		v.f = (float)shim_real__parse(node->text, NULL);
		break;
	case PM_TYPE_DOUBLE:
		v.d = shim_real__parse(node->text, NULL);
		break;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		v.ull = strtoull(node->text, NULL, 10);
		break;
	default:
		v.ul = (uint32_t)strtoull(node->text, NULL, 10);
	}
	return single(cell, v);
}

int shim_cell__defined(const struct shim_cell *operand, struct shim_cell *cell)
{
	return single(cell, shim_number__from_bool(PM_TYPE_U32, operand->pmid != PM_ID_NULL));
}
