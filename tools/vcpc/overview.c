// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order in which an archive of the whole system is shown.
 *
 * First come the metrics that a table lists, with one instance each, then their other instances,
 * then all other metrics, ordered by how much they varied, and finally PCP's metrics about itself.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "overview.h"

/*
 * @instance: the instance to show first; NULL: the one with the largest mean, except the loopback
 *	interface
 * @or_else: use this line only if the archive has no metric of the preceding lines, back to and
 *   including the last line without this flag
 */
static const struct first {
	const char *metric, *instance;
	bool or_else;
} firsts[] = {
	{ "kernel.all.load", "1 minute", false },
	{ "kernel.all.cpu.user", NULL, false },
	{ "kernel.cpu.util.user", NULL, true },
	{ "kernel.percpu.cpu.user", NULL, true },
	{ "kernel.all.cpu.sys", NULL, false },
	{ "kernel.cpu.util.sys", NULL, true },
	{ "kernel.percpu.cpu.sys", NULL, true },
	{ "mem.util.available", NULL, false },
	{ "mem.util.used", NULL, true },
	{ "mem.util.free", NULL, true },
	{ "mem.freemem", NULL, true },
	{ "disk.all.read_bytes", NULL, false },
	{ "disk.dev.read_bytes", NULL, true },
	{ "disk.all.read", NULL, true },
	{ "disk.dev.read", NULL, true },
	{ "disk.all.write_bytes", NULL, false },
	{ "disk.dev.write_bytes", NULL, true },
	{ "disk.all.write", NULL, true },
	{ "disk.dev.write", NULL, true },
	{ "network.interface.in.bytes", NULL, false },
	{ "network.interface.out.bytes", NULL, false },
	{ "kernel.all.cpu.wait.total", NULL, false },
	{ "kernel.cpu.util.wait", NULL, true },
	{ "kernel.all.cpu.idle", NULL, false },
	{ "kernel.cpu.util.idle", NULL, true },
	{ "kernel.all.runnable", NULL, false },
	{ "swap.pagesout", NULL, false },
};

#define NFIRSTS	(sizeof(firsts) / sizeof(firsts[0]))

/* Metrics of PCP's own state */
static const char *const last[] = { "pmcd.", "pmproxy.", "pmlogger.", "pmda." };

/*
 * struct item - a column, or a metric
 * @variation: standard deviation divided by the mean, at most 1, so that rare events do not come
 *	first
 * @place: its rank in the order; items of equal rank are sorted by variation
 * @at: its index
 */
struct item {
	const char *metric, *instance;
	bool empty, has_unit;
	double mean, variation;
	size_t place, at;
};

bool vcpc_begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

bool vcpc_overview_is_own(const char *metric)
{
	return vcpc_begins(metric, "vcpc.") || vcpc_begins(metric, "trace.");
}

static void set_numbers(struct item *item, double n, double sum, double squares)
{
	double mean = sum / n, variance = squares / n - mean * mean;

	item->empty = !(n > 0);
	item->mean = item->instance && !strcmp(item->instance, "lo") ? -1 : mean;
	/* Rounding errors of equal values are not variation. */
	if (!item->empty && isfinite(variance) && variance > mean * mean * 1e-12)
		item->variation = fmin(sqrt(variance) / fabs(mean), 1);
}

static bool matches(const struct item *item, const struct first *first)
{
	return !item->empty && !strcmp(item->metric, first->metric) &&
	       (!first->instance || !item->instance || !strcmp(item->instance, first->instance));
}

/* Place the instances of the table's metrics. */
static void place_firsts(struct item *items, size_t n)
{
	bool found = false;

	for (size_t f = 0; f < NFIRSTS; f++) {
		struct item *best = NULL;

		if (!firsts[f].or_else)
			found = false;
		for (size_t i = 0; i < n && !found; i++)
			if (matches(&items[i], &firsts[f]) && (!best || items[i].mean > best->mean))
				best = &items[i];
		for (size_t i = 0; i < n && best; i++)
			if (!strcmp(items[i].metric, best->metric))
				items[i].place = NFIRSTS + f;
		if (best)
			best->place = f;
		found |= best != NULL;
	}
}

