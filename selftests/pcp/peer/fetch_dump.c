// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Print everything that PMAPI returns for an archive, to the last bit.
 *
 * This program includes only <pcp/pmapi.h>.  compare_with_pcp.sh builds it with libshim and with
 * PCP's own library, and compares the output.
 *
 * usage: fetch_dump ARCHIVE meta|text|labels
 *        fetch_dump ARCHIVE interp|forw|back|raw|jump [DELTA-MS [FETCHES [METRIC...]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "peer.h"

static struct {
	char **names;
	pmID *pmids;
	pmDesc *descs;
	int n;
} metrics;

static void die(const char *what, int code)
{
	printf("%s: error %d\n", what, code);
	exit(0);
}

static void add_metric(const char *name)
{
	int n = metrics.n++;

	metrics.names = realloc(metrics.names, metrics.n * sizeof(char *));
	metrics.pmids = realloc(metrics.pmids, metrics.n * sizeof(pmID));
	metrics.descs = realloc(metrics.descs, metrics.n * sizeof(pmDesc));
	metrics.names[n] = strdup(name);
	if (pmLookupName(1, &name, &metrics.pmids[n]) < 0)
		metrics.pmids[n] = PM_ID_NULL;
	memset(&metrics.descs[n], 0, sizeof(metrics.descs[n]));
	if (pmLookupDesc(metrics.pmids[n], &metrics.descs[n]) < 0) {
		metrics.descs[n].type = PM_TYPE_UNKNOWN;
		metrics.descs[n].indom = PM_INDOM_NULL;
	}
}

/*
 * Add a recorded metric, once per request for it.  Omit synthetic metrics, which are not part of
 * the archive.
 */
static void add_recorded(const char *name)
{
	pmID pmid;

	if (!strncmp(name, "event.", 6) || pmLookupName(1, &name, &pmid) < 0)
		return;
	for (int i = 0; i < metrics.n; i++)
		if (metrics.pmids[i] == pmid)
			return;
	add_metric(name);
}

/* Print the first value of each metric as text. */
static void dump_texts(const pmHighResResult *r)
{
	for (int i = 0; i < r->numpmid && i < metrics.n; i++) {
		const pmValueSet *set = r->vset[i];
		int type = metrics.descs[i].type;
		pmAtomValue atom;
		int err;

		if (set->numval <= 0)
			continue;
		printf("  text %s: <", metrics.names[i]);
		pmPrintValue(stdout, set->valfmt, type, &set->vlist[0], 12);
		printf(">");
		for (int to = PM_TYPE_32; to <= PM_TYPE_AGGREGATE; to++) {
			err = pmExtractValue(set->valfmt, &set->vlist[0], type, &atom, to);
			printf(" %s", err ? "-" : pmAtomStr(&atom, to));
			if (err)
				printf("%d", err);
			else if (to == PM_TYPE_STRING)
				free(atom.cp);
			else if (to == PM_TYPE_AGGREGATE)
				free(atom.vbp);
		}
		putchar('\n');
	}
}

static int fetch(int raw, int all)
{
	pmHighResResult *r;
	int err;

	err = raw ? pmFetchHighResArchive(&r) : pmFetchHighRes(metrics.n, metrics.pmids, &r);
	if (err < 0) {
		printf("fetch: error %d\n", err);
		return err;
	}
	dump_result(r, all);
	if (all && !raw)
		dump_texts(r);
	pmFreeHighResResult(r);
	return 0;
}

static void print_name(const char *name)
{
	printf("name %s\n", name);
}

static void dump_metric(int i)
{
	const pmDesc *d = &metrics.descs[i];
	char **names;
	char *name;
	int n;

	printf("metric %s %s type %s indom %s sem %s units <%s>\n", metrics.names[i],
	       pmIDStr(metrics.pmids[i]), pmTypeStr(d->type), pmInDomStr(d->indom),
	       pmSemStr(d->sem), pmUnitsStr(&d->units));
	n = pmNameAll(metrics.pmids[i], &names);
	printf("  %d names\n", n);
	if (n > 0)
		free(names);
	if (n == 1 && pmNameID(metrics.pmids[i], &name) == 0) {
		printf("  is %s\n", name);
		free(name);
	}
	if (d->indom == PM_INDOM_NULL)
		return;
	/*
	 * Keep this order: if another call comes first, the original applies deltas in a different
	 * order.
	 */
	dump_instances(d->indom, pmGetInDom);
	dump_instances(d->indom, pmGetInDomArchive);
}

static void dump_meta(const struct timespec *end)
{
	pmHighResLogLabel label;
	pmLogLabel old;

	pmGetHighResArchiveLabel(&label);
	pmGetArchiveLabel(&old);
	printf("label %x %d %" PRId64 ".%09ld host %s tz %s zone %s\n", label.magic,
	       (int)label.pid, (int64_t)label.start.tv_sec, label.start.tv_nsec, label.hostname,
	       label.timezone, label.zoneinfo);
	printf("label %x %d %" PRId64 ".%06ld host %s tz %s\n", old.ll_magic, (int)old.ll_pid,
	       (int64_t)old.ll_start.tv_sec, (long)old.ll_start.tv_usec, old.ll_hostname,
	       old.ll_tz);
	printf("names %d\n", pmTraversePMNS("", print_name));
	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < metrics.n; i++)
			dump_metric(i);
		pmSetModeHighRes(PM_MODE_INTERP, end, NULL);
	}
}

