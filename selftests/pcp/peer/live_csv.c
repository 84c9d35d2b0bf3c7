// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fetch metrics of a host's pmcd once, and print numbers as the CSV of vcpc replay: the names, then
 * the time and the values.
 *
 * usage: live_csv HOST METRIC...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcp/pmapi.h>

#define MAX_METRICS	200

static char *names[MAX_METRICS];
static pmID pmids[MAX_METRICS];
static int n;

static void fail(const char *what, int code)
{
	fprintf(stderr, "live_csv: %s: %s\n", what, pmErrStr(code));
	exit(1);
}

static void add(const char *name)
{
	if (n < MAX_METRICS)
		names[n++] = strdup(name);
}

static void print_name(const pmValueSet *set, int i, const pmDesc *desc)
{
	char *name;

	printf(",\"%s", names[i]);
	for (int k = 0; k < set->numval && desc->indom != PM_INDOM_NULL; k++) {
		int ret = pmNameInDom(desc->indom, set->vlist[k].inst, &name);

		if (ret < 0)
			fail(names[i], ret);
		printf("%s%s[%s]", k ? "\",\"" : "", k ? names[i] : "", name);
		free(name);
	}
	printf("\"");
}

static void print_value(const pmValueSet *set, int k, const pmDesc *desc)
{
	pmAtomValue atom;
	int ret = pmExtractValue(set->valfmt, &set->vlist[k], desc->type, &atom, PM_TYPE_DOUBLE);

	if (ret < 0)
		fail("value", ret);
	printf(",%.17g", atom.d);
}

int main(int argc, char **argv)
{
	int ret = argc < 3 ? PM_ERR_NAME : pmNewContext(PM_CONTEXT_HOST, argv[1]);
	pmDesc desc[MAX_METRICS];
	pmResult *result;

	for (int i = 2; i < argc && ret >= 0; i++)
		ret = pmTraversePMNS(argv[i], add);
	if (ret >= 0)
		ret = pmLookupName(n, (const char **)names, pmids);
	for (int i = 0; i < n && ret >= 0; i++)
		ret = pmLookupDesc(pmids[i], &desc[i]);
	if (ret >= 0)
		ret = pmFetch(n, pmids, &result);
	if (ret < 0)
		fail(argc > 1 ? argv[1] : "usage", ret);
	printf("time");
	for (int i = 0; i < n; i++)
		if (result->vset[i]->numval > 0)
			print_name(result->vset[i], i, &desc[i]);
	printf("\n1970-01-01T00:00:00");
	for (int i = 0; i < n; i++)
		for (int k = 0; k < result->vset[i]->numval; k++)
			print_value(result->vset[i], k, &desc[i]);
	printf("\n");
	pmFreeResult(result);
	return 0;
}
