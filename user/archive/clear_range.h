/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of an archive that are known to contain no mark record.
 *
 * When two fetches are far apart in time, every record between them must be examined, because one
 * of them may be a mark.  Complete records never change, so a range that one reader has examined
 * need not be examined again by others.
 */
#ifndef SHIM_ARCHIVE_CLEAR_RANGE_H
#define SHIM_ARCHIVE_CLEAR_RANGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_CLEAR_RANGES_MAX	4096	/* further ranges are not remembered */

/* struct shim_position - a place between two records, like that of a cursor */
struct shim_position {
	unsigned int volume;
	uint64_t offset;
};

/*
 * struct shim_clear_range - consecutive records without a mark, with ascending stamps
 * @from, @to: positions before the first and after the last record; equal if there are no records
 * @first, @last: times of the first and the last record
 */
struct shim_clear_range {
	struct shim_position from, to;
	int64_t first, last;
};

/* struct shim_clear_ranges - @n known ranges, in archive order, without overlaps */
struct shim_clear_ranges {
	pthread_mutex_t lock;
	struct shim_clear_range *all;
	size_t n, cap;
};

static inline int shim_position__cmp(struct shim_position a, struct shim_position b)
{
	if (a.volume != b.volume)
		return a.volume < b.volume ? -1 : 1;
	return (a.offset > b.offset) - (a.offset < b.offset);
}

static inline bool shim_clear_range__is_empty(const struct shim_clear_range *s)
{
	return !shim_position__cmp(s->from, s->to);
}

void shim_clear_ranges__init(struct shim_clear_ranges *known);
void shim_clear_ranges__fini(struct shim_clear_ranges *known);
/* Find the range with the record after a position, or before it if @back; false if none is known */
bool shim_clear_ranges__find(struct shim_clear_ranges *known, struct shim_position at, bool back,
			  struct shim_clear_range *out);
/* Remember a range.  If memory runs out, its records will be examined again. */
void shim_clear_ranges__add(struct shim_clear_ranges *known, const struct shim_clear_range *s);
void shim_clear_ranges__forget(struct shim_clear_ranges *known);

#endif /* SHIM_ARCHIVE_CLEAR_RANGE_H */
