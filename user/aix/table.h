/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine's events and groups of events, by number. */
#ifndef SHIM_AIX_TABLE_H
#define SHIM_AIX_TABLE_H

#include "impl.h"

#define AIX_CLASSES	(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT)

/*
 * struct shim_aix_event - an event; its number is its index in the table
 * @name: PM_...
 * @shown: its name in perf or libpfm
 * @desc: description of the event
 * @class: PM_VERIFIED or PM_UNVERIFIED
 * @req: the request for the back end, without modes
 */
struct shim_aix_event {
	char *name;
	char *shown;
	char *desc;
	int class;
	struct vcpc_request req;
};

/*
 * A group; its number is its index in the table.  For each counter, events[] has the event's number
 * on that counter, or COUNT_NOTHING.
 */
struct shim_aix_group {
	const char *name;
	const char *title;
	const char *desc;
	int class;
	int events[MAX_COUNTERS];
};

#define AIX_FIXED		2
#define AIX_FIXED_EVENTS	2

/* A counter that counts only some events, by their indices in the table */
struct shim_aix_fixed {
	int events[AIX_FIXED_EVENTS];
	int n;
};

/*
 * struct shim_aix_table - the machine's counters, events and groups
 * @pmcs: number of counters
 * @general: number of counters, at the beginning, that count any event
 * @fixed: the other counters
 * @cpu: name of the processor
 */
struct shim_aix_table {
	int pmcs;
	int general;
	struct shim_aix_fixed fixed[AIX_FIXED];
	int nfixed;
	char *cpu;
	struct shim_aix_event *events;
	int nevents;
	struct shim_aix_group *groups;
	int ngroups;
};

int shim_aix_table__make(struct shim_session *session, struct shim_aix_table *table);
void shim_aix_table__free(struct shim_aix_table *table);
int shim_aix_table__find(const struct shim_aix_table *table, const char *name);

int shim_aix_groups__make(struct shim_session *session, struct shim_aix_table *table);

/* pmcs.c */
int shim_aix_pmcs__find(struct shim_session *session, struct shim_aix_table *table);
int shim_aix_pmcs__events(const struct shim_aix_table *table, int c);
int shim_aix_pmcs__event(const struct shim_aix_table *table, int c, int id);
int shim_aix_pmcs__number(const struct shim_aix_table *table, int c, int event);

/* Check that these requests fit on the processor at the same time. Return 0 or a core error. */
int shim_aix_table__try(struct shim_session *session, const struct vcpc_request *reqs,
			unsigned int n);

#endif /* SHIM_AIX_TABLE_H */
