// SPDX-License-Identifier: GPL-2.0-or-later
/* Draw a chart of values over time with characters. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot.h"
#include "value.h"

#define LABEL_WIDTH	9
#define LEAST_WIDTH	40
#define LEAST_HEIGHT	3
#define SEVERAL		'*'	/* shown where lines of several series meet */

/*
 * The drawing.  One character has 2 by 4 dots in braille, 1 by 2 in ASCII, and 1 with several
 * series.
 */
struct canvas {
	unsigned int columns, lines;	/* characters */
	unsigned int per_x, per_y;	/* dots per character */
	unsigned char *dots;		/* each character's dots as bits, or its series' letter */
	unsigned char letter;		/* letter of the current series; 0 if there is only one */
};

/* The bit of each dot of a braille character, by line and column */
static const unsigned char braille[4][2] = {
	{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 },
};

static void set_dot(struct canvas *c, int x, int y)
{
	unsigned int column = x / c->per_x, line = y / c->per_y;
	unsigned char *cell;

	if (x < 0 || y < 0 || column >= c->columns || line >= c->lines)
		return;
	cell = &c->dots[line * c->columns + column];
	if (c->letter)
		*cell = *cell && *cell != c->letter ? SEVERAL : c->letter;
	else
		*cell |= c->per_y == 4 ? braille[y % 4][x % 2] : 1u << y % c->per_y;
}

static void draw_line(struct canvas *c, int x0, int y0, int x1, int y1)
{
	int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);

	for (int i = 0; i <= steps; i++)
		set_dot(c, steps ? x0 + (int)lround((double)(x1 - x0) * i / steps) : x0,
			steps ? y0 + (int)lround((double)(y1 - y0) * i / steps) : y0);
}

struct range {
	double lo, hi;		/* range of the axis */
	double min, max, mean;	/* statistics of the values */
	size_t n;		/* number of values that are not NAN */
};

