/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of local contexts: write configurations, and find metrics by name */
#ifndef SELFTESTS_PCP_LOCAL_H
#define SELFTESTS_PCP_LOCAL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

static inline void write_config(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

static inline pmID find(const char *name)
{
	pmID pmid = PM_ID_NULL;

	pmLookupName(1, &name, &pmid);
	return pmid;
}

/* Names that pmTraversePMNS_r() found, and the number of those without a descriptor or texts */
struct names {
	int seen, wrong;
};

static inline void see_name(const char *name, void *arg)
{
	char *line = NULL, *help = NULL, *back = NULL;
	struct names *names = arg;
	pmDesc desc;
	pmID pmid = find(name);

	names->seen++;
	if (pmLookupDesc(pmid, &desc) || desc.pmid != pmid || pmNameID(pmid, &back) ||
	    strcmp(back, name) || pmLookupText(pmid, PM_TEXT_ONELINE, &line) || !*line ||
	    strchr(line, '\n') || pmLookupText(pmid, PM_TEXT_HELP, &help) || !*help)
		names->wrong++;
	free(back);
	free(line);
	free(help);
}

#endif /* SELFTESTS_PCP_LOCAL_H */
