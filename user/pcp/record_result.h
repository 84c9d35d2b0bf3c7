/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build the PMAPI's result structure from a record's bytes, without an array of values. */
#ifndef SHIM_PCP_RECORD_RESULT_H
#define SHIM_PCP_RECORD_RESULT_H

#include <pcp/pmapi.h>

#include "archive/reader.h"

/*
 * Like shim_result__build(), but from the @n sets of @rec at @vsets, whose metrics have these
 * @types.  Returns 0; -ENOTSUP if a set has values that are not stored as its type requires, or
 * that must be converted as a whole (events), which can only be built from answers; -ENOMEM.
 */
int shim_record_result__build(const struct shim_record *rec, unsigned int n,
			      const struct shim_vset *vsets, const int32_t *types, pmResult **out,
			      size_t *size);

#endif /* SHIM_PCP_RECORD_RESULT_H */
