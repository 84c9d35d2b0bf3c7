// SPDX-License-Identifier: GPL-2.0-or-later
/* Columns and rows as text. */
#include <math.h>
#include <string.h>

#include "table.h"

#define GAP		2
#define WIDEST		28
#define DIGITS		7	/* of a number that is not exact */

void vcpc_table_time(char *buf, size_t size, struct timespec when, struct timespec delta)
{
	long fraction = when.tv_nsec;
	int digits = 9;
	struct tm tm;
	size_t len;

	if (!delta.tv_sec && !delta.tv_nsec)
		digits = 6;	/* records have their own times */
	else
		while (digits > 0 && delta.tv_nsec % 10 == 0 && digits--)
			delta.tv_nsec /= 10;
	for (int i = digits; i < 9; i++)
		fraction /= 10;
	localtime_r(&when.tv_sec, &tm);
	len = strftime(buf, size, "%H:%M:%S", &tm);
	if (digits)
		snprintf(buf + len, size - len, ".%0*ld", digits, fraction);
}

/* As many decimals as make up the digits, without an exponent where there is one of a size */
static void number(char *buf, size_t size, double v)
{
	double abs = fabs(v);
	int whole = abs >= 1 ? (int)floor(log10(abs)) + 1 : 1;
	int decimals = whole < DIGITS ? DIGITS - whole : 0;

	if (v == floor(v) && abs < 1e15)
		snprintf(buf, size, "%.0f", v);
	else if (abs >= 1e15 || abs < 1e-4)
		snprintf(buf, size, "%.*g", DIGITS - 1, v);
	else
		snprintf(buf, size, "%.*f", decimals > 3 && abs >= 1 ? 3 : decimals, v);
}

static void cell(const struct vcpc_column *c, size_t row, char *buf, size_t size)
{
	if (c->texts && c->texts[row])
		snprintf(buf, size, "%s", c->texts[row]);
	else if (isnan(c->values[row]))
		snprintf(buf, size, "-");
	else
		number(buf, size, c->values[row]);
}

/* A metric's name in two: "vcpc.count" and "cycles" */
static size_t group_len(const struct vcpc_column *c)
{
	const char *dot = strrchr(c->metric, '.');

	return dot ? (size_t)(dot - c->metric) : 0;
}

static const char *leaf(const struct vcpc_column *c)
{
	size_t len = group_len(c);

	return c->metric + (len ? len + 1 : 0);
}

static unsigned int longer(unsigned int a, size_t b)
{
	return a > b ? a : (unsigned int)b;
}

static unsigned int column_width(const struct vcpc_series *s, const struct vcpc_column *c)
{
	unsigned int width = longer(6, strlen(leaf(c)));
	char buf[256];

	width = longer(width, strlen(c->unit));
	if (c->instance)
		width = longer(width, strlen(c->instance));
	for (size_t row = 0; row < s->nrows; row++) {
		cell(c, row, buf, sizeof(buf));
		width = longer(width, strlen(buf));
	}
	return width > WIDEST ? WIDEST : width;
}

/* Columns of one panel: from first to before last */
struct panel {
	const struct vcpc_series *s;
	struct timespec delta;
	size_t first, last;
	unsigned int time_width;
};

static bool same_group(const struct vcpc_column *a, const struct vcpc_column *b)
{
	size_t len = group_len(a);

	return len == group_len(b) && !strncmp(a->metric, b->metric, len);
}

/* The part of the names that neighbours share stands once above them. */
static void put_groups(FILE *out, const struct panel *p)
{
	size_t i = p->first;

	fprintf(out, "%*s", (int)p->time_width, "");
	while (i < p->last) {
		const struct vcpc_column *c = &p->s->columns[i];
		unsigned int width = 0;
		int len = (int)group_len(c);
		size_t j = i;

		for (; j < p->last; j++) {
			if (p->s->columns[j].empty)
				continue;
			if (!same_group(c, &p->s->columns[j]))
				break;
			width += column_width(p->s, &p->s->columns[j]) + GAP;
		}
		if (c->empty) {
			i++;
			continue;
		}
		if (len > (int)width - GAP)
			len = (int)width - GAP;
		fprintf(out, "%*s%.*s", (int)width - len, "", len, c->metric);
		i = j;
	}
	fputc('\n', out);
}

static void put_line(FILE *out, const struct panel *p, const char *head,
		     const char *(*text)(const struct vcpc_column *))
{
	fprintf(out, "%-*s", (int)p->time_width, head);
	for (size_t i = p->first; i < p->last; i++) {
		const struct vcpc_column *c = &p->s->columns[i];

		if (!c->empty)
			fprintf(out, "%*s%*.*s", GAP, "", (int)column_width(p->s, c), WIDEST,
				text(c));
	}
	fputc('\n', out);
}

static const char *instance_of(const struct vcpc_column *c)
{
	return c->instance ? c->instance : "";
}

static const char *unit_of(const struct vcpc_column *c)
{
	return c->unit;
}

static bool any(const struct panel *p, const char *(*text)(const struct vcpc_column *))
{
	for (size_t i = p->first; i < p->last; i++)
		if (!p->s->columns[i].empty && *text(&p->s->columns[i]))
			return true;
	return false;
}

static void put_rows(FILE *out, const struct panel *p)
{
	char buf[256];

	for (size_t row = 0; row < p->s->nrows; row++) {
		vcpc_table_time(buf, sizeof(buf), p->s->times[row], p->delta);
		fprintf(out, "%-*s", (int)p->time_width, buf);
		for (size_t i = p->first; i < p->last; i++) {
			const struct vcpc_column *c = &p->s->columns[i];

			if (c->empty)
				continue;
			cell(c, row, buf, sizeof(buf));
			fprintf(out, "%*s%*s", GAP, "", (int)column_width(p->s, c), buf);
		}
		fputc('\n', out);
	}
}

static void put_panel(FILE *out, const struct panel *p)
{
	put_groups(out, p);
	put_line(out, p, "time", leaf);
	if (any(p, instance_of))
		put_line(out, p, "", instance_of);
	if (any(p, unit_of))
		put_line(out, p, "", unit_of);
	put_rows(out, p);
}

void vcpc_table(FILE *out, const struct vcpc_series *s, struct timespec delta, unsigned int width)
{
	struct panel p = { .s = s, .delta = delta };
	char buf[32];

	vcpc_table_time(buf, sizeof(buf), s->times[0], delta);
	p.time_width = (unsigned int)strlen(buf);
	while (p.last < s->ncolumns) {
		unsigned int used = p.time_width;
		bool shown = false;

		p.first = p.last;
		while (p.last < s->ncolumns) {
			const struct vcpc_column *c = &s->columns[p.last];
			unsigned int add = c->empty ? 0 : column_width(s, c) + GAP;

			if (shown && used + add > width)
				break;
			used += add;
			shown |= !c->empty;
			p.last++;
		}
		if (!shown)
			break;
		if (p.first)
			fputc('\n', out);
		put_panel(out, &p);
	}
}
