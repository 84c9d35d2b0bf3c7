// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build the PMAPI's result structure from answers, and free and sort results.
 *
 * Results are also built from a record's bytes, without an intermediate array of values.  Records
 * of thousands of instances are too large for plans (request.h), and writing each value twice would
 * cost as much as reading it.  Therefore each value is read once and written once.
 *
 * A result is one allocation: the structure, the value sets, and after them the value blocks.
 * Therefore it can be freed no matter how a program has modified it.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "archive/record.h"
#include "base/bytes.h"
#include "event.h"
#include "result.h"

_Static_assert(PM_VAL_INSITU == SHIM_VAL_INSITU && PM_VAL_DPTR == SHIM_VAL_DPTR &&
	       PM_VAL_SPTR == SHIM_VAL_SPTR, "value formats must equal those on disk");
_Static_assert(sizeof(pmResult) == sizeof(pmHighResResult) &&
	       offsetof(pmResult, vset) == offsetof(pmHighResResult, vset) &&
	       offsetof(pmResult, numpmid) == offsetof(pmHighResResult, numpmid),
	       "results differ only in what their stamp's fraction means");
_Static_assert(sizeof(pmResult) == 32 && sizeof(pmValueSet) == 32 && sizeof(pmValue) == 16 &&
	       sizeof(pmValueBlock) == 8, "structures must have the original's sizes");


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

static void answers_measure(unsigned int n, const struct shim_answer *answers, size_t *sets,
			    size_t *blocks)
{
	*sets = *blocks = 0;
	for (unsigned int i = 0; i < n; i++) {
		const struct shim_answer *a = &answers[i];

		*sets += shim_result__set_len(a->numval);
		for (int32_t j = 0; j < a->numval; j++)
			if (!in_place(&a->values[j], a->valfmt))
				*blocks += shim_result__block_len(a->values[j].type,
								  payload_len(&a->values[j]));
	}
}

static int fill_block(struct shim_builder *b, pmValue *v, const struct shim_value *value)
{
	const size_t len = payload_len(value);
	char *to = shim_builder__block(b, v, value->type, len);

	switch (value->type) {
	case PM_TYPE_FLOAT:
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		memcpy(to, &value->ull, len);
		return 0;
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		return shim_event__to_host(value->type, value->bytes, len, to);
	}
	memcpy(to, value->bytes, len);
	return 0;
}

static int format_of(const struct shim_answer *a)
{
	if (a->numval <= 0)
		return -1;
	if (in_place(a->values, a->valfmt))
		return PM_VAL_INSITU;
	return a->valfmt == PM_VAL_SPTR ? PM_VAL_SPTR : PM_VAL_DPTR;
}

static int fill_set(struct shim_builder *b, const struct shim_answer *a)
{
	pmValueSet *set = shim_builder__set(b, a->pmid, a->numval, format_of(a));

	for (int32_t i = 0; i < a->numval; i++) {
		const struct shim_value *value = &a->values[i];
		pmValue *v = &set->vlist[i];
		int err;

		v->inst = value->inst;
		if (set->valfmt == PM_VAL_INSITU) {
			v->value.lval = value->l;
			continue;
		}
		err = fill_block(b, v, value);
		if (err)
			return err;
	}
	return 0;
}

