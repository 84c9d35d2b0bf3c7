// SPDX-License-Identifier: GPL-2.0-or-later
/* Add up the records of an archive for each metric and instance. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"
#include "unchanged.h"
#include "vcpc.h"

static struct vcpc_row *row_of(struct vcpc_rows *g, int inst, double v, bool late)
{
	struct vcpc_row *rows;
	size_t lo = 0, hi = g->n;

	if (g->next < g->n && g->rows[g->next].inst == inst)
		return &g->rows[g->next++];
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->rows[mid].inst < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	g->next = lo + 1;
	if (lo < g->n && g->rows[lo].inst == inst)
		return &g->rows[lo];
	rows = realloc(g->rows, (g->n + 1) * sizeof(*rows));
	if (!rows)
		return NULL;
	g->rows = rows;
	memmove(&rows[lo + 1], &rows[lo], (g->n - lo) * sizeof(*rows));
	rows[lo] = (struct vcpc_row){ .inst = inst, .at = NAN, .first = v, .late = late };
	g->n++;
	return &rows[lo];
}

static void value_count(struct vcpc_row *row, double v)
{
	if (!row->n || v < row->least || isnan(row->least))
		row->least = v;
	if (!row->n || v > row->most || isnan(row->most))
		row->most = v;
	row->sum += v;
	row->squares += v * v;
	row->n++;
}

/* Add a counter's value.  If it decreased, it was reset, and the change is ignored. */
static void take_counter(struct vcpc_row *row, double v, double at)
{
	double seconds = at - row->at;

	if (seconds >= 0 && v >= row->last)
		row->gained += v - row->last;
	if (seconds > 0 && v >= row->last) {
		value_count(row, (v - row->last) / seconds);
		row->weighted += v - row->last;
		row->seconds += seconds;
	}
	row->last = v;
	row->at = at;
}

/* Weight the last value by the time until @at. */
static void weight_last(struct vcpc_row *row, double at)
{
	if (at > row->at) {
		row->weighted += row->last * (at - row->at);
		row->seconds += at - row->at;
	}
}

/* Add a value, which is assumed to last until the next one. */
static void take_value(struct vcpc_row *row, double v, double at)
{
	weight_last(row, at);
	value_count(row, v);
	row->last = v;
	row->at = at;
}

static int take_set(struct vcpc_tally *t, size_t metric, const pmValueSet *set, double at)
{
	const pmDesc *desc = &t->catalog.entries[metric].desc;
	struct vcpc_rows *g = &t->groups[metric];
	bool late = t->records > 1;
	int status = 0;

	g->next = 0;
	for (int i = 0; i < set->numval; i++) {
		int inst = desc->indom == PM_INDOM_NULL ? -1 : set->vlist[i].inst;
		struct vcpc_row *row;
		pmAtomValue v;
		int err = pmExtractValue(set->valfmt, &set->vlist[i], desc->type, &v,
					 PM_TYPE_DOUBLE);

		if (err == -ENOMEM)
			return vcpc_fail(ENOMEM, "values");
		/* Values that are not numbers are not tallied. */
		if (err)
			continue;
		row = row_of(g, inst, v.d, late);
		if (!row)
			return vcpc_fail(ENOMEM, "values");
		if (t->watch)
			status = t->watch->value(t->watch->arg, metric, row, v.d, at);
		if (status)
			return status;
		if (desc->sem == PM_SEM_COUNTER)
			take_counter(row, v.d, at);
		else
			take_value(row, v.d, at);
	}
	return 0;
}

/*
 * Handle a mark or the end of the window.  A discrete metric keeps its value until then; the values
 * of other metrics after their last record are unknown.
 */
static void break_all(struct vcpc_tally *t, double at)
{
	for (size_t i = 0; i < t->catalog.n; i++) {
		bool discrete = t->catalog.entries[i].desc.sem == PM_SEM_DISCRETE;

		for (size_t j = 0; j < t->groups[i].n; j++) {
			if (discrete)
				weight_last(&t->groups[i].rows[j], at);
			t->groups[i].rows[j].at = NAN;
		}
	}
}

static void note_time(struct vcpc_tally *t, double at)
{
	if (!t->records++)
		t->begin = at;
	t->end = at;
}

static int result_take(const pmHighResResult *r, void *arg)
{
	struct vcpc_tally *t = arg;
	double at = (vcpc_ns_of(r->timestamp) - vcpc_ns_of(t->window.from)) / 1e9;
	int status = 0;
	size_t next = 0;

	if (!r->numpmid)
		break_all(t, at);
	else
		note_time(t, at);
	if (t->watch)
		status = t->watch->record(t->watch->arg, at, !r->numpmid);
	for (int i = 0; i < r->numpmid && !status; i++) {
		struct vcpc_entry *e = vcpc_catalog_find(&t->catalog, r->vset[i]->pmid, &next);

		if (e && e->desc.type >= PM_TYPE_32 && e->desc.type <= PM_TYPE_DOUBLE)
			status = take_set(t, e - t->catalog.entries, r->vset[i], at);
	}
	return status;
}

int vcpc_tally_read(struct vcpc_tally *t, const char *archive, char **names)
{
	struct vcpc_unchanged u = { .take = result_take, .arg = t };
	int status = vcpc_window_set(&t->window, archive);

	if (!status)
		status = vcpc_catalog_read(&t->catalog, names);
	if (status)
		return status;
	t->groups = calloc(t->catalog.n + 1, sizeof(*t->groups));
	if (!t->groups)
		return vcpc_fail(ENOMEM, "values");
	status = vcpc_unchanged_open(&u);
	if (!status)
		status = vcpc_records(&t->window, archive, vcpc_unchanged_take, &u);
	break_all(t, (vcpc_ns_of(t->window.to) - vcpc_ns_of(t->window.from)) / 1e9);
	vcpc_unchanged_close(&u);
	return status;
}

void vcpc_tally_free(struct vcpc_tally *t)
{
	for (size_t i = 0; t->groups && i < t->catalog.n; i++)
		free(t->groups[i].rows);
	free(t->groups);
	vcpc_catalog_free(&t->catalog);
}
