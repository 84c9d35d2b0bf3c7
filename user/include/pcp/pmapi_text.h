/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The part of <pcp/pmapi.h> that does not need an archive: values, texts, parsing, time zones, the
 * program's name and its debugging options.  Include <pcp/pmapi.h>.
 */
#include <pcp/pmapi.h>	/* first, because this file defines macros of these names */

#ifndef PCP_PMAPI_TEXT_H
#define PCP_PMAPI_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define __PM_PRINTFLIKE(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define __PM_PRINTFLIKE(fmt, first)
#endif

/* Values in other scales and in short texts */

int pmConvScale(int type, const pmAtomValue *ival, const pmUnits *iunit, pmAtomValue *oval,
		const pmUnits *ounit);
const char *pmNumberStr(double value);
char *pmNumberStr_r(double value, char *buf, int buflen);
const char *pmEventFlagsStr(int flags);
char *pmEventFlagsStr_r(int flags, char *buf, int buflen);

/* Flags of an event record */
#define PM_EVENT_FLAG_POINT	(1U << 0)
#define PM_EVENT_FLAG_START	(1U << 1)
#define PM_EVENT_FLAG_END	(1U << 2)
#define PM_EVENT_FLAG_ID	(1U << 3)	/* the first parameter is an event ID */
#define PM_EVENT_FLAG_PARENT	(1U << 4)	/* the second parameter is its parent's ID */
#define PM_EVENT_FLAG_MISSED	(1U << 31)	/* contains only a number of lost records */

/* Parsing; the caller frees the message */

int pmParseUnitsStr(const char *str, pmUnits *out, double *outmult, char **errmsg);

/* A specification host:metric[instance,...] or archive/metric[instance,...] */
typedef struct pmMetricSpec {
	int isarch;		/* type of source: 0 is a host, 1 an archive, 2 the local context */
	char *source;
	char *metric;
	int ninst;		/* 0 for all */
	char *inst[1];
} pmMetricSpec;

int pmParseMetricSpec(const char *string, int isarch, char *source, pmMetricSpec **rslt,
		      char **errmsg);
void pmFreeMetricSpec(pmMetricSpec *spec);

/* The time zone for printing and parsing times: the zone in TZ until a call creates another one */

int pmNewZone(const char *tz);
int pmNewContextZone(void);
int pmUseZone(const int tz_handle);
int pmWhichZone(char **tz);
char *pmCtime(const time_t *clock, char *buf);
struct tm *pmLocaltime(const time_t *clock, struct tm *result);
#if PMAPI_VERSION >= PMAPI_VERSION_4
#define pmPrintStamp		pmtimevalPrint
#define pmPrintHighResStamp	pmtimespecPrint
#else
void pmPrintStamp(FILE *f, const struct timeval *tv);
void pmPrintHighResStamp(FILE *f, const struct timespec *ts);
#endif

/* Texts in buffers of the given length; longer texts are truncated */

int pmsprintf(char *str, size_t size, const char *fmt, ...) __PM_PRINTFLIKE(3, 4);
int pmstrncpy(char *dest, size_t destlen, const char *src);
int pmstrncat(char *dest, size_t destlen, const char *src);
size_t pmstrlen(const char *s);
ssize_t pmfstring(FILE *f, char **str);

/* The program */

void pmSetProgname(const char *program);
char *pmGetProgname(void);
int pmPathSeparator(void);
int pmSetProcessIdentity(const char *username);
char *pmSpecLocalPMDA(const char *spec);
int pmDiscoverServices(const char *service, const char *mechanism, char ***urls);

#define PM_SERVER_SERVICE_SPEC	"pmcd"
#define PM_SERVER_PROXY_SPEC	"pmproxy"
#define PM_SERVER_WEBAPI_SPEC	"pmwebapi"

/* Debugging options, for the caller; libshim itself prints nothing for them */

typedef struct {
	int pdu, fetch, profile, value, context, indom, pdubuf, log, logmeta, optfetch, af;
	int appl0, appl1, appl2;
	int pmns, libpmda, timecontrol, pmc, derive, lock, interp, config, pmapi, fault, auth;
	int discovery, attr, http, desperate;
	int deprecated, exec, labels, series, libweb, alloc, services;
	int appl3, appl4, appl5;
	int access, qa, search, query, compress;
	int dev0, dev1, dev2;
	int pmlc;
	int appl6, appl7, appl8, appl9;
	int tls;
#if PMAPI_VERSION >= PMAPI_VERSION_4
	int misc, qed, getopt;
#endif
} pmdebugoptions_t;

/* Each version has its own flags, and pmSetDebug() and pmClearDebug() set both. */
extern pmdebugoptions_t pmDebugOptions __PM_AS(pmDebugOptions_v4);

int pmSetDebug(const char *spec);
int pmClearDebug(const char *spec);
char *pmGetDebug(void);
#if PMAPI_VERSION >= PMAPI_VERSION_4
/* Version 2 has a variable of this name, in <pcp/deprecated.h>. */
int pmDebug(const char *spec) __PM_AS(pmDebug_v4);
#endif

#ifdef __cplusplus
}
#endif

#endif /* PCP_PMAPI_TEXT_H */
