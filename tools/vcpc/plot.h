/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draw a chart of values over time with characters. */
#ifndef VCPC_PLOT_H
#define VCPC_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define VCPC_PLOT_SERIES	8

/**
 * struct vcpc_plot - a chart to draw
 * @title: the text above the chart
 * @unit: unit of the values, printed after the title; may be empty
 * @seconds: seconds per unit, if values are times; the numbers then have units, and @unit is not
 *   printed
 * @left: text below the left end of the time axis
 * @right: text below the right end of the time axis
 * @n: number of points
 * @x: their times, in any unit
 * @nseries: number of lines, up to VCPC_PLOT_SERIES; several are drawn with letters
 * @y: each line's values; a NAN interrupts the line
 * @names: each line's name, if there are several
 * @width: width of the whole chart in characters, at least 40
 * @height: height of the drawing in lines, at least 3
 * @utf8: draw with braille and box characters, otherwise in ASCII
 */
struct vcpc_plot {
	const char *title;
	const char *unit;
	double seconds;
	const char *left;
	const char *right;
	size_t n;
	const double *x;
	size_t nseries;
	const double *y[VCPC_PLOT_SERIES];
	const char *names[VCPC_PLOT_SERIES];
	unsigned int width;
	unsigned int height;
	bool utf8;
};

/* Return 0 or -ENOMEM. */
int vcpc_plot(FILE *out, const struct vcpc_plot *plot);

/* Format a number in about six characters: 12.3k, 4.56G, 0.0123. */
void vcpc_plot_number(char *buf, size_t size, double v);

#endif /* VCPC_PLOT_H */
