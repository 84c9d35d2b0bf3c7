/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Appending to an archive: its files, and what they declare already. */
#ifndef SHIM_ARCHIVE_APPEND_H
#define SHIM_ARCHIVE_APPEND_H

#include "declare.h"
#include "output.h"
#include "reader.h"

/*
 * Open and lock an existing archive's files.  @ar: the archive, to be given back; @last: the time of
 * its last record.  -EBUSY if it is being written, -EBADMSG if a file ends within a record,
 * -ENOENT if there is only compressed metadata or index; on error there is nothing to free.
 */
int shim_output__append(struct shim_output *out, const char *base, struct shim_archive **ar,
			struct shim_ts *last);

/* Take over the metrics and the newest states of their instance domains; *@last becomes no earlier */
int shim_declared__from(struct shim_declared *d, struct shim_archive *ar, struct shim_ts *last);

#endif /* SHIM_ARCHIVE_APPEND_H */
