/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data that a report draws: metrics over time, and details of costly transactions. */
#ifndef VCPC_DRAWING_H
#define VCPC_DRAWING_H

#include <shim/trace.h>

#include "steps.h"
#include "tally.h"

#define VCPC_CHARTS	24	/* maximum number of drawn metrics */
#define VCPC_LINES	6	/* maximum number of instances of each */
#define VCPC_TAGS	16	/* maximum number of transactions with a chart of their times */
#define VCPC_EVENTS	4	/* maximum number of events of each */
#define VCPC_PARTS	3	/* maximum number of curves for the parts of a tag's time */

/* A metric's instance over time; @name is the instance's name, or NULL */
struct vcpc_line {
	char *name;
	size_t curve;
};

/* A metric over time; @more: number of omitted instances */
struct vcpc_drawn {
	size_t metric;	/* index in the catalog */
	struct vcpc_line lines[VCPC_LINES];
	size_t n, more;
};

/*
 * Curves of an event's count in transactions, and of the number of transactions that counted it; or
 * SIZE_MAX
 */
struct vcpc_drawn_event {
	char *name;
	size_t sum, counted;
};

/* A tag's transactions: indexes of curves, or SIZE_MAX */
struct vcpc_drawn_tag {
	char *name;
	double seconds;		/* total time in the window */
	size_t count, time;
	size_t slots[SHIM_TRACE_HIST_SLOTS];
	size_t watched, parts[VCPC_PARTS];	/* transactions whose time was split, and its parts */
	struct vcpc_drawn_event events[VCPC_EVENTS];
	size_t nevents;
};

/* The names of an instance domain, sorted by instance number */
struct vcpc_drawing_names {
	pmInDom indom;
	int *ids;
	char **names;
	int n;
};

/*
 * struct vcpc_drawing - all data that a report draws
 * @order: indexes of the catalog's metrics in display order, or NULL if unsorted
 * @moretags: number of omitted transactions
 * @morecharts: number of omitted metrics
 * @failed: exit status of reading the records to choose what is drawn
 * @now, @before: times of the current record and of the previous one
 * @marks: number of gaps, for example between archives
 */
struct vcpc_drawing {
	struct vcpc_tally tally;
	struct vcpc_steps steps;
	size_t *order;
	struct vcpc_drawn charts[VCPC_CHARTS];
	size_t ncharts, morecharts;
	struct vcpc_drawn_tag tags[VCPC_TAGS];
	size_t ntags, moretags;
	struct vcpc_drawing_names *names;
	size_t nnames;
	int failed;
	double now, before;
	unsigned long marks;
	struct vcpc_watch watch;
};

/*
 * Read the current context into @d, which is zero except for the window's options.  Return 0, or an
 * exit status after printing a message.
 */
int vcpc_drawing_read(struct vcpc_drawing *d, const char *archive);
/* The last component of the names of the parts' metrics, vcpc.transact.time.** */
extern const char *const vcpc_part_names[VCPC_PARTS];
/* Return an instance's name, or NULL. */
const char *vcpc_drawing_name(struct vcpc_drawing *d, pmInDom indom, int inst);
void vcpc_drawing_free(struct vcpc_drawing *d);

#endif /* VCPC_DRAWING_H */
