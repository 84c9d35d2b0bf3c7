/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interpolation search for a time in a range of records. */
#ifndef SHIM_ARCHIVE_BISECT_H
#define SHIM_ARCHIVE_BISECT_H

#include "index.h"
#include "reader.h"

/*
 * Put the cursor before a record that is earlier than @when, or not later if
 * @or_equal, and that a few reads find close to @when.  The first @n places of
 * the index are as early.  Returns 1; 0, and leaves the cursor where it is, if no
 * such record was found; or why a volume could not be read.
 */
int shim_bisect__place(struct shim_cursor *cur, const struct shim_index *index, size_t n,
			struct shim_ts when, bool or_equal);

#endif /* SHIM_ARCHIVE_BISECT_H */
