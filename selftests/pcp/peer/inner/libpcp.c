// SPDX-License-Identifier: GPL-2.0-or-later
/* What libpcp.h here declares, by public calls. */
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
