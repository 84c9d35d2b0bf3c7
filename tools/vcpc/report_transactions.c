// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write the report's main result: the cost of the costliest transaction, and a table of all
 * transactions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_text.h"
#include "names.h"
#include "report.h"
#include "value.h"

#define ROWS		100
#define EVENTS		7	/* columns: at most four events and three parts of the time */
#define SPARK_WIDTH	120
#define SPARK_HEIGHT	24

/* A tag's transactions in the window; NAN if unknown */
struct transaction {
	const char *tag;
	double count, mean, p50, p99, max;
	double events[EVENTS];
};

/* @list: @n transactions, sorted by descending total time; @events: names of the columns */
struct transactions {
	struct transaction *list;
	size_t n, nevents;
	const char *events[EVENTS];
	bool is_time[EVENTS];
	double seconds;		/* length of the recording */
};

static void take_event(struct transactions *all, struct transaction *t, const struct vcpc_quantity *q)
{
	size_t i = 0;

	while (i < all->nevents && strcmp(all->events[i], q->what))
		i++;
	if (i == EVENTS)
		return;
	all->events[i] = q->what;
	all->is_time[i] = q->seconds;
	all->nevents = i == all->nevents ? i + 1 : all->nevents;
	t->events[i] = q->value;
}

static void quantity_take(struct transactions *all, struct transaction *t,
			  const struct vcpc_quantity *q)
{
	const struct {
		const char *what;
		double *to;
	} known[] = {
		{ "count", &t->count }, { "time", &t->mean }, { "p50", &t->p50 }, { "p99", &t->p99 },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(q->what, known[i].what))
			*known[i].to = q->value;
	if (q->counted > 0)
		take_event(all, t, q);
}

static double cost(const struct transaction *t)
{
	return t->count * t->mean;
}

static int by_cost(const void *a, const void *b)
{
	double x = cost(a), y = cost(b);

	return (x < y) - (x > y);
}

/* Collect the tags that have transactions.  Points have no durations, so they are skipped. */
static int collect(struct transactions *all, const struct report_side *side)
{
	const struct vcpc_run *run = &side->run;
	size_t next;

	all->seconds = side->drawing.tally.end - side->drawing.tally.begin;
	all->list = calloc(run->n + 1, sizeof(*all->list));
	if (!all->list)
		return -ENOMEM;
	for (size_t i = 0; i < run->n; i = next) {
		struct transaction *t = &all->list[all->n];

		*t = (struct transaction){ run->list[i].scope, NAN, NAN, NAN, NAN, NAN,
					  { NAN, NAN, NAN, NAN, NAN, NAN, NAN } };
		for (next = i; next < run->n && !strcmp(run->list[next].scope, t->tag); next++)
			quantity_take(all, t, &run->list[next]);
		all->n += *t->tag && t->count > 0 && t->mean >= 0;
	}
	if (all->n)
		qsort(all->list, all->n, sizeof(*all->list), by_cost);
	return 0;
}

/* Return the upper bound, in seconds, of the highest bucket used by a transaction of the window. */
static double end_of_bucket(const char *text)
{
	unsigned long long floor = strtoull(text, NULL, 10);

	for (unsigned int i = 0; i + 1 < SHIM_TRACE_HIST_SLOTS; i++)
		if (shim_trace_hist_floor(i) == floor)
			return shim_trace_hist_floor(i + 1) / 1e9;
	return NAN;
}

/*
 * The recorded maximum covers all time since tracing was turned on.  If the window's histogram ends
 * below it, the duration of the window's longest transaction is known only to the precision of its
 * bucket.
 */
