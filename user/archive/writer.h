/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing an archive: metadata, then records, then the index that refers to them.
 *
 * Each commit immediately writes complete records in that order.  If a writer is killed at any
 * moment, the archive can still be opened and replayed up to its last complete record.  Nothing is
 * synced to disk before close.
 *
 * Threads: only one thread at a time may use a writer.
 */
#ifndef SHIM_ARCHIVE_WRITER_H
#define SHIM_ARCHIVE_WRITER_H

#include "types.h"

struct shim_writer;

/*
 * Create an archive.  Fields of the label that are 0 or empty have defaults: version 3, the
 * caller's process ID, this machine's name, the time zone UTC, and as the start the earliest time
 * that is written with the first record.  Return -EEXIST if any file of that archive exists, -EBUSY
 * if another writer has it open, or -EINVAL if the label does not fit the version.
 */
int shim_writer__open(const char *base, const struct shim_label *label, struct shim_writer **out);

/* Continue an archive.  Get its label and the time of its last record. */
int shim_writer__append(const char *base, struct shim_writer **out, struct shim_label *label,
			struct shim_ts *last);
/*
 * For a metric that desc() rejected with -EEXIST, return -SHIM_ECHANGE_*, or 0 if only names
 * differ.
 */
int shim_writer__difference(const struct shim_writer *w, const struct shim_desc *desc);
bool shim_writer__has_metric(const struct shim_writer *w, uint32_t pmid);

/*
 * Declare a metric.  Return -EINVAL if it is invalid, or -EEXIST if its pmid or a name is already
 * used.
 */
int shim_writer__desc(struct shim_writer *w, const struct shim_desc *desc);

/*
 * Declare an instance domain, starting at a time.  Return -EINVAL if it is out of order, ambiguous,
 * or within a record.
 */
int shim_writer__indom(struct shim_writer *w, const struct shim_indom *indom);

/*
 * Add a text (its type is two of SHIM_TEXT_*) about a metric or a domain, or labels that apply from
 * a time on.  The last text and the labels with the latest stamp apply.  Return -EINVAL for a text
 * that is empty or has no valid type, and for labels within a record, too early, without a set,
 * without a valid level, or with a JSON text that PCP would not accept.
 */
int shim_writer__text(struct shim_writer *w, uint32_t type, uint32_t ident, const char *text);
int shim_writer__labels(struct shim_writer *w, const struct shim_labels *labels);

/*
 * Write one record: call begin, then vset and value for each metric, and finally commit or cancel.
 * A call that returns -EINVAL leaves the record unchanged, but commit always ends the record.  A
 * record without value sets is a mark: no metric's values are continuous across it.
 *
 * -EINVAL is returned by begin if time goes backwards, by vset for a metric that was not declared
 * or is already in the record, and by value if it does not have the metric's type, or its instance
 * is not in the domain or is already in the set.  commit returns the error from a write, or -EFBIG
 * if version 2 cannot represent more metadata; in these cases the archive is unchanged.
 */
int shim_writer__begin(struct shim_writer *w, struct shim_ts stamp);
int shim_writer__vset(struct shim_writer *w, uint32_t pmid, int32_t error_or_0);
int shim_writer__value(struct shim_writer *w, const struct shim_value *value);
/* Add several values at once.  After an error, the record must be cancelled. */
int shim_writer__values(struct shim_writer *w, const struct shim_value *values, size_t n);
int shim_writer__commit(struct shim_writer *w);
void shim_writer__cancel(struct shim_writer *w);

/* Start a new volume with the next record.  Version 2 does this automatically after 2 GiB. */
int shim_writer__next_volume(struct shim_writer *w);
/* Return the size of the current volume, and get its number. */
uint64_t shim_writer__volume(const struct shim_writer *w, int *number);

/*
 * Write the last index entry, and make all files durable.  The writer is always freed.  Return
 * -ENODATA if nothing was ever written, in which case no file is left.
 */
int shim_writer__close(struct shim_writer *w);

#endif /* SHIM_ARCHIVE_WRITER_H */
