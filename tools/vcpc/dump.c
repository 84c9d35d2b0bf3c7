// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc dump: print an archive's raw contents. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "damage.h"
#include "options.h"
#include "table.h"
#include "text.h"
#include "vcpc.h"

enum { OPTION_ALL = 300, OPTION_INSTANCES, OPTION_RECORDS, OPTION_TEXTS };

struct dump {
	struct vcpc_window window;
	struct vcpc_catalog catalog;
	bool metrics, instances, texts, labels, records;
	bool dated;		/* the window spans several days */
};

static int dump_help(void)
{
	printf("Usage: vcpc dump ARCHIVE [--all | -d -l --instances --texts --records] [METRIC...]\n\n"
	       "Prints the raw contents of an archive for METRICs or groups of metrics\n"
	       "(default: all).  Without an option, prints the records.\n\n"
	       "  -d, --metrics         print types, semantics and units\n"
	       "      --instances       print all instances that each instance domain ever had\n"
	       "      --texts           print the help texts of metrics and instance domains\n"
	       "  -l, --labels          print the labels at the end of the window\n"
	       "      --records         print the records: times, values, and marks (gaps in the\n"
	       "                        recording)\n"
	       "      --all             print all of these\n"
	       "%s", VCPC_ARCHIVE_HELP VCPC_WINDOW_HELP);
	return 0;
}

static void put_metric(const struct vcpc_entry *e)
{
	const char *units = pmUnitsStr(&e->desc.units);

	printf("%s: %s, %s, %s%s%s", e->name, pmIDStr(e->desc.pmid), pmTypeStr(e->desc.type),
	       pmSemStr(e->desc.sem), *units ? ", " : "", units);
	if (e->desc.indom != PM_INDOM_NULL)
		printf(", instances of %s", pmInDomStr(e->desc.indom));
	putchar('\n');
}

static void put_text(const char *name, char *text)
{
	size_t len = strlen(text);

	while (len && text[len - 1] == '\n')
		len--;
	printf("%s: ", name);
	vcpc_printable(text, "\n\t");
	for (size_t i = 0; i < len; i++) {
		putchar(text[i]);
		if (text[i] == '\n')
			fputs("    ", stdout);
	}
	putchar('\n');
}

/* Report an error, unless it is @none, which means that the archive has nothing to print there. */
static int failed(int err, int none, const char *what, const char *name)
{
	char text[256];

	if (err == -ENOMEM)
		vcpc_no_memory();
	if (err >= 0 || err == none)
		return 0;
	snprintf(text, sizeof(text), "cannot read the %s of %s", what, name);
	return vcpc_fail_pm(err, text);
}

/* Print the one-line text and the help text, if they exist. */
static int put_texts(const char *name, int (*lookup)(pmID, int, char **), unsigned int id)
{
	static const int levels[] = { PM_TEXT_ONELINE, PM_TEXT_HELP | PM_TEXT_DIRECT };
	int status = 0;

	for (size_t i = 0; i < 2; i++) {
		char *text;
		int err = lookup(id, levels[i], &text);

		if (err != PM_ERR_NOTHOST)	/* no metric has a text of this kind */
			status |= failed(err, PM_ERR_TEXT, "help text", name);
		if (err)
			continue;
		if (*text)
			put_text(name, text);
		free(text);
	}
	return status;
}

/*
 * Print sets of labels.  @n is the number of sets, or the error from getting them.  Derived metrics
 * have no labels.
 */
static int put_sets(const char *name, int n, pmLabelSet *sets, pmInDom indom)
{
	char buf[256];

	for (int i = 0; i < n; i++) {
		if (sets[i].nlabels <= 0)
			continue;
		vcpc_printable(sets[i].json, "");
		if (indom == PM_INDOM_NULL)
			printf("%s: %s\n", name, sets[i].json);
		else
			printf("%s[%s]: %s\n", name,
			       vcpc_instance(indom, (int)sets[i].inst, buf, sizeof(buf)),
			       sets[i].json);
	}
	if (n > 0)
		pmFreeLabelSets(sets, n);
	return failed(n, PM_ERR_PMID_LOG, "labels", name);
}