/* Return the smallest number not less than v that is one of these steps times a power of ten. */
static double round_up(double v)
{
	static const double steps[] = { 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double unit = pow(10, floor(log10(v)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * unit >= v * (1 - 1e-9))
			return steps[i] * unit;
	return 10 * unit;
}

/* Begin the axis at 0 unless all values are far from it. */
static void set_axis(struct range *r)
{
	double span = r->max - r->min;

	if (r->min >= 0 && span >= r->max / 3) {
		r->lo = 0;
		r->hi = r->max > 0 ? round_up(r->max) : 1;
	} else if (span > 0) {
		double step = round_up(span / 2);

		r->lo = floor(r->min / step) * step;
		r->hi = ceil(r->max / step) * step;
	} else if (r->min > 0) {
		r->lo = 0;
		r->hi = round_up(r->max);
	} else {
		r->lo = r->min - (r->min < 0 ? -r->min : 1);
		r->hi = r->max < 0 ? 0 : r->max + 1;
	}
}

/* Return the range of the series from @first up to, but not including, @end. */
static struct range range_of(const struct vcpc_plot *p, size_t first, size_t end)
{
	struct range r = { .min = INFINITY, .max = -INFINITY };
	double sum = 0;

	for (size_t at = first * p->n; at < end * p->n; at++) {
		double v = p->y[at / p->n][at % p->n];

		if (!isfinite(v))
			continue;
		r.min = fmin(r.min, v);
		r.max = fmax(r.max, v);
		sum += v;
		r.n++;
	}
	if (r.n) {
		r.mean = sum / r.n;
		set_axis(&r);
	}
	return r;
}

static int place(double v, double lo, double hi, int dots)
{
	return hi > lo ? (int)lround((v - lo) / (hi - lo) * (dots - 1)) : 0;
}

static void plot_draw(struct canvas *c, const struct vcpc_plot *p, const double *values,
		      const struct range *r)
{
	int width = (int)(c->columns * c->per_x), height = (int)(c->lines * c->per_y);
	int last_x = -1, last_y = -1;

	for (size_t i = 0; i < p->n; i++) {
		int x = place(p->x[i], p->x[0], p->x[p->n - 1], width);
		int y;

		if (!isfinite(values[i])) {
			last_x = -1;
			continue;
		}
		y = height - 1 - place(values[i], r->lo, r->hi, height);
		if (last_x >= 0)
			draw_line(c, last_x, last_y, x, y);
		else
			set_dot(c, x, y);
		last_x = x;
		last_y = y;
	}
}

void vcpc_plot_number(char *buf, size_t size, double v)
{
	static const struct {
		double unit;
		const char *suffix;
	} units[] = {
		{ 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" }, { 1e6, "M" }, { 1e3, "k" },
		{ 1, "" }, { 1e-6, "u" }, { 1e-9, "n" },
	};
	size_t i = 0, last = sizeof(units) / sizeof(units[0]) - 1;

	if (v == 0 || !isfinite(v)) {
		snprintf(buf, size, "%s", v == 0 ? "0" : "-");
		return;
	}
	if (fabs(v) >= 1e-3 && fabs(v) < 1) {
		snprintf(buf, size, "%.3g", v);
		return;
	}
	while (i < last && fabs(v) < units[i].unit * 0.9995)
		i++;
	snprintf(buf, size, "%.3g%s", v / units[i].unit, units[i].suffix);
}

/* Format a value of the chart, with a unit if it is a time. */
static void plot_number(char *buf, size_t size, const struct vcpc_plot *p, double v)
{
	if (p->seconds > 0)
		vcpc_value_text(buf, size, v * p->seconds, true, 3);
	else
		vcpc_plot_number(buf, size, v);
}

static void put_cell(FILE *out, const struct canvas *c, unsigned int line, unsigned int column)
{
	unsigned char dots = c->dots[line * c->columns + column];

	if (c->letter)
		fputc(dots ? dots : ' ', out);
	else if (c->per_y == 4 && dots)
		fprintf(out, "\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
	else if (c->per_y == 4)
		fputc(' ', out);
	else
		fputc(" '.:"[dots & 3], out);
}

/* Label the axis at the top, the bottom, and the middle if there is space. */
static void put_label(FILE *out, const struct vcpc_plot *p, const struct range *r,
		      unsigned int line)
{
	unsigned int middle = p->height >= 5 && p->height % 2 ? p->height / 2 : p->height;
	char label[24] = "";

	if (line == 0)
		plot_number(label, sizeof(label), p, r->hi);
	else if (line == p->height - 1)
		plot_number(label, sizeof(label), p, r->lo);
	else if (line == middle)
		plot_number(label, sizeof(label), p, (r->hi + r->lo) / 2);
	if (p->utf8)
		fprintf(out, "%*s %s", LABEL_WIDTH - 2, label, *label ? "\u2524" : "\u2502");
	else
		fprintf(out, "%*s %s", LABEL_WIDTH - 2, label, *label ? "+" : "|");
}

static void put_lines(FILE *out, const struct vcpc_plot *p, const struct canvas *c,
		      const struct range *r)
{
	for (unsigned int line = 0; line < c->lines; line++) {
		unsigned int end = c->columns;

		put_label(out, p, r, line);
		while (end && !c->dots[line * c->columns + end - 1])
			end--;
		for (unsigned int column = 0; column < end; column++)
			put_cell(out, c, line, column);
		fputc('\n', out);
	}
	fprintf(out, "%*s%s", LABEL_WIDTH - 1, "", p->utf8 ? "\u2514" : "+");
	for (unsigned int column = 0; column < c->columns; column++)
		fputs(p->utf8 ? "\u2500" : "-", out);
	fputc('\n', out);
}

/* Print the extremes and the mean, preceded by @name unless it is NULL. */
static void put_extremes(FILE *out, const struct vcpc_plot *p, const struct range *r, char letter,
			 const char *name)
{
	char min[24], mean[24], max[24];

	plot_number(min, sizeof(min), p, r->min);
	plot_number(mean, sizeof(mean), p, r->mean);
	plot_number(max, sizeof(max), p, r->max);
	fprintf(out, "%*s", LABEL_WIDTH, "");
	if (name)
		fprintf(out, "%c %s: ", letter, name);
	fprintf(out, "min %s, mean %s, max %s\n", min, mean, max);
}

static void put_below(FILE *out, const struct vcpc_plot *p)
{
	int gap = (int)(p->width - LABEL_WIDTH - strlen(p->left) - strlen(p->right));

	fprintf(out, "%*s%s%*s%s\n", LABEL_WIDTH, "", p->left, gap > 1 ? gap : 1, "", p->right);
	for (size_t i = 0; i < p->nseries; i++) {
		struct range r = range_of(p, i, i + 1);

		if (r.n)
			put_extremes(out, p, &r, 'a' + (char)i, p->nseries > 1 ? p->names[i] : NULL);
	}
}

static struct canvas canvas_for(const struct vcpc_plot *p)
{
	bool several = p->nseries > 1;

	return (struct canvas){
		.columns = p->width - LABEL_WIDTH, .lines = p->height,
		.per_x = p->utf8 && !several ? 2 : 1, .per_y = several ? 1 : p->utf8 ? 4 : 2,
	};
}

int vcpc_plot(FILE *out, const struct vcpc_plot *plot)
{
	struct vcpc_plot p = *plot;
	struct range r = range_of(plot, 0, plot->nseries);
	struct canvas c;

	p.width = p.width < LEAST_WIDTH ? LEAST_WIDTH : p.width;
	p.height = p.height < LEAST_HEIGHT ? LEAST_HEIGHT : p.height;
	if (p.seconds > 0)
		p.unit = "";
	fprintf(out, "%s%s%s%s\n", p.title, *p.unit ? " (" : "", p.unit, *p.unit ? ")" : "");
	if (!r.n) {
		fprintf(out, "%*sno values\n", LABEL_WIDTH, "");
		return 0;
	}
	c = canvas_for(&p);
	c.dots = calloc(c.columns, c.lines);
	if (!c.dots)
		return -ENOMEM;
	for (size_t i = 0; i < p.nseries; i++) {
		c.letter = p.nseries > 1 ? 'a' + (unsigned char)i : 0;
		plot_draw(&c, &p, p.y[i], &r);
	}
	put_lines(out, &p, &c, &r);
	put_below(out, &p);
	free(c.dots);
	return 0;
}
