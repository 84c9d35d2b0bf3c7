/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a record's bytes to the PMAPI's result structure, without values in between. */
#ifndef SHIM_PCP_RECORD_RESULT_H
#define SHIM_PCP_RECORD_RESULT_H

#include <pcp/pmapi.h>

#include "archive/reader.h"

/*
 * As shim_result__build(), of the @n sets of @rec at @vsets, whose metrics have these @types.
 * -ENOTSUP: a set has values that are not stored as its type is, or that must be translated as a
 * whole (events), so that it takes the way through answers; -ENOMEM.
 */
int shim_record_result__build(const struct shim_record *rec, unsigned int n,
			      const struct shim_vset *vsets, const int32_t *types, pmResult **out,
			      size_t *size);

#endif /* SHIM_PCP_RECORD_RESULT_H */
