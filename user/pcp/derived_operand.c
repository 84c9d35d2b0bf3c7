// SPDX-License-Identifier: LGPL-2.1-or-later
/* Get the values of a derived metric's operand from a fetch's result. */
#include <errno.h>
#include <string.h>

#include "derived_cell.h"

/* Get a number of @size bytes from a value block; PM_ERR_LOGREC if it is missing. */
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

/*
 * @hint: where to search first, because operands are usually looked up in the order in which they
 *	were fetched
 */
static const pmValueSet *set_of(const pmResult *result, pmID pmid, int *hint)
{
	for (int i = 0; i < result->numpmid; i++) {
		int at = (*hint + i) % result->numpmid;

		if (result->vset[at]->pmid != pmid)
			continue;
		*hint = at + 1;
		return result->vset[at];
	}
	return NULL;
}

int shim_cell__operand(struct shim_cell *cell, const pmResult *result, int *hint)
{
	const pmValueSet *set = set_of(result, cell->pmid, hint);
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
