// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Query a host's pmcd, and print all results.
 *
 * This program includes only <pcp/pmapi.h>.  host_vs_pcp.sh builds it with libshim and with PCP's
 * own library, and compares the output.
 *
 * usage: live SPEC names|meta|values|profile|store|errors|contexts|events
 *        live specs SPEC...
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "live.h"

#define MAX_NAMES	2000

static struct {
	char *name[MAX_NAMES];
	pmID pmid[MAX_NAMES];
	int n;
} metrics;

static void remember(const char *name)
{
	if (metrics.n < MAX_NAMES)
		metrics.name[metrics.n++] = strdup(name);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Collect all metrics.  Sort them, because their order is not part of the interface. */
static void learn(void)
{
	int n = pmTraversePMNS("", remember);

	printf("all: %d\n", n < 0 ? n : metrics.n);
	qsort(metrics.name, metrics.n, sizeof(char *), by_name);
	n = pmLookupName(metrics.n, (const char **)metrics.name, metrics.pmid);
	printf("found: %d\n", n);
}

static void traverse(const char *name)
{
	metrics.n = 0;
	printf("traverse <%s>: %d\n", name, pmTraversePMNS(name, remember));
	qsort(metrics.name, metrics.n, sizeof(char *), by_name);
	for (int i = 0; i < metrics.n; i++)
		puts(metrics.name[i]);
}

static void children(const char *name)
{
	char **names = NULL;
	int *status = NULL;
	int n = pmGetChildrenStatus(name, &names, &status);

	printf("children <%s>: %d\n", name, n);
	for (int i = 0; i < n; i++)
		printf("  %s %d\n", names[i], status[i]);
	if (n > 0) {
		free(names);
		free(status);
	}
	n = pmGetChildren(name, &names);
	printf("  alone: %d\n", n);
	for (int i = 0; i < n; i++)
		printf("  %s\n", names[i]);
	if (n > 0)
		free(names);
}

static void look_up(const char *what, int n, const char **names)
{
	pmID pmids[8];
	int found = pmLookupName(n, names, pmids);

	printf("look up %s: %d", what, found);
	for (int i = 0; i < n; i++)
		printf(" %s", pmIDStr(pmids[i]));
	putchar('\n');
}

static void names_of(pmID pmid)
{
	char **names, *name;
	int n = pmNameAll(pmid, &names);

	printf("names of %s: %d", pmIDStr(pmid), n);
	for (int i = 0; i < n; i++)
		printf(" %s", names[i]);
	if (n > 0)
		free(names);
	n = pmNameID(pmid, &name);
	printf("; one: %d %s\n", n, n < 0 ? "" : name);
	if (n >= 0)
		free(name);
}

static void play_names(void)
{
	const char *some[] = { "sample.bin", "no.such", "sample", "sample.colour", "pmcd" };
	const char *alone[] = { "sample.bin", "no.such", "sample", "", "sample.", ".", "sample.bin.x" };

	traverse("");
	traverse("sample");
	traverse("sample.bin");
	traverse("sample.nope");
	traverse("sample.secret");
	children("");
	children("sample");
	children("sample.bin");
	children("sample.dodgy");
	children("nope");
	children("sample.secret");
	look_up("some", 5, some);
	for (int i = 0; i < 7; i++)
		look_up(alone[i], 1, &alone[i]);
	look_up("none", 0, alone);
	printf("location %d\n", pmGetPMNSLocation());
	metrics.n = 0;
	learn();
	for (int i = 0; i < metrics.n; i++)
		names_of(metrics.pmid[i]);
	names_of(pmID_build(29, 77, 77));
	names_of(pmID_build(77, 0, 0));
	names_of(PM_ID_NULL);
	printf("trim %d\n", pmTrimNameSpace());
}

static void describe(const char *name, pmID pmid)
{
	static const int levels[] = { PM_TEXT_ONELINE, PM_TEXT_HELP, PM_TEXT_HELP | PM_TEXT_DIRECT };
	pmDesc d = { 0 };
	int err = pmLookupDesc(pmid, &d);

	printf("%s %s: %d", name, pmIDStr(pmid), err);
	if (!err)
		printf(" %d %s %d %s", d.type, pmInDomStr(d.indom), d.sem, pmUnitsStr(&d.units));
	putchar('\n');
	for (int i = 0; i < 3; i++) {
		char *text = NULL;

		err = pmLookupText(pmid, levels[i], &text);
		printf("  text %d: %d <%s>\n", levels[i], err, err < 0 ? "" : text);
		if (err >= 0)
			free(text);
		if (d.indom == PM_INDOM_NULL)
			continue;
		err = pmLookupInDomText(d.indom, levels[i], &text);
		printf("  indom text %d: %d <%s>\n", levels[i], err, err < 0 ? "" : text);
		if (err >= 0)
			free(text);
	}
}

static void labels(const char *what, int n, pmLabelSet **out)
{
	pmLabelSet *sets = *out;

	printf("labels %s: %d\n", what, n);
	for (int i = 0; i < n; i++)
		dump_set(&sets[i]);
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

static void all_labels(pmID pmid)
{
	pmLabelSet *s = NULL;
	pmDesc d;

	labels(pmIDStr(pmid), pmLookupLabels(pmid, &s), &s);
	s = NULL;
	labels("cluster", pmGetClusterLabels(pmid, &s), &s);
	s = NULL;
	labels("item", pmGetItemLabels(pmid, &s), &s);
	if (pmLookupDesc(pmid, &d) < 0 || d.indom == PM_INDOM_NULL)
		return;
	s = NULL;
	labels("indom", pmGetInDomLabels(d.indom, &s), &s);
	s = NULL;
	labels("instances", pmGetInstancesLabels(d.indom, &s), &s);
}

static void each_instance(pmInDom indom)
{
	int *ids;
	char **names, *name;
	int n;

	dump_instances(indom, pmGetInDom);
	n = pmGetInDom(indom, &ids, &names);
	for (int i = 0; i < n; i++) {
		int err = pmNameInDom(indom, ids[i], &name);

		printf("  %d is %d <%s>, back %d\n", ids[i], err, err < 0 ? "" : name,
		       pmLookupInDom(indom, names[i]));
		if (err >= 0)
			free(name);
	}
	if (n > 0) {
		free(ids);
		free(names);
	}
	printf("  strange: %d %d\n", pmLookupInDom(indom, "no such instance"),
	       pmNameInDom(indom, 987654, &name));
}

static void play_meta(void)
{
	pmInDom seen[MAX_NAMES];
	pmLabelSet *s = NULL;
	pmDesc d;
	int nseen = 0;

	learn();
	labels("context", pmGetContextLabels(&s), &s);
	s = NULL;
	labels("domain", pmGetDomainLabels(29, &s), &s);
	s = NULL;
	labels("no domain", pmGetDomainLabels(77, &s), &s);
	for (int i = 0; i < metrics.n; i++) {
		int known = 0;

		describe(metrics.name[i], metrics.pmid[i]);
		all_labels(metrics.pmid[i]);
		if (pmLookupDesc(metrics.pmid[i], &d) < 0 || d.indom == PM_INDOM_NULL)
			continue;
		for (int j = 0; j < nseen; j++)
			known |= seen[j] == d.indom;
		if (known)
			continue;
		seen[nseen++] = d.indom;
		each_instance(d.indom);
	}
}

static void play_values(void)
{
	pmID twice[3], all[MAX_NAMES];
	int n = 0;

	learn();
	for (int i = 0; i < metrics.n; i++)
		fetch(metrics.name[i], 1, &metrics.pmid[i]);
	/*
	 * Fetch all metrics except those of the library: with these in the list, the original
	 * splits the results, and reports PM_VAL_DPTR.
	 */
	for (int i = 0; i < metrics.n; i++)
		if (pmID_domain(metrics.pmid[i]) != 511)
			all[n++] = metrics.pmid[i];
	fetch("all", n, all);
	twice[0] = twice[2] = metrics.pmid[0];
	twice[1] = pmID_build(29, 77, 77);
	fetch("twice", 3, twice);
}

static void play_profile(void)
{
	pmID pmids[] = { id_of("sample.bin"), id_of("sample.colour"), id_of("sample.hordes.one") };
	int bins[] = { 100, 300, 900, 12345 }, red[] = { 0 };
	pmInDom bin, colour;
	pmDesc d;

	pmLookupDesc(pmids[0], &d);
	bin = d.indom;
	pmLookupDesc(pmids[1], &d);
	colour = d.indom;
	fetch("whole", 3, pmids);
	printf("del all %d\n", pmDelProfile(PM_INDOM_NULL, 0, NULL));
	fetch("nothing", 3, pmids);
	printf("add %d\n", pmAddProfile(bin, 4, bins));
	fetch("some bins", 3, pmids);
	printf("del %d\n", pmDelProfile(bin, 1, bins + 1));
	fetch("fewer", 3, pmids);
	printf("add %d\n", pmAddProfile(colour, 1, red));
	fetch("a color", 3, pmids);
	printf("del %d\n", pmDelProfile(bin, 0, NULL));
	fetch("no bins", 3, pmids);
	printf("list without domain %d\n", pmAddProfile(PM_INDOM_NULL, 1, bins));
	printf("reconnect %d\n", pmReconnectContext(pmWhichContext()) == pmWhichContext());
	fetch("after reconnecting", 3, pmids);
}

static void store(const char *name, int inst, int valfmt, int type, const void *bytes, int len)
{
	char block[200] = { 0 };
	pmValueBlock *b = (pmValueBlock *)block;
	pmValueSet set = { .pmid = id_of(name), .numval = 1, .valfmt = valfmt };
	pmResult r = { .numpmid = 1, .vset = { &set } };
	pmHighResResult h = { .numpmid = 1, .vset = { &set } };

	b->vtype = type;
	b->vlen = PM_VAL_HDR_SIZE + len;
	memcpy(b->vbuf, bytes, len);
	set.vlist[0].inst = inst;
	if (valfmt == PM_VAL_INSITU)
		memcpy(&set.vlist[0].value.lval, bytes, sizeof(int));
	else
		set.vlist[0].value.pval = b;
	printf("store %s: %d", name, pmStore(&r));
	printf(" %d\n", pmStoreHighRes(&h));
	fetch(name, 1, &set.pmid);
}

static void play_store(void)
{
	int64_t wide = 0x123456789abcdef0;
	double real = -1234.5625;
	float single = 2.25f;
	int word = 42;
	pmResult none = { .numpmid = 0 };
	pmValueSet nothing = { .pmid = id_of("sample.write_me") }, *sets[2];
	char both[offsetof(pmResult, vset) + sizeof(sets)];
	pmValueSet one = { .pmid = id_of("sample.write_me"), .numval = 1 };
	pmResult *r = (pmResult *)both;

	store("sample.write_me", PM_IN_NULL, PM_VAL_INSITU, 0, &word, 4);
	store("sample.longlong.write_me", PM_IN_NULL, PM_VAL_DPTR, PM_TYPE_64, &wide, 8);
	store("sample.ulonglong.write_me", PM_IN_NULL, PM_VAL_SPTR, PM_TYPE_U64, &wide, 8);
	store("sample.double.write_me", PM_IN_NULL, PM_VAL_DPTR, PM_TYPE_DOUBLE, &real, 8);
	store("sample.float.write_me", PM_IN_NULL, PM_VAL_DPTR, PM_TYPE_FLOAT, &single, 4);
	store("sample.string.write_me", PM_IN_NULL, PM_VAL_DPTR, PM_TYPE_STRING, "thirteen", 9);
	store("sample.string.write_me", PM_IN_NULL, PM_VAL_DPTR, PM_TYPE_STRING, "13", 3);
	store("sample.aggregate.write_me", PM_IN_NULL, PM_VAL_DPTR, PM_TYPE_AGGREGATE, "\1\2\3", 3);
	store("sample.bin", 100, PM_VAL_INSITU, 0, &word, 4);
	store("sample.string.write_me", PM_IN_NULL, PM_VAL_INSITU, 0, &word, 4);
	store("pmcd.numagents", PM_IN_NULL, PM_VAL_INSITU, 0, &word, 4);
	printf("no metric %d\n", pmStore(&none));
	memset(both, 0, sizeof(both));
	r->numpmid = 1;
	r->vset[0] = &nothing;
	printf("no value %d\n", pmStore(r));
	one.vlist[0].inst = PM_IN_NULL;
	one.vlist[0].value.lval = 7;
	nothing = one;
	nothing.pmid = pmID_build(29, 77, 77);
	r->numpmid = 2;
	memcpy(r->vset, (pmValueSet *[]){ &one, &nothing }, sizeof(sets));
	printf("one of two %d\n", pmStore(r));
	fetch("the one", 1, &one.pmid);
	nothing.pmid = pmID_build(77, 7, 7);
	printf("no agent %d\n", pmStore(r));
}

static void play_errors(void)
{
	pmID strange[] = { pmID_build(29, 77, 77), pmID_build(77, 0, 0), PM_ID_NULL,
			   pmID_build(511, 0, 1), pmID_build(511, 0, 2) };
	const char *builtin[] = { "event.flags", "event.missed" };
	struct timespec ts = { 1, 1 };
	struct timeval tv = { 1, 1 };
	pmHighResLogLabel hl;
	pmLabelSet *s = NULL;
	pmDesc descs[5];
	pmLogLabel l;
	pmResult *r;
	char **names, *text;
	int *ids;

	for (int i = 0; i < 5; i++) {
		describe("strange", strange[i]);
		names_of(strange[i]);
		all_labels(strange[i]);
		fetch("strange", 1, &strange[i]);
		printf("descs of one: %d\n", pmLookupDescs(1, &strange[i], descs));
	}
	strange[1] = id_of("sample.bin");
	printf("descs: %d", pmLookupDescs(5, strange, descs));
	for (int i = 0; i < 5; i++)
		printf(" %s", pmIDStr(descs[i].pmid));
	printf("\ndescs: %d\n", pmLookupDescs(0, strange, descs));
	look_up("builtin", 2, builtin);
	look_up("builtin", 1, builtin);
	for (int i = 0; i < 3; i++) {
		pmInDom indom = i == 0 ? pmInDom_build(29, 777) : i == 1 ? pmInDom_build(77, 0) :
									   PM_INDOM_NULL;

		printf("indom %d: %d %d %d %d\n", i, pmGetInDom(indom, &ids, &names),
		       pmNameInDom(indom, 0, &text), pmLookupInDom(indom, "x"),
		       pmLookupInDomText(indom, PM_TEXT_ONELINE, &text));
		printf("  labels %d %d\n", pmGetInDomLabels(indom, &s),
		       pmGetInstancesLabels(indom, &s));
		printf("  archive %d %d %d\n", pmGetInDomArchive(indom, &ids, &names),
		       pmNameInDomArchive(indom, 0, &text), pmLookupInDomArchive(indom, "x"));
	}
	printf("fetch nothing %d\n", pmFetch(0, strange, &r));
	printf("archive %d %d %d %d %d\n", pmGetArchiveLabel(&l), pmGetHighResArchiveLabel(&hl),
	       pmGetArchiveEnd(&tv), pmGetHighResArchiveEnd(&ts), pmFetchArchive(&r));
	printf("modes");
	for (int mode = 0; mode <= 4; mode++)
		printf(" %d %d", pmSetMode(mode, &tv, 1), pmSetModeHighRes(mode, &ts, &ts));
	printf(" %d\n", pmSetMode(PM_MODE_LIVE | PM_XTB_SET(PM_TIME_SEC), NULL, 0));
}

static void play_contexts(void)
{
	pmID pmids[] = { id_of("sample.bin") };
	int first = pmWhichContext(), bins[] = { 200, 400 }, second;
	char host[64], *zone = NULL, *argv[] = { "live", "-h", "127.0.0.1", "-z", NULL };
	pmLongOptions longs[] = { PMOPT_HOST, PMOPT_HOSTZONE, PMAPI_OPTIONS_END };
	pmOptions opts = { .short_options = "h:z", .long_options = longs,
			   .flags = PM_OPTFLAG_STDOUT_TZ };
	pmDesc d;

	printf("first %d, host known %d\n", first, *pmGetContextHostName(first) != 0);
	printf("short <%s>\n", pmGetContextHostName_r(first, host, 2));
	pmLookupDesc(pmids[0], &d);
	pmDelProfile(d.indom, 0, NULL);
	pmAddProfile(d.indom, 2, bins);
	second = pmDupContext();
	printf("second %d, current %d\n", second, pmWhichContext());
	printf("same host %d\n", !strcmp(pmGetContextHostName_r(first, host, sizeof(host)),
					 pmGetContextHostName(second)));
	pmAddProfile(d.indom, 0, NULL);
	fetch("by the second", 1, pmids);
	printf("use %d\n", pmUseContext(first));
	fetch("by the first", 1, pmids);
	printf("destroy %d\n", pmDestroyContext(second));
	fetch("by the first alone", 1, pmids);
	printf("destroyed: reconnect %d\n", pmReconnectContext(second));
	printf("zone %d", pmNewContextZone());
	printf(" %d", pmWhichZone(&zone));
	printf(" %s\n", zone ? zone : "");
	while (pmGetOptions(4, argv, &opts) != EOF)
		;
	printf("options %d\n", pmGetContextOptions(first, &opts));
	printf("flags %d\n", pmNewContext(PM_CONTEXT_HOST | PM_CTXFLAG_SECURE, "127.0.0.1"));
	printf("flags %d\n", pmNewContext(PM_CONTEXT_HOST | PM_CTXFLAG_COMPRESS, "127.0.0.1"));
	printf("flags %d\n", pmNewContext(PM_CONTEXT_HOST | PM_CTXFLAG_SHALLOW, "127.0.0.1") > 0);
	printf("flags %d\n", pmNewContext(PM_CONTEXT_HOST | PM_CTXFLAG_EXCLUSIVE | PM_CTXFLAG_RELAXED,
					  "127.0.0.1") > 0);
	fetch("by the newest", 1, pmids);
	pmDestroyContext(pmWhichContext());
	printf("none %d %d\n", pmWhichContext(), pmReconnectContext(pmWhichContext()));
}

static void play_events(void)
{
	static const char *const names[] = { "sample.event.records", "sample.event.highres_records" };

	for (int i = 0; i < 8; i++) {
		pmID pmid = id_of(names[i % 2]);
		pmHighResResult **high;
		pmResult *r, **low;
		int n = pmFetch(1, &pmid, &r);

		printf("fetch %d, %d values\n", n, n < 0 ? 0 : r->vset[0]->numval);
		for (int j = 0; n >= 0 && j < r->vset[0]->numval; j++) {
			n = i % 2 ? pmUnpackHighResEventRecords(r->vset[0], j, &high) :
				    pmUnpackEventRecords(r->vset[0], j, &low);
			printf("  %d records\n", n);
			for (int k = 0; k < n; k++)
				dump_vsets(i % 2 ? high[k]->numpmid : low[k]->numpmid,
					   i % 2 ? high[k]->vset : low[k]->vset, 1);
			if (n >= 0 && i % 2)
				pmFreeHighResEventResult(high);
			else if (n >= 0)
				pmFreeEventResult(low);
			n = 0;
		}
		if (n >= 0)
			pmFreeResult(r);
	}
}

static void play_specs(int n, char **specs)
{
	char host[64], fail[PM_MAXERRMSGLEN];

	for (int i = 0; i < n; i++) {
		int handle = pmNewContext(PM_CONTEXT_HOST, specs[i]);

		fflush(stderr);
		printf("<%s> %d %s\n", specs[i], handle < 0 ? handle : 0,
		       handle < 0 ? pmErrStr_r(handle, fail, sizeof(fail)) :
				    pmGetContextHostName_r(handle, host, sizeof(host)));
		fflush(stdout);
		if (handle >= 0)
			pmDestroyContext(handle);
	}
}

int main(int argc, char **argv)
{
	static const struct play plays[] = {
		{ "names", play_names }, { "meta", play_meta }, { "values", play_values },
		{ "profile", play_profile }, { "store", play_store }, { "errors", play_errors },
		{ "contexts", play_contexts }, { "events", play_events },
	};

	if (argc > 2 && !strcmp(argv[1], "specs")) {
		play_specs(argc - 2, argv + 2);
		return 0;
	}
	return play_one(plays, sizeof(plays) / sizeof(plays[0]), argc, argv);
}
