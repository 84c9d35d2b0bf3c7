/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Add up an archive's records: one row for each metric and instance with numeric values. */
#ifndef VCPC_TALLY_H
#define VCPC_TALLY_H

#include <stdbool.h>

#include "catalog.h"

/*
 * struct vcpc_row - a metric's instance
 * @n: number of values, or, for counters, of differences between two values
 * @squares: sum of their squares
 * @weighted: sum of values times the seconds they lasted; the total of these seconds is @seconds
 * @gained: a counter's increase from its first value to its last, excluding changes across resets
 *	and marks
 * @first: the first value
 * @late: the instance was not in the first nonempty record
 * @at: time of the last value, in seconds since the window's start; NAN at first and after a mark
 * @last: the last value
 * @note: for the use of the tally's @watch; 0 at first
 */
struct vcpc_row {
	int inst;
	unsigned long n;
	double least, most, sum, squares, weighted, seconds;
	double gained;
	double first;
	bool late;
	double at;
	double last;
	size_t note;
};

/* The rows of a metric, by instance; @next: expected index of the next value's row */
struct vcpc_rows {
	struct vcpc_row *rows;
	size_t n, next;
};

struct vcpc_tally;

/*
 * struct vcpc_watch - callbacks for each record during reading
 * @record: called first for each record or mark (no counter is continuous across a mark); @at: as
 *	in struct vcpc_row
 * @value: called for each value of the record, before it is added to its row
 * @arg: argument of both callbacks.  They return 0, or the exit status after printing a message.
 */
struct vcpc_watch {
	int (*record)(void *arg, double at, bool mark);
	int (*value)(void *arg, size_t metric, struct vcpc_row *row, double v, double at);
	void *arg;
};

/*
 * struct vcpc_tally - sums over a window of the archive that is the current context
 * @groups: the rows of each metric of the catalog
 * @records: number of records with values
 * @begin, @end: times of the first and the last of these records, in seconds since the window's
 *	start
 * @watch: callbacks, or NULL
 */
struct vcpc_tally {
	struct vcpc_window window;
	struct vcpc_catalog catalog;
	struct vcpc_rows *groups;
	unsigned long records;
	double begin, end;
	const struct vcpc_watch *watch;
};

/*
 * Add up an archive.  @tally must be zero except for its window's options and @watch.  Return 0, or
 * an exit status after printing a message.
 */
int vcpc_tally_read(struct vcpc_tally *tally, const char *archive, char **names);
void vcpc_tally_free(struct vcpc_tally *tally);

#endif /* VCPC_TALLY_H */
