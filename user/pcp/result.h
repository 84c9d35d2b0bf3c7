/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build the PMAPI's result structure from answers, or from a record's bytes. */
#ifndef SHIM_PCP_RESULT_H
#define SHIM_PCP_RESULT_H

#include <stddef.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"
#include "archive/reader.h"

/* Size of a result's header with @n pointers */
static inline size_t shim_result__head_len(unsigned int n)
{
	return offsetof(pmResult, vset) + (n ? n : 1) * sizeof(pmValueSet *);
}

/*
 * Size of a set.  Even without values it is a whole pmValueSet, because programs copy structures.
 */
static inline size_t shim_result__set_len(int32_t numval)
{
	return offsetof(pmValueSet, vlist) + (numval > 1 ? (size_t)numval : 1) * sizeof(pmValue);
}

/*
 * Build a result in one allocation of *size bytes.  The caller sets its time stamp, which is the
 * only difference between the two kinds of result.  Returns 0, -EBADMSG, -ENOMEM.
 */
int shim_result__build(unsigned int n, const struct shim_answer *answers, pmResult **out,
		       size_t *size);

/*
 * Like shim_result__build(), but from the @n sets of @rec at @vsets, whose metrics have these
 * @types.  Returns 0; -ENOTSUP if a set has values that are not stored as its type requires, or
 * that must be converted as a whole (events), which can only be built from answers; -ENOMEM.
 */
int shim_record_result__build(const struct shim_record *rec, unsigned int n,
			      const struct shim_vset *vsets, const int32_t *types, pmResult **out,
			      size_t *size);

#endif /* SHIM_PCP_RESULT_H */
