/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Performance Co-Pilot's PMAPI, as of its version 6.0.3: types, numbers and the calls that libshim
 * provides.  A program that includes <pcp/pmapi.h> and reads archives can be linked with -lshim
 * instead of -lpcp.
 *
 * Time stamps are struct timeval; the calls with HighRes in their names use struct timespec.  With
 * PMAPI_VERSION 4 all calls use struct timespec, as in PCP 7.  Documentation/api/pmapi.rst and
 * libshim-pcp(3) describe each call and its differences from the original.
 */
#ifndef PCP_PMAPI_H
#define PCP_PMAPI_H

#include <pcp/platform_defs.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A program may define PMAPI_VERSION before it includes this header.  With 3, pmOptions has its
 * times in nanoseconds.  With 4, all times are struct timespec, and names are as in PCP 7.  Objects
 * of different versions may be linked into one program.
 */
#define PMAPI_VERSION_2	2
#define PMAPI_VERSION_3	3
#define PMAPI_VERSION_4	4
#ifndef PMAPI_VERSION
#define PMAPI_VERSION	PMAPI_VERSION_2
#elif PMAPI_VERSION < PMAPI_VERSION_2 || PMAPI_VERSION > PMAPI_VERSION_4
#error "PMAPI_VERSION must be 2, 3 or 4"
#endif

/* A function's name in version 4, and the library's symbol for it */
#define __PM_SYMBOL(symbol) __asm__(#symbol)
#if PMAPI_VERSION >= PMAPI_VERSION_4
#define __PM_AS(symbol) __PM_SYMBOL(symbol)
#define __pmTime struct timespec
#else
#define __PM_AS(symbol)
#define __pmTime struct timeval
#endif

/* Identifiers: domain.cluster.item of a metric, domain.serial of an instance domain */

typedef unsigned int pmID;
typedef unsigned int pmInDom;

#define PM_ID_NULL	0xffffffff
#define PM_INDOM_NULL	0xffffffff
#define PM_IN_NULL	0xffffffff

pmID pmID_build(unsigned int domain, unsigned int cluster, unsigned int item);
unsigned int pmID_domain(pmID pmid);
unsigned int pmID_cluster(pmID pmid);
unsigned int pmID_item(pmID pmid);
pmInDom pmInDom_build(unsigned int domain, unsigned int serial);
unsigned int pmInDom_domain(pmInDom indom);
unsigned int pmInDom_serial(pmInDom indom);

#define DYNAMIC_PMID	511	/* a domain without an agent */
#define IS_DYNAMIC_ROOT(x) (pmID_domain(x) == DYNAMIC_PMID && pmID_item(x) == 0)
#define IS_DERIVED(x) \
	(pmID_domain(x) == DYNAMIC_PMID && (pmID_cluster(x) & 2048) == 0 && pmID_item(x) != 0)
#define IS_DERIVED_LOGGED(x) \
	(pmID_domain(x) == DYNAMIC_PMID && (pmID_cluster(x) & 2048) != 0 && pmID_item(x) != 0)

/*
 * Units: a dimension (exponent) and a scale for each of space, time and count; and at most one
 * extra unit with its scale, negated in the denominator
 */

typedef struct pmUnits {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	signed int dimSpace : 4;
	signed int dimTime : 4;
	signed int dimCount : 4;
	unsigned int scaleSpace : 4;
	unsigned int scaleTime : 4;
	signed int scaleCount : 4;
	signed int extraUnit : 5;
	unsigned int extraScale : 3;
#else
	unsigned int extraScale : 3;
	signed int extraUnit : 5;
	signed int scaleCount : 4;
	unsigned int scaleTime : 4;
	unsigned int scaleSpace : 4;
	signed int dimCount : 4;
	signed int dimTime : 4;
	signed int dimSpace : 4;
#endif
} pmUnits;

