// SPDX-License-Identifier: LGPL-2.1-or-later
/* The values of a node of a derived metric with one operand or none. */
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "base/real.h"
#include "base/vec.h"
#include "derived_cell.h"
#include "derived_number.h"

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
			sum.f += shim_number__to_float(type, v) / (float)n;
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
