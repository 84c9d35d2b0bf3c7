// SPDX-License-Identifier: GPL-2.0-or-later
/* Misuse <pcp/import.h>. */
#include "pcp/import.h"
#include "misuse.h"
#include "pmapi_codes.h"

static char folder[] = "/tmp/misuse.XXXXXX";
/* An instance domain in PMID domain 245, from which the library assigns PMIDs */
#define INDOM	pmiInDom(245, 1)

static const pmUnits none;
static pmAtomValue atom;
static char *long_name;

/* Create a context with a metric without instances and a metric with instances. */
static void ready(void)
{
	own_folder();
	long_name = malloc(1 << 20);
	memset(long_name, 'm', 1 << 20);
	long_name[(1 << 20) - 1] = 0;
	if (pmiStart("out", 0) < 0 ||
	    pmiAddMetric("one", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, none) ||
	    pmiAddMetric("set", PM_ID_NULL, PM_TYPE_U32, INDOM, PM_SEM_INSTANT, none) ||
	    pmiAddInstance(INDOM, "left", 1))
		exit(9);
}

static void written(void)
{
	ready();
	if (pmiPutValue("one", NULL, "1") || pmiWrite(1000, 0))
		exit(9);
}

static void ended(void)
{
	written();
	if (pmiEnd())
		exit(9);
}

static long put_in_thread(void)
{
	return pmiPutValue("one", NULL, "1");
}

static void metric(void)
{
	pmiAddMetric("one", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, none);
}

/* Start many contexts, and return the number that succeeded. */
static int many_contexts(int many)
{
	char name[16];
	int n = 0, err = 0;

	for (; n < many && err >= 0; n++) {
		sprintf(name, "c%d", n);
		err = pmiStart(name, 0);
	}
	return err < 0 ? err : n;
}

/* Start and end contexts one at a time, and return the number that succeeded. */
static int many_ends(int many)
{
	int n = 0, err = 0;

	for (; n < many && err >= 0; n++) {
		err = pmiStart("again", 0);
		if (err >= 0)
			err = pmiEnd();
	}
	return err < 0 ? err : n;
}

static void contexts(void)
{
	INT(, "NULL archive", pmiStart(NULL, 0));
	INT(, "empty name", pmiStart("", 0));
	INT(pmiStart(NULL, 0); metric(); put_in_thread(), "the context's name is NULL", pmiWrite(1, 0));
	INT(pmiStart("", 0); metric(); put_in_thread(), "the context's name is empty", pmiWrite(1, 0));
	INT(, "no context to inherit from", pmiStart("out", 1));
	INT(, "10^5 contexts", many_contexts(100000));
	INT(, "started and ended 10^5 times", many_ends(100000));
	INT(, "no context", pmiUseContext(0));
	INT(ready(), "context -1", pmiUseContext(-1));
	INT(ready(), "context 2147483647", pmiUseContext(0x7fffffff));
	INT(ended(), "an ended context", pmiUseContext(1));
	INT(, "no context", pmiEnd());
	INT(ready(), "nothing was written", pmiEnd());
	INT(ended(), "ended twice", pmiEnd());
	INT(, "no context", pmiSetHostname("host"));
	INT(ready(), "NULL host", pmiSetHostname(NULL));
	INT(ready(), "a name of 1 MB", pmiSetHostname(long_name));
	INT(written(), "after a record", pmiSetHostname("host"));
	INT(, "no context", pmiSetTimezone("UTC"));
	INT(ready(), "NULL zone", pmiSetTimezone(NULL));
	INT(, "no context", pmiSetZoneinfo("UTC"));
	INT(ready(), "NULL zone", pmiSetZoneinfo(NULL));
	INT(, "no context", pmiSetVersion(3));
	INT(ready(), "version -1", pmiSetVersion(-1));
	INT(written(), "after a record", pmiSetVersion(2));
	INT(, "no context", pmiNextVolume());
	INT(, "no context", pmiSetVolumeSize(1, NULL));
	INT(, "no context", pmiSetImportProgram("a", "b", "c", "d"));
	INT(ready(), "NULL texts", pmiSetImportProgram(NULL, NULL, NULL, NULL));
	NOTHING(, "no context", pmiDump());
}

