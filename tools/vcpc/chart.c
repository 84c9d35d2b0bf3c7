// SPDX-License-Identifier: GPL-2.0-or-later
/* Draw columns as charts, whether the archive was read forwards or backwards. */
#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "plot.h"
#include "table.h"
#include "vcpc.h"
#include "window.h"

#define WIDEST_CHART	110
#define ON_A_SCREEN	3

static bool is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Reverse the rows if they are in descending order, because charts run from left to right. */
static void ascending(struct vcpc_series *s)
{
	size_t n = s->nrows;

	if (n < 2 || vcpc_seconds(s->times[0]) <= vcpc_seconds(s->times[n - 1]))
		return;
	for (size_t i = 0; i < n / 2; i++) {
		struct timespec t = s->times[i];

		s->times[i] = s->times[n - 1 - i];
		s->times[n - 1 - i] = t;
		for (size_t j = 0; j < s->ncolumns; j++) {
			double *values = s->columns[j].values;
			double v = values[i];

			values[i] = values[n - 1 - i];
			values[n - 1 - i] = v;
		}
	}
}

/*
 * Choose the columns, starting with @first, to draw in one chart: one metric's columns with values.
 * Return the column with which the next chart begins.
 */
static size_t columns_choose(const struct vcpc_series *s, size_t first, bool together,
			     struct vcpc_plot *plot)
{
	const struct vcpc_column *c = &s->columns[first];
	size_t i = first;

	plot->nseries = 0;
	for (; i < s->ncolumns && !strcmp(s->columns[i].metric, c->metric); i++) {
		if (s->columns[i].empty)
			continue;
		if (plot->nseries == (together ? VCPC_PLOT_SERIES : 1))
			break;
		plot->names[plot->nseries] = s->columns[i].instance;
		plot->y[plot->nseries++] = s->columns[i].values;
	}
	plot->unit = c->unit;
	plot->seconds = c->seconds;
	return i;
}

static int column_draw(const struct vcpc_column *c, struct vcpc_plot *plot)
{
	char title[512];

	if (plot->nseries == 1 && plot->names[0])
		snprintf(title, sizeof(title), "%s [%s]", c->metric, plot->names[0]);
	else
		snprintf(title, sizeof(title), "%s", c->metric);
	plot->title = title;
	return vcpc_plot(stdout, plot);
}

int vcpc_chart(struct vcpc_series *s, struct timespec delta, unsigned int width, bool ascii,
	       bool together, size_t *left)
{
	struct vcpc_plot plot = {
		.width = width > WIDEST_CHART ? WIDEST_CHART : width,
		.utf8 = !ascii && is_utf8(),
		.height = s->ncolumns > 2 ? 7 : 13,
		.n = s->nrows,
	};
	double *x = malloc(s->nrows * sizeof(*x));
	char first_time[64], last_time[64];
	int err = x ? 0 : -ENOMEM;
	unsigned int drawn = 0;
	bool dated;

	ascending(s);
	for (size_t i = 0; !err && i < s->nrows; i++)
		x[i] = vcpc_seconds(s->times[i]) - vcpc_seconds(s->times[0]);
	plot.x = x;
	dated = vcpc_several_days(s->times[0], s->times[s->nrows - 1]);
	vcpc_table_time(first_time, sizeof(first_time), s->times[0], delta, dated);
	vcpc_table_time(last_time, sizeof(last_time), s->times[s->nrows - 1], delta, dated);
	plot.left = first_time;
	plot.right = last_time;
	for (size_t i = 0; !err && i < s->ncolumns;) {
		size_t first = i;

		i = columns_choose(s, i, together, &plot);
		if (!plot.nseries)
			continue;
		if (left && drawn == ON_A_SCREEN) {
			*left += plot.nseries;
			continue;
		}
		if (drawn++)
			putchar('\n');
		err = column_draw(&s->columns[first], &plot);
	}
	free(x);
	return err ? vcpc_fail(err, "chart") : 0;
}
