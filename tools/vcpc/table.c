// SPDX-License-Identifier: GPL-2.0-or-later
/* Print columns and rows as text. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"
#include "value.h"

#define GAP		2
#define WIDEST		28
#define DIGITS		6	/* digits of a number with an exponent */
#define TIME_DIGITS	3

bool vcpc_several_days(struct timespec a, struct timespec b)
{
	struct tm x, y;

	if (!localtime_r(&a.tv_sec, &x) || !localtime_r(&b.tv_sec, &y))
		return true;
	return x.tm_year != y.tm_year || x.tm_yday != y.tm_yday;
}

void vcpc_table_time(char *buf, size_t size, struct timespec when, struct timespec delta,
		     bool dated)
{
	long fraction = when.tv_nsec;
	int digits = 9;
	struct tm tm;
	size_t len;

	if (!delta.tv_sec && !delta.tv_nsec)
		digits = 6;	/* rows are records, which have arbitrary times */
	else
		while (digits > 0 && delta.tv_nsec % 10 == 0 && digits--)
			delta.tv_nsec /= 10;
	for (int i = digits; i < 9; i++)
		fraction /= 10;
	if (localtime_r(&when.tv_sec, &tm))
		len = strftime(buf, size, dated ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &tm);
	else	/* the year does not fit into an int */
		len = snprintf(buf, size, "@%lld", (long long)when.tv_sec);
	if (digits)
		snprintf(buf + len, size - len, ".%0*ld", digits, fraction);
}

/* The format of a column */
struct layout {
	unsigned int width;
	int decimals;		/* -1 prints very small or large numbers with exponents */
};

/* Return whether a number is whole, except for the rounding error of a division. */
static bool is_whole(double v)
{
	return fabs(v - round(v)) <= fabs(v) * 1e-9;
}

/*
 * Return a column's number of decimals: 0 if all values are whole, otherwise as many as its largest
 * value needs, or -1 for exponents.
 */
static int decimals_of(const struct vcpc_column *c, size_t rows)
{
	bool whole = true;
	double most = 0;
	int decimals = 3;

	for (size_t row = 0; row < rows; row++) {
		double v = c->values[row];

		if (!isfinite(v))
			continue;
		most = fmax(most, fabs(v));
		whole &= is_whole(v);
	}
	if (most >= 1e15 || (most > 0 && most < 1e-4))
		return -1;
	if (whole)
		return 0;
	for (; most < 1; most *= 10)
		decimals++;
	for (; most >= 1e4 && decimals; most /= 10)
		decimals--;
	return decimals;
}

static void cell(const struct vcpc_column *c, const struct layout *l, size_t row, char *buf,
		 size_t size)
{
	const char *text = vcpc_column_text(c, row);
	double v = c->values[row];

	if (text)
		snprintf(buf, size, "%s", text);
	else if (isnan(v))
		snprintf(buf, size, "-");
	else if (c->seconds > 0)
		vcpc_value_text(buf, size, v * c->seconds, true, TIME_DIGITS);
	else if (l->decimals < 0)
		snprintf(buf, size, "%.*g", DIGITS, v);
	else
		snprintf(buf, size, "%.*f", l->decimals, v);
	if (!text)
		vcpc_value_zero(buf);
}

/*
 * Return the length of a metric's name without its last part: for "vcpc.count.cycles", the length
 * of "vcpc.count".
 */
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

/* Return the column's heading.  Time values have individual units. */
static const char *unit_of(const struct vcpc_column *c)
{
	return c->seconds > 0 ? "" : c->unit;
}

static struct layout layout_of(const struct vcpc_series *s, const struct vcpc_column *c)
{
	struct layout l = { .width = longer(6, strlen(leaf(c))) };
	char buf[256];

	if (c->empty)
		return l;
	l.decimals = decimals_of(c, s->nrows);
	l.width = longer(l.width, strlen(unit_of(c)));
	if (c->instance)
		l.width = longer(l.width, strlen(c->instance));
	for (size_t row = 0; row < s->nrows; row++) {
		cell(c, &l, row, buf, sizeof(buf));
		l.width = longer(l.width, strlen(buf));
	}
	if (l.width > WIDEST)
		l.width = WIDEST;
	return l;
}

/*
 * One of several tables, which are printed one after the other: columns from @first up to, but not
 * including, @last
 */
struct panel {
	const struct vcpc_series *s;
	struct layout *layouts;
	struct timespec delta;
	bool dated;
	size_t first, last;
	unsigned int time_width;
};

static bool same_group(const struct vcpc_column *a, const struct vcpc_column *b)
{
	size_t len = group_len(a);

	return len == group_len(b) && !strncmp(a->metric, b->metric, len);
}

/*
 * Find the end and the total width of the columns, starting with @first, that share the first part
 * of their names.
 */