static void dump_text(const char *what, unsigned int id, int (*look_up)(unsigned int, int, char **))
{
	static const int levels[] = {
		PM_TEXT_ONELINE, PM_TEXT_HELP, PM_TEXT_ONELINE | PM_TEXT_DIRECT,
		PM_TEXT_HELP | PM_TEXT_DIRECT,
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		char *text = NULL;
		int err = look_up(id, levels[i], &text);

		printf("%s %#x level %d: %d <%s>\n", what, id, levels[i], err,
		       err < 0 ? "" : text);
		if (err >= 0)
			free(text);
	}
}

static void dump_all_text(void)
{
	for (int i = 0; i < metrics.n; i++) {
		dump_text(metrics.names[i], metrics.pmids[i], pmLookupText);
		dump_text("its indom", metrics.descs[i].indom, pmLookupInDomText);
	}
	dump_text("no metric", pmID_build(400, 5, 6), pmLookupText);
	dump_text("null", PM_ID_NULL, pmLookupText);
	dump_text("no indom", pmInDom_build(400, 5), pmLookupInDomText);
}

static int not_optional(const pmLabel *label, const char *json, void *arg)
{
	(void)json;
	(void)arg;
	return !(label->flags & PM_LABEL_OPTIONAL);
}

static int by_parity(const pmLabel *label, const char *json, void *arg)
{
	(void)arg;
	return (label->namelen + json[label->name]) & 1;
}

static void dump_merge(pmLabelSet **sets, int n)
{
	static char json[PM_MAXLABELJSONLEN + 1];
	int len;

	len = pmMergeLabelSets(sets, n, json, sizeof(json), NULL, NULL);
	printf("  merged: %d %s\n", len, len > 0 ? json : "");
	/* If the filter removes the other labels, PCP prints only half of an object. */
	len = pmMergeLabelSets(sets, n, json, sizeof(json), not_optional, NULL);
	printf("  in part: %d %s\n", len > 2 ? len : 0, len > 2 ? json : "");
	len = pmMergeLabelSets(sets, n, json, sizeof(json), by_parity, NULL);
	printf("  in part: %d %s\n", len > 2 ? len : 0, len > 2 ? json : "");
}

static void dump_sets(const char *what, unsigned int id, int n, pmLabelSet *sets)
{
	pmLabelSet *list[n > 0 ? n : 1];

	printf("%s %#x: %d\n", what, id, n);
	for (int i = 0; i < n; i++) {
		dump_set(&sets[i]);
		list[i] = &sets[i];
	}
	if (n <= 0)
		return;
	/* Instances have labels with the same names, so they are not merged. */
	dump_merge(list, strcmp(what, "instances") ? n : 1);
	pmFreeLabelSets(sets, n);
}

static void dump_labels_of(pmID pmid, pmInDom indom)
{
	pmLabelSet *sets = NULL;
	pmID cluster = pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 0);
	int n;

	n = pmGetDomainLabels(pmID_domain(pmid), &sets);
	dump_sets("domain", pmID_domain(pmid), n, sets);
	n = pmGetClusterLabels(cluster, &sets);
	dump_sets("cluster", cluster, n, sets);
	n = pmGetItemLabels(pmid, &sets);
	dump_sets("item", pmid, n, sets);
	n = pmLookupLabels(pmid, &sets);
	dump_sets("all", pmid, n, sets);
	n = pmGetInDomLabels(indom, &sets);
	dump_sets("indom", indom, n, sets);
	n = pmGetInstancesLabels(indom, &sets);
	dump_sets("instances", indom, n, sets);
}

static void dump_all_labels(void)
{
	pmLabelSet *sets = NULL;
	int n = pmGetContextLabels(&sets);

	dump_sets("context", 0, n, sets);
	for (int i = 0; i < metrics.n; i++)
		dump_labels_of(metrics.pmids[i], metrics.descs[i].indom);
	dump_labels_of(pmID_build(400, 5, 6), pmInDom_build(400, 7));
	dump_labels_of(PM_ID_NULL, PM_INDOM_NULL);
}

