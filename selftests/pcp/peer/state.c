// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print the results of calls about the state of contexts and of the process.
 *
 * state_vs_pcp.sh builds it with libshim and with PCP's own library, and compares the output.
 *
 * usage: state ARCHIVE DIR
 */
#include "peer.h"

#include <string.h>
#include <unistd.h>

static void hosts(int handle)
{
	char buf[64] = "before";
	char *r;

	printf("host of %d: <%s>\n", handle, pmGetContextHostName(handle));
	r = pmGetContextHostName_r(handle, buf, sizeof(buf));
	printf("host of %d: %s <%s>\n", handle, r == buf ? "buf" : r ? "other" : "NULL", buf);
	strcpy(buf, "before");
	r = pmGetContextHostName_r(handle, buf, 4);
	printf("host of %d, 4: <%s>\n", handle, buf);
	strcpy(buf, "before");
	printf("host name %d: %d", handle, pmGetHostName(handle, buf, sizeof(buf)));
	printf(" <%s>\n", buf);
	strcpy(buf, "before");
	printf("host name %d, 4: %d", handle, pmGetHostName(handle, buf, 4));
	printf(" <%s>\n", buf);
}

static void contexts(const char *archive)
{
	int first;

	hosts(0);
	hosts(-1);
	printf("reconnect: %d %d\n", pmReconnectContext(0), pmReconnectContext(77));
	printf("where: %d, trim %d\n", pmGetPMNSLocation(), pmTrimNameSpace());
	first = pmNewContext(PM_CONTEXT_ARCHIVE, archive);
	hosts(first);
	hosts(first + 1);
	printf("where: %d, trim %d\n", pmGetPMNSLocation(), pmTrimNameSpace());
	printf("reconnect: %d %d\n", pmReconnectContext(first), pmReconnectContext(first + 1));
	printf("which: %d\n", pmWhichContext());
	pmNewContext(PM_CONTEXT_ARCHIVE, archive);
	printf("reconnect: %d, which %d\n", pmReconnectContext(first), pmWhichContext());
	printf("reconnect: %d\n", pmReconnectContext(first + 1));
}

/* Print whether the metrics of event records have help texts, with and without a context. */
static void event_texts(void)
{
	static const int levels[] = { PM_TEXT_ONELINE, PM_TEXT_HELP, PM_TEXT_ONELINE | PM_TEXT_DIRECT,
				      PM_TEXT_HELP | PM_TEXT_DIRECT };

	for (int item = 1; item <= 2; item++)
		for (int i = 0; i < 4; i++) {
			char *text = NULL;
			int err = pmLookupText(pmID_build(511, 0, item), levels[i], &text);

			printf("event text: %d", err);
			printf(" <%s>\n", err || i % 2 ? "" : text);
			free(text);
		}
}

/* Look up a derived metric of the process before a context exists. */
static void before_contexts(void)
{
	const char *names[] = { "my.derived", "no.such" };
	pmID pmids[2] = { 1, 1 };
	char **all = NULL, *name = NULL, *text = NULL, *wrong;
	pmDesc desc;
	int n;

	const char *event = "event.flags";

	printf("before: %d", pmLookupName(1, names, pmids));
	n = pmLookupName(1, &event, pmids);
	printf(" event: %d", n);
	n = pmNameAll(pmids[0], &all);
	printf(" %d <%s>", n, n > 0 ? all[0] : "");
	wrong = pmRegisterDerived(names[0], "1 + 2");
	printf(" registered: %s", wrong ? wrong : "yes");
	n = pmLookupName(2, names, pmids);
	printf(" two: %d %x %x", n, pmids[0], pmids[1]);
	n = pmLookupName(1, names + 1, pmids + 1);
	printf(" unknown: %d %x", n, pmids[1]);
	n = pmLookupName(1, names, pmids);
	printf(" known: %d %x\n", n, pmids[0]);
	n = pmNameID(pmids[0], &name);
	printf("%d <%s>", n, n ? "" : name);
	n = pmNameAll(pmids[0], &all);
	printf(" %d <%s>", n, n > 0 ? all[0] : "");
	printf(" unknown: %d %d\n", pmNameID(123, &name), pmNameAll(123, &all));
	printf("texts %d %d", pmLookupText(pmids[0], PM_TEXT_ONELINE, &text),
	       pmLookupText(123, PM_TEXT_ONELINE, &text));
	printf(" descriptor %d", pmLookupDesc(pmids[0], &desc));
	printf(" children %d", pmGetChildren("my", &all));
	printf(" no such: %d\n", pmLookupText(pmID_build(511, 0, 77), PM_TEXT_ONELINE, &text));
}

static void stores(void)
{
	pmValueSet set = { .pmid = pmID_build(60, 0, 1), .numval = 1, .valfmt = PM_VAL_INSITU };
	pmResult r = { .vset = { &set } };
	pmHighResResult fine = { .vset = { &set } };

	printf("store: %d", pmStore(&r));
	printf(" %d", pmStoreHighRes(&fine));
	r.numpmid = fine.numpmid = 1;
	printf(" %d", pmStore(&r));
	printf(" %d\n", pmStoreHighRes(&fine));
}

