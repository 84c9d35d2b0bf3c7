/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Older names of declarations in <pcp/pmapi.h>, for programs written for PCP before version 4.
 * Names with two leading underscores that are missing here were never public.
 */
#ifndef PCP_DEPRECATED_H
#define PCP_DEPRECATED_H

#include <pcp/pmapi.h>

/* PCP 7 does not have the following names. */
#if PMAPI_VERSION < PMAPI_VERSION_4

#ifdef __cplusplus
extern "C" {
#endif

/* The result of pmGetProgname(); a program may set it */
extern char *pmProgname;

int __pmSetProgname(const char *program);	/* returns 0 */

/*
 * The options of pmDebugOptions that have a number, as bits; pmSetDebug() and pmClearDebug() set
 * both variables
 */
extern int pmDebug;

/* Enable a list of names or numbers.  Return their bits, or an error. */
int __pmParseDebug(const char *spec);
/* Enable the options in @bits */
void __pmSetDebugBits(int bits);

#define DBG_TRACE_PDU		(1 << 0)
#define DBG_TRACE_FETCH		(1 << 1)
#define DBG_TRACE_PROFILE	(1 << 2)
#define DBG_TRACE_VALUE		(1 << 3)
#define DBG_TRACE_CONTEXT	(1 << 4)
#define DBG_TRACE_INDOM		(1 << 5)
#define DBG_TRACE_PDUBUF	(1 << 6)
#define DBG_TRACE_LOG		(1 << 7)
#define DBG_TRACE_LOGMETA	(1 << 8)
#define DBG_TRACE_OPTFETCH	(1 << 9)
#define DBG_TRACE_AF		(1 << 10)
#define DBG_TRACE_APPL0		(1 << 11)
#define DBG_TRACE_APPL1		(1 << 12)
#define DBG_TRACE_APPL2		(1 << 13)
#define DBG_TRACE_PMNS		(1 << 14)
#define DBG_TRACE_LIBPMDA	(1 << 15)
#define DBG_TRACE_TIMECONTROL	(1 << 16)
#define DBG_TRACE_PMC		(1 << 17)
#define DBG_TRACE_DERIVE	(1 << 18)
#define DBG_TRACE_LOCK		(1 << 19)
#define DBG_TRACE_INTERP	(1 << 20)
#define DBG_TRACE_CONFIG	(1 << 21)
#define DBG_TRACE_PMAPI		(1 << 22)
#define DBG_TRACE_FAULT		(1 << 23)
#define DBG_TRACE_AUTH		(1 << 24)
#define DBG_TRACE_DISCOVERY	(1 << 25)
#define DBG_TRACE_ATTR		(1 << 26)
#define DBG_TRACE_HTTP		(1 << 27)
#define DBG_TRACE_DESPERATE	(1 << 30)

#define __pmOptions		pmOptions
#define __pmOpenLog		pmOpenLog
#define __pmGetAPIConfig	pmGetAPIConfig
#define __pmNoMem		pmNoMem
#define __pmNotifyErr		pmNotifyErr
#define __pmSyslog		pmSyslog
#define __pmPrintDesc		pmPrintDesc
#define __pmtimevalNow		pmtimevalNow
#define __pmtimevalAdd		pmtimevalAdd
#define __pmtimevalSub		pmtimevalSub
#define __pmtimevalInc		pmtimevalInc
#define __pmtimevalDec		pmtimevalDec
#define __pmtimevalToReal	pmtimevalToReal
#define __pmtimevalFromReal	pmtimevalFromReal
#define __pmPrintStamp		pmPrintStamp
#define __pmPrintHighResStamp	pmPrintHighResStamp
#define __pmPathSeparator	pmPathSeparator
#define __pmGetUsername		pmGetUsername
#define __pmSetProcessIdentity	pmSetProcessIdentity
#define __pmSpecLocalPMDA	pmSpecLocalPMDA

#ifdef __cplusplus
}
#endif

#endif

#endif /* PCP_DEPRECATED_H */
