// SPDX-License-Identifier: GPL-2.0-or-later
/* Misuse <pcp/pmapi.h>, with contexts on an archive. */
#include "../pcp/archive_file.h"
#include "misuse.h"
#include "pmapi_codes.h"

#define NO_INDOM	0x12345678U

static char folder[] = "/tmp/misuse.XXXXXX", base[64];
static pmID pmid, pmids[2];
static pmDesc desc;
static pmResult *result;
static pmHighResResult *highres;
static pmAtomValue atom;
static pmUnits units;
static pmLabelSet *labels;
static pmLogLabel label;
static pmHighResLogLabel highres_label;
static struct timeval tv;
static struct timespec ts;
static time_t clock_time;
static struct tm tm;
static pmFG group;
static char *text, **texts, buf[256];
static int *ints, context;

static void ready(void)
{
	const char *name = "v.cu32";

	context = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	if (context < 0 || pmLookupName(1, &name, &pmid) != 1)
		exit(9);
	pmids[0] = pmids[1] = pmid;
	if (pmFetch(1, &pmid, &result) < 0)
		exit(9);
}

static void destroyed(void)
{
	ready();
	if (pmDestroyContext(context))
		exit(9);
}

static void grouped(void)
{
	if (pmCreateFetchGroup(&group, PM_CONTEXT_ARCHIVE, base))
		exit(9);
}

static long fetch_in_thread(void)
{
	return pmFetch(1, &pmid, &result);
}

static long use_in_thread(void)
{
	return pmUseContext(context);
}

static long destroy_in_thread(void)
{
	return pmDestroyContext(context);
}

/* Open contexts on an archive without closing any, and return the number that succeeded. */
static int many_contexts(int many)
{
	int n = 0, err = 0;

	for (; n < many && err >= 0; n++)
		err = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	return err < 0 ? err : n;
}

static int many_duplicates(int many)
{
	int n = 0, err = 0;

	for (; n < many && err >= 0; n++)
		err = pmDupContext();
	return err < 0 ? err : n;
}

/* Open and destroy contexts one at a time, and return the number that succeeded. */
static int many_destroyed(int many)
{
	int n = 0, err = 0;

	for (; n < many && err >= 0; n++) {
		err = pmDupContext();
		if (err >= 0)
			err = pmDestroyContext(err);
		if (!err)
			err = pmUseContext(context);
	}
	return err < 0 ? err : n;
}

static void contexts(void)
{
	INT(, "NULL name", pmNewContext(PM_CONTEXT_ARCHIVE, NULL));
	INT(, "NULL name", pmNewContext(PM_CONTEXT_HOST, NULL));
	INT(, "type -1", pmNewContext(-1, base));
	INT(ready(), "1000 contexts on an archive", many_contexts(1000));
	INT(ready(), "1000 duplicates", many_duplicates(1000));
	INT(ready(), "duplicated and destroyed 10^6 times", many_destroyed(1000000));
	INT(, "no context", pmDupContext());
	INT(, "no context", pmUseContext(0));
	INT(ready(), "context -1", pmUseContext(-1));
	INT(ready(), "context 2147483647", pmUseContext(0x7fffffff));
	INT(destroyed(), "a destroyed context", pmUseContext(context));
	INT(ready(), "another thread's context", in_another_thread(use_in_thread));
	INT(, "no context", pmWhichContext());
	INT(destroyed(), "a destroyed context", pmWhichContext());
	INT(, "no context", pmDestroyContext(0));
	INT(ready(), "context -1", pmDestroyContext(-1));
	INT(destroyed(), "destroyed twice", pmDestroyContext(context));
	INT(ready(), "another thread's current context", in_another_thread(destroy_in_thread));
	INT(ready(); in_another_thread(destroy_in_thread), "destroyed by another thread",
	    pmFetch(1, &pmid, &result));
	INT(, "no context", pmReconnectContext(0));
	INT(destroyed(), "a destroyed context", pmReconnectContext(context));
	INT(, "no context", pmGetHostName(0, buf, sizeof(buf)));
	INT(ready(), "NULL buffer", pmGetHostName(context, NULL, 0));
	INT(ready(), "length -1", pmGetHostName(context, buf, -1));
	POINTER(, "no context", pmGetContextHostName(0));
	POINTER(, "context -1", pmGetContextHostName(-1));
	POINTER(ready(), "NULL buffer", pmGetContextHostName_r(context, NULL, 0));
}