static void take_max(struct report_side *side, size_t metric, const struct vcpc_names *tags, struct transactions *all)
{
	const struct vcpc_entry *e = &side->drawing.tally.catalog.entries[metric];
	const struct vcpc_rows *g = &side->drawing.tally.groups[metric];
	bool is_hist = !strcmp(e->name, "vcpc.transact.hist");

	for (size_t i = 0; i < g->n; i++) {
		const struct vcpc_row *row = &g->rows[i];
		const char *name = vcpc_drawing_name(&side->drawing, e->desc.indom, row->inst);
		const char *slash = name && is_hist ? strrchr(name, '/') : NULL;
		char *tag = slash ? strndup(name, slash - name) : NULL;
		long at = name ? vcpc_names_find(tags, tag ? tag : name, "") : -1;
		double v = is_hist ? slash ? end_of_bucket(slash + 1) : NAN : row->most;
		bool none = is_hist && !(row->gained + (row->late ? row->first : 0) > 0);

		free(tag);
		if (at < 0 || none || isnan(v))
			continue;
		if (is_hist)
			all->list[at].max = fmax(all->list[at].max, v);
		else
			all->list[at].max = fmin(all->list[at].max, v);
	}
}

static double limit_to(double percentile, double max)
{
	return percentile > max ? max : percentile;
}

static int add_maxima(struct report_side *side, struct transactions *all)
{
	static const char *const metrics[] = { "vcpc.transact.hist", "trace.transact.max_time" };
	const struct vcpc_catalog *c = &side->drawing.tally.catalog;
	struct vcpc_names tags = { 0 };
	int err = 0;

	for (size_t i = 0; i < all->n && !err; i++)
		err = vcpc_names_number(&tags, all->list[i].tag, "") < 0 ? -ENOMEM : 0;
	for (size_t m = 0; m < 2 && !err; m++)
		for (size_t i = 0; i < c->n; i++)
			if (!strcmp(c->entries[i].name, metrics[m]))
				take_max(side, i, &tags, all);
	vcpc_names_free(&tags);
	/* A percentile is the middle of its bucket, which can be above the maximum. */
	for (size_t i = 0; i < all->n; i++) {
		all->list[i].p50 = limit_to(all->list[i].p50, all->list[i].max);
		all->list[i].p99 = limit_to(all->list[i].p99, all->list[i].max);
	}
	return err;
}

static void put_sentence(FILE *out, const struct transactions *all)
{
	const struct transaction *t = &all->list[0];
	bool median = isfinite(t->p50);
	char a[32], b[32];

	fputs("<p class=\"answer\"><b>", out);
	vcpc_html_text(out, t->tag, REPORT_NAME);
	vcpc_value_text(a, sizeof(a), median ? t->p50 : t->mean, true, 2);
	fprintf(out, "</b>: %s %s", a, median ? "median" : "mean");
	if (isfinite(t->p99)) {
		vcpc_value_text(a, sizeof(a), t->p99, true, 2);
		fprintf(out, ", %s p99", a);
	}
	for (size_t i = 0; i < all->nevents && i < 2; i++) {
		if (isnan(t->events[i]))
			continue;
		vcpc_value_text(a, sizeof(a), t->events[i], all->is_time[i], 2);
		fprintf(out, ", %s ", a);
		vcpc_html_text(out, all->events[i], REPORT_NAME);
		fputs(" each", out);
	}
	vcpc_value_text(a, sizeof(a), t->count, false, 3);
	vcpc_value_text(b, sizeof(b), all->seconds, true, 3);
	fprintf(out, ", %s in %s.</p>\n", a, b);
}

/* Write the command's counts, for archives without transactions. */
static void put_counts(FILE *out, const struct report_side *side)
{
	const struct vcpc_tally *t = &side->drawing.tally;
	const char *comma = "";
	char text[32];

	fputs("<p class=\"answer\">", out);
	for (size_t i = 0; i < side->run.n && i < 6; i++) {
		const struct vcpc_quantity *q = &side->run.list[i];

		if (*q->scope || strchr(q->what, '.') || !strcmp(q->what, "elapsed"))
			continue;
		vcpc_value_text(text, sizeof(text), q->value, q->seconds, 3);
		fprintf(out, "%s%s ", comma, text);
		vcpc_html_text(out, q->what, REPORT_NAME);
		comma = ", ";
	}
	vcpc_value_text(text, sizeof(text), t->end - t->begin, true, 3);
	if (!*comma)
		fprintf(out, "%zu metrics, %lu records", t->catalog.n, t->records);
	fprintf(out, " in %s.</p>\n", text);
}

