/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fetch groups: part of <pcp/pmapi.h>, which includes it. */
#include <pcp/pmapi.h>	/* first, because this file defines macros of these names */

#ifndef PCP_PMAPI_FETCHGROUP_H
#define PCP_PMAPI_FETCHGROUP_H

typedef struct __pmFetchGroup *pmFG;

int pmCreateFetchGroup(pmFG *fg, int type, const char *name);
int pmGetFetchGroupContext(pmFG fg);
int pmExtendFetchGroup_item(pmFG fg, const char *metric, const char *instance, const char *scale,
			    pmAtomValue *out_value, int out_type, int *out_sts);
int pmExtendFetchGroup_indom(pmFG fg, const char *metric, const char *scale, int out_inst_codes[],
			     char *out_inst_names[], pmAtomValue out_values[], int out_type,
			     int out_stss[], unsigned int out_maxnum, unsigned int *out_num,
			     int *out_sts);
int pmExtendFetchGroup_event(pmFG fg, const char *metric, const char *instance, const char *field,
			     const char *scale, struct timespec out_times[],
			     pmAtomValue out_values[], int out_type, int out_stss[],
			     unsigned int out_maxnum, unsigned int *out_num, int *out_sts);
#if PMAPI_VERSION < PMAPI_VERSION_4
int pmExtendFetchGroup_timestamp(pmFG fg, struct timeval *out_value);
#endif
int pmExtendFetchGroup_timeval(pmFG fg, struct timeval *out_value);
int pmExtendFetchGroup_timespec(pmFG fg, struct timespec *out_value);
int pmFetchGroup(pmFG fg);
int pmClearFetchGroup(pmFG fg);
int pmDestroyFetchGroup(pmFG fg);

#endif /* PCP_PMAPI_FETCHGROUP_H */
