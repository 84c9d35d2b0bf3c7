// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetch all metrics below NAME from a host's pmcd, TIMES times.
 *
 * usage: fetch_often SPEC TIMES NAME
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define MAX_METRICS 256

static const char *names[MAX_METRICS];
static int n;

static void add(const char *name)
{
	if (n < MAX_METRICS)
		names[n++] = strdup(name);
}

int main(int argc, char **argv)
{
	pmID pmids[MAX_METRICS];
	pmResult *result;
	int *inst, got;
	char **name;
	pmDesc desc;

	if (argc != 4 || pmNewContext(PM_CONTEXT_HOST, argv[1]) < 0 || pmTraversePMNS(argv[3], add) < 0 ||
	    pmLookupName(n, names, pmids) < 0)
		return 1;
	for (int i = 0; i < atoi(argv[2]); i++) {
		if (pmFetch(n, pmids, &result) < 0)
			return 1;
		pmFreeResult(result);
		if (pmLookupDesc(pmids[i % n], &desc) < 0)
			return 1;
		got = desc.indom == PM_INDOM_NULL ? 0 : pmGetInDom(desc.indom, &inst, &name);
		if (got > 0) {
			free(inst);
			free(name);
		}
	}
	return 0;
}
