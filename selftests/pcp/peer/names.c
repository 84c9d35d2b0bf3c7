// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Load name spaces, and print the results of looking up names.
 *
 * state_vs_pcp.sh builds the program with libshim and with PCP's own library, and compares the
 * output.
 *
 * usage: names ARCHIVE plain|text NAME-SPACE...
 *
 * "text" is for name spaces with comments and directives, which the original's pmLoadNameSpace()
 * does not support.
 */
#include "peer.h"

#include <string.h>

static void print_name(const char *name, void *closure)
{
	const char *list[] = { name };
	char **all;
	pmID pmid;
	pmDesc desc;
	int n;

	(void)closure;
	printf("  %s: %d", name, pmLookupName(1, list, &pmid));
	printf(" %s", pmIDStr(pmid));
	n = pmNameAll(pmid, &all);
	printf(" names %d", n);
	for (int i = 0; i < n; i++)
		printf(" %s", all[i]);
	if (n > 0)
		free(all);
	printf(" desc %d\n", pmLookupDesc(pmid, &desc));
}

static void print_children(const char *name)
{
	char **list;
	int *status;
	int n = pmGetChildrenStatus(name, &list, &status);

	printf("  below <%s>: %d", name, n);
	for (int i = 0; i < n; i++)
		printf(" %s/%d", list[i], status[i]);
	putchar('\n');
	if (n > 0) {
		free(list);
		free(status);
	}
}

static void look(const char *when)
{
	static const char *const some[] = { "v.cu32", "v.nope", "w.deep", "w.deep.x", "nothing",
					    "d", "d.x", "" };
	pmID pmids[8];
	int n;

	printf(" %s: where %d\n", when, pmGetPMNSLocation());
	n = pmTraversePMNS_r("", print_name, NULL);
	printf("  all: %d\n", n);
	print_children("");
	print_children("v");
	print_children("my");
	print_children("my.own");
	print_children("my.derived");
	print_children("w.deep");
	print_children("nothing");
	n = pmLookupName(8, (const char **)some, pmids);
	printf("  found %d:", n);
	for (int i = 0; i < 8; i++)
		printf(" %s", pmIDStr(pmids[i]));
	putchar('\n');
	for (int i = 0; i < 8; i++)
		printf("  %s: %d\n", some[i], pmLookupName(1, (const char **)&some[i], pmids));
}

static void try(const char *archive, const char *file, int dups)
{
	int handle, err = dups < 0 ? pmLoadNameSpace(file) : pmLoadASCIINameSpace(file, dups);

	printf("%s %d: %d\n", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, dups, err);
	look("loaded");
	if (!err)
		printf(" again: %d\n", pmLoadNameSpace(file));
	printf(" trim: %d\n", pmTrimNameSpace());
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, archive);
	look("with a context");
	printf(" trim: %d\n", pmTrimNameSpace());
	look("trimmed");
	pmUnloadNameSpace();
	look("unloaded");
	pmDestroyContext(handle);
	pmUnloadNameSpace();
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	setbuf(stdout, NULL);
	/*
	 * Every name space has the library's own names, but the original adds them only with the
	 * first context.
	 */
	if (getenv("PCP_TEST_DERIVED")) {
		int handle = pmNewContext(PM_CONTEXT_ARCHIVE, argv[1]);

		pmRegisterDerived("my.derived", "1 + 2");
		pmRegisterDerived("my.own.derived", "3");
		pmRegisterDerived("w.deep.z", "4");
		pmRegisterDerived("v.new.group", "5");
		pmRegisterDerived("w.z", "6");
		pmRegisterDerived("v.new.member", "7");
		pmDestroyContext(handle);
	}
	for (int i = 3; i < argc; i++) {
		if (!strcmp(argv[2], "plain"))
			try(argv[1], argv[i], -1);
		try(argv[1], argv[i], 0);
		try(argv[1], argv[i], 1);
	}
	return 0;
}
