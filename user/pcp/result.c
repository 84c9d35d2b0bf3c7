// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build the PMAPI's result structure from answers, and free and sort results.
 *
 * A result is one allocation: the structure, the value sets, and after them the value blocks.  So
 * it can be freed no matter how a program has modified it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "event.h"
#include "result.h"

_Static_assert(PM_VAL_INSITU == SHIM_VAL_INSITU && PM_VAL_DPTR == SHIM_VAL_DPTR &&
	       PM_VAL_SPTR == SHIM_VAL_SPTR, "value formats are those on disk");
_Static_assert(sizeof(pmResult) == sizeof(pmHighResResult) &&
	       offsetof(pmResult, vset) == offsetof(pmHighResResult, vset) &&
	       offsetof(pmResult, numpmid) == offsetof(pmHighResResult, numpmid),
	       "results differ only in what their stamp's fraction means");
_Static_assert(sizeof(pmResult) == 32 && sizeof(pmValueSet) == 32 && sizeof(pmValue) == 16 &&
	       sizeof(pmValueBlock) == 8, "structures have the original's sizes");

static bool in_place(const struct shim_value *value, int valfmt)
{
	return value->type == PM_TYPE_32 || value->type == PM_TYPE_U32 ||
	       (value->type == PM_TYPE_FLOAT && valfmt == PM_VAL_INSITU);
}

static size_t payload_len(const struct shim_value *value)
{
	switch (value->type) {
	case PM_TYPE_FLOAT:
		return sizeof(value->f);
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return sizeof(value->ull);
	}
	return value->len;
}

/* A string's block has room for a terminating NUL, in case the archive has none. */
static size_t block_len(const struct shim_value *value)
{
	size_t len = PM_VAL_HDR_SIZE + payload_len(value) + (value->type == PM_TYPE_STRING);

	return (len + 3) & ~(size_t)3;
}

static size_t answers_measure(unsigned int n, const struct shim_answer *answers, size_t *blocks)
{
	size_t len = shim_result__head_len(n);
	size_t bytes = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct shim_answer *a = &answers[i];

		len += shim_result__set_len(a->numval);
		for (int32_t j = 0; j < a->numval; j++)
			if (!in_place(&a->values[j], a->valfmt))
				bytes += block_len(&a->values[j]);
	}
	*blocks = len;
	return len + bytes;
}

static int fill_block(char *at, const struct shim_value *value)
{
	pmValueBlock *block = (pmValueBlock *)at;
	size_t len = payload_len(value);

	block->vlen = PM_VAL_HDR_SIZE + len;
	block->vtype = value->type;
	switch (value->type) {
	case PM_TYPE_FLOAT:
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		memcpy(at + PM_VAL_HDR_SIZE, &value->ull, len);
		return 0;
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		return shim_event__to_host(value->type, value->bytes, len, at + PM_VAL_HDR_SIZE);
	}
	memcpy(at + PM_VAL_HDR_SIZE, value->bytes, len);
	if (value->type == PM_TYPE_STRING)
		at[PM_VAL_HDR_SIZE + len] = '\0';
	return 0;
}

static int fill_set(pmValueSet *set, const struct shim_answer *a, char **blocks)
{
	set->pmid = a->pmid;
	set->numval = a->numval;
	set->valfmt = -1;
	if (a->numval <= 0)
		return 0;
	set->valfmt = in_place(a->values, a->valfmt) ? PM_VAL_INSITU :
		      a->valfmt == PM_VAL_SPTR ? PM_VAL_SPTR : PM_VAL_DPTR;
	for (int32_t i = 0; i < a->numval; i++) {
		const struct shim_value *value = &a->values[i];
		pmValue *v = &set->vlist[i];
		int err;

		v->inst = value->inst;
		if (set->valfmt == PM_VAL_INSITU) {
			v->value.lval = value->l;
			continue;
		}
		v->value.pval = (pmValueBlock *)*blocks;
		err = fill_block(*blocks, value);
		if (err)
			return err;
		*blocks += block_len(value);
	}
	return 0;
}

int shim_result__build(unsigned int n, const struct shim_answer *answers, pmResult **out,
		       size_t *size)
{
	size_t blocks_at, len = answers_measure(n, answers, &blocks_at);
	pmResult *result = malloc(len);
	char *sets, *blocks;

	if (!result)
		return -ENOMEM;
	result->numpmid = n;
	result->vset[0] = NULL;
	sets = (char *)result + shim_result__head_len(n);
	blocks = (char *)result + blocks_at;
	for (unsigned int i = 0; i < n; i++) {
		int err;

		result->vset[i] = (pmValueSet *)sets;
		sets += shim_result__set_len(answers[i].numval);
		err = fill_set(result->vset[i], &answers[i], &blocks);
		if (err) {
			free(result);
			return err;
		}
	}
	*out = result;
	*size = len;
	return 0;
}

/**
 * pmFreeResult() - free a result of pmFetch() or pmFetchArchive()
 * @result: the result, whose fields may have been modified; or NULL
 */
SHIM_API void pmFreeResult(pmResult *result)
{
	free(result);
}

/**
 * pmFreeHighResResult() - free a result of pmFetchHighRes() or pmFetchHighResArchive()
 * @result: the result, whose fields may have been modified; or NULL
 */
SHIM_API void pmFreeHighResResult(pmHighResResult *result)
{
	free(result);
}

static int by_inst(const void *a, const void *b)
{
	const pmValue *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

static void sort(int n, pmValueSet *const *sets)
{
	for (int i = 0; i < n; i++)
		if (sets[i]->numval > 1)
			qsort(sets[i]->vlist, sets[i]->numval, sizeof(pmValue), by_inst);
}

/** pmSortInstances() - sort the values of each metric of @result by instance id */
SHIM_API void pmSortInstances(pmResult *result)
{
	if (result)
		sort(result->numpmid, result->vset);
}

/** pmSortHighResInstances() - sort the values of each metric of @result by instance id */
SHIM_API void pmSortHighResInstances(pmHighResResult *result)
{
	if (result)
		sort(result->numpmid, result->vset);
}
