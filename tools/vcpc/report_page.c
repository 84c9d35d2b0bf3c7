// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write the report's page: a table of all metrics, which needs no scripts, and the data and scripts
 * for the charts.
 *
 * The page's Content-Security-Policy prevents it from loading or sending anything.  Names in it
 * come from the archive and are untrusted, so they are escaped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_text.h"
#include "plot.h"
#include "report.h"
#include "series.h"
#include "vcpc.h"

#define METRICS		300	/* maximum number of metrics in the table */
#define ROWS		1000	/* maximum total for all metrics */
#define DEFINITION	600	/* maximum number of bytes of a text */

static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; "
	"style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n";

static const char places[] =
	"<noscript><p>The charts require scripts; the table does not.</p></noscript>\n"
	"<p class=\"keys screen\">Drag over a chart to zoom in on a period, double-click to show the whole time span. "
	"Keys in a chart: left and right move from value to value, + and - zoom, 0 shows the whole time span.</p>\n"
	"<div id=\"live\" aria-live=\"polite\"></div>\n"
	"<section id=\"transactions\" aria-labelledby=\"h-transactions\" hidden><h2 id=\"h-transactions\">Transactions</h2>\n"
	"<p class=\"screen\"><label for=\"tag\">Transaction</label> <select id=\"tag\"></select> <span id=\"more\"></span></p>\n"
	"<div id=\"tag-charts\"></div></section>\n"
	"<section aria-labelledby=\"h-time\"><h2 id=\"h-time\">Over time</h2><div id=\"charts\"></div></section>\n";

static bool has_stacks(const struct report *r)
{
	return r->sides[0].stacks.n || r->sides[1].stacks.n;
}

static void put_style(FILE *out, const struct report *r)
{
	fputs("<style>", out);
	fputs(report_plot_css, out);
	if (has_stacks(r))
		fputs(report_flame_css, out);
	fputs(report_css, out);
	fputs("</style>\n</head>\n<body>\n", out);
}

static void put_title(FILE *out, const struct report *r)
{
	vcpc_html_text(out, r->sides[0].archive, REPORT_NAME);
	if (r->n == 1)
		return;
	fputs(" and ", out);
	vcpc_html_text(out, r->sides[1].archive, REPORT_NAME);
}

/* Return 0, or an exit status after printing a message. */
static int put_head(FILE *out, const struct report *r)
{
	int status = 0;

	fputs(head, out);
	fputs("<title>", out);
	put_title(out, r);
	fputs(": vcpc report</title>\n", out);
	put_style(out, r);
	fputs("<a class=\"skip\" href=\"#all\">To the table</a>\n<header><h1>", out);
	put_title(out, r);
	fputs("</h1>\n", out);
	for (size_t i = 0; i < r->n; i++) {
		report_use(&r->sides[i]);
		status |= report_facts(out, &r->sides[i], r->n == 1 ? NULL : i ? "B" : "A");
	}
	fputs("</header>\n<main>\n", out);
	return status;
}

/* Write the main result, before all charts.  Return 0 or -ENOMEM. */
static int put_answer(FILE *out, struct report *r)
{
	if (r->n > 1) {
		report_differences(out, &r->comparison);
		return 0;
	}
	report_use(&r->sides[0]);
	return report_transactions(out, &r->sides[0]);
}

static void put_text(FILE *out, pmID pmid, int level, const char *before, const char *after)
{
	char *text;
	int err = pmLookupText(pmid, level, &text);

	if (err == -ENOMEM)
		vcpc_no_memory();
	if (err < 0)	/* the text does not exist */
		return;
	if (*text) {
		fputs(before, out);
		vcpc_html_text(out, text, DEFINITION);
		fputs(after, out);
	}
	free(text);
}

static void put_cell(FILE *out, double v)
{
	char text[32];

	if (!isfinite(v)) {
		fputs("<td>-</td>", out);
		return;
	}
	vcpc_plot_number(text, sizeof(text), v);
	fprintf(out, "<td title=\"%.9g\">%s</td>", v, text);
}

/*
 * struct shown - a metric of the table
 * @run: "A" or "B", or NULL if there is only one
 */
struct shown {
	struct report_side *side;
	size_t metric;
	const char *run;
};

static const struct vcpc_entry *entry_of(const struct shown *m)
{
	return &m->side->drawing.tally.catalog.entries[m->metric];
}

static const struct vcpc_rows *rows_of(const struct shown *m)
{
	return &m->side->drawing.tally.groups[m->metric];
}

static const char *name_of(const struct shown *m, const struct vcpc_row *row)
{
	const struct vcpc_entry *e = entry_of(m);
	const char *name;

	report_use(m->side);
	name = vcpc_drawing_name(&m->side->drawing, e->desc.indom, row->inst);
	return name ? name : e->desc.indom == PM_INDOM_NULL ? "(one value)" : "(no name)";
}

