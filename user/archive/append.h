/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Append to an archive: its files, and the metrics and instance domains that it declares. */
#ifndef SHIM_ARCHIVE_APPEND_H
#define SHIM_ARCHIVE_APPEND_H

#include "declare.h"
#include "output.h"
#include "reader.h"

/*
 * Open and lock the files of an existing archive.  @ar: the archive, which the caller must release.
 * @last: the time of its last record.  Returns -EBUSY if another writer has it open, -EBADMSG if a
 * file ends within a record, and -ENOENT if the metadata or the index exists only in compressed
 * form.  On error, there is nothing to free.
 */
int shim_output__append(struct shim_output *out, const char *base, struct shim_archive **ar,
			struct shim_ts *last);

/* Copy the metrics and the newest states of their instance domains; *@last is never decreased. */
int shim_declared__from(struct shim_declared *d, struct shim_archive *ar, struct shim_ts *last);

#endif /* SHIM_ARCHIVE_APPEND_H */
