/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics of vcpc record --with: found by with.c, recorded by with_archive.c. */
#ifndef VCPC_WITH_METRICS_H
#define VCPC_WITH_METRICS_H

#include <stdbool.h>

#include <pcp/pmapi.h>

#include "with.h"

struct with_archive;

/*
 * A metric that is recorded
 * @named: it was requested by name, not as a part of a subtree
 * @line, @help: its texts from pmcd, or NULL
 * @domain: index of its instance domain in struct vcpc_with's @indoms, or -1
 */
struct with_metric {
	char *name, *line, *help;
	pmDesc desc;
	bool named;
	int domain;
};

struct vcpc_with {
	int context;
	struct with_metric *metrics;
	pmID *pmids;			/* NULL until the first archive declares them */
	int n, room;
	pmInDom *indoms;
	int nindoms;
	struct with_archive *archives;
	int missing;			/* first reason why instances were omitted, as -errno */
	bool refused;			/* the metrics could not be declared in the last archive */
	unsigned long long serial;	/* number of sets of values so far */
	pmResult *result;		/* values of this tick, or NULL */
};

/*
 * Report why a metric is not recorded. Return 0 or, if it was requested by name, the exit status.
 */
int with_leave_out(const char *name, bool named, const char *why);
void with_free_metric(struct with_metric *metric);
void with_end_all(struct vcpc_with *with);

#endif /* VCPC_WITH_METRICS_H */
