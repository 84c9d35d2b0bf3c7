// SPDX-License-Identifier: LGPL-2.1-or-later
/* Step through the records in both directions, and find a time. */
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base/vec.h"
#include "index.h"
#include "volume.h"

/* Ranges of an archive that are known to contain no mark record. */

void shim_clear_ranges__init(struct shim_clear_ranges *known)
{
	*known = (struct shim_clear_ranges){ 0 };
	shim_fork_lock__init(&known->lock);
}

void shim_clear_ranges__fini(struct shim_clear_ranges *known)
{
	free(known->all);
	shim_fork_lock__fini(&known->lock);
}

/* Return the number of ranges that end before a position, or at it if @or_at is set. */
static size_t ended(const struct shim_clear_ranges *known, struct shim_position at, bool or_at)
{
	size_t lo = 0, hi = known->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (shim_position__cmp(known->all[mid].to, at) < (or_at ? 1 : 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool shim_clear_ranges__find(struct shim_clear_ranges *known, struct shim_position at, bool back,
			  struct shim_clear_range *out)
{
	bool found = false;
	size_t i;

	shim_fork_lock__enter(&known->lock);
	i = ended(known, at, !back);
	if (i < known->n)
		found = shim_position__cmp(known->all[i].from, at) < (back ? 0 : 1);
	if (found)
		*out = known->all[i];
	shim_fork_lock__leave(&known->lock);
	return found;
}

/*
 * Return whether two ranges can be merged.  @a is the first one.  They can be merged if they
 * overlap, or if they are adjacent and the stamps do not go backwards between them.
 */
static bool are_one(const struct shim_clear_range *a, const struct shim_clear_range *b)
{
	int cmp = shim_position__cmp(a->to, b->from);

	return cmp > 0 || (!cmp && a->last <= b->first);
}

static void range_unite(struct shim_clear_range *all, const struct shim_clear_range *s)
{
	if (shim_position__cmp(s->from, all->from) < 0) {
		all->from = s->from;
		all->first = s->first;
	}
	if (shim_position__cmp(s->to, all->to) > 0) {
		all->to = s->to;
		all->last = s->last;
	}
}

/*
 * Replace the ranges from @lo to @hi - 1 with @s.  If @s needs a new entry and the array is full,
 * drop @s.
 */
static void ranges_replace(struct shim_clear_ranges *known, size_t lo, size_t hi,
			   const struct shim_clear_range *s)
{
	struct shim_clear_range *all;

	if (lo == hi && (known->n == SHIM_CLEAR_RANGES_MAX ||
			 shim_vec__room(known->all, &known->cap, known->n)))
		return;
	all = known->all;
	memmove(&all[lo + 1], &all[hi], (known->n - hi) * sizeof(*all));
	all[lo] = *s;
	known->n = known->n + 1 - (hi - lo);
}

void shim_clear_ranges__add(struct shim_clear_ranges *known, const struct shim_clear_range *s)
{
	struct shim_clear_range one = *s;
	size_t lo, hi;

	if (shim_clear_range__is_empty(s))
		return;
	shim_fork_lock__enter(&known->lock);
	lo = ended(known, s->from, false);
	if (lo < known->n && !shim_position__cmp(known->all[lo].to, s->from) &&
	    !are_one(&known->all[lo], s))
		lo++;
	for (hi = lo; hi < known->n; hi++) {
		const struct shim_clear_range *other = &known->all[hi];

		if (shim_position__cmp(other->from, one.from) < 0 ? !are_one(other, &one) :
								    !are_one(&one, other))
			break;
		range_unite(&one, other);
	}
	ranges_replace(known, lo, hi, &one);
	shim_fork_lock__leave(&known->lock);
}

void shim_clear_ranges__forget(struct shim_clear_ranges *known)
{
	shim_fork_lock__enter(&known->lock);
	known->n = 0;
	shim_fork_lock__leave(&known->lock);
}

/* Place a cursor before the first record. */
void shim_cursor__init(struct shim_cursor *cur, struct shim_archive *ar)
{
	cur->ar = ar;
	cur->volume = 0;
	cur->offset = shim_archive__head(ar, 0);
	cur->readbuf = NULL;
	cur->window = UINT64_MAX;
}

/*
 * Store the size of a record that was found in the mapping.  If records are larger than the size
 * that the buffer reads at a time, reading ahead would only copy the first part of each.
 */
static void note_size(const struct shim_cursor *cur, const struct shim_record *rec)
{
	if (cur->readbuf)
		cur->readbuf->large = rec->len > SHIM_READBUF_SIZE;
}

/* Complete a step over @rec: move the cursor to @offset of @volume. */
static int arrive(struct shim_cursor *cur, struct shim_record *rec, unsigned int volume,
		  uint64_t offset)
{
	rec->volume = volume;
	cur->volume = volume;
	cur->offset = offset;
	return 0;
}

/* Handle a step that did not reach a record.  If the volume is unusable, move to its other end. */
static int volume_pass(struct shim_cursor *cur, unsigned int volume, uint64_t offset, int err)
{
	if (err == -SHIM_EVOLUME) {
		cur->volume = volume;
		cur->offset = offset;
	}
	return err;
}

/*
 * Get the record at the cursor from the read buffer.  If the buffer does not contain the record,
 * refill it.
 */
static bool at_readbuf(const struct shim_cursor *cur, struct shim_record *rec)
{
	return shim_readbuf__at(cur->readbuf, cur->ar, cur->volume, cur->offset, rec) ||
	       (!cur->readbuf->large &&
		shim_readbuf__go_on(cur->readbuf, cur->ar, cur->volume, cur->offset, false) &&
		shim_readbuf__at(cur->readbuf, cur->ar, cur->volume, cur->offset, rec));
}

static bool before_readbuf(const struct shim_cursor *cur, struct shim_record *rec)
{
	return shim_readbuf__before(cur->readbuf, cur->ar, cur->volume, cur->offset, rec) ||
	       (!cur->readbuf->large &&
		shim_readbuf__go_on(cur->readbuf, cur->ar, cur->volume, cur->offset, true) &&
		shim_readbuf__before(cur->readbuf, cur->ar, cur->volume, cur->offset, rec));
}

/**
 * shim_cursor__next() - step over the following record
 * @cur: the cursor, moved past the record; not moved on error
 * @rec: the record; on -EBADMSG and -SHIM_EVOLUME only its @volume is set, to the damaged volume
 *
 * Return: 0, -ERANGE at the end of the archive, -EBADMSG before a corrupt or incomplete record,
 * -SHIM_EVOLUME if the cursor has skipped an unusable volume, or the error that prevented reading a
 * volume.
 */
int shim_cursor__next(struct shim_cursor *cur, struct shim_record *rec)
{
	struct shim_archive *ar = cur->ar;
	unsigned int volume = cur->volume;
	uint64_t offset = cur->offset;
	struct shim_volume_view view;
	int err;

	if (cur->readbuf && at_readbuf(cur, rec))
		return arrive(cur, rec, volume, offset + rec->len);
	err = shim_archive__list(ar);
	if (err)
		return err;
	for (;;) {
		/*
		 * Test this before reading the size: a volume stops growing once a later one
		 * exists.
		 */
		bool is_last = volume + 1 >= shim_archive__nvolumes(ar);

		err = shim_archive__view(ar, volume, &view);
		if (err == -SHIM_EVOLUME && offset == UINT64_MAX)
			err = -ENODATA;
		else if (!err)
			err = shim_volume_record__at(&view, offset, rec);
		if (err != -ENODATA)
			break;
		if (is_last)
			return -ERANGE;
		volume++;
		offset = shim_archive__head(ar, volume);
	}
	rec->volume = volume;
	if (err)
		return volume_pass(cur, volume, UINT64_MAX, err);
	note_size(cur, rec);
	shim_cursor__look_at(cur, volume, offset);
	return arrive(cur, rec, volume, offset + rec->len);
}

/**
 * shim_cursor__prev() - step back over the preceding record
 * @cur: the cursor, moved before the record; not moved on error
 * @rec: the record; on -EBADMSG and -SHIM_EVOLUME only its @volume is set, to the damaged volume
 *
 * Return: 0, -ERANGE at the start of the archive, -EBADMSG after a corrupt record, or other errors
 * as for shim_cursor__next().
 */
int shim_cursor__prev(struct shim_cursor *cur, struct shim_record *rec)
{
	struct shim_archive *ar = cur->ar;
	unsigned int volume = cur->volume;
	uint64_t offset = cur->offset;
	struct shim_volume_view view;
	int err;

	if (cur->readbuf && before_readbuf(cur, rec))
		return arrive(cur, rec, volume, rec->offset);
	for (;;) {
		err = shim_archive__view(ar, volume, &view);
		if (err == -SHIM_EVOLUME && !offset)
			err = -ENODATA;
		else if (!err)
			err = shim_volume_record__before(&view, offset, rec);
		if (err != -ENODATA)
			break;
		if (!volume)
			return -ERANGE;
		volume--;
		offset = UINT64_MAX;
	}
	rec->volume = volume;
	if (err)
		return volume_pass(cur, volume, 0, err);
	note_size(cur, rec);
	shim_cursor__look_at(cur, volume, rec->offset);
	return arrive(cur, rec, volume, rec->offset);
}

/*
 * Check that an index entry points between two records and that the record before it is not later
 * than the entry's stamp.  Return 1, 0, or the error that prevented reading a volume.  The record
 * after the entry is not checked: if it is earlier than the stamp, the search only takes more
 * steps.
 */
static int is_true(struct shim_archive *ar, const struct shim_place *place)
{
	struct shim_cursor cur = { .ar = ar, .volume = place->volume, .offset = place->offset };
	struct shim_record rec;
	struct shim_volume_view view;
	int err;

	err = shim_archive__view(ar, place->volume, &view);
	if (err)
		return err == -SHIM_EVOLUME ? 0 : err;
	if (!shim_volume_record__is_boundary(&view, place->offset))
		return 0;
	err = shim_cursor__prev(&cur, &rec);
	/* If the volume before the entry is damaged, the entry is still valid. */
	if (err == -EBADMSG || err == -SHIM_EVOLUME || err == -ERANGE)
		return 1;
	return err ? err : shim_ts__cmp(rec.stamp, place->stamp) <= 0;
}

/*
 * Jump near @when by bisection.  If that fails, jump to the last valid index entry before it, or to
 * the start.
 */
static int jump(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	struct shim_archive *ar = cur->ar;
	const struct shim_index *index = shim_archive__index(ar);
	size_t n = shim_index__before(index, when, or_equal);
	int found = shim_bisect__place(cur, index, n, when, or_equal);

	if (found)
		return found < 0 ? found : 0;
	cur->volume = 0;
	cur->offset = shim_archive__head(ar, 0);
	while (n-- && !found) {
		const struct shim_place *place = &index->places[n];

		found = is_true(ar, place);
		if (found > 0) {
			cur->volume = place->volume;
			cur->offset = place->offset;
		}
	}
	return found < 0 ? found : 0;
}

static bool is_before(struct shim_ts stamp, struct shim_ts when, bool or_equal)
{
	return shim_ts__cmp(stamp, when) < (or_equal ? 1 : 0);
}

/* Step to the next record, skipping unusable volumes. */
static int next_usable(struct shim_cursor *cur, struct shim_record *rec)
{
	int err;

	do
		err = shim_cursor__next(cur, rec);
	while (err == -SHIM_EVOLUME);
	return err;
}

/*
 * Move to the first volume after a damaged one that begins with a complete record, if that record
 * is before @when.  Otherwise do not move, and return -ERANGE.  Return 0, or the error that
 * prevented reading a volume.
 */
static int skip_damage(struct shim_cursor *cur, unsigned int damaged, struct shim_ts when,
			bool or_equal)
{
	struct shim_record rec = { .volume = damaged };
	struct shim_cursor c = *cur, first;
	int err = -EBADMSG;

	while (err == -EBADMSG && rec.volume + 1 < shim_archive__nvolumes(cur->ar)) {
		c.volume = rec.volume + 1;
		c.offset = shim_archive__head(cur->ar, c.volume);
		first = c;
		err = next_usable(&c, &rec);
	}
	if (err == -EBADMSG || (!err && !is_before(rec.stamp, when, or_equal)))
		err = -ERANGE;
	if (!err)
		*cur = first;
	return err;
}

/*
 * Return 1 if a record's stamp is too late because a valid index entry after the record has an
 * earlier stamp, 0 if not, or the error that prevented reading a volume.
 */
static int is_too_late(struct shim_archive *ar, const struct shim_place *later,
		       const struct shim_record *rec)
{
	if (!later || shim_ts__cmp(rec->stamp, later->stamp) <= 0 ||
	    rec->volume > later->volume ||
	    (rec->volume == later->volume && rec->offset >= later->offset))
		return 0;
	return is_true(ar, later);
}

/* Step over records < @when, or <= @when, and over records between them that are too late. */
static int pass_earlier(struct shim_cursor *cur, struct shim_cursor *before,
			struct shim_record *rec, struct shim_ts when, bool or_equal)
{
	const struct shim_index *index = shim_archive__index(cur->ar);
	size_t n = shim_index__before(index, when, or_equal);
	const struct shim_place *later = n < index->n ? &index->places[n] : NULL;
	int err, late = 1;

	do {
		err = next_usable(cur, rec);
		if (err)
			return err;
		if (is_before(rec->stamp, when, or_equal))
			*before = *cur;
		else
			late = is_too_late(cur->ar, later, rec);
	} while (late > 0);
	return late;
}

/*
 * Step over all records < @when, or <= @when.  If a volume is damaged and a later volume begins
 * early enough, skip the remaining records of the damaged one.
 */
static int cursor_advance(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	struct shim_cursor before = *cur;
	struct shim_record rec;
	int err;

	do {
		err = pass_earlier(cur, &before, &rec, when, or_equal);
		if (err == -EBADMSG)
			err = skip_damage(cur, rec.volume, when, or_equal);
		else if (!err)
			err = -ERANGE;
	} while (!err);
	*cur = before;
	return err == -ERANGE ? 0 : err;
}

static int cursor_seek(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	int err = shim_archive__list(cur->ar);

	if (!err)
		err = jump(cur, when, or_equal);
	return err ? err : cursor_advance(cur, when, or_equal);
}

/**
 * shim_cursor__seek_before() - move before the first record at or after a time
 * @cur: the cursor
 * @when: the time
 *
 * If a record after the chosen index entry is corrupt, the search continues in the next volume.  If
 * that volume does not begin before @when, the cursor stops before the corrupt record.
 *
 * Return: 0, or the error that prevented reading a volume.
 */
int shim_cursor__seek_before(struct shim_cursor *cur, struct shim_ts when)
{
	return cursor_seek(cur, when, false);
}

/**
 * shim_cursor__seek_after() - move after the last record at or before a time
 * @cur: the cursor
 * @when: the time
 *
 * Return: as for shim_cursor__seek_before().
 */
int shim_cursor__seek_after(struct shim_cursor *cur, struct shim_ts when)
{
	return cursor_seek(cur, when, true);
}

/**
 * shim_cursor__enter_later() - if archives overlap, leave the earlier ones
 * @cur: the cursor, after a seek to @when
 * @when: the time
 * @back: the direction of the steps that follow
 *
 * If the cursor is not in the last archive that starts before @when (with @back: or at it),
 * move it to the start (with @back: the end) of that archive.  The caller must step over records on
 * the wrong side of @when.
 */
void shim_cursor__enter_later(struct shim_cursor *cur, struct shim_ts when, bool back)
{
	const struct shim_archive *ar = cur->ar;
	unsigned int end = shim_archive__nvolumes(ar), i = ar->nsegments - 1;

	while (i && shim_ts__cmp(ar->segments[i].label.start, when) >= (back ? 1 : 0))
		end = ar->segments[i--].first - 1;
	/* The volume before an archive is the mark. */
	if (cur->volume + 1 >= ar->segments[i].first)
		return;
	cur->volume = back ? end - 1 : ar->segments[i].first;
	cur->offset = back ? UINT64_MAX : shim_archive__head(ar, cur->volume);
}

/**
 * shim_cursor__leave() - if several archives were opened as one, leave a damaged one
 * @cur: the cursor
 * @volume: the damaged volume
 * @back: the direction of the steps that follow
 *
 * Return: true if there is another archive in that direction; the cursor is then before its mark.
 * Otherwise false, and the cursor is not moved.
 */
bool shim_cursor__leave(struct shim_cursor *cur, unsigned int volume, bool back)
{
	const struct shim_archive *ar = cur->ar;
	unsigned int i = ar->nsegments - 1;

	while (i && ar->segments[i].first > volume)
		i--;
	if (!back)
		i++;
	if (!i || i == ar->nsegments)
		return false;
	cur->volume = ar->segments[i].first - 1;
	cur->offset = back ? UINT64_MAX : shim_archive__head(ar, cur->volume);
	return true;
}
