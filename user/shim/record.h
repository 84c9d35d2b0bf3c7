/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the recorder's parts share: numbers of metrics, and one interface a source of values. */
#ifndef SHIM_SHIM_RECORD_H
#define SHIM_SHIM_RECORD_H

#include <stdbool.h>

#include "archive/writer.h"
#include "shim/shim.h"

/* PCP's numbering: metrics are domain.cluster.item, instance domains domain.serial. */
#define PMID(domain, cluster, item)	((uint32_t)(domain) << 22 | (cluster) << 10 | (item))
#define INDOM(domain, serial)		((uint32_t)(domain) << 22 | (serial))

#define DOMAIN_TRACE	10	/* PCP's own agent for transactions */
#define DOMAIN_VCPC	450

/* A unit's dimension is a nibble from the top, its scale one from bit 12 or 16 down. */
#define UNITS_NONE	0x00000000u
#define UNITS_COUNT	0x00100000u
#define UNITS_NSEC	0x01000000u
#define UNITS_SEC	0x01003000u

/* What stands instead of values that would be wrong: PCP's PM_ERR_VALUE */
#define ERR_VALUE	(-12351)

/* Counts of sets: record_sets.c */
struct shim_rec_sets;

int shim_rec_sets__create(struct shim_rec_sets **out);
void shim_rec_sets__destroy(struct shim_rec_sets *sets);
int shim_rec_sets__add(struct shim_rec_sets *sets, struct shim_writer *w, struct shim_set *set,
		       pid_t pid, const char *name);
/* Take samples; *when is the first's time if there is any set.  The first error, after all. */
int shim_rec_sets__sample(struct shim_rec_sets *sets, uint64_t *when);
/* Instances that are new, then the values */
int shim_rec_sets__instances(struct shim_rec_sets *sets, struct shim_writer *w,
			     struct shim_ts stamp);
bool shim_rec_sets__any(const struct shim_rec_sets *sets);
int shim_rec_sets__values(struct shim_rec_sets *sets, struct shim_writer *w);

/* Transactions and the other trace events: record_trace.c, with the same steps */
struct shim_rec_trace;

int shim_rec_trace__create(struct shim_writer *w, struct shim_rec_trace **out);
void shim_rec_trace__destroy(struct shim_rec_trace *trace);
int shim_rec_trace__sample(struct shim_rec_trace *trace);
int shim_rec_trace__instances(struct shim_rec_trace *trace, struct shim_writer *w,
			      struct shim_ts stamp);
bool shim_rec_trace__any(const struct shim_rec_trace *trace);
int shim_rec_trace__values(struct shim_rec_trace *trace, struct shim_writer *w);

/* A metric and what it is, in one line and in more: record_metric.c */
struct shim_rec_metric {
	struct shim_desc desc;
	const char *line;
	const char *help;
};

int shim_rec_metric__write(struct shim_writer *w, const struct shim_rec_metric *metric);
/* What the instances of a domain are, likewise */
int shim_rec_indom__describe(struct shim_writer *w, uint32_t indom, const char *line,
			     const char *help);

/* Where and when: record_label.c */
void shim_rec_label__fill(struct shim_label *label);
int shim_rec_label__context(struct shim_writer *w, const char *host, struct shim_ts stamp);

#endif /* SHIM_SHIM_RECORD_H */
