/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build the PMAPI's result structure from answers. */
#ifndef SHIM_PCP_RESULT_H
#define SHIM_PCP_RESULT_H

#include <stddef.h>

#include <pcp/pmapi.h>

#include "archive/interp.h"

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

#endif /* SHIM_PCP_RESULT_H */
