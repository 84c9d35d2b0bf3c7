/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The temporal index in memory: places in the volumes, by time */
#ifndef SHIM_ARCHIVE_INDEX_H
#define SHIM_ARCHIVE_INDEX_H

#include "reader.h"
#include "record.h"

struct shim_files;
struct shim_segment;

/*
 * struct shim_place - an index entry: no record before it is later, and no record after it is
 * earlier
 * @volume: index into the archive's volumes
 */
struct shim_place {
	struct shim_ts stamp;
	unsigned int volume;
	uint64_t offset;
};

/* struct shim_index - the entries that are consistent with each other, in ascending order */
struct shim_index {
	struct shim_place *places;
	size_t n;
	size_t cap;
};

/*
 * Check the label of a segment's index file, if it exists.  Set *@last to its last entry, or to
 * zeros.
 */
int shim_index__check(struct shim_segment *segment, struct shim_entry *last);
/* Append to @out, which must be empty, the volumes to which a segment's index file refers. */
int shim_index__volumes(const struct shim_segment *segment, struct shim_files *out);
/* Add the places of a segment. */
int shim_index__load(struct shim_index *index, const struct shim_segment *segment);
void shim_index__free(struct shim_index *index);

/* Return the number of places with a stamp < @when, or <= @when if @or_equal. */
size_t shim_index__before(const struct shim_index *index, struct shim_ts when, bool or_equal);
/* Return the number of places in volumes up to and including @volume. */
size_t shim_index__upto(const struct shim_index *index, unsigned int volume);

/* Interpolation search for a time in a range of records */

/*
 * Move the cursor to a record near @when, using a few reads.  The record is earlier than @when, or
 * not later than @when if @or_equal.  The stamps of the first @n places of the index meet the same
 * condition.  Return 1; 0, without moving the cursor, if that record was not found; or an error if
 * a volume could not be read.
 */
int shim_bisect__place(struct shim_cursor *cur, const struct shim_index *index, size_t n,
			struct shim_ts when, bool or_equal);

#endif /* SHIM_ARCHIVE_INDEX_H */