#define PM_SPACE_BYTE	0
#define PM_SPACE_KBYTE	1	/* units of 1024 bytes, and so on */
#define PM_SPACE_MBYTE	2
#define PM_SPACE_GBYTE	3
#define PM_SPACE_TBYTE	4
#define PM_SPACE_PBYTE	5
#define PM_SPACE_EBYTE	6
#define PM_SPACE_ZBYTE	7
#define PM_SPACE_YBYTE	8

#define PM_TIME_NSEC	0
#define PM_TIME_USEC	1
#define PM_TIME_MSEC	2
#define PM_TIME_SEC	3
#define PM_TIME_MIN	4
#define PM_TIME_HOUR	5

#define PM_COUNT_ONE	0	/* a power of ten */

#define PM_UNIT_TEMPERATURE	1
#define PM_UNIT_VOLTAGE		2
#define PM_UNIT_CURRENT		3
#define PM_UNIT_POWER		4

#define PM_TEMPERATURE_C	1
#define PM_TEMPERATURE_F	2
#define PM_TEMPERATURE_K	3
#define PM_VOLTAGE_V		1
#define PM_VOLTAGE_mV		2
#define PM_VOLTAGE_uV		3
#define PM_CURRENT_A		1
#define PM_CURRENT_mA		2
#define PM_CURRENT_uA		3
#define PM_POWER_kW		1
#define PM_POWER_W		2
#define PM_POWER_mW		3
#define PM_POWER_uW		4

/* Descriptors */

typedef struct pmDesc {
	pmID pmid;
	int type;
	pmInDom indom;
	int sem;
	pmUnits units;
} pmDesc;

#define PM_TYPE_NOSUPPORT	 (-1)
#define PM_TYPE_32		 0
#define PM_TYPE_U32		 1
#define PM_TYPE_64		 2
#define PM_TYPE_U64		 3
#define PM_TYPE_FLOAT		 4
#define PM_TYPE_DOUBLE		 5
#define PM_TYPE_STRING		 6
#define PM_TYPE_AGGREGATE	 7
#define PM_TYPE_AGGREGATE_STATIC 8
#define PM_TYPE_EVENT		 9
#define PM_TYPE_HIGHRES_EVENT	 10
#define PM_TYPE_UNKNOWN		 255	/* only in a pmValueBlock */

#define PM_SEM_COUNTER	1
#define PM_SEM_INSTANT	3
#define PM_SEM_DISCRETE	4

/* Values and results */

typedef struct pmValueBlock {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	unsigned int vtype : 8;
	unsigned int vlen : 24;
#else
	unsigned int vlen : 24;	/* length of header and payload */
	unsigned int vtype : 8;
#endif
	char vbuf[1];
} pmValueBlock;

#define PM_VAL_HDR_SIZE	4
#define PM_VAL_VLEN_MAX	0x00ffffff

typedef struct pmValue {
	int inst;		/* or PM_IN_NULL */
	union {
		pmValueBlock *pval;
		int lval;
	} value;
} pmValue;

/* numval: number of values, 0, or an error code; valfmt is valid only if numval is positive */
typedef struct pmValueSet {
	pmID pmid;
	int numval;
	int valfmt;
	pmValue vlist[1];
} pmValueSet;

#define PM_VAL_INSITU	0	/* value.lval */
#define PM_VAL_DPTR	1	/* value.pval */
#define PM_VAL_SPTR	2	/* like PM_VAL_DPTR */

typedef struct pmResult {
	__pmTime timestamp;
	int numpmid;
	pmValueSet *vset[1];
} pmResult;

#if PMAPI_VERSION >= PMAPI_VERSION_4
typedef struct pmResult_v2 {
	struct timeval timestamp;
	int numpmid;
	pmValueSet *vset[1];
} pmResult_v2;
#define pmHighResResult pmResult
#else
typedef struct pmHighResResult {
	struct timespec timestamp;
	int numpmid;
	pmValueSet *vset[1];
} pmHighResResult;
#define pmResult_v2 pmResult
#endif

