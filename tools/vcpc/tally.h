/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an archive's records come to: one row for each metric and instance that has numbers. */
#ifndef VCPC_TALLY_H
#define VCPC_TALLY_H

#include <stdbool.h>

#include "catalog.h"

/*
 * struct vcpc_row - a metric's instance
 * @n: values, or for counters differences of two
 * @weighted: sum of values times the seconds they lasted, which are @seconds
 * @gained: of a counter, from the first value to the last, but for when it was reset
 * @first: the first value
 * @late: it was not in the first record that had anything
 * @at: time of the last value, in seconds since the window's start; NAN if nothing goes on from it
 */
struct vcpc_row {
	int inst;
	unsigned long n;
	double least, most, sum, weighted, seconds;
	double gained;
	double first;
	bool late;
	double at;
	double last;
};

/* The rows of a metric, by instance */
struct vcpc_rows {
	struct vcpc_row *rows;
	size_t n;
};

/*
 * struct vcpc_tally - of a part of an archive's time, which is the current context
 * @groups: one a metric of the catalog
 * @records: how many had values
 * @begin, @end: times of the first and the last of them, in seconds since the window's start
 */
struct vcpc_tally {
	struct vcpc_window window;
	struct vcpc_catalog catalog;
	struct vcpc_rows *groups;
	unsigned long records;
	double begin, end;
};

/* @tally: zero but for its window's options.  0, or the exit status after a message */
int vcpc_tally_read(struct vcpc_tally *tally, const char *archive, char **names);
void vcpc_tally_free(struct vcpc_tally *tally);

#endif /* VCPC_TALLY_H */
