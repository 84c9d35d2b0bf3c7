/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of an archive's metrics over time, as columns and rows. */
#ifndef VCPC_SERIES_H
#define VCPC_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include <pcp/pmapi.h>

#include "pick.h"

/* One metric, or one instance of it */
struct vcpc_column {
	char *metric;
	char *instance;		/* or NULL */
	char unit[72];
	bool rate;		/* per second, of a counter */
	bool empty;		/* no row has a value */
	double scale;		/* what a rate is multiplied by */
	double seconds;		/* how many a value is, if it is a time; otherwise 0 */
	int inst;
	long double last;	/* the last value and its row; for rates */
	size_t last_row;	/* or SIZE_MAX */
	double *values;		/* one a row; NAN for none */
	char **texts;		/* of strings, and of numbers if they are to be exact; or NULL */
};

/* A metric of the request and the columns it fills */
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
	size_t nrows, room;
	bool raw;		/* counters as they are, and every number exact */
	struct vcpc_picks picks;	/* only these instances */
	bool damaged;		/* reading came upon damage */
};

/* How to go through an archive; the context is the current one */
struct vcpc_walk {
	int mode;		/* PM_MODE_x */
	struct timespec from, to;
	struct timespec delta;
	bool backwards;
	size_t samples;		/* at most so many rows; 0: all */
};

/* Add a metric, a group, or, by "name[instance]", one instance: 0, a PMAPI error, or -ENOMEM */
int vcpc_series_add(struct vcpc_series *s, const char *name);
/*
 * Add every metric below @name that has numbers and is not there yet, "" for all, in the order they
 * were recorded; @histograms: those that are histograms, too.  0, also if there is none, a PMAPI
 * error, -ENOMEM
 */
int vcpc_series_add_below(struct vcpc_series *s, const char *name, bool histograms);
/* Read rows until the walk's or the archive's end: 0, or a PMAPI error and the rows before it */
int vcpc_series_read(struct vcpc_series *s, const struct vcpc_walk *walk);
/* Write the unit of values or rates into @unit, of 72 bytes; returns the factor for rates */
double vcpc_series_unit(const pmDesc *desc, bool rate, char *unit, size_t size);
/* Replace control characters in names and texts, so that a terminal does not act on them */
void vcpc_series_printable(struct vcpc_series *s);
/* Report an unknown metric, and which one may have been meant: the exit status (guess.c) */
int vcpc_fail_metric(int code, const char *name);
void vcpc_series_free(struct vcpc_series *s);

#endif /* VCPC_SERIES_H */