typedef union {
	int32_t l;
	uint32_t ul;
	int64_t ll;
	uint64_t ull;
	float f;
	double d;
	char *cp;
	pmValueBlock *vbp;
} pmAtomValue;

/*
 * Event records: a value of type PM_TYPE_EVENT or PM_TYPE_HIGHRES_EVENT is an array of records,
 * each with a time stamp and parameters, which are values of other metrics.
 */

typedef struct pmTimeval {
	int32_t tv_sec;
	int32_t tv_usec;
} pmTimeval;

typedef struct pmTimespec {
	int64_t tv_sec;
	int64_t tv_nsec;
} pmTimespec;

/* A parameter, followed by its value, which is padded to a multiple of 4 bytes */
typedef struct pmEventParameter {
	pmID ep_pmid;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	unsigned int ep_type : 8;
	unsigned int ep_len : 24;
#else
	unsigned int ep_len : 24;	/* length of the value plus 4 bytes */
	unsigned int ep_type : 8;
#endif
} pmEventParameter;

typedef struct pmEventRecord {
	pmTimeval er_timestamp;
	unsigned int er_flags;
	int er_nparams;			/* or number of lost records (PM_EVENT_FLAG_MISSED) */
	pmEventParameter er_param[1];
} pmEventRecord;

typedef struct pmHighResEventRecord {
	pmTimespec er_timestamp;
	unsigned int er_flags;
	int er_nparams;
	pmEventParameter er_param[1];
} pmHighResEventRecord;

typedef struct pmEventArray {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	unsigned int ea_type : 8;
	unsigned int ea_len : 24;
#else
	unsigned int ea_len : 24;
	unsigned int ea_type : 8;
#endif
	int ea_nrecords;
	pmEventRecord ea_record[1];
} pmEventArray;

typedef struct pmHighResEventArray {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	unsigned int ea_type : 8;
	unsigned int ea_len : 24;
#else
	unsigned int ea_len : 24;
	unsigned int ea_type : 8;
#endif
	int ea_nrecords;
	pmHighResEventRecord ea_record[1];
} pmHighResEventArray;

#define PM_EVENT_FLAG_POINT	(1U << 0)
#define PM_EVENT_FLAG_START	(1U << 1)
#define PM_EVENT_FLAG_END	(1U << 2)
#define PM_EVENT_FLAG_ID	(1U << 3)	/* the first parameter identifies the event */
#define PM_EVENT_FLAG_PARENT	(1U << 4)	/* the second parameter identifies its parent */
#define PM_EVENT_FLAG_MISSED	(1U << 31)

int pmUnpackEventRecords(pmValueSet *vsp, int idx, pmResult_v2 ***rap);
int pmUnpackHighResEventRecords(pmValueSet *vsp, int idx, pmHighResResult ***rap);
void pmFreeEventResult(pmResult_v2 **rset);
void pmFreeHighResEventResult(pmHighResResult **rset);

/* Archive labels */

#define PM_LOG_MAXHOSTLEN	64
#define PM_TZ_MAXLEN		40
#define PM_MAX_HOSTNAMELEN	256
#define PM_MAX_TIMEZONELEN	256
#define PM_MAX_ZONEINFOLEN	256

#define PM_LOG_MAGIC	0x50052600	/* ORed with the version */
#define PM_LOG_VERS02	2
#define PM_LOG_VERS03	3
#define PM_LOG_VOL_TI	(-2)	/* file number in the label of the index */
#define PM_LOG_VOL_META	(-1)
#define PM_LOG_VOL_CURRENT	0

#define PM_LOG_FEATURE_NONE	0	/* in labels of version 3 */
#define PM_LOG_FEATURE_QA	(1U << 31)
#define PM_LOG_FEATURES		(PM_LOG_FEATURE_NONE | PM_LOG_FEATURE_QA)