static void put_row(FILE *out, const struct shown *m, const struct vcpc_row *row)
{
	const pmDesc *desc = &entry_of(m)->desc;
	bool counter = desc->sem == PM_SEM_COUNTER;
	double average = row->seconds > 0 ? row->weighted / row->seconds : row->sum / row->n;
	char unit[72];
	double scale = vcpc_series_unit(desc, counter, unit, sizeof(unit));

	fputs("<tr><th scope=\"row\">", out);
	vcpc_html_text(out, name_of(m, row), REPORT_NAME);
	fputs("</th>", out);
	if (m->run)
		fprintf(out, "<td>%s</td>", m->run);
	fprintf(out, "<td>%lu</td>", row->n);
	put_cell(out, average * scale);
	put_cell(out, row->least * scale);
	put_cell(out, row->most * scale);
	if (counter)
		put_cell(out, (row->gained + (row->late ? row->first : 0)) * scale);
	fputs("</tr>\n", out);
}

/* Return whether a metric has too many rows for a list, so that they are drawn as a heat map. */
static bool is_histogram(const struct vcpc_entry *e)
{
	return !strcmp(e->name, "vcpc.transact.hist");
}

static const struct vcpc_row *find_row(const struct shown *m, const char *name)
{
	const struct vcpc_rows *g = rows_of(m);

	for (size_t i = 0; i < g->n; i++)
		if (!strcmp(name_of(m, &g->rows[i]), name))
			return &g->rows[i];
	return NULL;
}

static bool has_values(const struct vcpc_row *row)
{
	return row->n || row->late;
}

static size_t count_rows(const struct shown *runs, size_t n)
{
	size_t rows = 0;

	for (size_t run = 0; run < n; run++)
		for (size_t i = 0; i < rows_of(&runs[run])->n; i++)
			rows += has_values(&rows_of(&runs[run])->rows[i]);
	return rows;
}

/* Write a row if it has values and the table is not full. */
static void try_row(FILE *out, const struct shown *m, const struct vcpc_row *row, size_t *room)
{
	if (!*room || !row || !has_values(row))
		return;
	put_row(out, m, row);
	(*room)--;
}

/* Write the rows of a metric; each row of A is followed by the same row of B. */
static void put_rows(FILE *out, const struct shown *runs, size_t n, size_t *room)
{
	const struct vcpc_rows *g = rows_of(&runs[0]);
	bool counter = entry_of(&runs[0])->desc.sem == PM_SEM_COUNTER;
	size_t before = *room, left = count_rows(runs, n);
	char unit[72];

	vcpc_series_unit(&entry_of(&runs[0])->desc, counter, unit, sizeof(unit));
	fprintf(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Values\"><table><thead><tr>"
		"<th scope=\"col\">Instance</th>%s<th scope=\"col\">Values</th>"
		"<th scope=\"col\">Mean%s%s</th><th scope=\"col\">Minimum</th><th scope=\"col\">Maximum</th>%s</tr></thead>\n",
		runs[0].run ? "<th scope=\"col\">Run</th>" : "", *unit ? ", " : "", unit,
		counter ? "<th scope=\"col\">Gained</th>" : "");
	for (size_t i = 0; i < g->n && *room; i++) {
		try_row(out, &runs[0], &g->rows[i], room);
		if (n > 1)
			try_row(out, &runs[1], find_row(&runs[1], name_of(&runs[0], &g->rows[i])), room);
	}
	for (size_t i = 0; n > 1 && i < rows_of(&runs[1])->n && *room; i++) {
		const struct vcpc_row *row = &rows_of(&runs[1])->rows[i];

		if (!find_row(&runs[0], name_of(&runs[1], row)))
			try_row(out, &runs[1], row, room);
	}
	fputs("</table></div>\n", out);
	left -= before - *room;
	if (left)
		fprintf(out, "<p>%zu more: run <code>vcpc summary</code>.</p>\n", left);
}

static void put_metric(FILE *out, const struct shown *runs, size_t n, size_t *room)
{
	const struct vcpc_entry *e = entry_of(&runs[0]);

	report_use(runs[0].side);
	fputs("<article><h3>", out);
	vcpc_html_text(out, e->name, REPORT_NAME);
	fputs("</h3>\n", out);
	put_text(out, e->desc.pmid, PM_TEXT_ONELINE, "<p>", "</p>\n");
	put_text(out, e->desc.pmid, PM_TEXT_HELP, "<p class=\"help\">", "</p>\n");
	if (is_histogram(e))
		fprintf(out, "<p>%zu histogram buckets of all transactions, drawn as the heat map.</p>\n", rows_of(&runs[0])->n);
	else
		put_rows(out, runs, n, room);
	fputs("</article>\n", out);
}

