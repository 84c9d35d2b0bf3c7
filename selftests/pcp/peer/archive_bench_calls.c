// SPDX-License-Identifier: GPL-2.0-or-later
/* Patterns of calls around fetches: open, walk the names, choose instances, convert values */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive_bench.h"

#define VISITS	20
#define ROUNDS	100

static void visit(void)
{
	if (pmNewContext(PM_CONTEXT_ARCHIVE, b.archive) < 0)
		exit(2);
}

static void count(const char *name)
{
	b.sum += strlen(name);
}

/* Open the archive and list its metrics. */
static long visit_names(void)
{
	pmDestroyContext(pmWhichContext());
	b.begun = bench_now();
	for (int i = 0; i < VISITS; i++) {
		visit();
		pmTraversePMNS("", count);
		pmDestroyContext(pmWhichContext());
	}
	return VISITS;
}

/* Open the archive, and find out which time it spans. */
static long visit_span(void)
{
	pmHighResLogLabel label;
	struct timespec end;

	pmDestroyContext(pmWhichContext());
	b.begun = bench_now();
	for (int i = 0; i < VISITS; i++) {
		visit();
		if (pmGetHighResArchiveLabel(&label) < 0 || pmGetHighResArchiveEnd(&end) < 0)
			exit(2);
		b.sum += (uint64_t)(end.tv_sec - label.start.tv_sec);
		pmDestroyContext(pmWhichContext());
	}
	return VISITS;
}

/* Open the archive, and read its first records. */
static long visit_records(void)
{
	pmHighResResult *r;

	pmDestroyContext(pmWhichContext());
	b.begun = bench_now();
	for (int i = 0; i < VISITS; i++) {
		visit();
		pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
		for (int j = 0; j < 5 && !pmFetchHighResArchive(&r); j++) {
			bench_look_at(r);
			pmFreeHighResResult(r);
		}
		pmDestroyContext(pmWhichContext());
	}
	return VISITS;
}

/* Open the archive, and fetch the last metric by its name. */
static long visit_value(void)
{
	const char *name;
	char *last;
	pmID pmid;
	long n;

	if (pmNameID(b.pmids[b.n - 1], &last) < 0)
		exit(2);
	name = last;
	pmDestroyContext(pmWhichContext());
	b.begun = bench_now();
	for (n = 0; n < VISITS; n++) {
		pmHighResResult *r;

		visit();
		if (pmLookupName(1, &name, &pmid) < 0)
			exit(2);
		if (!pmFetchHighRes(1, &pmid, &r)) {
			bench_look_at(r);
			pmFreeHighResResult(r);
		}
		pmDestroyContext(pmWhichContext());
	}
	free(last);
	return n;
}

static long copy_contexts(void)
{
	int first = pmWhichContext();

	b.begun = bench_now();
	for (int i = 0; i < ROUNDS; i++) {
		int copy = pmDupContext();

		if (copy < 0)
			exit(2);
		pmDestroyContext(copy);
		pmUseContext(first);
	}
	return ROUNDS;
}

static void walk(const char *name)
{
	char **children, below[256];
	int *states, n = pmGetChildrenStatus(name, &children, &states);

	if (n <= 0)
		return;
	for (int i = 0; i < n; i++) {
		b.sum += strlen(children[i]);
		if (states[i] != PMNS_NONLEAF_STATUS)
			continue;
		snprintf(below, sizeof(below), "%s%s%s", name, *name ? "." : "", children[i]);
		walk(below);
	}
	free(children);
	free(states);
}

static long walk_names(void)
{
	b.begun = bench_now();
	for (int i = 0; i < VISITS; i++)
		walk("");
	return VISITS;
}

static long find_names(void)
{
	char *name;

	b.begun = bench_now();
	for (int i = 0; i < ROUNDS; i++)
		for (int j = 0; j < b.n; j++) {
			if (pmNameID(b.pmids[j], &name) < 0)
				continue;
			b.sum += strlen(name);
			free(name);
		}
	return (long)ROUNDS * b.n;
}

static long get_descriptors(void)
{
	pmDesc desc;

	b.begun = bench_now();
	for (int i = 0; i < ROUNDS; i++)
		for (int j = 0; j < b.n; j++)
			if (pmLookupDesc(b.pmids[j], &desc) >= 0)
				b.sum = b.sum * 31 + (unsigned int)desc.type;
	return (long)ROUNDS * b.n;
}

/* Fetch single records at random times. */
static long seek_records(void)
{
	int64_t span = b.end.tv_sec - b.start.tv_sec;

	srandom(1);
	b.begun = bench_now();
	for (int i = 0; i < ROUNDS; i++) {
		struct timespec when = b.start;

		when.tv_sec += random() % (span > 0 ? span : 1);
		pmSetModeHighRes(PM_MODE_FORW, &when, NULL);
		bench_fetch();
	}
	return ROUNDS;
}

/* Choose two instances of a domain, and fetch some records with only these. */
static long choose_instances(void)
{
	long n = 0;

	b.begun = bench_now();
	for (int i = 0; i < ROUNDS; i++) {
		pmDesc desc;
		char **names;
		int *ids, got;

		if (pmLookupDesc(b.pmids[i % b.n], &desc) < 0 || desc.indom == PM_INDOM_NULL)
			continue;
		got = pmGetInDomArchive(desc.indom, &ids, &names);
		if (got < 2)
			continue;
		pmDelProfile(PM_INDOM_NULL, 0, NULL);
		pmAddProfile(desc.indom, 2, ids);
		free(ids);
		free(names);
		pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
		for (int j = 0; j < 10 && !bench_fetch(); j++)
			n++;
	}
	return n;
}