#if PMAPI_VERSION >= PMAPI_VERSION_4
#define __PM_LABEL		pmLogLabel_v2
#define __PM_HIGHRES_LABEL	pmLogLabel
#else
#define __PM_LABEL		pmLogLabel
#define __PM_HIGHRES_LABEL	pmHighResLogLabel
#define pmLogLabel_v2		pmLogLabel
#endif

typedef struct __PM_LABEL {
	int ll_magic;
	pid_t ll_pid;
	struct timeval ll_start;
	char ll_hostname[PM_LOG_MAXHOSTLEN];
	char ll_tz[PM_TZ_MAXLEN];
} __PM_LABEL;

typedef struct __PM_HIGHRES_LABEL {
	int magic;
	pid_t pid;
	struct timespec start;
	char hostname[PM_MAX_HOSTNAMELEN];
	char timezone[PM_MAX_TIMEZONELEN];
	char zoneinfo[PM_MAX_ZONEINFOLEN];
} __PM_HIGHRES_LABEL;

#define PM_MAX_TIME_T	LLONG_MAX	/* seconds if the end is unknown */

/* Contexts; each thread has a current one */

#define PM_CONTEXT_UNDEF	(-1)
#define PM_CONTEXT_HOST		1
#define PM_CONTEXT_ARCHIVE	2
#define PM_CONTEXT_LOCAL	3
#define PM_CONTEXT_TYPEMASK	0xff

/* Flags ORed with the type, for live sources; ignored for archives */
#define PM_CTXFLAG_SHALLOW	(1U << 8)
#define PM_CTXFLAG_EXCLUSIVE	(1U << 9)
#define PM_CTXFLAG_SECURE	(1U << 10)
#define PM_CTXFLAG_COMPRESS	(1U << 11)
#define PM_CTXFLAG_RELAXED	(1U << 12)
#define PM_CTXFLAG_AUTH		(1U << 13)
#define PM_CTXFLAG_CONTAINER	(1U << 14)
#define PM_CTXFLAG_NO_FEATURE_CHECK (1U << 15)
/* Volumes and index are opened on demand, regardless of these flags */
#define PM_CTXFLAG_METADATA_ONLY (1U << 16)
#define PM_CTXFLAG_LAST_VOLUME	(1U << 17)

int pmNewContext(int type, const char *name);
int pmDupContext(void);
int pmUseContext(int handle);
int pmWhichContext(void);
int pmDestroyContext(int handle);

int pmReconnectContext(int handle);
int pmGetHostName(int handle, char *buf, int buflen);
char *pmGetContextHostName_r(int handle, char *buf, int buflen);
const char *pmGetContextHostName(int handle);

/* Names and descriptors */

int pmLookupName(int numpmid, const char **namelist, pmID *pmidlist);
int pmNameID(pmID pmid, char **name);
int pmNameAll(pmID pmid, char ***nameset);
int pmGetChildren(const char *name, char ***offspring);
int pmGetChildrenStatus(const char *name, char ***offspring, int **status);
int pmTraversePMNS(const char *name, void (*func)(const char *name));
int pmTraversePMNS_r(const char *name, void (*func)(const char *name, void *closure),
		     void *closure);
int pmLookupDesc(pmID pmid, pmDesc *desc);
int pmLookupDescs(int numpmid, pmID *pmidlist, pmDesc *desclist);

void pmPrintDesc(FILE *f, const pmDesc *desc);

int pmGetPMNSLocation(void);
int pmTrimNameSpace(void);

#define PMNS_LOCAL		1	/* names from a file */
#define PMNS_REMOTE		2
#define PMNS_ARCHIVE		3

#define PMNS_LEAF_STATUS	0
#define PMNS_NONLEAF_STATUS	1

/* Instances, at the current time of the context or over the whole archive */

int pmGetInDom(pmInDom indom, int **instlist, char ***namelist);
int pmNameInDom(pmInDom indom, int inst, char **name);
int pmLookupInDom(pmInDom indom, const char *name);
int pmGetInDomArchive(pmInDom indom, int **instlist, char ***namelist);
int pmNameInDomArchive(pmInDom indom, int inst, char **name);
int pmLookupInDomArchive(pmInDom indom, const char *name);

