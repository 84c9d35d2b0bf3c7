/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing an archive: metadata, then records, then the index that names them.
 *
 * Each commit goes to the files at once, whole records in that order, so that
 * a writer killed at any moment leaves an archive that opens and replays up to
 * its last complete record.  Nothing is forced to the disk before close.
 *
 * Threads: a writer belongs to one thread at a time.
 */
#ifndef SHIM_ARCHIVE_WRITER_H
#define SHIM_ARCHIVE_WRITER_H

#include "types.h"

struct shim_writer;

/*
 * Create an archive.  In the label, version 0 means 3, a zero pid the caller's,
 * an empty host this machine, an empty time zone UTC, and a zero start the
 * earliest time that is written with the first record.  -EEXIST if any file of
 * that archive exists, -EBUSY if it is being written, -EINVAL if the label does
 * not fit the version.
 */
int shim_writer__open(const char *base, const struct shim_label *label, struct shim_writer **out);

/* Go on with an archive, which gives the label and the time of its last record */
int shim_writer__append(const char *base, struct shim_writer **out, struct shim_label *label,
			struct shim_ts *last);
/* For a metric that desc() refused with -EEXIST: -SHIM_ECHANGE_*, or 0 if only names differ */
int shim_writer__difference(const struct shim_writer *w, const struct shim_desc *desc);
bool shim_writer__has_metric(const struct shim_writer *w, uint32_t pmid);

/* A metric: -EINVAL if it is invalid, -EEXIST if its pmid or a name means something else already */
int shim_writer__desc(struct shim_writer *w, const struct shim_desc *desc);

/* An instance domain from a time on: -EINVAL if out of order, ambiguous, or within a record */
int shim_writer__indom(struct shim_writer *w, const struct shim_indom *indom);

/*
 * A text (type: two of SHIM_TEXT_*) about a metric or a domain, and labels from
 * a time on.  The last text counts, as do the labels with the latest stamp.
 * -EINVAL: a text that is empty or has no valid type; labels within a record,
 * too early, without a set, without a valid level, or with a JSON text that PCP
 * would not accept.
 */
int shim_writer__text(struct shim_writer *w, uint32_t type, uint32_t ident, const char *text);
int shim_writer__labels(struct shim_writer *w, const struct shim_labels *labels);

/*
 * One record: begin, then for each metric vset and its values, then commit or
 * cancel.  A call that returns -EINVAL leaves the record as it was; but commit
 * ends the record whatever it returns.  A record without value sets is a mark:
 * no metric's values are continuous across it.
 *
 * -EINVAL: begin, if time goes backwards; vset, for a metric that was not
 * declared or is in the record already; value, if it is not of the metric's
 * type, or its instance is not in the domain or in the set already.  commit
 * returns the error of a write, or -EFBIG where version 2 cannot have more
 * metadata; the archive stays as it was.
 */
int shim_writer__begin(struct shim_writer *w, struct shim_ts stamp);
int shim_writer__vset(struct shim_writer *w, uint32_t pmid, int32_t error_or_0);
int shim_writer__value(struct shim_writer *w, const struct shim_value *value);
int shim_writer__commit(struct shim_writer *w);
void shim_writer__cancel(struct shim_writer *w);

/* The next record begins a new volume, as it does after 2 GiB in version 2 */
int shim_writer__next_volume(struct shim_writer *w);
/* The size of the volume that is being written, and its number */
uint64_t shim_writer__volume(const struct shim_writer *w, int *number);

/*
 * Write the last index entry, and make all files durable; frees the writer
 * whatever it returns.  -ENODATA: nothing was ever written, and no file is left.
 */
int shim_writer__close(struct shim_writer *w);

#endif /* SHIM_ARCHIVE_WRITER_H */
