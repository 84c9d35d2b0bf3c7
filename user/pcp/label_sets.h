/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Label sets collected for the caller of a PMAPI function, who frees them. */
#ifndef SHIM_PCP_LABEL_SETS_H
#define SHIM_PCP_LABEL_SETS_H

#include <stddef.h>

#include <pcp/pmapi.h>

struct shim_label_sets {
	pmLabelSet *all;
	int n;
};

/*
 * Make room for @n more sets, zeroed; the caller adds to @sets->n.  Returns NULL if out of memory.
 */
pmLabelSet *shim_label_sets__grow(struct shim_label_sets *sets, size_t n);

#endif /* SHIM_PCP_LABEL_SETS_H */
