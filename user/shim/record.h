/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Declarations shared by the parts of the recorder, with an interface for each source of values */
#ifndef SHIM_SHIM_RECORD_H
#define SHIM_SHIM_RECORD_H

#include <stdbool.h>

#include "archive/writer.h"
#include "live/metric.h"
#include "shim/shim.h"

/* PCP's PM_ERR_VALUE, recorded if there are no valid values */
#define ERR_VALUE	(-12351)

/* Functions in record_sets.c: counts of sets */
struct shim_rec_sets;

int shim_rec_sets__create(struct shim_rec_sets **out);
void shim_rec_sets__destroy(struct shim_rec_sets *sets);
int shim_rec_sets__add(struct shim_rec_sets *sets, struct shim_writer *w, struct shim_set *set,
		       pid_t pid, const char *name);
/* Return the name of a process's instance, or NULL. */
const char *shim_rec_sets__name(const struct shim_rec_sets *sets, pid_t pid);
/* Sample all sets and return the first error. Set *@when to the time of the first valid sample. */
int shim_rec_sets__sample(struct shim_rec_sets *sets, uint64_t *when);
/* Write the new instances, before the values are written. */
int shim_rec_sets__instances(struct shim_rec_sets *sets, struct shim_writer *w,
			     struct shim_ts stamp);
bool shim_rec_sets__any(const struct shim_rec_sets *sets);
int shim_rec_sets__values(struct shim_rec_sets *sets, struct shim_writer *w);

/* Functions in record_trace.c: transactions and other trace events, with the same steps */
struct shim_rec_trace;

/*
 * Create the trace statistics of a recorder.  @before belongs to the archive that this one
 * continues, or is NULL.
 */
int shim_rec_trace__create(struct shim_writer *w, struct shim_rec_trace *before, bool changes,
			   struct shim_rec_trace **out);
void shim_rec_trace__destroy(struct shim_rec_trace *trace);
int shim_rec_trace__sample(struct shim_rec_trace *trace);
int shim_rec_trace__begin(struct shim_rec_trace *trace, struct shim_writer *w);
int shim_rec_trace__instances(struct shim_rec_trace *trace, struct shim_writer *w,
			      struct shim_ts stamp);
bool shim_rec_trace__any(const struct shim_rec_trace *trace);
int shim_rec_trace__values(struct shim_rec_trace *trace, struct shim_writer *w);
void shim_rec_trace__settle(struct shim_rec_trace *trace, struct shim_ts stamp);
int shim_rec_trace__finish(struct shim_rec_trace *trace, struct shim_writer *w);

/* In record_source.c: declare a metric, with its one-line text and its help text */
int shim_rec_metric__write(struct shim_writer *w, const struct shim_metric *metric);
/* Write both texts of an instance domain. */
int shim_rec_indom__describe(struct shim_writer *w, const struct shim_metric_indom *indom);

/* Functions in record_source.c: the archive's label, and the labels that are shown with values */
void shim_rec_label__fill(struct shim_label *label);
int shim_rec_label__context(struct shim_writer *w, const char *host, const char *more, struct shim_ts stamp);

#endif /* SHIM_SHIM_RECORD_H */