int pmAddProfile(pmInDom indom, int numinst, int *instlist);
int pmDelProfile(pmInDom indom, int numinst, int *instlist);

#define PM_PROFILE_INCLUDE	0
#define PM_PROFILE_EXCLUDE	1

/* Arguments of agents and archive writers; only for programs that use the type names */
typedef struct pmInDomProfile {
	pmInDom indom;
	int state;		/* PM_PROFILE_x; the instances are the exceptions */
	int instances_len;
	int *instances;
} pmInDomProfile;

typedef struct pmProfile {
	int state;
	int profile_len;
	pmInDomProfile *profile;
} pmProfile;

typedef struct pmInResult {
	pmInDom indom;
	int numinst;
	int *instlist;
	char **namelist;
} pmInResult;

/* Texts that describe a metric or an instance domain */

#define PM_TEXT_ONELINE	1
#define PM_TEXT_HELP	2	/* or the one-line text if there is no help text */
#define PM_TEXT_PMID	4	/* for pmiPutText(): the kind of its target */
#define PM_TEXT_INDOM	8
#define PM_TEXT_DIRECT	16	/* ORed with the level: do not substitute the one-line text */

int pmLookupText(pmID pmid, int level, char **buffer);
int pmLookupInDomText(pmInDom indom, int level, char **buffer);

/* Labels: names and values that annotate metrics, as of the current time of the context */

/* offsets of a label's name and value in its set's text */
typedef struct pmLabel {
	unsigned int name : 16;
	unsigned int namelen : 8;	/* the name is not quoted */
	unsigned int flags : 8;
	unsigned int value : 16;
	unsigned int valuelen : 16;	/* the value is quoted if it is a string */
} pmLabel;

/* flags: one of PM_LABEL_CONTEXT to PM_LABEL_INSTANCES, ORed with these bits */
#define PM_LABEL_COMPOUND	(1 << 6)
#define PM_LABEL_OPTIONAL	(1 << 7)

typedef struct pmLabelSet {
	unsigned int inst;		/* or PM_IN_NULL */
	int nlabels;			/* or an error code */
	char *json;
	unsigned int jsonlen : 16;
	unsigned int padding : 15;
	unsigned int compound : 1;
	pmLabel *labels;
	void *hash;
} pmLabelSet;

#define PM_MAXLABELS		255
#define PM_MAXLABELJSONLEN	65535

#define PM_LABEL_CONTEXT	(1 << 0)
#define PM_LABEL_DOMAIN		(1 << 1)
#define PM_LABEL_INDOM		(1 << 2)
#define PM_LABEL_CLUSTER	(1 << 3)
#define PM_LABEL_ITEM		(1 << 4)
#define PM_LABEL_INSTANCES	(1 << 5)

int pmGetContextLabels(pmLabelSet **sets);
int pmGetDomainLabels(int domain, pmLabelSet **sets);
int pmGetInDomLabels(pmInDom indom, pmLabelSet **sets);
int pmGetClusterLabels(pmID pmid, pmLabelSet **sets);
int pmGetItemLabels(pmID pmid, pmLabelSet **sets);
int pmGetInstancesLabels(pmInDom indom, pmLabelSet **sets);
int pmLookupLabels(pmID pmid, pmLabelSet **sets);
int pmMergeLabels(char **objects, int nobjects, char *buffer, int buflen);
int pmMergeLabelSets(pmLabelSet **sets, int nsets, char *buffer, int buflen,
		     int (*filter)(const pmLabel *label, const char *json, void *arg), void *arg);
void pmFreeLabelSets(pmLabelSet *sets, int nsets);
void pmPrintLabelSets(FILE *f, int ident, int type, pmLabelSet *sets, int nsets);

/* Time: position of the next fetch, and how it moves with each fetch */

