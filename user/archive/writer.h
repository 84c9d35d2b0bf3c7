/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing an archive: metadata, then records, then the index that names them.
 *
 * Threads: a writer belongs to one thread at a time.
 */
#ifndef SHIM_ARCHIVE_WRITER_H
#define SHIM_ARCHIVE_WRITER_H

#include "types.h"

struct shim_writer;

/* A new archive; the label's version 0 means 3, a zero pid the caller's.  -EEXIST, -EBUSY. */
int shim_writer__open(const char *base, const struct shim_label *label, struct shim_writer **out);
int shim_writer__desc(struct shim_writer *w, const struct shim_desc *desc);
int shim_writer__indom(struct shim_writer *w, const struct shim_indom *indom);

/* One record: begin, then for each metric vset and its values, then commit or cancel. */
int shim_writer__begin(struct shim_writer *w, struct shim_ts stamp);
int shim_writer__vset(struct shim_writer *w, uint32_t pmid, int32_t error_or_0);
int shim_writer__value(struct shim_writer *w, const struct shim_value *value);
int shim_writer__commit(struct shim_writer *w);
void shim_writer__cancel(struct shim_writer *w);

/* Writes the last index entry and makes all durable; frees the writer whatever it returns. */
int shim_writer__close(struct shim_writer *w);

#endif /* SHIM_ARCHIVE_WRITER_H */
