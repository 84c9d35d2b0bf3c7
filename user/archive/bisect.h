/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolation search for a time in a range of records. */
#ifndef SHIM_ARCHIVE_BISECT_H
#define SHIM_ARCHIVE_BISECT_H

#include "index.h"
#include "reader.h"

/*
 * Move the cursor to a record near @when, using a few reads.  The record is earlier than @when, or
 * not later than @when if @or_equal.  The stamps of the first @n places of the index meet the same
 * condition.  Returns 1; 0 if no such record was found, which leaves the cursor unchanged; or an
 * error if a volume could not be read.
 */
int shim_bisect__place(struct shim_cursor *cur, const struct shim_index *index, size_t n,
			struct shim_ts when, bool or_equal);

#endif /* SHIM_ARCHIVE_BISECT_H */