static void place_others(struct item *item)
{
	item->place = 2 * NFIRSTS;
	for (size_t i = 0; i < sizeof(last) / sizeof(last[0]); i++)
		if (vcpc_begins(item->metric, last[i]))
			item->place++;
}

/*
 * Set the variation and rank of all instances of a metric to their largest variation and their
 * first rank.  The instances are adjacent.
 */
static void metric_share(struct item *items, size_t n, bool places)
{
	size_t end;

	for (size_t i = 0; i < n; i = end) {
		double variation = 0;
		size_t place = items[i].place;

		for (end = i; end < n && !strcmp(items[end].metric, items[i].metric); end++) {
			variation = fmax(variation, items[end].variation);
			place = items[end].place < place ? items[end].place : place;
		}
		for (size_t j = i; j < end; j++) {
			items[j].variation = variation;
			items[j].place = places ? place : items[j].place;
		}
	}
}

static int items_compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	bool x_varies = x->variation > 0, y_varies = y->variation > 0;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x_varies != y_varies)
		return x_varies ? -1 : 1;
	if (x->has_unit != y->has_unit)
		return x->has_unit ? -1 : 1;
	if (x->variation != y->variation)
		return x->variation > y->variation ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static void items_sort(struct item *items, size_t n, bool by_metric)
{
	for (size_t i = 0; i < n; i++) {
		items[i].at = i;
		place_others(&items[i]);
	}
	place_firsts(items, n);
	metric_share(items, n, by_metric);
	qsort(items, n, sizeof(*items), items_compare);
}

static void set_column(struct item *item, const struct vcpc_column *c, size_t nrows)
{
	double n = 0, sum = 0, squares = 0;

	*item = (struct item){ c->metric, c->instance, .has_unit = *c->unit };
	for (size_t row = 0; row < nrows; row++) {
		double v = c->values[row];

		if (!isfinite(v))
			continue;
		n++;
		sum += v;
		squares += v * v;
	}
	set_numbers(item, n, sum, squares);
}

int vcpc_overview_series(struct vcpc_series *s, bool charts)
{
	struct item *items = calloc(s->ncolumns + 1, sizeof(*items));
	struct vcpc_column *columns = malloc((s->ncolumns + 1) * sizeof(*columns));

	if (!items || !columns) {
		free(items);
		free(columns);
		return -ENOMEM;
	}
	for (size_t i = 0; i < s->ncolumns; i++)
		set_column(&items[i], &s->columns[i], s->nrows);
	items_sort(items, s->ncolumns, charts);
	for (size_t i = 0; i < s->ncolumns; i++)
		columns[i] = s->columns[items[i].at];
	free(items);
	free(s->columns);
	s->columns = columns;
	return 0;
}

static void set_metric(struct item *item, const struct vcpc_entry *e, const struct vcpc_rows *g)
{
	char unit[72];

	vcpc_series_unit(&e->desc, e->desc.sem == PM_SEM_COUNTER, unit, sizeof(unit));
	*item = (struct item){ e->name, NULL, .empty = true, .has_unit = *unit };
	for (size_t i = 0; i < g->n; i++) {
		struct item row = *item;

		set_numbers(&row, (double)g->rows[i].n, g->rows[i].sum, g->rows[i].squares);
		item->variation = fmax(item->variation, row.variation);
		item->empty &= row.empty;
	}
}

size_t *vcpc_overview_tally(const struct vcpc_tally *t)
{
	struct item *items = calloc(t->catalog.n + 1, sizeof(*items));
	size_t *order = calloc(t->catalog.n + 1, sizeof(*order));
	size_t n = 0;

	for (size_t i = 0; items && i < t->catalog.n; i++)
		set_metric(&items[i], &t->catalog.entries[i], &t->groups[i]);
	if (items && order)
		items_sort(items, t->catalog.n, true);
	for (int empty = 0; items && order && empty < 2; empty++)
		for (size_t i = 0; i < t->catalog.n; i++)
			if (items[i].empty == empty)
				order[n++] = items[i].at;
	if (!items) {
		free(order);
		order = NULL;
	}
	free(items);
	return order;
}