/* Draw transactions per second over time, from zero to the maximum, as a line without axes. */
static void put_spark(FILE *out, const struct vcpc_drawing *d, const char *tag)
{
	const struct vcpc_steps *s = &d->steps;
	double most = 0, length = s->n ? s->times[s->n - 1] - s->times[0] : 0;
	size_t at = 0;

	while (at < d->ntags && strcmp(d->tags[at].name, tag))
		at++;
	if (at == d->ntags || d->tags[at].count == SIZE_MAX || !(length > 0)) {
		fputs("<td></td>", out);
		return;
	}
	for (size_t i = 0; i < s->n; i++)
		most = fmax(most, vcpc_steps_get(s, d->tags[at].count, i));
	fprintf(out, "<td><svg class=\"spark\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"rate over time\">"
		"<polyline points=\"", SPARK_WIDTH, SPARK_HEIGHT);
	for (size_t i = 0; i < s->n; i++) {
		double v = vcpc_steps_get(s, d->tags[at].count, i);

		if (isfinite(v) && most > 0)
			fprintf(out, "%.1f,%.1f ", (s->times[i] - s->times[0]) / length * SPARK_WIDTH,
				1 + (1 - v / most) * (SPARK_HEIGHT - 2));
	}
	fputs("\"/></svg></td>", out);
}

static void put_cell(FILE *out, double v, bool seconds)
{
	char text[32];

	vcpc_value_text(text, sizeof(text), v, seconds, 3);
	fprintf(out, "<td>%s</td>", text);
}

static void put_row(FILE *out, const struct vcpc_drawing *d, const struct transactions *all,
		    const struct transaction *t)
{
	fputs("<tr><th scope=\"row\">", out);
	vcpc_html_text(out, t->tag, REPORT_NAME);
	fputs("</th>", out);
	put_cell(out, t->count, false);
	put_cell(out, all->seconds > 0 ? t->count / all->seconds : NAN, false);
	put_cell(out, t->mean, true);
	put_cell(out, t->p50, true);
	put_cell(out, t->p99, true);
	put_cell(out, t->max, true);
	for (size_t i = 0; i < all->nevents; i++)
		put_cell(out, t->events[i], all->is_time[i]);
	put_spark(out, d, t->tag);
	fputs("</tr>\n", out);
}

static void put_table(FILE *out, const struct report_side *side, const struct transactions *all)
{
	fputs("<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"All transactions\"><table id=\"costs\"><thead><tr>"
	      "<th scope=\"col\">Transaction</th><th scope=\"col\">Count</th><th scope=\"col\">Per second</th>"
	      "<th scope=\"col\">Mean</th><th scope=\"col\">p50</th><th scope=\"col\">p99</th><th scope=\"col\">Max</th>", out);
	for (size_t i = 0; i < all->nevents; i++) {
		fputs("<th scope=\"col\">", out);
		vcpc_html_text(out, all->events[i], REPORT_NAME);
		fputs(" each</th>", out);
	}
	fputs("<th scope=\"col\">Rate over time</th></tr></thead>\n", out);
	for (size_t i = 0; i < all->n && i < ROWS; i++)
		put_row(out, &side->drawing, all, &all->list[i]);
	fputs("</table></div>\n", out);
	if (all->n > ROWS)
		fprintf(out, "<p class=\"note\">%zu more transactions, with a shorter total duration: run "
			"<code>vcpc summary</code>.</p>\n", all->n - ROWS);
}

/* No counter is continuous across a gap, and its first value after the gap may be any part of a run. */
static void put_gaps(FILE *out, const struct vcpc_drawing *d)
{
	if (d->marks)
		fprintf(out, "<p class=\"note\">The recording has %lu gap%s, for example between archives. The table excludes "
			"transactions that ended in a gap or before the first record after it. If the archives are separate "
			"runs, write a report of each, or compare them.</p>\n", d->marks, d->marks == 1 ? "" : "s");
}

int report_transactions(FILE *out, struct report_side *side)
{
	struct transactions all = { 0 };
	int err = collect(&all, side);

	if (!err && all.n)
		err = add_maxima(side, &all);
	if (!err && all.n) {
		put_sentence(out, &all);
		put_table(out, side, &all);
		put_gaps(out, &side->drawing);
	} else if (!err) {
		put_counts(out, side);
	}
	free(all.list);
	return err;
}
