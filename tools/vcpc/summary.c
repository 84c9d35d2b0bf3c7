// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc summary: averages, least and greatest values of an archive's metrics. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "damage.h"
#include "text.h"
#include "vcpc.h"

/*
 * struct row - a metric's instance
 * @n: values, or for counters differences of two
 * @weighted: sum of values times the seconds they lasted, which are @seconds
 * @at: time of the last value, in seconds since the window's start; NAN if nothing goes on from it
 */
struct row {
	int inst;
	unsigned long n;
	double least, most, sum, weighted, seconds;
	double at;
	double last;
};

struct group {
	struct row *rows;
	size_t n;
};

struct summary {
	struct vcpc_window window;
	struct vcpc_catalog catalog;
	struct group *groups;	/* one a metric of the catalog */
};

static int help(void)
{
	printf("Usage: vcpc summary ARCHIVE [METRIC...]\n\n"
	       "Prints for each metric and instance that has numbers how many values there are, their\n"
	       "average over the time, the least and the greatest.  Counters are rates per second\n"
	       "from record to record; nothing is taken across marks.\n\n"
	       "%s", VCPC_WINDOW_HELP);
	return 0;
}

static struct row *row_of(struct group *g, int inst)
{
	struct row *rows;
	size_t lo = 0, hi = g->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->rows[mid].inst < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < g->n && g->rows[lo].inst == inst)
		return &g->rows[lo];
	rows = realloc(g->rows, (g->n + 1) * sizeof(*rows));
	if (!rows)
		return NULL;
	g->rows = rows;
	memmove(&rows[lo + 1], &rows[lo], (g->n - lo) * sizeof(*rows));
	rows[lo] = (struct row){ .inst = inst, .at = NAN };
	g->n++;
	return &rows[lo];
}

static void count(struct row *row, double v)
{
	row->least = row->n ? fmin(row->least, v) : v;
	row->most = row->n ? fmax(row->most, v) : v;
	row->sum += v;
	row->n++;
}

/* A counter that went back was reset: what it gained is not known */
static void take_counter(struct row *row, double v, double at)
{
	double seconds = at - row->at;

	if (seconds > 0 && v >= row->last) {
		count(row, (v - row->last) / seconds);
		row->weighted += v - row->last;
		row->seconds += seconds;
	}
	row->last = v;
	row->at = at;
}

/* A value lasts until the next */
static void take_value(struct row *row, double v, double at)
{
	if (at > row->at) {
		row->weighted += row->last * (at - row->at);
		row->seconds += at - row->at;
	}
	count(row, v);
	row->last = v;
	row->at = at;
}

static int take_set(struct group *g, const pmDesc *desc, const pmValueSet *set, double at)
{
	for (int i = 0; i < set->numval; i++) {
		int inst = desc->indom == PM_INDOM_NULL ? -1 : set->vlist[i].inst;
		struct row *row = row_of(g, inst);
		pmAtomValue v;

		if (!row)
			return vcpc_fail(ENOMEM, "values");
		if (pmExtractValue(set->valfmt, &set->vlist[i], desc->type, &v, PM_TYPE_DOUBLE))
			continue;
		if (desc->sem == PM_SEM_COUNTER)
			take_counter(row, v.d, at);
		else
			take_value(row, v.d, at);
	}
	return 0;
}

static void break_all(struct summary *s)
{
	for (size_t i = 0; i < s->catalog.n; i++)
		for (size_t j = 0; j < s->groups[i].n; j++)
			s->groups[i].rows[j].at = NAN;
}

static int take(const pmHighResResult *r, void *arg)
{
	struct summary *s = arg;
	double at = (vcpc_ns_of(r->timestamp) - vcpc_ns_of(s->window.from)) / 1e9;
	int status = 0;

	if (!r->numpmid)
		break_all(s);
	for (int i = 0; i < r->numpmid && !status; i++) {
		struct vcpc_entry *e = vcpc_catalog_find(&s->catalog, r->vset[i]->pmid);

		if (e && e->desc.type >= PM_TYPE_32 && e->desc.type <= PM_TYPE_DOUBLE)
			status = take_set(&s->groups[e - s->catalog.entries], &e->desc,
					  r->vset[i], at);
	}
	return status;
}

static void put_name(const struct vcpc_entry *e, int inst, char *buf, size_t size)
{
	char *name;

	snprintf(buf, size, "%s", e->name);
	if (e->desc.indom == PM_INDOM_NULL)
		return;
	if (pmNameInDomArchive(e->desc.indom, inst, &name)) {
		snprintf(buf, size, "%s[%d]", e->name, inst);
		return;
	}
	snprintf(buf, size, "%s[%s]", e->name, name);
	vcpc_printable(buf, "");
	free(name);
}

static void put_row(const struct vcpc_entry *e, const struct row *row, int width)
{
	const char *units = pmUnitsStr(&e->desc.units);
	double average = row->seconds > 0 ? row->weighted / row->seconds : row->sum / row->n;
	char name[512];

	put_name(e, row->inst, name, sizeof(name));
	printf("%-*s %8lu %12.6g %12.6g %12.6g %s%s\n", width, name, row->n, average, row->least,
	       row->most, units, e->desc.sem == PM_SEM_COUNTER ? "/s" : "");
}

static void put_all(const struct summary *s)
{
	size_t width = 6;
	char name[512];

	for (size_t i = 0; i < s->catalog.n; i++) {
		for (size_t j = 0; j < s->groups[i].n; j++) {
			put_name(&s->catalog.entries[i], s->groups[i].rows[j].inst, name,
				 sizeof(name));
			width = strlen(name) > width ? strlen(name) : width;
		}
	}
	printf("%-*s %8s %12s %12s %12s\n", (int)width, "metric", "values", "average", "least",
	       "greatest");
	for (size_t i = 0; i < s->catalog.n; i++)
		for (size_t j = 0; j < s->groups[i].n; j++)
			if (s->groups[i].rows[j].n)
				put_row(&s->catalog.entries[i], &s->groups[i].rows[j], (int)width);
}

static int summarize(struct summary *s, const char *archive, char **names)
{
	int status = vcpc_window_set(&s->window, archive);

	if (!status)
		status = vcpc_catalog_read(&s->catalog, names);
	if (status)
		return status;
	s->groups = calloc(s->catalog.n + 1, sizeof(*s->groups));
	if (!s->groups)
		return vcpc_fail(ENOMEM, "values");
	status = vcpc_records(&s->window, archive, take, s);
	put_all(s);
	return status | vcpc_damage(archive);
}

int vcpc_cmd_summary(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		VCPC_WINDOW_LONG,
		{ NULL, 0, NULL, 0 },
	};
	struct summary s = { 0 };
	int c, status;

	while ((c = getopt_long(argc, argv, "h" VCPC_WINDOW_SHORT, longs, NULL)) != -1) {
		if (c == 'h')
			return help();
		if (!vcpc_window_option(&s.window, c, optarg))
			return vcpc_usage(NULL);
	}
	if (optind == argc)
		return vcpc_usage("which archive?");
	status = vcpc_open_archive(argv[optind]);
	if (status)
		return status;
	status = summarize(&s, argv[optind], argv + optind + 1);
	for (size_t i = 0; s.groups && i < s.catalog.n; i++)
		free(s.groups[i].rows);
	free(s.groups);
	vcpc_catalog_free(&s.catalog);
	pmDestroyContext(pmWhichContext());
	return status;
}
