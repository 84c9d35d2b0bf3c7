/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of <pcp/pmapi.h> that depends on PMAPI_VERSION: the calls that take or return times.
 * Version 4 uses the names of PCP 7 for the functions with struct timespec, and names that end in
 * _v2 for the functions with struct timeval.  Include <pcp/pmapi.h>.
 */
#include <pcp/pmapi.h>	/* first, because this file defines macros of these names */

#ifndef PCP_PMAPI_VERSIONS_H
#define PCP_PMAPI_VERSIONS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Each type of result has its own call to free it. */

int pmFetch(int numpmid, pmID *pmidlist, pmResult **result) __PM_AS(pmFetchHighRes);
int pmFetchArchive(pmResult **result) __PM_AS(pmFetchHighResArchive);
void pmFreeResult(pmResult *result) __PM_AS(pmFreeHighResResult);
int pmStore(const pmResult *result) __PM_AS(pmStoreHighRes);
void pmSortInstances(pmResult *result) __PM_AS(pmSortHighResInstances);

int pmGetArchiveLabel(pmLogLabel *label) __PM_AS(pmGetHighResArchiveLabel);
int pmGetArchiveEnd(__pmTime *end) __PM_AS(pmGetHighResArchiveEnd);

int pmParseInterval(const char *string, __pmTime *rslt, char **errmsg)
	__PM_AS(pmParseHighResInterval);
/* The arguments of the tools' options -S, -T, -A and -O; any of them may be NULL */
int pmParseTimeWindow(const char *swStart, const char *swEnd, const char *swAlign,
		      const char *swOffset, const __pmTime *logStart, const __pmTime *logEnd,
		      __pmTime *rsltStart, __pmTime *rsltEnd, __pmTime *rsltOffset,
		      char **errMsg) __PM_AS(pmParseHighResTimeWindow);

#if PMAPI_VERSION >= PMAPI_VERSION_4

int pmSetMode(int mode, const struct timespec *when, const struct timespec *delta)
	__PM_AS(pmSetModeHighRes);

int pmFetch_v2(int numpmid, pmID *pmidlist, pmResult_v2 **result) __PM_AS(pmFetch);
int pmFetchArchive_v2(pmResult_v2 **result) __PM_AS(pmFetchArchive);
void pmFreeResult_v2(pmResult_v2 *result) __PM_AS(pmFreeResult);
int pmStore_v2(const pmResult_v2 *result) __PM_AS(pmStore);
void pmSortInstances_v2(pmResult_v2 *result) __PM_AS(pmSortInstances);
int pmGetArchiveLabel_v2(pmLogLabel_v2 *label) __PM_AS(pmGetArchiveLabel);
int pmGetArchiveEnd_v2(struct timeval *end) __PM_AS(pmGetArchiveEnd);
int pmParseInterval_v2(const char *string, struct timeval *rslt, char **errmsg)
	__PM_AS(pmParseInterval);
int pmParseTimeWindow_v2(const char *swStart, const char *swEnd, const char *swAlign,
			 const char *swOffset, const struct timeval *logStart,
			 const struct timeval *logEnd, struct timeval *rsltStart,
			 struct timeval *rsltEnd, struct timeval *rsltOffset, char **errMsg)
	__PM_AS(pmParseTimeWindow);
int pmSetMode_v2(int mode, const struct timeval *when, int delta) __PM_AS(pmSetMode);

/* The names of these calls before version 4 */
#define pmFetchHighRes			pmFetch
#define pmHighResFetch			pmFetch
#define pmFetchHighResArchive		pmFetchArchive
#define pmStoreHighRes			pmStore
#define pmSortHighResInstances		pmSortInstances
#define pmGetHighResArchiveLabel	pmGetArchiveLabel
#define pmGetHighResArchiveEnd		pmGetArchiveEnd
#define pmParseHighResInterval		pmParseInterval
#define pmParseHighResTimeWindow	pmParseTimeWindow
#define pmSetModeHighRes		pmSetMode

#else

/* pmSetMode's delta is in milliseconds, or in PM_TIME_x if PM_XTB_SET(PM_TIME_x) is in the mode */
#define PM_XTB_FLAG	0x1000000
#define PM_XTB_SET(m)	(PM_XTB_FLAG | ((m) << 16))
#define PM_XTB_GET(m)	(((m) & PM_XTB_FLAG) ? (((m) & 0xff0000) >> 16) : -1)

int pmSetMode(int mode, const struct timeval *when, int delta);

int pmFetchHighRes(int numpmid, pmID *pmidlist, pmHighResResult **result);
int pmHighResFetch(int numpmid, pmID *pmidlist, pmHighResResult **result);
int pmFetchHighResArchive(pmHighResResult **result);
void pmFreeHighResResult(pmHighResResult *result);
int pmStoreHighRes(const pmHighResResult *result);
void pmSortHighResInstances(pmHighResResult *result);
int pmGetHighResArchiveLabel(pmHighResLogLabel *label);
int pmGetHighResArchiveEnd(struct timespec *end);
int pmParseHighResInterval(const char *string, struct timespec *rslt, char **errmsg);
int pmParseHighResTimeWindow(const char *swStart, const char *swEnd, const char *swAlign,
			     const char *swOffset, const struct timespec *logStart,
			     const struct timespec *logEnd, struct timespec *rsltStart,
			     struct timespec *rsltEnd, struct timespec *rsltOffset,
			     char **errMsg);
int pmSetModeHighRes(int mode, const struct timespec *when, const struct timespec *delta);

/* Version 4's names of the functions of version 2 */
#define pmFetch_v2		pmFetch
#define pmFetchArchive_v2	pmFetchArchive
#define pmFreeResult_v2		pmFreeResult
#define pmStore_v2		pmStore
#define pmSortInstances_v2	pmSortInstances
#define pmGetArchiveLabel_v2	pmGetArchiveLabel
#define pmGetArchiveEnd_v2	pmGetArchiveEnd
#define pmParseInterval_v2	pmParseInterval
#define pmParseTimeWindow_v2	pmParseTimeWindow
#define pmSetMode_v2		pmSetMode

#endif

#ifdef __cplusplus
}
#endif

#endif /* PCP_PMAPI_VERSIONS_H */
