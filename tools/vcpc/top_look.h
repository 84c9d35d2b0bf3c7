/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots of the statistics for 'vcpc top', each of which is compared with the next one */
#ifndef VCPC_TOP_LOOK_H
#define VCPC_TOP_LOOK_H

#include "top.h"

/* The kernel's key of the statistics; for rows by tag, only the tag is set */
struct top_whose {
	uint64_t tag, events;
	uint32_t pid;
};

#define TOP_TAG_LABEL	272	/* bytes of a tag's label with its NUL; longer ones are truncated */
#define TOP_COMMAND		sizeof(((struct shim_trace_process *)NULL)->command)

struct top_entry {
	struct top_whose whose;
	char command[TOP_COMMAND];	/* from the statistics (a thread's name) or from /proc */
	bool asked;			/* this snapshot has read @command from /proc */
	char label[TOP_TAG_LABEL];
	struct shim_trace_stat stat;	/* without name and label */
};

/* The count of an event in transactions; the event is identified by its column */
struct top_count {
	struct top_whose whose;
	unsigned int column;
	uint64_t transactions, sum;
};

/*
 * A snapshot: copies of the entries, sorted by process, tag and events, and of the counts, sorted
 * by these and by column
 */
struct top_look {
	uint64_t time;
	struct top_entry *entries;
	struct top_count *counts;
	size_t nentries, ncounts, entries_room, counts_room;
	bool named;	/* processes' names can be read from /proc */
};

int top_compare_whose(const struct top_whose *x, const struct top_whose *y);
/* Comparison functions for qsort() and bsearch() of entries and counts */
int top_by_whose(const void *a, const void *b);
int top_by_whose_and_column(const void *a, const void *b);

/*
 * Fill a snapshot, reusing its memory. The caller sets its @time. Return 0, or an error as for
 * top_look().
 */
int top_look_take(struct top_view *view, struct shim_trace *trace, struct top_look *look);
void top_look_free(struct top_look *look);

#endif /* VCPC_TOP_LOOK_H */