#define PM_MODE_LIVE	0
#define PM_MODE_INTERP	1	/* interpolated values at a time that advances by delta */
#define PM_MODE_FORW	2	/* record by record */
#define PM_MODE_BACK	3	/* like PM_MODE_FORW, backwards */

/* Fetching */

#define PMCD_ADD_AGENT		(1 << 0)	/* changes reported by a fetch from a live source */
#define PMCD_RESTART_AGENT	(1 << 1)
#define PMCD_DROP_AGENT		(1 << 2)
#define PMCD_NO_CHANGE		0
#define PMCD_AGENT_CHANGE	(PMCD_ADD_AGENT | PMCD_RESTART_AGENT | PMCD_DROP_AGENT)
#define PMCD_LABEL_CHANGE	(1 << 3)
#define PMCD_NAMES_CHANGE	(1 << 4)
#define PMCD_HOSTNAME_CHANGE	(1 << 5)

#include <pcp/pmapi_versions.h>

/*
 * Values and texts.  A const char * returned by a call without _r is valid until the thread's next
 * call; the results of pmTypeStr() and pmSemStr() are always valid
 */

int pmExtractValue(int valfmt, const pmValue *ival, int itype, pmAtomValue *oval, int otype);
void pmPrintValue(FILE *f, int valfmt, int type, const pmValue *val, int minwidth);
const char *pmAtomStr(const pmAtomValue *avp, int type);
char *pmAtomStr_r(const pmAtomValue *avp, int type, char *buf, int buflen);
const char *pmUnitsStr(const pmUnits *units);
char *pmUnitsStr_r(const pmUnits *units, char *buf, int buflen);
const char *pmTypeStr(int type);
char *pmTypeStr_r(int type, char *buf, int buflen);
const char *pmSemStr(int sem);
char *pmSemStr_r(int sem, char *buf, int buflen);
const char *pmIDStr(pmID pmid);
char *pmIDStr_r(pmID pmid, char *buf, int buflen);
const char *pmInDomStr(pmInDom indom);
char *pmInDomStr_r(pmInDom indom, char *buf, int buflen);

/* Times: add, subtract, and convert to seconds; Inc and Dec change the first argument */

void pmtimevalInc(struct timeval *a, const struct timeval *b);
void pmtimevalDec(struct timeval *a, const struct timeval *b);
double pmtimevalAdd(const struct timeval *a, const struct timeval *b);
double pmtimevalSub(const struct timeval *a, const struct timeval *b);
double pmtimevalToReal(const struct timeval *a);
void pmtimevalFromReal(double seconds, struct timeval *a);
void pmtimevalNow(struct timeval *a);
void pmtimevalPrint(FILE *f, const struct timeval *a) __PM_SYMBOL(pmPrintStamp);
void pmtimevalTotimespec(struct timeval *a, struct timespec *to);
void pmtimespecInc(struct timespec *a, const struct timespec *b);
void pmtimespecDec(struct timespec *a, const struct timespec *b);
double pmtimespecAdd(const struct timespec *a, const struct timespec *b);
double pmtimespecSub(const struct timespec *a, const struct timespec *b);
double pmtimespecToReal(const struct timespec *a);
void pmtimespecFromReal(double seconds, struct timespec *a);
int pmtimespecNow(struct timespec *a);
void pmtimespecPrint(FILE *f, const struct timespec *a) __PM_SYMBOL(pmPrintHighResStamp);
void pmtimespecPrintInterval(FILE *f, const struct timespec *a);
void pmtimespecTotimeval(struct timespec *a, struct timeval *to);

#include <pcp/pmapi_errors.h>
#include <pcp/pmapi_process.h>
#include <pcp/pmapi_derived.h>
#include <pcp/pmapi_fetchgroup.h>
#include <pcp/pmapi_options.h>
#include <pcp/pmapi_text.h>
#include <pcp/pmapi_checks.h>

#ifdef __cplusplus
}
#endif

#endif /* PCP_PMAPI_H */
