/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A look of 'vcpc top' at the statistics: copies, as they are compared with the next. */
#ifndef VCPC_TOP_LOOK_H
#define VCPC_TOP_LOOK_H

#include "top.h"

/* What statistics are of, as the kernel has them; by tag, the others are 0 */
struct top_whose {
	uint64_t tag, events;
	uint32_t pid;
};

#define TOP_COMMAND		sizeof(((struct shim_trace_process *)NULL)->command)

struct top_entry {
	struct top_whose whose;
	char command[TOP_COMMAND];	/* a thread's, or what /proc says */
	bool asked;			/* that, in this look */
	struct shim_trace_stat stat;
};

/* What an event, by its column, counted */
struct top_count {
	struct top_whose whose;
	unsigned int column;
	uint64_t transactions, sum;
};

/* Copies, by process, tag and events; counts, then by column */
struct top_look {
	uint64_t time;
	struct top_entry *entries;
	struct top_count *counts;
	size_t nentries, ncounts, entries_room, counts_room;
	bool named;	/* /proc knows the processes' names */
};

int top_compare_whose(const struct top_whose *x, const struct top_whose *y);
/* For qsort() and bsearch() of entries and counts */
int top_by_whose(const void *a, const void *b);
int top_by_whose_and_column(const void *a, const void *b);

/* Into a look, whose memory is used again, but for its time: 0, or an error of top_look() */
int top_look_take(struct top_view *view, struct shim_trace *trace, struct top_look *look);
void top_look_free(struct top_look *look);

#endif /* VCPC_TOP_LOOK_H */
