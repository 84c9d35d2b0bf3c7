/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing archives: Performance Co-Pilot's LOGIMPORT, as of version 6.0.3, with extensions.
 *
 * A program describes metrics and instances, puts values, and writes them as one record with a
 * time; pmiEnd() finishes the archive.  libshim-import(3) describes each call and its differences
 * from the original.
 *
 * Threads: as in the original there is one current context for the whole process.  Any thread may
 * make calls, which are serialized.
 */
#ifndef PCP_IMPORT_H
#define PCP_IMPORT_H

#include <stdint.h>

#include <pcp/pmapi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Contexts: each writes one archive, which is created with the first record */

#if PMAPI_VERSION >= PMAPI_VERSION_4
#define PMI_VERSION_2	2
#define PMI_VERSION	PMI_VERSION_2
#define PMI_INHERIT	0x1	/* flag: copy the current context's metrics, instances, handles */
#define PMI_APPEND	0x2	/* flag: if the archive exists, append records to it */
#define PMI_PROCESS	0x4	/* flag: pmiSetImportProgram() records the process */

int pmiStart(const char *archive, int flags) __PM_AS(pmiStart_v4);
#else
int pmiStart(const char *archive, int inherit);
#endif
int pmiUseContext(int context);
int pmiEnd(void);
int pmiSetHostname(const char *host);
int pmiSetTimezone(const char *timezone);
int pmiSetVersion(int version);

/* Metrics, instances and handles; with PM_ID_NULL the library chooses the identifier */

int pmiAddMetric(const char *name, pmID pmid, int type, pmInDom indom, int sem, pmUnits units);
int pmiAddInstance(pmInDom indom, const char *instance, int inst);

/* Set the values of the next record, and write it */

int pmiPutValue(const char *name, const char *instance, const char *value);
int pmiGetHandle(const char *name, const char *instance);
int pmiPutValueHandle(int handle, const char *value);
#if PMAPI_VERSION >= PMAPI_VERSION_4
/* With nanoseconds, as in PCP 7.2 */
int pmiWrite(unsigned long long sec, unsigned int nsec) __PM_AS(pmiWrite_v4);
#else
int pmiWrite(int sec, int usec);
#endif
int pmiPutResult(const pmResult *result) __PM_AS(pmiPutHighResResult);
int pmiPutMark(void);

/* Texts and labels, which are written with the next record */

int pmiPutText(unsigned int type, unsigned int class_, unsigned int id, const char *content);
int pmiPutLabel(unsigned int type, unsigned int id, unsigned int inst, const char *name,
		const char *value);

/* Build identifiers and units from numbers */

pmID pmiID(int domain, int cluster, int item);
pmID pmiCluster(int domain, int cluster);
pmInDom pmiInDom(int domain, int serial);
pmUnits pmiUnits(int dimSpace, int dimTime, int dimCount, int scaleSpace, int scaleTime,
		 int scaleCount);
pmUnits pmiExtraUnits(int dimSpace, int dimTime, int dimCount, unsigned int scaleSpace,
		      unsigned int scaleTime, int scaleCount, int extraUnit,
		      unsigned int extraScale);

/* From PCP 7.2 */

int pmiWriteNow(void);
int pmiSetVolumeSize(size_t size, void (*done)(const char *path));
int pmiSetImportProgram(const char *tool, const char *version, const char *args,
			const char *archive);

/* PCP 6.0.3 does not have these; later versions have those up to the blank line */

int pmiWrite2(int64_t sec, int usec);
int pmiHighResWrite(int64_t sec, int nsec);
int pmiPutAtomValue(const char *name, const char *instance, const pmAtomValue *value);
int pmiPutAtomValueHandle(int handle, const pmAtomValue *value);

#if PMAPI_VERSION < PMAPI_VERSION_4
int pmiPutHighResResult(const pmHighResResult *result);
#endif
int pmiDelInstance(pmInDom indom, int inst);
int pmiSetZoneinfo(const char *zoneinfo);
int pmiNextVolume(void);

/* Error codes and texts, including PMAPI's; -1 means the last call's error */

#define PMI_MAXERRMSGLEN	128

const char *pmiErrStr(int code);
char *pmiErrStr_r(int code, char *buf, int buflen);
void pmiDump(void);

#define PMI_ERR_BASE		20000
#define PMI_ERR_DUPMETRICNAME	(-PMI_ERR_BASE - 1)
#define PMI_ERR_DUPMETRICID	(-PMI_ERR_BASE - 2)
#define PMI_ERR_DUPINSTNAME	(-PMI_ERR_BASE - 3)
#define PMI_ERR_DUPINSTID	(-PMI_ERR_BASE - 4)
#define PMI_ERR_INSTNOTNULL	(-PMI_ERR_BASE - 5)
#define PMI_ERR_INSTNULL	(-PMI_ERR_BASE - 6)
#define PMI_ERR_BADHANDLE	(-PMI_ERR_BASE - 7)
#define PMI_ERR_DUPVALUE	(-PMI_ERR_BASE - 8)
#define PMI_ERR_BADTYPE		(-PMI_ERR_BASE - 9)
#define PMI_ERR_BADSEM		(-PMI_ERR_BASE - 10)
#define PMI_ERR_NODATA		(-PMI_ERR_BASE - 11)
#define PMI_ERR_BADMETRICNAME	(-PMI_ERR_BASE - 12)
#define PMI_ERR_BADTIMESTAMP	(-PMI_ERR_BASE - 13)
#define PMI_ERR_BADTEXTTYPE	(-PMI_ERR_BASE - 14)
#define PMI_ERR_BADTEXTCLASS	(-PMI_ERR_BASE - 15)
#define PMI_ERR_BADTEXTID	(-PMI_ERR_BASE - 16)
#define PMI_ERR_EMPTYTEXTCONTENT (-PMI_ERR_BASE - 17)
#define PMI_ERR_DUPTEXT		(-PMI_ERR_BASE - 18)
#define PMI_ERR_BADLABELTYPE	(-PMI_ERR_BASE - 19)
#define PMI_ERR_BADLABELID	(-PMI_ERR_BASE - 20)
#define PMI_ERR_BADLABELINSTANCE (-PMI_ERR_BASE - 21)
#define PMI_ERR_EMPTYLABELNAME	(-PMI_ERR_BASE - 22)
#define PMI_ERR_EMPTYLABELVALUE	(-PMI_ERR_BASE - 23)
#define PMI_ERR_ADDLABELERROR	(-PMI_ERR_BASE - 24)
#define PMI_ERR_BADVERSION	(-PMI_ERR_BASE - 25)

#ifdef __cplusplus
}
#endif

#endif /* PCP_IMPORT_H */
