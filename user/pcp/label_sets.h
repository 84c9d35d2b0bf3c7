/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Label sets that are being collected for the caller, who then frees them one by one. */
#ifndef SHIM_PCP_LABEL_SETS_H
#define SHIM_PCP_LABEL_SETS_H

#include <stddef.h>

#include <pcp/pmapi.h>

struct shim_label_sets {
	pmLabelSet *all;
	int n;
};

/* Room for @n more, all zero, which count from when @sets->n says so; NULL without memory */
pmLabelSet *shim_label_sets__grow(struct shim_label_sets *sets, size_t n);

#endif /* SHIM_PCP_LABEL_SETS_H */
