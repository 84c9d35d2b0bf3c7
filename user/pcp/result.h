/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build the PMAPI's result structure piece by piece, from answers, or from a record's bytes. */
#ifndef SHIM_PCP_RESULT_H
#define SHIM_PCP_RESULT_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"
#include "archive/reader.h"

/* Return the size of a result's header with @n pointers. */
static inline size_t shim_result__head_len(unsigned int n)
{
	return offsetof(pmResult, vset) + (n ? n : 1) * sizeof(pmValueSet *);
}

/*
 * Return the size of a set.  Even without values it is a whole pmValueSet, because programs copy
 * structures.
 */
static inline size_t shim_result__set_len(int32_t numval)
{
	return offsetof(pmValueSet, vlist) + (numval > 1 ? (size_t)numval : 1) * sizeof(pmValue);
}

/*
 * Return the size of a block.  A string's block has space for a terminating NUL, in case its source
 * has none.
 */
static inline size_t shim_result__block_len(int type, size_t payload)
{
	return (PM_VAL_HDR_SIZE + payload + (type == PM_TYPE_STRING) + 3) & ~(size_t)3;
}

/*
 * struct shim_builder - a result under construction, in one allocation
 * @next: the pointer to the next set
 * @sets: location of the next set
 * @blocks: location of the next block
 */
struct shim_builder {
	pmResult *result;
	pmValueSet **next;
	char *sets, *blocks;
};

/*
 * Begin a result of @n sets with @sets bytes, and of @blocks bytes of blocks.  Return 0 or -ENOMEM.
 */
static inline int shim_builder__begin(struct shim_builder *b, unsigned int n, size_t sets,
				      size_t blocks)
{
	const size_t head = shim_result__head_len(n);

	b->result = malloc(head + sets + blocks);
	if (!b->result)
		return -ENOMEM;
	b->result->numpmid = (int)n;
	b->result->vset[0] = NULL;
	b->next = b->result->vset;
	b->sets = (char *)b->result + head;
	b->blocks = b->sets + sets;
	return 0;
}

/* Add a set of @numval values, which the caller fills in, or a set with an error in @numval. */
static inline pmValueSet *shim_builder__set(struct shim_builder *b, pmID pmid, int numval,
					    int valfmt)
{
	pmValueSet *set = (pmValueSet *)b->sets;

	set->pmid = pmid;
	set->numval = numval;
	set->valfmt = numval > 0 ? valfmt : -1;
	*b->next++ = set;
	b->sets += shim_result__set_len(numval);
	return set;
}

/* Add the block of a value.  Return its payload, which the caller fills in. */
static inline char *shim_builder__block(struct shim_builder *b, pmValue *v, int type,
					size_t payload)
{
	pmValueBlock *block = (pmValueBlock *)b->blocks;

	v->value.pval = block;
	block->vlen = PM_VAL_HDR_SIZE + payload;
	block->vtype = (unsigned int)type;
	if (type == PM_TYPE_STRING)
		block->vbuf[payload] = '\0';
	b->blocks += shim_result__block_len(type, payload);
	return block->vbuf;
}

/*
 * Build a result in one allocation of *size bytes.  The caller sets its time stamp, which is the
 * only difference between the two kinds of result.  Return 0, -EBADMSG or -ENOMEM.
 */
int shim_result__build(unsigned int n, const struct shim_answer *answers, pmResult **out,
		       size_t *size);

/*
 * Like shim_result__build(), but from the @n sets of @rec at @vsets, whose metrics have these
 * @types.  Return 0; -ENOTSUP if a set has values that are not stored as its type requires, or that
 * must be converted as a whole (events), because such results can only be built from answers; or
 * -ENOMEM.
 */
int shim_record_result__build(const struct shim_record *rec, unsigned int n,
			      const struct shim_vset *vsets, const int32_t *types, pmResult **out,
			      size_t *size);

#endif /* SHIM_PCP_RESULT_H */
