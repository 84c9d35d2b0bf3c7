// SPDX-License-Identifier: GPL-2.0-or-later
/* Write columns and rows as CSV or JSON while they are read. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vcpc.h"
#include "text.h"
#include "export.h"
#include "json_text.h"

void vcpc_iso_time(char *buf, size_t size, struct timespec when)
{
	char zone[16];
	struct tm tm;
	size_t len;

	if (!localtime_r(&when.tv_sec, &tm)) {	/* the year does not fit into an int */
		snprintf(buf, size, "@%lld.%09ld", (long long)when.tv_sec, when.tv_nsec);
		return;
	}
	len = strftime(buf, size, "%Y-%m-%dT%H:%M:%S", &tm);
	strftime(zone, sizeof(zone), "%z", &tm);
	snprintf(buf + len, size - len, ".%09ld%.3s:%s", when.tv_nsec, zone, zone + 3);
}

/* Write a number with the fewest digits that read back as the same number. */
static void export_number(FILE *out, double v)
{
	char buf[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(buf, sizeof(buf), "%.*g", digits, v);
		if (strtod(buf, NULL) == v)
			break;
	}
	fputs(buf, out);
}

/* Return whether a cell is a number that also has an exact text. */
static bool is_exact(const struct vcpc_column *c, size_t row)
{
	return vcpc_column_text(c, row) && !isnan(c->values[row]);
}

/* Write a part of a quoted field: replace unprintable characters and double quotes. */
static void csv_part(FILE *out, const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		vcpc_no_memory();
	vcpc_printable(copy, "");
	for (const char *c = copy; *c; c++) {
		if (*c == '"')
			fputc('"', out);
		fputc(*c, out);
	}
	free(copy);
}

/* Return whether a spreadsheet would execute a text as a formula. */
static bool is_formula(const char *text)
{
	char *end;

	if (!*text || !strchr("=+-@", *text))
		return false;
	strtod(text, &end);
	return end == text || *end;
}

static void csv_text(FILE *out, const char *text)
{
	fputs(is_formula(text) ? "\"'" : "\"", out);
	csv_part(out, text);
	fputc('"', out);
}

static void csv_head(FILE *out, const struct vcpc_column *c)
{
	fputs(",\"", out);
	csv_part(out, c->metric);
	if (c->instance) {
		fputc('[', out);
		csv_part(out, c->instance);
		fputc(']', out);
	}
	if (*c->unit)
		fprintf(out, " (%s)", c->unit);
	fputc('"', out);
}

static void csv_cell(FILE *out, const struct vcpc_column *c, size_t row)
{
	const char *text = vcpc_column_text(c, row);

	fputc(',', out);
	if (is_exact(c, row))
		fputs(text, out);
	else if (text)
		csv_text(out, text);
	else if (!isnan(c->values[row]))
		export_number(out, c->values[row]);
}

static void csv_begin(const struct vcpc_export *x, const struct vcpc_series *s)
{
	fputs("time", x->out);
	for (size_t i = 0; i < s->ncolumns; i++)
		csv_head(x->out, &s->columns[i]);
	fputc('\n', x->out);
}

static void csv_row(FILE *out, const struct vcpc_series *s, size_t row)
{
	char when[64];

	vcpc_iso_time(when, sizeof(when), s->times[row]);
	fputs(when, out);
	for (size_t i = 0; i < s->ncolumns; i++)
		csv_cell(out, &s->columns[i], row);
	fputc('\n', out);
}

static void json_column(FILE *out, const struct vcpc_column *c)
{
	fputs("{\"metric\":", out);
	vcpc_json_text(out, c->metric);
	if (c->instance) {
		fputs(",\"instance\":", out);
		vcpc_json_text(out, c->instance);
	}
	fputs(",\"unit\":", out);
	vcpc_json_text(out, c->unit);
	fputc('}', out);
}

/* Write a cell.  Infinities, which JSON does not have, become strings. */
static void json_cell(FILE *out, const struct vcpc_column *c, size_t row)
{
	const char *text = vcpc_column_text(c, row);
	double v = c->values[row];

	if (is_exact(c, row))
		fputs(text, out);
	else if (text)
		vcpc_json_text(out, text);
	else if (isnan(v))
		fputs("null", out);
	else if (isinf(v))
		fputs(v < 0 ? "\"-inf\"" : "\"inf\"", out);
	else
		export_number(out, v);
}

static void json_begin(const struct vcpc_export *x, const struct vcpc_series *s)
{
	FILE *out = x->out;

	fputs("{\"archive\":", out);
	vcpc_json_text(out, x->archive);
	fputs(",\"host\":", out);
	vcpc_json_text(out, x->host);
	fputs(",\n\"columns\":[", out);
	for (size_t i = 0; i < s->ncolumns; i++) {
		fputs(i ? ",\n " : "", out);
		json_column(out, &s->columns[i]);
	}
	fputs("],\n\"rows\":[", out);
}

static void json_row(FILE *out, const struct vcpc_series *s, size_t row, bool first)
{
	char when[64];

	vcpc_iso_time(when, sizeof(when), s->times[row]);
	fprintf(out, "%s{\"time\":\"%s\",\"values\":[", first ? "" : ",\n ", when);
	for (size_t i = 0; i < s->ncolumns; i++) {
		fputs(i ? "," : "", out);
		json_cell(out, &s->columns[i], row);
	}
	fputs("]}", out);
}

static void export_begin(struct vcpc_export *x, const struct vcpc_series *s)
{
	if (!x->begun)
		(x->json ? json_begin : csv_begin)(x, s);
	x->begun = true;
}

void vcpc_export_row(void *arg, struct vcpc_series *s)
{
	struct vcpc_export *x = arg;
	bool first = !x->begun;

	export_begin(x, s);
	if (x->json)
		json_row(x->out, s, 0, first);
	else
		csv_row(x->out, s, 0);
}

void vcpc_export_end(struct vcpc_export *x, const struct vcpc_series *s)
{
	export_begin(x, s);
	if (x->json)
		fputs("]}\n", x->out);
}
