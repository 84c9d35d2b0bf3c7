/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From answers to the PMAPI's result structure. */
#ifndef SHIM_PCP_RESULT_H
#define SHIM_PCP_RESULT_H

#include <pcp/pmapi.h>

#include "archive/interp.h"

/*
 * One block of memory, of *size bytes, whose time stamp is the caller's to fill;
 * the two kinds of result differ in nothing else.  0, -EBADMSG, -ENOMEM.
 */
int shim_result__build(unsigned int n, const struct shim_answer *answers, pmResult **out,
		       size_t *size);

#endif /* SHIM_PCP_RESULT_H */