static void metrics(void)
{
	INT(, "no context", pmiAddMetric("m", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, 1, none));
	INT(ready(), "NULL name", pmiAddMetric(NULL, PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, 1, none));
	INT(ready(), "a name of 1 MB",
	    pmiAddMetric(long_name, PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, 1, none));
	INT(ready(), "type 99", pmiAddMetric("m", PM_ID_NULL, 99, PM_INDOM_NULL, 1, none));
	INT(ready(), "type -2147483647", pmiAddMetric("m", PM_ID_NULL, -0x7fffffff, PM_INDOM_NULL, 1, none));
	INT(ready(), "semantics 99", pmiAddMetric("m", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, 99, none));
	INT(ready(), "added twice", pmiAddMetric("one", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, 1, none));
	INT(ended(), "after its end", pmiAddMetric("m", PM_ID_NULL, PM_TYPE_U32, PM_INDOM_NULL, 1, none));
	INT(, "no context", pmiAddInstance(INDOM, "left", 1));
	INT(ready(), "NULL name", pmiAddInstance(INDOM, NULL, 2));
	INT(ready(), "instance -1", pmiAddInstance(INDOM, "right", -1));
	INT(ready(), "PM_INDOM_NULL", pmiAddInstance(PM_INDOM_NULL, "right", 2));
	INT(ready(), "added twice", pmiAddInstance(INDOM, "left", 1));
	INT(, "no context", pmiDelInstance(INDOM, 1));
	INT(ready(), "an unknown instance", pmiDelInstance(INDOM, 9));
	INT(ready(), "PM_INDOM_NULL", pmiDelInstance(PM_INDOM_NULL, 1));
	INT(, "no context", pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, 1, "text"));
	INT(ready(), "NULL text", pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, 1, NULL));
	INT(ready(), "type and class 4294967295", pmiPutText(~0U, ~0U, 1, "text"));
	INT(, "no context", pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", "\"b\""));
	INT(ready(), "NULL name", pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, NULL, "\"b\""));
	INT(ready(), "NULL value", pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "a", NULL));
	INT(ready(), "type 4294967295", pmiPutLabel(~0U, 0, 0, "a", "\"b\""));
}

static void values(void)
{
	INT(, "no context", pmiPutValue("one", NULL, "1"));
	INT(ready(), "NULL name", pmiPutValue(NULL, NULL, "1"));
	INT(ready(), "NULL value", pmiPutValue("one", NULL, NULL));
	INT(ready(), "an unknown metric", pmiPutValue("none", NULL, "1"));
	INT(ready(), "no instance", pmiPutValue("set", NULL, "1"));
	INT(ready(), "an instance of a metric without instances", pmiPutValue("one", "left", "1"));
	INT(ready(); pmiPutValue("one", NULL, "1"), "put twice", pmiPutValue("one", NULL, "1"));
	INT(ready(), "by another thread", in_another_thread(put_in_thread));
	INT(ended(), "after its end", pmiPutValue("one", NULL, "1"));
	INT(, "no context", pmiPutAtomValue("one", NULL, &atom));
	INT(ready(), "NULL name", pmiPutAtomValue(NULL, NULL, &atom));
	INT(ready(), "NULL value", pmiPutAtomValue("one", NULL, NULL));
	INT(, "no context", pmiGetHandle("one", NULL));
	INT(ready(), "NULL name", pmiGetHandle(NULL, NULL));
	INT(ready(), "no instance", pmiGetHandle("set", NULL));
	INT(, "no context", pmiPutValueHandle(1, "1"));
	INT(ready(), "handle 0", pmiPutValueHandle(0, "1"));
	INT(ready(), "handle -1", pmiPutValueHandle(-1, "1"));
	INT(ready(), "handle 2147483647", pmiPutValueHandle(0x7fffffff, "1"));
	INT(ready(); pmiGetHandle("one", NULL), "NULL value", pmiPutValueHandle(1, NULL));
	INT(ready(), "handle 2147483647", pmiPutAtomValueHandle(0x7fffffff, &atom));
	INT(ready(); pmiGetHandle("one", NULL), "NULL value", pmiPutAtomValueHandle(1, NULL));
	INT(, "no context", pmiWrite(1, 0));
	INT(ready(), "no values", pmiWrite(1, 0));
	INT(ready(); put_in_thread(), "second -1", pmiWrite(-1, 0));
	INT(ready(); put_in_thread(), "microsecond -1", pmiWrite(1, -1));
	INT(ready(); put_in_thread(), "microsecond 2147483647", pmiWrite(1, 0x7fffffff));
	INT(written(); put_in_thread(), "an earlier time", pmiWrite(1, 0));
	INT(ready(); put_in_thread(), "the maximum second", pmiWrite2(0x7fffffffffffffffLL, 0));
	INT(ready(); put_in_thread(), "the minimum second", pmiHighResWrite(-0x7fffffffffffffffLL, 0));
	INT(, "no context", pmiWriteNow());
	INT(, "no context", pmiPutMark());
	INT(ready(), "before a record", pmiPutMark());
	INT(, "no context", pmiPutResult(NULL));
	INT(ready(), "NULL result", pmiPutResult(NULL));
	INT(ready(), "NULL result", pmiPutHighResResult(NULL));
}

static void numbers(void)
{
	INT(, "all arguments negative", pmiID(-1, -1, -1));
	INT(, "all arguments negative", pmiCluster(-1, -1));
	INT(, "all arguments negative", pmiInDom(-1, -1));
	POINTER(, "unknown error code", pmiErrStr(1));
	POINTER(, "NULL buffer", pmiErrStr_r(-1, NULL, 0));
	POINTER(, "length -1", pmiErrStr_r(-1, folder, -1));
}

int main(void)
{
	int err;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	contexts();
	metrics();
	values();
	numbers();
	err = misuse_ends();
	return execlp("sh", "sh", "-c", "rm -rf \"$0\"; exit $1", folder, err ? "1" : "0", NULL);
}
