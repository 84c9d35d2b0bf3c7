// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write the data that the report's page draws as JSON.  Times are in seconds since the first
 * record.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html_text.h"
#include "report.h"
#include "series.h"

#define HEAT_COLUMNS	128
#define ROOM		3000000		/* bytes; transactions that do not fit are omitted */

/* Percentiles drawn for each step's transactions */
static const double parts[] = { 0.5, 0.9, 0.99 };

#define NPARTS	(sizeof(parts) / sizeof(parts[0]))

static void report_number(FILE *out, double v)
{
	if (isfinite(v))
		fprintf(out, "%.6g", v);
	else
		fputs("null", out);
}

static void put_list(FILE *out, const char *name, const double *values, size_t n)
{
	fprintf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < n; i++) {
		if (i)
			putc(',', out);
		report_number(out, values[i]);
	}
	putc(']', out);
}

static void put_times(FILE *out, const struct vcpc_steps *s)
{
	const char *comma = "";

	fputs("\"times\":[", out);
	for (size_t i = 0; i < s->n; i++)
		fprintf(out, "%s%.9g", i ? "," : "", s->times[i]);
	fputs("],\"gaps\":[", out);
	for (size_t i = 0; i < s->n; i++) {
		if (!s->gap[i])
			continue;
		fprintf(out, "%s%zu", comma, i);
		comma = ",";
	}
	putc(']', out);
}

static void put_line(FILE *out, const struct vcpc_drawing *d, const struct vcpc_line *line,
		     double scale)
{
	double values[VCPC_STEPS];

	for (size_t i = 0; i < d->steps.n; i++)
		values[i] = vcpc_steps_get(&d->steps, line->curve, i) * scale;
	fputs("{\"name\":", out);
	vcpc_json_text_within(out, line->name ? line->name : "", REPORT_NAME);
	put_list(out, "values", values, d->steps.n);
	putc('}', out);
}

static void put_chart(FILE *out, const struct vcpc_drawing *d, const struct vcpc_drawn *chart)
{
	const struct vcpc_entry *e = &d->tally.catalog.entries[chart->metric];
	char unit[72];
	double scale = vcpc_series_unit(&e->desc, e->desc.sem == PM_SEM_COUNTER, unit, sizeof(unit));

	fputs("{\"metric\":", out);
	vcpc_json_text_within(out, e->name, REPORT_NAME);
	fprintf(out, ",\"unit\":\"%s\",\"more\":%zu,\"lines\":[", unit, chart->more);
	for (size_t i = 0; i < chart->n; i++) {
		if (i)
			putc(',', out);
		put_line(out, d, &chart->lines[i], scale);
	}
	fputs("]}", out);
}

static bool is_count(const struct vcpc_drawing *d, size_t chart)
{
	return !strncmp(d->tally.catalog.entries[d->charts[chart].metric].name, "vcpc.count.", 11);
}

/* Write the charts of metrics, starting with the counts of the command. */
static void put_charts(FILE *out, const struct vcpc_drawing *d)
{
	const char *comma = "";

	fprintf(out, ",\"morecharts\":%zu,\"charts\":[", d->morecharts);
	for (int first = 1; first >= 0; first--) {
		for (size_t i = 0; i < d->ncharts; i++) {
			if (is_count(d, i) != first)
				continue;
			fputs(comma, out);
			put_chart(out, d, &d->charts[i]);
			comma = ",\n";
		}
	}
	putc(']', out);
}

/*
 * Return the number of transactions in a bucket in the steps from @from up to, but not including,
 * @to.
 */
static double in_slot(const struct vcpc_drawing *d, size_t curve, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; curve != SIZE_MAX && i < to; i++)
		sum += d->steps.curves[curve]->sum[i];
	return sum;
}

/*
 * Return a percentile in seconds: the middle of its histogram bucket, as for recorded percentiles,
 * or NAN if the step has no transactions.
 */
static double percentile(const struct vcpc_drawing *d, const struct vcpc_drawn_tag *tag,
			 size_t step, double part)
{
	double n = 0, before = 0;

	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		n += in_slot(d, tag->slots[i], step, step + 1);
	for (unsigned int i = 0; n > 0 && i < SHIM_TRACE_HIST_SLOTS - 1; i++) {
		before += in_slot(d, tag->slots[i], step, step + 1);
		if (before >= n * part)
			return (shim_trace_hist_floor(i) + shim_trace_hist_floor(i + 1) - 1) / 2e9;
	}
	return NAN;
}

static void put_percentiles(FILE *out, const struct vcpc_drawing *d,
			    const struct vcpc_drawn_tag *tag)
{
	double values[VCPC_STEPS];
	char name[8];

	for (size_t p = 0; p < NPARTS; p++) {
		for (size_t i = 0; i < d->steps.n; i++)
			values[i] = percentile(d, tag, i, parts[p]);
		snprintf(name, sizeof(name), "p%.0f", parts[p] * 100);
		put_list(out, name, values, d->steps.n);
	}
}

/*
 * Write for each step the ratio of two sums, multiplied by @scale, or NAN if the step has no
 * values.
 */
static void put_ratio(FILE *out, const struct vcpc_drawing *d, const char *name, size_t sum,
		      size_t n, double scale)
{
	double values[VCPC_STEPS];

	if (sum == SIZE_MAX || n == SIZE_MAX)
		return;
	for (size_t i = 0; i < d->steps.n; i++) {
		double many = d->steps.curves[n]->sum[i];

		values[i] = many > 0 ? d->steps.curves[sum]->sum[i] / many * scale : NAN;
	}
	put_list(out, name, values, d->steps.n);
}