int shim_result__build(unsigned int n, const struct shim_answer *answers, pmResult **out,
		       size_t *size)
{
	struct shim_builder b;
	size_t sets, blocks;
	int err;

	answers_measure(n, answers, &sets, &blocks);
	err = shim_builder__begin(&b, n, sets, blocks);
	if (err)
		return err;
	for (unsigned int i = 0; i < n && !err; i++)
		err = fill_set(&b, &answers[i]);
	if (err)
		free(b.result);
	else
		*out = b.result;
	*size = shim_result__head_len(n) + sets + blocks;
	return err;
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

static bool is_sorted(const pmValueSet *set)
{
	int i = 1;

	while (i < set->numval && by_inst(&set->vlist[i - 1], &set->vlist[i]) <= 0)
		i++;
	return i >= set->numval;
}

static void sets_sort(int n, pmValueSet *const *sets)
{
	for (int i = 0; i < n; i++)
		if (!is_sorted(sets[i]))
			qsort(sets[i]->vlist, sets[i]->numval, sizeof(pmValue), by_inst);
}

/** pmSortInstances() - sort the values of each metric of @result by instance ID */
SHIM_API void pmSortInstances(pmResult *result)
{
	if (result)
		sets_sort(result->numpmid, result->vset);
}

/** pmSortHighResInstances() - sort the values of each metric of @result by instance ID */
SHIM_API void pmSortHighResInstances(pmHighResResult *result)
{
	if (result)
		sets_sort(result->numpmid, result->vset);
}

static bool record_in_place(int32_t type)
{
	return type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT;
}

/*
 * Return the size of a number's payload in a block, or 0 if the type is not a number stored in a
 * block.
 */
static unsigned int number_len(int32_t type)
{
	switch (type) {
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_DOUBLE:
		return 8;
	case PM_TYPE_FLOAT:
		return 4;
	}
	return 0;
}

static bool is_bytes(int32_t type)
{
	return type == PM_TYPE_STRING || type == PM_TYPE_AGGREGATE ||
	       type == PM_TYPE_AGGREGATE_STATIC;
}

/* Add the sizes of a set's blocks, which have different lengths. */
static int measure_bytes(const struct shim_record *rec, const struct shim_vset *vset, int32_t type,
			 size_t *len)
{
	for (int32_t i = 0; i < vset->numval; i++) {
		const uint8_t *p = vset->vlist + (size_t)i * SHIM_VALUE_LEN;
		uint32_t payload;

		if (!shim_record__block(rec, shim_be32__get(p + 4), &payload))
			return -ENOTSUP;
		*len += shim_result__block_len(type, payload);
	}
	return 0;
}

static int measure_blocks(const struct shim_record *rec, const struct shim_vset *vset, int32_t type,
			  size_t *len)
{
	unsigned int number;

	if (vset->numval <= 0)
		return 0;
	if (vset->valfmt == SHIM_VAL_INSITU)
		return record_in_place(type) ? 0 : -ENOTSUP;
	if (is_bytes(type))
		return measure_bytes(rec, vset, type, len);
	number = number_len(type);
	*len += (size_t)vset->numval * shim_result__block_len(type, number);
	return number ? 0 : -ENOTSUP;
}

static int record_measure(const struct shim_record *rec, unsigned int n,
			  const struct shim_vset *vsets, const int32_t *types, size_t *sets,
			  size_t *blocks)
{
	int err = 0;

	*sets = *blocks = 0;
	for (unsigned int i = 0; i < n && !err; i++) {
		*sets += shim_result__set_len(vsets[i].numval);
		err = measure_blocks(rec, &vsets[i], types[i], blocks);
	}
	return err;
}

static void fill_in_place(pmValue *v, const struct shim_vset *vset)
{
	const uint8_t *p = vset->vlist;

	for (int32_t i = 0; i < vset->numval; i++, v++, p += SHIM_VALUE_LEN) {
		const uint64_t pair = shim_be64__get(p);	/* instance and value */

		v->inst = (int)(pair >> 32);
		v->value.lval = (int)(uint32_t)pair;
	}
}

/*
 * Return the first word of a block.  Storing it is faster than storing its bit fields one by one.
 */
static inline uint32_t block_head(unsigned int len, int32_t type)
{
	const pmValueBlock block = { .vlen = PM_VAL_HDR_SIZE + len, .vtype = (unsigned int)type };
	uint32_t head;

	memcpy(&head, &block, sizeof(head));
	return head;
}

static inline void record_fill_block(char *block, uint32_t head, const uint8_t *payload,
				     unsigned int len)
{
	memcpy(block, &head, sizeof(head));
	if (len == 8) {
		uint64_t value = shim_be64__get(payload);

		memcpy(block + PM_VAL_HDR_SIZE, &value, sizeof(value));
	} else {
		uint32_t value = shim_be32__get(payload);

		memcpy(block + PM_VAL_HDR_SIZE, &value, sizeof(value));
	}
}

/*
 * Writers put the blocks of a set next to each other, each with the same header.  Starting with the
 * first one, fill in values until a block deviates from this, which takes two comparisons per
 * value.  Return the number of values filled in.
 */
static inline __attribute__((always_inline)) int32_t
fill_row(pmValue *v, const struct shim_record *rec, const struct shim_vset *vset, int32_t type,
	 unsigned int len, char *at)
{
	const uint8_t *p = vset->vlist, *from;
	uint32_t step = (SHIM_BLOCK_HEAD + len) / 4, ref = shim_be32__get(p + 4), got, head;
	const uint32_t out = block_head(len, type);
	int32_t i, n = vset->numval;

	from = shim_record__block(rec, ref, &got);
	if (!from || got != len || n > (rec->data + rec->len - 4 - from + SHIM_BLOCK_HEAD) / (4 * step))
		return 0;
	from -= SHIM_BLOCK_HEAD;
	memcpy(&head, from, sizeof(head));
	for (i = 0; i < n; i++, v++, p += SHIM_VALUE_LEN, ref += step, from += 4 * step) {
		const uint64_t pair = shim_be64__get(p);	/* instance and reference */

		if ((uint32_t)pair != ref || memcmp(from, &head, sizeof(head)))
			break;
		v->inst = (int)(pair >> 32);
		v->value.pval = (pmValueBlock *)at;
		record_fill_block(at, out, from + SHIM_BLOCK_HEAD, len);
		at += PM_VAL_HDR_SIZE + len;
	}
	return i;
}

static int fill_numbers(pmValue *v, const struct shim_record *rec, const struct shim_vset *vset,
			int32_t type, char **blocks)
{
	const unsigned int len = number_len(type);
	const uint32_t head = block_head(len, type);
	char *at = *blocks;
	int32_t i = len == 8 ? fill_row(v, rec, vset, type, 8, at) :
			       fill_row(v, rec, vset, type, 4, at);

	at += (size_t)i * (PM_VAL_HDR_SIZE + len);
	for (; i < vset->numval; i++) {
		const uint8_t *p = vset->vlist + (size_t)i * SHIM_VALUE_LEN, *payload;
		uint32_t got;

		payload = shim_record__block(rec, shim_be32__get(p + 4), &got);
		if (!payload || got != len)
			return -ENOTSUP;
		v[i].inst = (int)shim_be32__get(p);
		v[i].value.pval = (pmValueBlock *)at;
		record_fill_block(at, head, payload, len);
		at += PM_VAL_HDR_SIZE + len;
	}
	*blocks = at;
	return 0;
}

/* The mapped file may have changed since it was measured, so do not write past @end. */
static int fill_bytes(struct shim_builder *b, pmValue *v, const struct shim_record *rec,
		      const struct shim_vset *vset, int32_t type, const char *end)
{
	const uint8_t *p = vset->vlist;

	for (int32_t i = 0; i < vset->numval; i++, v++, p += SHIM_VALUE_LEN) {
		const uint8_t *payload;
		uint32_t len;

		payload = shim_record__block(rec, shim_be32__get(p + 4), &len);
		if (!payload || shim_result__block_len(type, len) > (size_t)(end - b->blocks))
			return -ENOTSUP;
		v->inst = (int)shim_be32__get(p);
		memcpy(shim_builder__block(b, v, type, len), payload, len);
	}
	return 0;
}

static int record_fill_set(struct shim_builder *b, const struct shim_record *rec,
			   const struct shim_vset *vset, int32_t type, const char *end)
{
	pmValueSet *set = shim_builder__set(b, vset->pmid, vset->numval, vset->valfmt);

	if (vset->numval <= 0)
		return 0;
	if (vset->valfmt == SHIM_VAL_INSITU) {
		fill_in_place(set->vlist, vset);
		return 0;
	}
	if (is_bytes(type))
		return fill_bytes(b, set->vlist, rec, vset, type, end);
	return fill_numbers(set->vlist, rec, vset, type, &b->blocks);
}

int shim_record_result__build(const struct shim_record *rec, unsigned int n,
			      const struct shim_vset *vsets, const int32_t *types, pmResult **out,
			      size_t *size)
{
	struct shim_builder b;
	size_t sets, blocks;
	int err = record_measure(rec, n, vsets, types, &sets, &blocks);

	if (!err)
		err = shim_builder__begin(&b, n, sets, blocks);
	if (err)
		return err;
	*size = shim_result__head_len(n) + sets + blocks;
	for (unsigned int i = 0; i < n && !err; i++)
		err = record_fill_set(&b, rec, &vsets[i], types[i], (char *)b.result + *size);
	if (err)
		free(b.result);
	else
		*out = b.result;
	return err;
}