static void names(void)
{
	const char *none[] = { NULL }, *one[] = { "v.cu32" };

	INT(, "no context", pmLookupName(1, one, &pmid));
	INT(ready(), "NULL names", pmLookupName(1, NULL, &pmid));
	INT(ready(), "a NULL name", pmLookupName(1, none, &pmid));
	INT(ready(), "NULL result", pmLookupName(1, one, NULL));
	INT(ready(), "-1 names", pmLookupName(-1, one, &pmid));
	INT(ready(), "-2147483648 names", pmLookupName(-0x7fffffff - 1, one, &pmid));
	INT(, "no context", pmNameID(1, &text));
	INT(ready(), "NULL result", pmNameID(pmid, NULL));
	INT(ready(), "PM_ID_NULL", pmNameID(PM_ID_NULL, &text));
	INT(ready(), "NULL result", pmNameAll(pmid, NULL));
	INT(, "no context", pmGetChildren("", &texts));
	INT(ready(), "NULL name", pmGetChildren(NULL, &texts));
	INT(ready(), "NULL result", pmGetChildren("", NULL));
	INT(ready(), "NULL name", pmGetChildrenStatus(NULL, &texts, &ints));
	INT(ready(), "NULL results", pmGetChildrenStatus("", NULL, NULL));
	INT(ready(), "NULL name and function", pmTraversePMNS(NULL, NULL));
	INT(ready(), "NULL function", pmTraversePMNS("", NULL));
	INT(ready(), "NULL function", pmTraversePMNS_r("", NULL, NULL));
	INT(, "no context", pmLookupDesc(1, &desc));
	INT(ready(), "NULL result", pmLookupDesc(pmid, NULL));
	INT(ready(), "PM_ID_NULL", pmLookupDesc(PM_ID_NULL, &desc));
	INT(ready(), "NULL results", pmLookupDescs(1, NULL, NULL));
	INT(ready(), "-1 metrics", pmLookupDescs(-1, &pmid, &desc));
	INT(, "no context", pmGetPMNSLocation());
	INT(, "no context", pmTrimNameSpace());
	INT(, "no such file", pmLoadNameSpace("/nonexistent"));
	INT(, "no such file", pmLoadASCIINameSpace("/nonexistent", 0));
	NOTHING(, "no name space is loaded", pmUnloadNameSpace());
}

static void instances(void)
{
	INT(, "no context", pmGetInDom(NO_INDOM, &ints, &texts));
	INT(ready(), "NULL results", pmGetInDom(NO_INDOM, NULL, NULL));
	INT(ready(), "an unknown domain", pmGetInDom(NO_INDOM, &ints, &texts));
	INT(ready(), "NULL result", pmNameInDom(NO_INDOM, 0, NULL));
	INT(ready(), "NULL name", pmLookupInDom(NO_INDOM, NULL));
	INT(ready(), "NULL results", pmGetInDomArchive(NO_INDOM, NULL, NULL));
	INT(ready(), "NULL result", pmNameInDomArchive(NO_INDOM, 0, NULL));
	INT(ready(), "NULL name", pmLookupInDomArchive(NO_INDOM, NULL));
	INT(, "no context", pmAddProfile(NO_INDOM, 0, NULL));
	INT(ready(), "1 instance, NULL", pmAddProfile(NO_INDOM, 1, NULL));
	INT(ready(), "-1 instances", pmAddProfile(NO_INDOM, -1, NULL));
	INT(ready(), "1 instance, NULL", pmDelProfile(NO_INDOM, 1, NULL));
	INT(ready(), "2147483647 instances, NULL", pmDelProfile(NO_INDOM, 0x7fffffff, NULL));
	INT(ready(), "NULL result", pmLookupText(pmid, PM_TEXT_ONELINE, NULL));
	INT(ready(), "level -1", pmLookupText(pmid, -1, &text));
	INT(ready(), "NULL result", pmLookupInDomText(NO_INDOM, PM_TEXT_ONELINE, NULL));
	INT(, "no context", pmGetContextLabels(&labels));
	INT(ready(), "NULL result", pmGetContextLabels(NULL));
	INT(ready(), "NULL result", pmGetDomainLabels(1, NULL));
	INT(ready(), "NULL result", pmGetInDomLabels(NO_INDOM, NULL));
	INT(ready(), "NULL result", pmGetClusterLabels(pmid, NULL));
	INT(ready(), "NULL result", pmGetItemLabels(pmid, NULL));
	INT(ready(), "NULL result", pmGetInstancesLabels(NO_INDOM, NULL));
	INT(ready(), "NULL result", pmLookupLabels(pmid, NULL));
	INT(, "NULL texts", pmMergeLabels(NULL, 1, buf, sizeof(buf)));
	INT(, "NULL buffer", pmMergeLabels(NULL, 0, NULL, 0));
	INT(, "NULL sets", pmMergeLabelSets(NULL, 1, buf, sizeof(buf), NULL, NULL));
	NOTHING(, "NULL sets", pmFreeLabelSets(NULL, 1));
}

