/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of 'vcpc top' share: what each tag's transactions did since the look before. */
#ifndef VCPC_TOP_H
#define VCPC_TOP_H

#include <stdbool.h>
#include <stdio.h>

#include <shim/trace.h>

#define TOP_EVENTS	6	/* of which transactions' counts are shown */

/* What a row is of: a tag, a process with all its tags, or a tag in one process */
enum top_by { TOP_BY_TAG, TOP_BY_PROCESS, TOP_BY_BOTH, TOP_BYS };

enum top_key { TOP_RATE, TOP_P50, TOP_P99, TOP_TOTAL, TOP_NAME, TOP_KEYS };

/*
 * struct top_row - the transactions of a tag, a process or both
 * @entry: which
 * @rate: that ended, a second
 * @p50, @p99, @mean: seconds of these; NAN if there were none
 * @total: since tracing was turned on
 * @each: of each event what one of them counted; NAN if it was not counted
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
 * struct top_view - how it is looked at, and what was seen
 * @events: @nevents names, in the order of the columns
 * @nrows, @nall: how many rows are shown, and there are
 * @rate: of all of them together
 * @before: the look before, or NULL, of which @rows are
 * @spare: memory for the next
 * @lost: events that are not in the statistics, since tracing was turned on
 */
struct top_view {
	enum top_by by;
	enum top_key key;
	bool reverse;
	const char *filter;	/* a part of the names that are shown, or NULL */
	struct top_row *rows;
	size_t nrows, nall;
	char *events[TOP_EVENTS];
	size_t nevents;
	double rate;
	uint64_t lost;
	struct top_look *before, *spare;
};

/*
 * Another look, @now in nanoseconds: 0, or a negated errno with the rows as they were; -EAGAIN: it
 * is the first, so that there is nothing to compare with; -ENODATA: tracing does not tell processes
 * apart
 */
int top_look(struct top_view *view, struct shim_trace *trace, uint64_t now);
/* After @key, @reverse or @filter have changed */
void top_arrange(struct top_view *view);
/* Forget what was seen, as tracing was off meanwhile, or @by has changed */
void top_forget(struct top_view *view);
void top_free(struct top_view *view);

#define TOP_LABEL	640	/* bytes: a row's name with its NUL, or what of it is shown */

/* A row's name, printable; needs the trace handle that was looked at */
void top_label(const struct top_view *view, const struct top_row *row, char *label, size_t size);
/* The heading (@row: NULL) or a row in so many columns, with its NUL: up to 4 bytes a column */
void top_line(const struct top_view *view, const struct top_row *row, unsigned int width,
	      char *line);
/* What is above the heading */
void top_title(const struct top_view *view, bool paused, char *line, size_t size);
const char *top_key_name(enum top_key key);
const char *top_by_name(enum top_by by);

/* Why there are no processes, and what to do */
#define TOP_NO_PROCESSES	"tracing does not tell processes apart; turn it on by 'vcpc trace on --processes'"

/* On the terminal until the user quits, a look each @interval ns: the exit status; top_screen.c */
int top_screen(struct top_view *view, uint64_t interval);
/* Opens the statistics if need be, and looks: as top_look(); top.c */
int top_again(struct top_view *view, struct shim_trace **trace);

#endif /* VCPC_TOP_H */