static int *types(void)
{
	int *all = calloc((size_t)b.n, sizeof(*all));
	pmDesc desc;

	for (int i = 0; all && i < b.n; i++)
		all[i] = pmLookupDesc(b.pmids[i], &desc) < 0 ? PM_TYPE_UNKNOWN : desc.type;
	return all;
}

static void extract(const pmValueSet *set, int type, FILE *unused)
{
	int to = type < PM_TYPE_STRING ? PM_TYPE_DOUBLE : type;

	(void)unused;
	for (int i = 0; i < set->numval; i++) {
		pmAtomValue atom;

		if (pmExtractValue(set->valfmt, &set->vlist[i], type, &atom, to) < 0)
			continue;
		if (to == PM_TYPE_STRING)
			free(atom.cp);
		b.sum++;
	}
}

static void print(const pmValueSet *set, int type, FILE *out)
{
	for (int i = 0; i < set->numval; i++)
		pmPrintValue(out, set->valfmt, type, &set->vlist[i], 1);
}

static long each_value(void (*use)(const pmValueSet *set, int type, FILE *out))
{
	FILE *out = fopen("/dev/null", "w");
	pmHighResResult *r;
	int *type = types();
	long n = 0;

	if (!type || !out)
		exit(2);
	pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
	b.begun = bench_now();
	for (; n < ROUNDS && !pmFetchHighRes(b.n, b.pmids, &r); n++) {
		for (int i = 0; i < r->numpmid; i++)
			use(r->vset[i], type[i], out);
		bench_look_at(r);
		pmFreeHighResResult(r);
	}
	fclose(out);
	free(type);
	return n;
}

/* Compute 60 points of all values as doubles, as tools that print several metrics do. */
static long points_as_doubles(void)
{
	struct timespec step = { (b.end.tv_sec - b.start.tv_sec) / 60, 1 };
	int *type = types();
	pmHighResResult *r;
	long n = 0;

	if (!type)
		exit(2);
	b.begun = bench_now();
	pmSetModeHighRes(PM_MODE_INTERP, &b.start, &step);
	for (; n < 60 && !pmFetchHighRes(b.n, b.pmids, &r); n++) {
		for (int i = 0; i < r->numpmid; i++)
			extract(r->vset[i], type[i], NULL);
		pmFreeHighResResult(r);
	}
	free(type);
	return n;
}

/* Print a set of values, with the names of the metric and of the instances. */
static void dump_set(const pmValueSet *set, FILE *out)
{
	char **names, *inst;
	pmDesc desc;

	if (pmLookupDesc(set->pmid, &desc) < 0 || pmNameAll(set->pmid, &names) < 0)
		return;
	fputs(names[0], out);
	free(names);
	for (int i = 0; i < set->numval; i++) {
		if (desc.indom != PM_INDOM_NULL &&
		    pmNameInDom(desc.indom, set->vlist[i].inst, &inst) >= 0) {
			fputs(inst, out);
			b.sum += strlen(inst);
			free(inst);
		}
		pmPrintValue(out, set->valfmt, desc.type, &set->vlist[i], 1);
	}
}

static long dump_records(void)
{
	FILE *out = fopen("/dev/null", "w");
	pmHighResResult *r;
	long n = 0;

	if (!out)
		exit(2);
	pmSetModeHighRes(PM_MODE_FORW, &b.start, NULL);
	b.begun = bench_now();
	for (; n < ROUNDS && !pmFetchHighResArchive(&r); n++) {
		pmPrintHighResStamp(out, &r->timestamp);
		for (int i = 0; i < r->numpmid; i++)
			dump_set(r->vset[i], out);
		pmFreeHighResResult(r);
	}
	fclose(out);
	return n;
}

static long get_all_descriptors(void)
{
	pmDesc *descs = calloc((size_t)b.n, sizeof(*descs));

	if (!descs)
		exit(2);
	b.begun = bench_now();
	for (int i = 0; i < ROUNDS; i++)
		b.sum = b.sum * 31 + (unsigned int)pmLookupDescs(b.n, b.pmids, descs);
	free(descs);
	return (long)ROUNDS * b.n;
}

static long find_end(void)
{
	struct timespec end;

	b.begun = bench_now();
	for (int i = 0; i < 100 * ROUNDS; i++)
		if (pmGetHighResArchiveEnd(&end) >= 0)
			b.sum = b.sum * 31 + (uint64_t)end.tv_sec;
	return 100 * ROUNDS;
}

static long extract_values(void)
{
	return each_value(extract);
}

static long print_values(void)
{
	return each_value(print);
}

const struct bench_kind bench_calls[] = {
	{ "visit-names", visit_names },
	{ "visit-span", visit_span },
	{ "visit-records", visit_records },
	{ "visit-value", visit_value },
	{ "points-as-doubles", points_as_doubles },
	{ "dump", dump_records },
	{ "all-descriptors", get_all_descriptors },
	{ "end", find_end },
	{ "copies", copy_contexts },
	{ "walk", walk_names },
	{ "names-of", find_names },
	{ "descriptors", get_descriptors },
	{ "seek", seek_records },
	{ "profile", choose_instances },
	{ "extract", extract_values },
	{ "print", print_values },
	{ 0 },
};