static size_t group_end(const struct panel *p, size_t first, unsigned int *width)
{
	size_t i = first;

	*width = 0;
	for (; i < p->last && same_group(&p->s->columns[first], &p->s->columns[i]); i++)
		if (!p->s->columns[i].empty)
			*width += p->layouts[i].width + GAP;
	return i;
}

/* Print the common part of adjacent columns' names only once, above them. */
static void put_groups(FILE *out, const struct panel *p)
{
	fprintf(out, "%*s", (int)p->time_width, "");
	for (size_t i = p->first; i < p->last;) {
		unsigned int width;
		size_t end = group_end(p, i, &width);

		if (width)
			fprintf(out, "%*.*s", (int)width, (int)group_len(&p->s->columns[i]),
				p->s->columns[i].metric);
		i = end;
	}
	fputc('\n', out);
}

/* Widen the first column of each group that is narrower than the group's name. */
static void widen_groups(struct panel *p)
{
	for (size_t i = p->first; i < p->last;) {
		unsigned int width;
		size_t len = group_len(&p->s->columns[i]);
		size_t end = group_end(p, i, &width);

		while (i < end && p->s->columns[i].empty)
			i++;
		if (i < end && len + GAP > width)
			p->layouts[i].width += (unsigned int)len + GAP - width;
		i = end;
	}
}

static void put_line(FILE *out, const struct panel *p, const char *head,
		     const char *(*text)(const struct vcpc_column *))
{
	fprintf(out, "%-*s", (int)p->time_width, head);
	for (size_t i = p->first; i < p->last; i++) {
		const struct vcpc_column *c = &p->s->columns[i];

		if (!c->empty)
			fprintf(out, "%*s%*.*s", GAP, "", (int)p->layouts[i].width, WIDEST,
				text(c));
	}
	fputc('\n', out);
}

static const char *instance_of(const struct vcpc_column *c)
{
	return c->instance ? c->instance : "";
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
		vcpc_table_time(buf, sizeof(buf), p->s->times[row], p->delta, p->dated);
		fprintf(out, "%-*s", (int)p->time_width, buf);
		for (size_t i = p->first; i < p->last; i++) {
			const struct vcpc_column *c = &p->s->columns[i];

			if (c->empty)
				continue;
			cell(c, &p->layouts[i], row, buf, sizeof(buf));
			fprintf(out, "%*s%*s", GAP, "", (int)p->layouts[i].width, buf);
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

/*
 * The width of a panel up to a column: the width of all groups before the last one, and of the last
 * group, which is at least as wide as its name
 */
struct used {
	unsigned int before, group;
	const struct vcpc_column *last;
};

static unsigned int with_column(const struct panel *p, size_t i, struct used *used)
{
	const struct vcpc_column *c = &p->s->columns[i];

	if (!used->last || !same_group(used->last, c)) {
		if (used->last)
			used->before += longer(used->group, group_len(used->last) + GAP);
		used->group = 0;
	}
	used->last = c;
	used->group += p->layouts[i].width + GAP;
	return used->before + longer(used->group, group_len(c) + GAP);
}

/*
 * Add as many of the next columns as fit, but at least one.  Return false if there are none left.
 */
static bool next_panel(struct panel *p, unsigned int width)
{
	struct used used = { .before = p->time_width };
	bool any = false;

	p->first = p->last;
	for (; p->last < p->s->ncolumns; p->last++) {
		if (p->s->columns[p->last].empty)
			continue;
		if (with_column(p, p->last, &used) > width && any)
			break;
		any = true;
	}
	return any;
}

static size_t columns_left(const struct panel *p)
{
	size_t left = 0;

	for (size_t i = p->last; i < p->s->ncolumns; i++)
		left += !p->s->columns[i].empty;
	return left;
}

int vcpc_table(FILE *out, const struct vcpc_series *s, struct timespec delta, unsigned int width,
	       size_t *left)
{
	struct panel p = { .s = s, .delta = delta };
	char buf[64];

	p.layouts = malloc(s->ncolumns * sizeof(*p.layouts));
	if (!p.layouts)
		return -ENOMEM;
	for (size_t i = 0; i < s->ncolumns; i++)
		p.layouts[i] = layout_of(s, &s->columns[i]);
	p.dated = vcpc_several_days(s->times[0], s->times[s->nrows - 1]);
	vcpc_table_time(buf, sizeof(buf), s->times[0], delta, p.dated);
	p.time_width = (unsigned int)strlen(buf);
	while (next_panel(&p, width)) {
		if (p.first)
			fputc('\n', out);
		widen_groups(&p);
		put_panel(out, &p);
		if (left) {
			*left = columns_left(&p);
			break;
		}
	}
	free(p.layouts);
	return 0;
}