static void put_rate(FILE *out, const struct vcpc_drawing *d, size_t curve)
{
	double values[VCPC_STEPS];

	for (size_t i = 0; curve != SIZE_MAX && i < d->steps.n; i++)
		values[i] = vcpc_steps_get(&d->steps, curve, i);
	if (curve != SIZE_MAX)
		put_list(out, "rate", values, d->steps.n);
}

static bool is_used(const struct vcpc_drawing *d, const struct vcpc_drawn_tag *tag,
		    unsigned int slot)
{
	return in_slot(d, tag->slots[slot], 0, d->steps.n) > 0;
}

/*
 * Write a heat map: the number of steps in each column, the buckets' lower bounds in seconds, and,
 * for each column, pairs of a bucket and its transaction count.
 */
static void put_heat(FILE *out, const struct vcpc_drawing *d, const struct vcpc_drawn_tag *tag)
{
	size_t each = (d->steps.n + HEAT_COLUMNS - 1) / HEAT_COLUMNS;
	unsigned int first = 0, last = SHIM_TRACE_HIST_SLOTS - 1;

	while (first < last && !is_used(d, tag, first))
		first++;
	while (last > first && !is_used(d, tag, last))
		last--;
	if (!is_used(d, tag, last))
		return;
	fprintf(out, ",\"each\":%zu,\"floors\":[", each);
	for (unsigned int i = first; i <= last + 1 && i < SHIM_TRACE_HIST_SLOTS; i++)
		fprintf(out, "%s%.6g", i == first ? "" : ",", shim_trace_hist_floor(i) / 1e9);
	fputs("],\"heat\":[", out);
	for (size_t at = 0; at < d->steps.n; at += each) {
		const char *comma = "";

		fputs(at ? ",[" : "[", out);
		for (unsigned int i = first; i <= last && i < SHIM_TRACE_HIST_SLOTS - 1; i++) {
			size_t to = at + each < d->steps.n ? at + each : d->steps.n;
			double n = in_slot(d, tag->slots[i], at, to);

			if (n <= 0)
				continue;
			fprintf(out, "%s%u,%.6g", comma, i - first, n);
			comma = ",";
		}
		putc(']', out);
	}
	putc(']', out);
}

static void put_events(FILE *out, const struct vcpc_drawing *d, const struct vcpc_drawn_tag *tag)
{
	fputs(",\"events\":[", out);
	for (size_t i = 0; i < tag->nevents; i++) {
		fputs(i ? ",{\"name\":" : "{\"name\":", out);
		vcpc_json_text_within(out, tag->events[i].name, REPORT_NAME);
		put_ratio(out, d, "mean", tag->events[i].sum, tag->events[i].counted, 1);
		putc('}', out);
	}
	putc(']', out);
}

static void put_tag(FILE *out, const struct vcpc_drawing *d, const struct vcpc_drawn_tag *tag)
{
	fputs("{\"name\":", out);
	vcpc_json_text_within(out, tag->name, REPORT_NAME);
	put_rate(out, d, tag->count);
	put_ratio(out, d, "mean", tag->time, tag->count, 1);
	for (size_t i = 0; i < VCPC_PARTS; i++)
		put_ratio(out, d, vcpc_part_names[i], tag->parts[i], tag->watched, 1e-9);
	put_percentiles(out, d, tag);
	put_heat(out, d, tag);
	put_events(out, d, tag);
	putc('}', out);
}

/* Write the tags that fit into ROOM bytes, and the number of omitted tags.  Return 0 or -ENOMEM. */
static int put_tags(FILE *out, const struct vcpc_drawing *d)
{
	size_t left = d->moretags, room = ROOM;

	fputs(",\n\"tags\":[", out);
	for (size_t i = 0; i < d->ntags; i++) {
		size_t len;
		char *text = NULL;
		bool lost;
		FILE *part = open_memstream(&text, &len);

		if (!part)
			return -ENOMEM;
		put_tag(part, d, &d->tags[i]);
		lost = ferror(part);
		if (fclose(part) || lost || !text) {
			free(text);
			return -ENOMEM;
		}
		if (len > room)
			left++;
		else
			fprintf(out, "%s%s", room == ROOM ? "" : ",\n", text);
		room -= len > room ? 0 : len;
		free(text);
	}
	fprintf(out, "],\"moretags\":%zu", left);
	return 0;
}

/*
 * Write the window's start as a number of seconds that is its local time if interpreted as UTC.  If
 * localtime_r() cannot represent the year, write UTC.
 */
static void put_start(FILE *out, const struct vcpc_window *w)
{
	struct tm tm;
	long offset = localtime_r(&w->from.tv_sec, &tm) ? tm.tm_gmtoff : 0;

	fprintf(out, "{\"start\":%.6f,", (double)w->from.tv_sec + offset + w->from.tv_nsec / 1e9);
}

static int put_side(FILE *out, struct report_side *side)
{
	struct vcpc_drawing *d = &side->drawing;

	put_start(out, &d->tally.window);
	put_times(out, &d->steps);
	put_charts(out, d);
	report_stacks(out, &side->stacks);
	return put_tags(out, d);
}

int report_data(FILE *out, struct report *r)
{
	int err = put_side(out, &r->sides[0]);

	if (r->n > 1 && !err) {
		fputs(",\n\"other\":", out);
		err = put_side(out, &r->sides[1]);
		putc('}', out);
	}
	putc('}', out);
	return err;
}
