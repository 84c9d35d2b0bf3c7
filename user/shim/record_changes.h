/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write only the trace values that have changed, so that interpolated values are the same. */
#ifndef SHIM_SHIM_RECORD_CHANGES_H
#define SHIM_SHIM_RECORD_CHANGES_H

#include "archive/writer.h"
#include "live/trace.h"

struct shim_rec_changes;

struct shim_rec_changes *shim_rec_changes__new(void);
void shim_rec_changes__free(struct shim_rec_changes *changes);
/*
 * Take the values of a sample.  Call this before instances of the next record are written, because
 * it writes values of the last record.
 */
int shim_rec_changes__take(struct shim_rec_changes *changes, const struct shim_live_trace *live,
			   struct shim_writer *w);
/* Write a metric's values of the sample into the record that was begun. */
int shim_rec_changes__values(struct shim_rec_changes *changes, size_t metric, struct shim_writer *w);
/* The record of the sample, with this stamp, has been written. */
void shim_rec_changes__settle(struct shim_rec_changes *changes, struct shim_ts stamp);
/* Complete the last record. */
int shim_rec_changes__finish(struct shim_rec_changes *changes, struct shim_writer *w);

#endif /* SHIM_SHIM_RECORD_CHANGES_H */
