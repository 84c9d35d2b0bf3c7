/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read values of an archive's metrics over time into columns and rows. */
#ifndef VCPC_SERIES_H
#define VCPC_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "pick.h"

/* A metric, or one of its instances */
struct vcpc_column {
	char *metric;
	char *instance;		/* or NULL */
	char unit[72];
	bool rate;		/* the values are rates of a counter, per second */
	bool empty;		/* all rows lack a value */
	double scale;		/* factor of a rate */
	double seconds;		/* seconds per unit, if it is a time; otherwise 0 */
	int inst;
	long double last;	/* for rates: the last value and its time, if @has_last */
	struct timespec last_time;
	bool has_last;
	bool has_texts;
	double *values;		/* one per row; NAN if missing */
	char **texts;		/* if @has_texts: texts of strings and numbers that must be exact */
};

/* A requested metric, and the columns it fills */
struct vcpc_metric {
	char *name;
	pmID pmid;
	pmDesc desc;
	size_t first, n;
};

struct vcpc_series {
	struct vcpc_metric *metrics;
	size_t nmetrics;
	struct vcpc_column *columns;
	size_t ncolumns;
	struct timespec *times;
	size_t nrows, room;	/* number of stored rows, and of allocated rows */
	size_t nread;		/* number of rows read, stored or not */
	bool raw;		/* show raw counters, and exact numbers */
	struct vcpc_picks picks;	/* the selected instances */
	bool damaged;		/* damage was found */
};

/* Return the text of a column's row, or NULL. */
static inline const char *vcpc_column_text(const struct vcpc_column *c, size_t row)
{
	return c->texts ? c->texts[row] : NULL;
}

/*
 * How to read an archive through the current context
 * @put: NULL, or called with @arg for each row; the series then contains only this row
 */
struct vcpc_walk {
	int mode;		/* PM_MODE_x */
	struct timespec from, to;
	struct timespec delta;
	bool backwards;
	size_t samples;		/* maximum number of rows; 0: no limit */
	void (*put)(void *arg, struct vcpc_series *s);
	void *arg;
};

/*
 * Add a metric, a group, or a single instance ("name[instance]").  Return 0, a PMAPI error, or
 * -ENOMEM.
 */
int vcpc_series_add(struct vcpc_series *s, const char *name);
/*
 * Add every metric below @name ("" for all) that has numbers and was not added before, in the order
 * of recording.  Include histograms if @histograms is set.  Return 0 even if there is none, a PMAPI
 * error, or -ENOMEM.
 */
int vcpc_series_add_below(struct vcpc_series *s, const char *name, bool histograms);
/*
 * Read rows until the end of the walk or the archive.  Return 0, or a PMAPI error, in which case
 * the rows read so far are kept.
 */
int vcpc_series_read(struct vcpc_series *s, const struct vcpc_walk *walk);
/* Write the unit of values or rates into @unit (72 bytes).  Return the factor for rates. */
double vcpc_series_unit(const pmDesc *desc, bool rate, char *unit, size_t size);
/* Replace control characters in names and texts, so that a terminal does not interpret them. */
void vcpc_series_printable(struct vcpc_series *s);
/* Report an unknown metric and suggest a similar one.  Return the exit status (guess.c). */
int vcpc_fail_metric(int code, const char *name);
void vcpc_series_free(struct vcpc_series *s);

#endif /* VCPC_SERIES_H */
