// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the descriptions of all metrics below vcpc and trace, of a host or of "local", one per
 * line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

static char *names[1000];
static int n;

static void keep(const char *name)
{
	if (n < 1000)
		names[n++] = strdup(name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void text(int about, unsigned int ident, int level)
{
	char *words = NULL;
	int err = about ? pmLookupInDomText(ident, level, &words) : pmLookupText(ident, level, &words);

	printf(" <%s>", err < 0 ? pmErrStr(err) : words);
	if (err >= 0)
		free(words);
}

static void tell(const char *name)
{
	char *copy = (char *)name;
	pmDesc desc;
	pmID pmid;
	int err = pmLookupName(1, (const char **)&copy, &pmid);

	if (err == 1)
		err = pmLookupDesc(pmid, &desc);
	printf("%s %d", name, err);
	if (err >= 0) {
		printf(" %s %d %x %d %s", pmIDStr(pmid), desc.type, desc.indom, desc.sem,
		       pmUnitsStr(&desc.units));
		text(0, pmid, PM_TEXT_ONELINE);
		text(0, pmid, PM_TEXT_HELP);
		if (desc.indom != PM_INDOM_NULL) {
			text(1, desc.indom, PM_TEXT_ONELINE);
			text(1, desc.indom, PM_TEXT_HELP);
		}
	}
	printf("\n");
}

int main(int argc, char **argv)
{
	int local = argc > 1 && !strcmp(argv[1], "local");

	if (argc < 2 || pmNewContext(local ? PM_CONTEXT_LOCAL : PM_CONTEXT_HOST, argv[1]) < 0)
		return 1;
	if (pmTraversePMNS("vcpc", keep) < 0 || pmTraversePMNS("trace", keep) < 0)
		return 1;
	qsort(names, n, sizeof(*names), by_name);
	for (int i = 0; i < n; i++)
		tell(names[i]);
	return 0;
}