static void fetches(void)
{
	INT(, "no context", pmFetch(1, &pmid, &result));
	INT(ready(), "no metrics", pmFetch(0, &pmid, &result));
	INT(ready(), "-1 metrics", pmFetch(-1, &pmid, &result));
	INT(ready(), "NULL metrics", pmFetch(1, NULL, &result));
	INT(ready(), "NULL result", pmFetch(1, &pmid, NULL));
	INT(destroyed(), "a destroyed context", pmFetch(1, &pmid, &result));
	INT(ready(), "by a thread without a context", in_another_thread(fetch_in_thread));
	INT(ready(), "NULL metrics", pmFetchHighRes(1, NULL, &highres));
	INT(ready(), "NULL result", pmHighResFetch(1, &pmid, NULL));
	INT(ready(), "NULL result", pmFetchArchive(NULL));
	INT(ready(), "in PM_MODE_INTERP", pmFetchArchive(&result));
	INT(ready(), "NULL result", pmFetchHighResArchive(NULL));
	NOTHING(, "NULL result", pmFreeResult(NULL));
	NOTHING(, "NULL result", pmFreeHighResResult(NULL));
	INT(ready(), "NULL result", pmStore(NULL));
	INT(ready(), "NULL result", pmStoreHighRes(NULL));
	INT(ready(), "in an archive", pmStore(result));
	NOTHING(, "NULL result", pmSortInstances(NULL));
	NOTHING(, "NULL result", pmSortHighResInstances(NULL));
	INT(ready(), "NULL label", pmGetArchiveLabel(NULL));
	INT(, "no context", pmGetArchiveLabel(&label));
	INT(ready(), "NULL label", pmGetHighResArchiveLabel(NULL));
	INT(, "no context", pmGetHighResArchiveLabel(&highres_label));
	INT(ready(), "NULL time", pmGetArchiveEnd(NULL));
	INT(ready(), "NULL time", pmGetHighResArchiveEnd(NULL));
	INT(, "no context", pmSetMode(PM_MODE_FORW, &tv, 0));
	INT(ready(), "NULL time", pmSetMode(PM_MODE_FORW, NULL, 0));
	INT(ready(), "NULL time", pmSetMode(PM_MODE_INTERP, NULL, 1000));
	INT(ready(), "mode -1", pmSetMode(-1, &tv, 0));
	INT(ready(), "PM_MODE_LIVE", pmSetMode(PM_MODE_LIVE, &tv, 0));
	INT(ready(), "the minimum step", pmSetMode(PM_MODE_INTERP, &tv, -0x7fffffff - 1));
	INT(ready(), "NULL times", pmSetModeHighRes(PM_MODE_INTERP, NULL, NULL));
	INT(, "NULL record", pmUnpackEventRecords(NULL, 0, NULL));
	INT(ready(), "not an event record", pmUnpackEventRecords(result->vset[0], 0, (void *)&texts));
	INT(, "NULL record", pmUnpackHighResEventRecords(NULL, 0, NULL));
	NOTHING(, "NULL records", pmFreeEventResult(NULL));
	NOTHING(, "NULL records", pmFreeHighResEventResult(NULL));
}

static void groups(void)
{
	INT(, "NULL result", pmCreateFetchGroup(NULL, PM_CONTEXT_ARCHIVE, base));
	INT(, "NULL name", pmCreateFetchGroup(&group, PM_CONTEXT_ARCHIVE, NULL));
	INT(, "type -1", pmCreateFetchGroup(&group, -1, base));
	INT(, "NULL group", pmGetFetchGroupContext(NULL));
	INT(, "NULL group", pmExtendFetchGroup_item(NULL, "v.cu32", NULL, NULL, &atom, PM_TYPE_32, NULL));
	INT(grouped(), "NULL metric",
	    pmExtendFetchGroup_item(group, NULL, NULL, NULL, &atom, PM_TYPE_32, NULL));
	INT(grouped(), "type 99", pmExtendFetchGroup_item(group, "v.cu32", NULL, NULL, &atom, 99, NULL));
	INT(, "NULL group", pmExtendFetchGroup_indom(NULL, "v.cu32", NULL, NULL, NULL, NULL, PM_TYPE_32,
						      NULL, 1, NULL, NULL));
	INT(grouped(), "NULL metric", pmExtendFetchGroup_indom(group, NULL, NULL, NULL, NULL, NULL,
							       PM_TYPE_32, NULL, 1, NULL, NULL));
	INT(, "NULL group", pmExtendFetchGroup_event(NULL, "v.cu32", NULL, "f", NULL, NULL, NULL,
						      PM_TYPE_32, NULL, 1, NULL, NULL));
	INT(, "NULL group", pmExtendFetchGroup_timestamp(NULL, &tv));
	INT(grouped(), "NULL time", pmExtendFetchGroup_timestamp(group, NULL));
	INT(, "NULL group", pmExtendFetchGroup_timeval(NULL, &tv));
	INT(, "NULL group", pmExtendFetchGroup_timespec(NULL, &ts));
	INT(, "NULL group", pmFetchGroup(NULL));
	INT(grouped(), "an empty group", pmFetchGroup(group));
	INT(, "NULL group", pmClearFetchGroup(NULL));
	INT(, "NULL group", pmDestroyFetchGroup(NULL));
	INT(grouped(); pmDestroyContext(pmGetFetchGroupContext(group)), "its context was destroyed",
	    pmFetchGroup(group));
}