static int put_labels(const struct vcpc_entry *e)
{
	pmLabelSet *sets;
	int n = pmGetItemLabels(e->desc.pmid, &sets);
	int status = put_sets(e->name, n, sets, PM_INDOM_NULL);

	if (e->desc.indom == PM_INDOM_NULL)
		return status;
	n = pmGetInDomLabels(e->desc.indom, &sets);
	status |= put_sets(pmInDomStr(e->desc.indom), n, sets, PM_INDOM_NULL);
	n = pmGetInstancesLabels(e->desc.indom, &sets);
	return status | put_sets(pmInDomStr(e->desc.indom), n, sets, e->desc.indom);
}

static int put_instances(pmInDom indom)
{
	char **names;
	int *ids;
	int n = pmGetInDomArchive(indom, &ids, &names);

	for (int i = 0; i < n; i++)
		printf("%s: %d is %s\n", pmInDomStr(indom), ids[i], vcpc_printable(names[i], ""));
	if (n > 0) {
		free(ids);
		free(names);
	}
	return failed(n, PM_ERR_INDOM_LOG, "instances", pmInDomStr(indom));
}

/*
 * Return whether this is the first metric of its instance domain, so that each domain is printed
 * once.
 */
static bool first_of_domain(const struct vcpc_catalog *c, size_t i)
{
	pmInDom indom = c->entries[i].desc.indom;

	for (size_t j = 0; j < i; j++)
		if (c->entries[j].desc.indom == indom)
			return false;
	return indom != PM_INDOM_NULL;
}

static int put_context_labels(void)
{
	pmLabelSet *sets;
	int n = pmGetContextLabels(&sets);

	return put_sets("archive", n, sets, PM_INDOM_NULL);
}

static int put_metadata(const struct dump *d)
{
	const struct vcpc_catalog *c = &d->catalog;
	int status = 0;

	pmSetModeHighRes(PM_MODE_INTERP, &d->window.to, NULL);
	for (size_t i = 0; d->metrics && i < c->n; i++)
		put_metric(&c->entries[i]);
	for (size_t i = 0; d->instances && i < c->n; i++)
		if (first_of_domain(c, i))
			status |= put_instances(c->entries[i].desc.indom);
	for (size_t i = 0; d->texts && i < c->n; i++) {
		status |= put_texts(c->entries[i].name, pmLookupText, c->entries[i].desc.pmid);
		if (first_of_domain(c, i))
			status |= put_texts(pmInDomStr(c->entries[i].desc.indom), pmLookupInDomText,
					    c->entries[i].desc.indom);
	}
	if (d->labels)
		status |= put_context_labels();
	for (size_t i = 0; d->labels && i < c->n; i++)
		status |= put_labels(&c->entries[i]);
	return status;
}

/* Print a text as the PMAPI does, but with control characters replaced. */
static void put_string(const struct vcpc_entry *e, const pmValueSet *set, int i)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool lost;

	if (!f)
		vcpc_no_memory();
	pmPrintValue(f, set->valfmt, e->desc.type, &set->vlist[i], 1);
	lost = ferror(f);
	if (fclose(f) || lost || !text)
		vcpc_no_memory();
	vcpc_put_printable(stdout, text, "");
	free(text);
}

static void put_value(const struct vcpc_entry *e, const pmValueSet *set, int i)
{
	if (e->desc.type >= PM_TYPE_32 && e->desc.type <= PM_TYPE_DOUBLE)
		pmPrintValue(stdout, set->valfmt, e->desc.type, &set->vlist[i], 1);
	else
		put_string(e, set, i);
	putchar('\n');
}

