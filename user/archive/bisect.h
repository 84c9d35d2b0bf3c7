/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding a time in a range of records without passing through it. */
#ifndef SHIM_ARCHIVE_BISECT_H
#define SHIM_ARCHIVE_BISECT_H

#include "index.h"
#include "reader.h"

/*
 * Put the cursor before a record that is earlier than @when, or not later if
 * @or_equal, and as near to it as is cheap.  @n places of the index are as
 * early.  False if none was found: then it is as it was.
 */
bool shim_bisect__place(struct shim_cursor *cur, const struct shim_index *index, size_t n,
			struct shim_ts when, bool or_equal);

#endif /* SHIM_ARCHIVE_BISECT_H */