static void derived(void)
{
	POINTER(, "NULL name", pmRegisterDerived(NULL, "1"));
	POINTER(, "NULL expression", pmRegisterDerived("d.one", NULL));
	INT(, "NULL name", pmRegisterDerivedMetric(NULL, "1", &text));
	INT(, "NULL message", pmRegisterDerivedMetric("d.one", "(", NULL));
	POINTER(, "no context", pmAddDerived("d.one", "1"));
	POINTER(ready(), "NULL name", pmAddDerived(NULL, NULL));
	INT(ready(), "NULL name", pmAddDerivedMetric(NULL, NULL, &text));
	INT(ready(), "NULL message", pmAddDerivedMetric("d.one", "(", NULL));
	INT(, "NULL file", pmLoadDerivedConfig(NULL));
	INT(, "no such file", pmLoadDerivedConfig("/nonexistent"));
	POINTER(, "no error", pmDerivedErrStr());
	INT(, "NULL name", pmUnregisterDerived(NULL));
	INT(, "NULL name and text", pmAddDerivedText(NULL, PM_TEXT_ONELINE, NULL));
	INT(, "unknown control 99, NULL value", pmGetDerivedControl(99, NULL));
	INT(, "NULL value", pmGetDerivedControl(PCP_DERIVED_GLOBAL_LIMIT, NULL));
	INT(, "unknown control 99", pmSetDerivedControl(99, 1));
	INT(, "value -2147483648", pmSetDerivedControl(PCP_DERIVED_GLOBAL_LIMIT, -0x7fffffff - 1));
}