static void put_set(const struct vcpc_entry *e, const pmValueSet *set)
{
	char buf[256];

	if (set->numval <= 0) {
		printf("  %s: %s\n", e->name, set->numval ? pmErrStr(set->numval) : "no values");
		return;
	}
	for (int i = 0; i < set->numval; i++) {
		printf("  %s", e->name);
		if (e->desc.indom != PM_INDOM_NULL)
			printf("[%s]", vcpc_instance(e->desc.indom, set->vlist[i].inst, buf,
						     sizeof(buf)));
		fputs(": ", stdout);
		put_value(e, set, i);
	}
}

static int put_record(const pmHighResResult *r, void *arg)
{
	const struct dump *d = arg;
	bool headed = false;
	size_t next = 0;
	char when[64];

	vcpc_table_time(when, sizeof(when), r->timestamp, (struct timespec){ 0, 1 }, d->dated);
	if (!r->numpmid)
		printf("%s mark\n", when);
	for (int i = 0; i < r->numpmid; i++) {
		const struct vcpc_entry *e = vcpc_catalog_find(&d->catalog, r->vset[i]->pmid, &next);

		if (!e)
			continue;
		if (!headed)
			printf("%s\n", when);
		headed = true;
		put_set(e, r->vset[i]);
	}
	return ferror(stdout) ? vcpc_flush() : 0;
}

static int dump_option(struct dump *d, int c)
{
	switch (c) {
	case 'd':
		d->metrics = true;
		return 0;
	case OPTION_INSTANCES:
		d->instances = true;
		return 0;
	case OPTION_TEXTS:
		d->texts = true;
		return 0;
	case 'l':
		d->labels = true;
		return 0;
	case OPTION_RECORDS:
		d->records = true;
		return 0;
	case OPTION_ALL:
		d->metrics = d->instances = d->texts = d->labels = d->records = true;
		return 0;
	default:
		return vcpc_usage(NULL);
	}
}

static int prepare(struct dump *d, const char *archive, char **names)
{
	int status = vcpc_window_set(&d->window, archive);

	return status ? status : vcpc_catalog_read(&d->catalog, names);
}

static int print(struct dump *d, const char *archive)
{
	int status = put_metadata(d);

	d->dated = vcpc_several_days(d->window.from, d->window.to);
	return d->records ? status | vcpc_records(&d->window, archive, put_record, d) : status;
}

static int dump(struct dump *d, const char *archive, char **names)
{
	const struct vcpc_read read = { .window = &d->window, .points = !d->records };
	int unready = prepare(d, archive, names);
	int status = unready ? unready : print(d, archive);

	/* The check reads the metadata again, so the first copy is freed before. */
	vcpc_catalog_free(&d->catalog);
	pmDestroyContext(pmWhichContext());
	return unready ? unready : status | vcpc_damage(archive, &read);
}

int vcpc_cmd_dump(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "metrics", no_argument, NULL, 'd' },	{ "instances", no_argument, NULL, OPTION_INSTANCES },
		{ "texts", no_argument, NULL, OPTION_TEXTS },	{ "labels", no_argument, NULL, 'l' },
		{ "records", no_argument, NULL, OPTION_RECORDS },	{ "all", no_argument, NULL, OPTION_ALL },
		{ "help", no_argument, NULL, 'h' },	VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct dump d = { 0 };
	const char *archive;
	int c, status;

	while ((c = vcpc_getopt(argc, argv, "dlh" VCPC_WINDOW_SHORT, longs)) != -1) {
		if (c == 'h')
			return dump_help();
		status = vcpc_window_option(&d.window, c, optarg) ? 0 : dump_option(&d, c);
		if (status)
			return status;
	}
	archive = vcpc_window_archive(&d.window, argv);
	if (!archive)
		return VCPC_EXIT_USAGE;
	if (!d.metrics && !d.instances && !d.texts && !d.labels)
		d.records = true;
	status = vcpc_open_archive(archive);
	if (status)
		return status;
	return dump(&d, archive, argv + optind);
}
