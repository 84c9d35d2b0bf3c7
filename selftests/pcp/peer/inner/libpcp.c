// SPDX-License-Identifier: GPL-2.0-or-later
/* Define the functions that this directory's libpcp.h declares, with public calls. */
#include "libpcp.h"

int __pmLogReads;

static void dump_set(FILE *f, const pmValueSet *set)
{
	pmDesc desc;
	int err = pmLookupDesc(set->pmid, &desc);

	fprintf(f, "  %s: %d", pmIDStr(set->pmid), set->numval);
	for (int i = 0; i < set->numval; i++) {
		fprintf(f, " [%d] ", set->vlist[i].inst);
		pmPrintValue(f, set->valfmt, err ? PM_TYPE_UNKNOWN : desc.type, &set->vlist[i], 1);
	}
	fputc('\n', f);
}

void __pmDumpHighResResult(FILE *f, const pmHighResResult *result)
{
	fprintf(f, "result at %lld.%09ld: %d\n", (long long)result->timestamp.tv_sec,
		result->timestamp.tv_nsec, result->numpmid);
	for (int i = 0; i < result->numpmid; i++)
		dump_set(f, result->vset[i]);
}

void __pmDumpResult(FILE *f, const pmResult *result)
{
	fprintf(f, "result at %lld.%06ld: %d\n", (long long)result->timestamp.tv_sec,
		(long)result->timestamp.tv_usec, result->numpmid);
	for (int i = 0; i < result->numpmid; i++)
		dump_set(f, result->vset[i]);
}

static void dump_name(const char *name, void *arg)
{
	pmID pmid;

	fprintf(arg, "%s", name);
	if (pmLookupName(1, &name, &pmid) >= 0)
		fprintf(arg, " %s", pmIDStr(pmid));
	fputc('\n', arg);
}

void __pmDumpNameSpace(FILE *f, int verbosity)
{
	(void)verbosity;
	fprintf(f, "names: %d\n", pmTraversePMNS_r("", dump_name, f));
}

void __pmPrintMetricNames(FILE *f, int n, char **names, const char *between)
{
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%s", i ? between : "", names[i]);
}

void __pmDumpContext(FILE *f, int context, pmInDom indom)
{
	(void)indom;
	fprintf(f, "context %d\n", context);
}

int __pmProcessDataSize(unsigned long *size)
{
	if (size)
		*size = 0;
	return 0;
}