static void texts_and_times(void)
{
	INT(ready(), "NULL value", pmExtractValue(PM_VAL_INSITU, NULL, PM_TYPE_32, &atom, PM_TYPE_32));
	INT(ready(), "NULL result", pmExtractValue(PM_VAL_INSITU, &result->vset[0]->vlist[0], PM_TYPE_32,
						   NULL, PM_TYPE_32));
	INT(ready(), "format 99", pmExtractValue(99, &result->vset[0]->vlist[0], PM_TYPE_32, &atom, PM_TYPE_32));
	POINTER(, "type 99", pmAtomStr(&atom, 99));
	POINTER(, "NULL buffer", pmAtomStr_r(&atom, PM_TYPE_32, NULL, 0));
	POINTER(, "NULL buffer", pmUnitsStr_r(&units, NULL, 0));
	POINTER(, "type -2147483648", pmTypeStr(-0x7fffffff - 1));
	POINTER(, "NULL buffer", pmTypeStr_r(0, NULL, 0));
	POINTER(, "semantics 2147483647", pmSemStr(0x7fffffff));
	POINTER(, "NULL buffer", pmSemStr_r(0, NULL, 0));
	POINTER(, "NULL buffer", pmIDStr_r(1, NULL, 0));
	POINTER(, "NULL buffer", pmInDomStr_r(1, NULL, 0));
	INT(, "NULL values", pmConvScale(PM_TYPE_32, NULL, NULL, NULL, NULL));
	POINTER(, "NaN", pmNumberStr(__builtin_nan("")));
	POINTER(, "NULL buffer", pmNumberStr_r(1, NULL, 0));
	POINTER(, "NULL buffer", pmEventFlagsStr_r(1, NULL, 0));
	INT(, "NULL text", pmParseUnitsStr(NULL, &units, NULL, &text));
	INT(, "NULL results", pmParseUnitsStr("bytes", NULL, NULL, NULL));
	INT(, "NULL text and results", pmParseInterval(NULL, NULL, NULL));
	INT(, "NULL text and results", pmParseHighResInterval(NULL, NULL, NULL));
	INT(, "NULL results", pmParseTimeWindow(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
	INT(, "NULL text and results", pmParseMetricSpec(NULL, 0, NULL, NULL, NULL));
	NOTHING(, "NULL specification", pmFreeMetricSpec(NULL));
	INT(, "NULL zone", pmNewZone(NULL));
	INT(, "no context", pmNewContextZone());
	INT(, "zone -1", pmUseZone(-1));
	INT(, "zone 2147483647", pmUseZone(0x7fffffff));
	INT(, "NULL result", pmWhichZone(NULL));
	POINTER(, "code 0", pmErrStr(0));
	POINTER(, "code -2147483648", pmErrStr(-0x7fffffff - 1));
	POINTER(, "NULL buffer", pmErrStr_r(-1, NULL, 0));
}

static void process(void)
{
	INT(, "size 0, NULL buffer", pmsprintf(NULL, 0, "text"));
	INT(, "size 0, NULL buffer", pmstrncpy(NULL, 0, "text"));
	INT(, "NULL text", pmstrlen(NULL));
	NOTHING(, "NULL name", pmSetProgname(NULL));
	POINTER(, "NULL variable", pmGetConfig(NULL));
	POINTER(, "NULL variable", pmGetOptionalConfig(NULL));
	POINTER(, "NULL feature", pmGetAPIConfig(NULL));
	INT(, "NULL result", pmGetUsername(NULL));
	INT(, "NULL user", pmSetProcessIdentity(NULL));
	POINTER(, "NULL text", pmSpecLocalPMDA(NULL));
	INT(, "NULL texts", pmDiscoverServices(NULL, NULL, NULL));
	INT(, "NULL text", pmSetDebug(NULL));
	INT(, "NULL text", pmClearDebug(NULL));
	INT(, "nothing to print", pmflush());
	INT(, "NULL options", pmgetopt_r(0, NULL, NULL));
	NOTHING(, "NULL options", pmFreeOptions(NULL));
}

/* PCP's library also dereferences these pointers. */
static void invalid_pointers(void)
{
	misuse_original = "PCP";
	NOTHING(ready(), "NULL file and descriptor", pmPrintDesc(NULL, NULL));
	NOTHING(, "NULL file and sets", pmPrintLabelSets(NULL, 0, 0, NULL, 1));
	NOTHING(, "NULL file and value", pmPrintValue(NULL, PM_VAL_INSITU, PM_TYPE_32, NULL, 1));
	POINTER(, "NULL value", pmAtomStr(NULL, PM_TYPE_32));
	POINTER(, "NULL units", pmUnitsStr(NULL));
	POINTER(, "NULL time", pmCtime(NULL, buf));
	POINTER(, "NULL buffer", pmCtime(&clock_time, NULL));
	POINTER(, "NULL time", pmLocaltime(NULL, &tm));
	NOTHING(, "NULL file and time", pmPrintStamp(NULL, NULL));
	NOTHING(, "NULL file and time", pmPrintHighResStamp(NULL, NULL));
	INT(, "NULL text", pmstrncpy(buf, sizeof(buf), NULL));
	INT(, "NULL text", pmstrncat(buf, sizeof(buf), NULL));
	INT(, "NULL file and result", pmfstring(NULL, NULL));
	INT(, "NULL options", pmGetOptions(0, NULL, NULL));
	INT(, "NULL options", pmGetContextOptions(0, NULL));
	NOTHING(, "NULL options", pmUsageMessage(NULL));
	NOTHING(, "NULL times", pmtimevalInc(NULL, NULL));
	NOTHING(, "NULL times", pmtimevalDec(NULL, NULL));
	INT(, "NULL times", pmtimevalAdd(NULL, NULL));
	INT(, "NULL time", pmtimevalToReal(NULL));
	NOTHING(, "NULL time", pmtimevalFromReal(1, NULL));
	NOTHING(, "NULL times", pmtimespecInc(NULL, NULL));
	INT(, "NULL times", pmtimespecSub(NULL, NULL));
	INT(, "NULL time", pmtimespecNow(NULL));
	NOTHING(, "NULL time", pmtimevalNow(NULL));
	misuse_original = NULL;
}

int main(void)
{
	int err;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	snprintf(base, sizeof(base), "%s/archive", folder);
	af_vectors(base, 2);
	contexts();
	names();
	instances();
	fetches();
	groups();
	derived();
	texts_and_times();
	process();
	invalid_pointers();
	err = misuse_ends();
	return execlp("sh", "sh", "-c", "rm -rf \"$0\"; exit $1", folder, err ? "1" : "0", NULL);
}