/* Print labels at the start, in the middle and at the end. */
static void dump_labels(const struct timespec *start, const struct timespec *end)
{
	struct timespec when = *start;

	for (int i = 0; i < 3; i++) {
		when.tv_sec = start->tv_sec + (end->tv_sec - start->tv_sec) / 2 * i;
		printf("set mode: %d\n", pmSetModeHighRes(PM_MODE_INTERP, &when, NULL));
		dump_all_labels();
	}
	printf("set mode: %d\n", pmSetModeHighRes(PM_MODE_INTERP, end, NULL));
	dump_all_labels();
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sort the metrics by name: only "meta" compares the order of a traversal. */
static void sort_metrics(void)
{
	char **names = metrics.names;
	int n = metrics.n;

	qsort(names, n, sizeof(*names), by_name);
	metrics.names = NULL;
	metrics.n = 0;
	for (int i = 0; i < n; i++)
		add_metric(names[i]);
}

#define NSEC 1000000000LL

/*
 * Return whether a time is within the millisecond after the end.  At such a time, the original's
 * first fetch returns EOL and later ones do not, whereas this library never returns EOL.
 */
static int at_the_end(const struct timespec *from, int64_t ms, const struct timespec *end)
{
	__int128 past = (__int128)(from->tv_sec - end->tv_sec) * NSEC + from->tv_nsec -
			end->tv_nsec + ms * (NSEC / 1000);

	return past > 0 && past <= NSEC / 1000;
}

/*
 * Fetch after jumps to times that are not whole seconds.  The original stores a whole second as
 * 10^9 ns after the previous second, so the last bit of interpolated doubles differs.
 */
static void jump(const struct timespec *start, const struct timespec *end, int delta, int fetches)
{
	struct timespec step = { delta / 1000, delta % 1000 * 1000000L };
	double span = end->tv_sec - start->tv_sec + 1;
	uint64_t state = 42;

	for (int i = 0; i < fetches; i++) {
		double at = random_next(&state) / 2147483648.0 * span;
		struct timespec when = {
			.tv_sec = start->tv_sec + (time_t)at,
			.tv_nsec = random_next(&state) % 1000 * 1000000L + 137000,
		};

		pmSetModeHighRes(PM_MODE_INTERP, &when, &step);
		for (int j = 0; j < 3 && !at_the_end(&when, j * delta, end); j++)
			fetch(0, 0);
	}
}

static void walk(const char *mode, const struct timespec *start, const struct timespec *end,
		 int delta, int fetches)
{
	struct timespec step = { delta / 1000, delta % 1000 * 1000000L };
	int raw = !strcmp(mode, "raw");
	int back = !strcmp(mode, "back") || delta < 0;
	int which = PM_MODE_INTERP;

	if (raw || !strcmp(mode, "forw"))
		which = PM_MODE_FORW;
	else if (!strcmp(mode, "back"))
		which = PM_MODE_BACK;
	printf("set mode: %d\n", pmSetModeHighRes(which, back ? end : start, &step));
	for (int i = 0; i < fetches; i++) {
		if (which == PM_MODE_INTERP && !back && at_the_end(start, (int64_t)i * delta, end))
			break;
		if (fetch(raw, i % 100 == 0) < 0)
			break;
	}
}

int main(int argc, char **argv)
{
	int delta = argc > 3 ? atoi(argv[3]) : 1000;
	int fetches = argc > 4 ? atoi(argv[4]) : 1000;
	struct timespec end;
	pmHighResLogLabel label;
	int err;

	if (argc < 3)
		return 2;
	err = pmNewContext(PM_CONTEXT_ARCHIVE, argv[1]);
	if (err < 0)
		die("open", err);
	err = pmGetHighResArchiveLabel(&label);
	if (err < 0)
		die("label", err);
	err = pmGetHighResArchiveEnd(&end);
	printf("end: %d %" PRId64 ".%09ld\n", err, (int64_t)end.tv_sec, end.tv_nsec);
	for (int i = 5; i < argc; i++)
		add_metric(argv[i]);
	if (argc <= 5)
		pmTraversePMNS("", add_recorded);
	sort_metrics();
	if (!strcmp(argv[2], "meta"))
		dump_meta(&end);
	else if (!strcmp(argv[2], "text"))
		dump_all_text();
	else if (!strcmp(argv[2], "labels"))
		dump_labels(&label.start, &end);
	else if (!strcmp(argv[2], "jump"))
		jump(&label.start, &end, delta, fetches);
	else
		walk(argv[2], &label.start, &end, delta, fetches);
	return 0;
}
