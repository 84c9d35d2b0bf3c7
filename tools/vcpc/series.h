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
};

/* How to go through an archive; the context is the current one */
struct vcpc_walk {
	int mode;		/* PM_MODE_x */
	struct timespec from, to;
	struct timespec delta;
	bool backwards;
};

/* Add a metric, a group of metrics, or with "name[instance]" one instance. 0, a PMAPI error, -ENOMEM */
int vcpc_series_add(struct vcpc_series *s, const char *name);
/*
 * Add every metric below @name that has numbers and is not there yet, "" for all, in the order they
 * were recorded; @histograms: those that are histograms, too.  0, also if there is none, a PMAPI
 * error, -ENOMEM
 */
int vcpc_series_add_below(struct vcpc_series *s, const char *name, bool histograms);
/* Until the walk's or the archive's end; then 0, or a PMAPI error with what was read kept */
int vcpc_series_read(struct vcpc_series *s, const struct vcpc_walk *walk);
/* What values or rates of a metric are in, of 72 bytes at most; returns what a rate is multiplied by */
double vcpc_series_unit(const pmDesc *desc, bool rate, char *unit, size_t size);
/* For people: names and texts without what a terminal would obey */
void vcpc_series_printable(struct vcpc_series *s);
/* Say which metric may have been meant; returns the exit status: guess.c */
int vcpc_fail_metric(int code, const char *name);
void vcpc_series_free(struct vcpc_series *s);

#endif /* VCPC_SERIES_H */
