// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts as text for people, as JSON and as CSV. */
#include <math.h>
#include <string.h>

#include "counts.h"
#include "json_text.h"
#include "welch.h"

#define NAME_WIDTH	24

/* One run's number has its digits; a mean has some behind the point */
static void put_line(FILE *out, const double *v, size_t runs, int decimals, const char *name,
		     const char *ratio)
{
	char number[64], spread[32] = "";
	double mean, half = vcpc_spread(v, runs, &mean);

	vcpc_grouped(number, sizeof(number), mean, decimals ? decimals : runs > 1 && mean < 1e6);
	if (runs > 1 && mean != 0)
		snprintf(spread, sizeof(spread), "+- %.2g %%", half / fabs(mean) * 100);
	fprintf(out, "%20s  ", number);
	if (runs > 1)
		fprintf(out, "%-11s  ", spread);
	if (*ratio)
		fprintf(out, "%-*s  # %s\n", NAME_WIDTH, name, ratio);
	else
		fprintf(out, "%s\n", name);
}

static void put_heading(FILE *out, const struct vcpc_counts *c)
{
	fprintf(out, "\nCounts of %s", c->what);
	if (c->runs > 1)
		fprintf(out, ", means of %zu runs, +- half the 95 %% interval of the mean (Student's t)",
			c->runs);
	fputs(":\n\n", out);
}

void vcpc_counts_text(FILE *out, const struct vcpc_counts *c)
{
	double means[SHIM_SET_MAX];
	char ratio[80];

	put_heading(out, c);
	for (unsigned int i = 0; i < c->n; i++)
		vcpc_spread(c->values[i], c->runs, &means[i]);
	for (unsigned int i = 0; i < c->n; i++) {
		char name[SHIM_EVENT_MAX + 8];

		snprintf(name, sizeof(name), "%s%s", c->names[i], vcpc_is_clock(c->names[i]) ? " (ns)" : "");
		vcpc_ratio(ratio, sizeof(ratio), c, means, i);
		put_line(out, c->values[i], c->runs, 0, name, ratio);
	}
	fputc('\n', out);
	put_line(out, c->elapsed, c->runs, 9, "seconds elapsed", "");
	put_line(out, c->cpu, c->runs, 9, "seconds of CPU time while counting", "");
	fputc('\n', out);
}

static void json_number(FILE *out, const char *name, double v)
{
	fprintf(out, ",\"%s\":", name);
	if (isfinite(v))
		fprintf(out, "%.17g", v);
	else
		fputs("null", out);
}

static void json_row(FILE *out, const char *name, const char *unit, const double *v, size_t runs)
{
	double mean, half = vcpc_spread(v, runs, &mean);

	fputs("{\"event\":", out);
	vcpc_json_text(out, name);
	fprintf(out, ",\"unit\":\"%s\",\"quality\":\"exact\",\"values\":[", unit);
	for (size_t i = 0; i < runs; i++)
		fprintf(out, "%s%.17g", i ? "," : "", v[i]);
	putc(']', out);
	json_number(out, "mean", mean);
	json_number(out, "half_width", half);
	putc('}', out);
}

void vcpc_counts_json(FILE *out, const struct vcpc_counts *c)
{
	fputs("{\"counted\":", out);
	vcpc_json_text(out, c->what);
	fprintf(out, ",\"runs\":%zu,\"half_width\":\"of the 95 %% interval of the mean, Student's t\",\"counts\":[",
		c->runs);
	for (unsigned int i = 0; i < c->n; i++) {
		fputs(i ? ",\n " : "\n ", out);
		json_row(out, c->names[i], vcpc_is_clock(c->names[i]) ? "ns" : "", c->values[i], c->runs);
	}
	fputs("],\n\"elapsed\":", out);
	json_row(out, "elapsed", "s", c->elapsed, c->runs);
	fputs(",\n\"cpu_time\":", out);
	json_row(out, "cpu-time", "s", c->cpu, c->runs);
	fputs("}\n", out);
}

static void csv_row(FILE *out, const char *name, const char *unit, const double *v, size_t runs)
{
	double mean, half = vcpc_spread(v, runs, &mean);

	fprintf(out, "\"%s\",%s,%.17g,", name, unit, mean);
	if (isfinite(half))
		fprintf(out, "%.17g", half);
	for (size_t i = 0; i < runs; i++)
		fprintf(out, ",%.17g", v[i]);
	putc('\n', out);
}

void vcpc_counts_csv(FILE *out, const struct vcpc_counts *c)
{
	fputs("event,unit,mean,half_width", out);
	for (size_t i = 0; i < c->runs; i++)
		fprintf(out, ",run %zu", i + 1);
	putc('\n', out);
	for (unsigned int i = 0; i < c->n; i++)
		csv_row(out, c->names[i], vcpc_is_clock(c->names[i]) ? "ns" : "", c->values[i], c->runs);
	csv_row(out, "elapsed", "s", c->elapsed, c->runs);
	csv_row(out, "cpu-time", "s", c->cpu, c->runs);
}
