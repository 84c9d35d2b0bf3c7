/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stretches of an archive that are known to have no mark.
 *
 * Between two fetches far apart every record must be looked at, as one of them may
 * be a mark.  What was looked at once need not be again, by whichever reader
 * of the archive: complete records stay what they are.
 */
#ifndef SHIM_ARCHIVE_STRETCH_H
#define SHIM_ARCHIVE_STRETCH_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHIM_STRETCHES_MAX	4096	/* more are not remembered */

/*
 * struct shim_position - between two records, as a cursor
 */
struct shim_position {
	unsigned int volume;
	uint64_t offset;
};

/*
 * struct shim_stretch - records one behind the other, no mark among them, none earlier than
 *	the one before
 * @from, @to: before the first and behind the last of them; the same if there is none
 * @first, @last: their times
 */
struct shim_stretch {
	struct shim_position from, to;
	int64_t first, last;
};

/*
 * struct shim_stretches - the @n that are known, in the order of the archive, none with records of
 *	another
 */
struct shim_stretches {
	pthread_mutex_t lock;
	struct shim_stretch *all;
	size_t n, cap;
};

static inline int shim_position__cmp(struct shim_position a, struct shim_position b)
{
	if (a.volume != b.volume)
		return a.volume < b.volume ? -1 : 1;
	return (a.offset > b.offset) - (a.offset < b.offset);
}

static inline bool shim_stretch__is_empty(const struct shim_stretch *s)
{
	return !shim_position__cmp(s->from, s->to);
}

void shim_stretches__init(struct shim_stretches *known);
void shim_stretches__fini(struct shim_stretches *known);
/* The one with the record behind a position, or with @back before it; false if none is known */
bool shim_stretches__find(struct shim_stretches *known, struct shim_position at, bool back,
			  struct shim_stretch *out);
/* Memory that is short only makes it be looked at again. */
void shim_stretches__add(struct shim_stretches *known, const struct shim_stretch *s);
void shim_stretches__forget(struct shim_stretches *known);

#endif /* SHIM_ARCHIVE_STRETCH_H */