/*
 * Find the other side's metric of the same name and kind.  Return false if there is none, or if it
 * has no values.
 */
static bool find_metric(const struct vcpc_entry *e, struct shown *other)
{
	const struct vcpc_tally *t = &other->side->drawing.tally;

	for (size_t i = 0; i < t->catalog.n; i++) {
		const pmDesc *desc = &t->catalog.entries[i].desc;

		other->metric = i;
		if (t->groups[i].n && !strcmp(t->catalog.entries[i].name, e->name))
			return desc->sem == e->desc.sem && !memcmp(&desc->units, &e->desc.units, sizeof(desc->units));
	}
	return false;
}

/* Numbers of listed and omitted metrics, and number of rows for which there is space */
struct listed {
	size_t metrics, left, room;
};

/*
 * List a side's metrics, together with the other side's metrics; for the second side, list only
 * metrics that are not listed yet.
 */
static void put_side(FILE *out, struct report *r, size_t side, struct listed *listed)
{
	const struct vcpc_drawing *d = &r->sides[side].drawing;

	for (size_t i = 0; i < d->tally.catalog.n; i++) {
		struct shown runs[VCPC_SIDES] = { { &r->sides[side], d->order ? d->order[i] : i, NULL } };
		size_t n = 1;

		if (!rows_of(&runs[0])->n)
			continue;
		if (r->n > 1) {
			runs[0].run = side ? "B" : "A";
			runs[1] = (struct shown){ &r->sides[!side], 0, side ? "A" : "B" };
			n += find_metric(entry_of(&runs[0]), &runs[1]);
		}
		if (side && n > 1)
			continue;
		if (listed->metrics++ < METRICS)
			put_metric(out, runs, n, &listed->room);
		else
			listed->left++;
	}
}

static void put_table(FILE *out, struct report *r)
{
	struct listed listed = { .room = ROWS };

	fputs("<section id=\"all\" aria-labelledby=\"h-all\"><h2 id=\"h-all\">All metrics, with their definitions</h2>\n"
	      "<p>Counters are shown as rates per second between records, and as their total increase; other values are "
	      "averages over time. Counters of time are shown in seconds per second.</p>\n", out);
	for (size_t side = 0; side < r->n; side++)
		put_side(out, r, side, &listed);
	if (!listed.metrics)
		fputs("<p>There are no numeric values in this window.</p>\n", out);
	if (listed.left)
		fprintf(out, "<p>%zu more metrics: run <code>vcpc summary</code>.</p>\n", listed.left);
	fputs("</section>\n</main>\n", out);
}

static int put_data(FILE *out, struct report *r)
{
	size_t len;
	char *json = NULL;
	FILE *memory = open_memstream(&json, &len);
	int err = memory ? report_data(memory, r) : -ENOMEM;

	/*
	 * If memory ran out, there may be no text at all, and fclose() does not report earlier
	 * errors.
	 */
	if (memory && ferror(memory))
		err = -ENOMEM;
	if (memory && (fclose(memory) || !json))
		err = -ENOMEM;
	if (!err) {
		fputs("<script type=\"application/json\" id=\"data\">", out);
		vcpc_html_json(out, json);
		fputs("</script>\n", out);
	}
	free(json);
	return err;
}

static void put_license(FILE *out, const char *what, const char *license)
{
	fprintf(out, "<details><summary>%s, under this license</summary><pre>", what);
	fputs(license, out);
	fputs("</pre></details>\n", out);
}

/* Omit the script for flame graphs if the page has none. */
static void put_scripts(FILE *out, const struct report *r)
{
	fputs("<footer>", out);
	put_license(out, "Generated by vcpc " VCPC_VERSION "; charts by uPlot", report_plot_license);
	if (has_stacks(r)) {
		put_license(out, "Flame graphs by d3-flame-graph", report_flame_license);
		put_license(out, "... with d3-selection and other D3 modules", report_select_license);
	}
	fputs("</footer>\n<script>", out);
	fputs(report_plot_js, out);
	if (has_stacks(r)) {
		fputs("</script>\n<script>", out);
		fputs(report_select_js, out);
		fputs("</script>\n<script>", out);
		fputs(report_flame_js, out);
	}
	fputs("</script>\n<script>", out);
	fputs(report_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
}

int report_page(FILE *out, struct report *r)
{
	int status = put_head(out, r), err = put_answer(out, r);

	fputs(places, out);
	put_table(out, r);
	if (!err)
		err = put_data(out, r);
	put_scripts(out, r);
	return err ? vcpc_fail(err, "page") : status;
}
