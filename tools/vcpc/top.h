/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the parts of 'vcpc top' */
#ifndef VCPC_TOP_H
#define VCPC_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include <shim/trace.h>

#define TOP_EVENTS	6	/* number of event columns with the counts of transactions */

/* What a row represents: a tag, a process (all its tags), or a tag in one process */
enum top_by { TOP_BY_TAG, TOP_BY_PROCESS, TOP_BY_BOTH, TOP_BYS };

enum top_key { TOP_RATE, TOP_P50, TOP_P99, TOP_TOTAL, TOP_NAME, TOP_KEYS };

/*
 * struct top_row - the transactions of a tag, a process or both
 * @entry: the first of the row's entries in the snapshot
 * @rate: number of transactions that ended per second
 * @p50, @p99, @mean: their durations in seconds; NAN if none ended
 * @total: number of transactions that ended since tracing was turned on
 * @each: for each event, mean count per transaction; NAN if it was not counted
 */
struct top_row {
	const struct top_entry *entry;
	double rate, p50, p99, mean;
	uint64_t total;
	double each[TOP_EVENTS];
};

struct top_entry;
struct top_look;

/*
 * struct top_view - the user's selection and the rows to show
 * @events: @nevents names, in the order of the columns
 * @nrows, @nall: number of rows shown, and of all rows
 * @widest: width in columns of the longest name shown so far, which determines where the numbers
 *   begin; 0 before the first name
 * @before: the previous snapshot, into which @rows point, or NULL
 * @spare: an older snapshot, whose memory is reused for the next one
 * @lost: number of events since tracing was turned on that are missing from the statistics
 */
struct top_view {
	enum top_by by;
	enum top_key key;
	bool reverse;
	const char *filter;	/* show only names that contain this text, or NULL */
	struct top_row *rows;
	size_t nrows, nall;
	char *events[TOP_EVENTS];
	size_t nevents;
	unsigned int widest;
	uint64_t lost;
	struct top_look *before, *spare;
};

/*
 * Take a snapshot at the time @now, in nanoseconds, and compare it with the previous one. Return 0,
 * or a negated errno: -EAGAIN for the first snapshot, which cannot be compared, and -ENODATA if
 * tracing does not distinguish processes. If the statistics could not be read, the rows are
 * unchanged.
 */
int top_look(struct top_view *view, struct shim_trace *trace, uint64_t now);
/* Filter and sort the rows again, after @key, @reverse or @filter has changed. */
void top_arrange(struct top_view *view);
/* Drop the rows and snapshots.  Call this after tracing was off, or after @by has changed. */
void top_forget(struct top_view *view);
void top_free(struct top_view *view);

#define TOP_LABEL	640	/* bytes of a row's name with its NUL; longer ones are truncated */

/* Write a row's name in printable form. The trace handle of the snapshot must still be open. */
void top_label(const struct top_view *view, const struct top_row *row, char *label, size_t size);
/*
 * Write a row, or the heading if @row is NULL.  @line needs 4 bytes for each of @width columns, and
 * a NUL.
 */
void top_line(const struct top_view *view, const struct top_row *row, unsigned int width,
	      char *line);
/* Return the number of columns of a text on a terminal. */
unsigned int top_columns(const char *text);
/* Write the line above the heading. */
void top_title(const struct top_view *view, bool paused, char *line, size_t size);
const char *top_key_name(enum top_key key);
const char *top_by_name(enum top_by by);

/* Message that explains why no processes are shown, and how to show them */
#define TOP_NO_PROCESSES	"tracing keeps no statistics by process; turn it off, then on with 'vcpc trace on --processes'"

/*
 * Show the view, refreshed every @interval ns, until the user quits. Return the exit status
 * (top_screen.c).
 */
int top_screen(struct top_view *view, uint64_t interval);
/* Open the statistics if they are not open, and return the result of top_look() (top.c). */
int top_again(struct top_view *view, struct shim_trace **trace);

#endif /* VCPC_TOP_H */
