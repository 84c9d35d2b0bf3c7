/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions and objects of PMAPI version 4 that differ from the HighRes functions of version 2, by
 * symbol. Public headers declare them under PCP 7's names.
 */
#ifndef SHIM_PCP_PMAPI_V4_H
#define SHIM_PCP_PMAPI_V4_H

#include <stdbool.h>

#include <pcp/pmapi.h>

typedef struct {
	pmdebugoptions_t v2;
	int misc, qed, getopt;
} shim_debug_options;

extern shim_debug_options pmDebugOptions_v4;

int pmiStart_v4(const char *archive, int flags);
int pmiWrite_v4(unsigned long long sec, unsigned int nsec);
int pmDebug_v4(const char *spec);
int pmGetOptions_v4(int argc, char *const *argv, pmOptions *opts);
int pmGetContextOptions_v4(int ctx, pmOptions *opts);

/* Return whether a program of either version has enabled "derive". */
static inline bool shim_debug__derive(void)
{
	return pmDebugOptions.derive || pmDebugOptions_v4.v2.derive;
}

#endif /* SHIM_PCP_PMAPI_V4_H */