static void print_desc(const char *name, void *closure)
{
	pmID pmid;
	pmDesc desc;

	(void)closure;
	if (pmLookupName(1, &name, &pmid) < 0 || pmLookupDesc(pmid, &desc) < 0)
		return;
	printf("%s\n", name);
	pmPrintDesc(stdout, &desc);
}

static void odd_descs(void)
{
	static const int types[] = { -1, 0, 9, 10, 11, 255, -2 };
	static const int sems[] = { 0, 1, 2, 3, 4, 5 };

	for (int i = 0; i < 7; i++) {
		pmDesc d = { .pmid = PM_ID_NULL, .type = types[i], .indom = PM_INDOM_NULL,
			     .sem = sems[i % 6] };

		if (i & 1)
			d.units.dimSpace = 1;
		pmPrintDesc(stdout, &d);
	}
}

static void print_labels(const char *name, void *closure)
{
	pmLabelSet *sets = NULL;
	pmID pmid;
	pmDesc desc;
	int n;

	(void)closure;
	if (pmLookupName(1, &name, &pmid) < 0 || pmLookupDesc(pmid, &desc) < 0)
		return;
	n = pmLookupLabels(pmid, &sets);
	printf("%s: %d\n", name, n);
	for (int i = 0; i < n; i++) {
		pmPrintLabelSets(stdout, pmid, PM_LABEL_ITEM, &sets[i], 1);
		pmPrintLabelSets(stdout, pmid, PM_LABEL_CLUSTER, &sets[i], 1);
		pmPrintLabelSets(stdout, pmID_domain(pmid), PM_LABEL_DOMAIN, &sets[i], 1);
		pmPrintLabelSets(stdout, 0, PM_LABEL_CONTEXT, &sets[i], 1);
		pmPrintLabelSets(stdout, 0, 0, &sets[i], 1);
		pmPrintLabelSets(stdout, desc.indom, PM_LABEL_INDOM, &sets[i], 1);
		pmPrintLabelSets(stdout, desc.indom, PM_LABEL_INSTANCES, &sets[i], 1);
	}
	if (n > 0)
		pmFreeLabelSets(sets, n);
	n = pmGetInstancesLabels(desc.indom, &sets);
	printf("%s: instances %d\n", name, n);
	if (n > 0) {
		pmPrintLabelSets(stdout, desc.indom, PM_LABEL_INSTANCES, sets, n);
		pmFreeLabelSets(sets, n);
	}
}

static void features(void)
{
	static const char *const names[] = {
		"pmapi_version", "pcp_version", "multi_threaded", "fault_injection",
		"multi_archive_contexts", "lock_asserts", "lzma_decompress",
		"transparent_decompress", "compress_suffixes", "v3_archives", "archive_features",
		"no such feature", "",
	};

	printf("version %x\n", pmGetVersion());
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = pmGetAPIConfig(names[i]);

		printf("%s: %s\n", names[i], v ? v : "NULL");
	}
}

static void settings(void)
{
	static const char *const names[] = {
		"PCP_TEST_FROM_FILE", "PCP_TEST_QUOTED", "PCP_TEST_EMPTY", "PCP_TEST_NONE",
		"PCP_TEST_FROM_ENV", "PCP_TEST_BOTH", "PCP_TEST_SPACES", "PCP_TEST_LAST", "lower_case",
		"PCP_TEST_VALUE_WITH_EQUALS", "PCP_TEST_COMMENT", "XYZ_TEST",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *v = pmGetOptionalConfig(names[i]);

		printf("%s: <%s>", names[i], v ? v : "NULL");
		v = pmGetConfig(names[i]);
		printf(" <%s>", v ? v : "NULL");
		v = getenv(names[i]);
		printf(" <%s>\n", v ? v : "NULL");
	}
}

/* Print messages on standard output, without the date. */
static void messages(const char *folder)
{
	char name[256], *user;
	int status, said;
	FILE *f;

	pmSetProgname("/usr/bin/talker");
	dup2(1, 2);
	printf("message: %d", pmprintf("to %s\n", "stderr"));
	printf(" %d", pmflush());
	printf(" %d\n", pmflush());
	for (int level = 0; level < 9; level++)
		pmNotifyErr(level, level % 2 ? "level %d" : "level %d\n", level);
	snprintf(name, sizeof(name), "%s/log", folder);
	f = pmOpenLog("talker", name, stderr, &status);
	fprintf(f, "in the log\n");
	printf("log: %d %d\n", f == stderr, status);
	snprintf(name, sizeof(name), "%s/none/log", folder);
	f = pmOpenLog("talker", name, stdout, &status);
	printf("log: %d %d\n", f == stdout, status);
	said = pmGetUsername(&user);
	printf("user %d %s\n", said, user);
}

int main(int argc, char **argv)
{
	setbuf(stdout, NULL);
	if (argc != 3)
		return 2;
	event_texts();
	before_contexts();
	contexts(argv[1]);
	event_texts();
	stores();
	pmTraversePMNS_r("", print_desc, NULL);
	odd_descs();
	pmTraversePMNS_r("", print_labels, NULL);
	features();
	settings();
	messages(argv[2]);
	return 0;
}
