// SPDX-License-Identifier: LGPL-2.1-or-later
/* Stepping through the records in both directions, and finding a time. */
#include "archive.h"
#include "bisect.h"
#include "readbuf.h"

/* Place a cursor before the first record */
void shim_cursor__init(struct shim_cursor *cur, struct shim_archive *ar)
{
	cur->ar = ar;
	cur->volume = 0;
	cur->offset = shim_archive__head(ar, 0);
	cur->readbuf = NULL;
	cur->window = UINT32_MAX;
}

/* Finish a step over @rec: the cursor moves to @offset of @volume */
static int arrive(struct shim_cursor *cur, struct shim_record *rec, unsigned int volume,
		  uint64_t offset)
{
	rec->volume = volume;
	cur->volume = volume;
	cur->offset = offset;
	return 0;
}

/* The record at the cursor from the read buffer, which is refilled if it is not in there */
static bool at_readbuf(const struct shim_cursor *cur, struct shim_record *rec)
{
	return shim_readbuf__at(cur->readbuf, cur->ar, cur->volume, cur->offset, rec) ||
	       (shim_readbuf__go_on(cur->readbuf, cur->ar, cur->volume, cur->offset, false) &&
		shim_readbuf__at(cur->readbuf, cur->ar, cur->volume, cur->offset, rec));
}

static bool before_readbuf(const struct shim_cursor *cur, struct shim_record *rec)
{
	return shim_readbuf__before(cur->readbuf, cur->ar, cur->volume, cur->offset, rec) ||
	       (shim_readbuf__go_on(cur->readbuf, cur->ar, cur->volume, cur->offset, true) &&
		shim_readbuf__before(cur->readbuf, cur->ar, cur->volume, cur->offset, rec));
}

/**
 * shim_cursor__next() - step over the following record
 * @cur: the cursor, moved behind the record; not moved on error
 * @rec: the record; on -EBADMSG only its @volume is set, to the damaged one
 *
 * Volumes that cannot be used are skipped.
 *
 * Return: 0, -ERANGE at the end of the archive, -EBADMSG before a corrupt or incomplete record.
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
	for (;;) {
		/* ask before looking: a volume does not grow any more once another follows it */
		bool is_last = volume + 1 >= shim_archive__nvolumes(ar);

		err = -ENODATA;
		if (shim_archive__view(ar, volume, &view))
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
		return err;
	shim_cursor__look_at(cur, volume, offset);
	return arrive(cur, rec, volume, offset + rec->len);
}

/**
 * shim_cursor__prev() - step back over the preceding record
 * @cur: the cursor, moved before the record; not moved on error
 * @rec: the record; on -EBADMSG only its @volume is set, to the damaged one
 *
 * Return: 0, -ERANGE at the start of the archive, -EBADMSG behind a corrupt record.
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
		err = -ENODATA;
		if (shim_archive__view(ar, volume, &view))
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
		return err;
	shim_cursor__look_at(cur, volume, rec->offset);
	return arrive(cur, rec, volume, rec->offset);
}

/*
 * Whether a place of the index is between two records, of which the former is
 * not later than the place's stamp.  If the latter is earlier than the stamp,
 * the search only walks farther.
 */
static bool is_true(struct shim_archive *ar, const struct shim_place *place)
{
	struct shim_cursor cur = { .ar = ar, .volume = place->volume, .offset = place->offset };
	struct shim_record rec;
	struct shim_volume_view view;
	int err;

	if (!shim_archive__view(ar, place->volume, &view) ||
	    !shim_volume_record__is_boundary(&view, place->offset))
		return false;
	err = shim_cursor__prev(&cur, &rec);
	/* -EBADMSG: the volume before it is truncated, which does not make this place wrong */
	return err || shim_ts__cmp(rec.stamp, place->stamp) <= 0;
}

/*
 * Jump near @when by bisection; if that fails, to the last correct index place
 * before it, or to the start
 */
static void jump(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	struct shim_archive *ar = cur->ar;
	const struct shim_index *index = shim_archive__index(ar);
	size_t n = shim_index__before(index, when, or_equal);

	if (shim_bisect__place(cur, index, n, when, or_equal))
		return;
	cur->volume = 0;
	cur->offset = shim_archive__head(ar, 0);
	while (n--) {
		const struct shim_place *place = &index->places[n];

		if (is_true(ar, place)) {
			cur->volume = place->volume;
			cur->offset = place->offset;
			return;
		}
	}
}

static bool is_before(struct shim_ts stamp, struct shim_ts when, bool or_equal)
{
	return shim_ts__cmp(stamp, when) < (or_equal ? 1 : 0);
}

/*
 * Move to the first volume after a damaged one that begins with a complete
 * record; false, without moving, if there is none or that record is not before
 * @when
 */
static bool skip_damage(struct shim_cursor *cur, unsigned int damaged, struct shim_ts when,
			bool or_equal)
{
	struct shim_record rec = { .volume = damaged };
	struct shim_cursor c = *cur, first;
	int err = -EBADMSG;

	while (err == -EBADMSG && rec.volume + 1 < shim_archive__nvolumes(cur->ar)) {
		c.volume = rec.volume + 1;
		c.offset = shim_archive__head(cur->ar, c.volume);
		first = c;
		err = shim_cursor__next(&c, &rec);
	}
	if (err || !is_before(rec.stamp, when, or_equal))
		return false;
	*cur = first;
	return true;
}

/*
 * Walk over all records < @when, or <= @when, and skip the rest of a damaged
 * volume if a later one begins early enough
 */
static void advance(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	struct shim_cursor before = *cur;
	struct shim_record rec;
	int err;

	do {
		while (!(err = shim_cursor__next(cur, &rec)) && is_before(rec.stamp, when, or_equal))
			before = *cur;
	} while (err == -EBADMSG && skip_damage(cur, rec.volume, when, or_equal));
	*cur = before;
}

/**
 * shim_cursor__seek_before() - go before the first record that is not earlier than a time
 * @cur: the cursor
 * @when: the time
 *
 * Where a record after the chosen place of the index is corrupt, the search goes on with the next
 * volume.  If that does not begin before @when either, the cursor stops before the corrupt record.
 *
 * Return: 0.
 */
int shim_cursor__seek_before(struct shim_cursor *cur, struct shim_ts when)
{
	jump(cur, when, false);
	advance(cur, when, false);
	return 0;
}

/**
 * shim_cursor__seek_after() - go behind the last record that is not later than a time
 * @cur: the cursor
 * @when: the time
 *
 * Return: 0, as shim_cursor__seek_before().
 */
int shim_cursor__seek_after(struct shim_cursor *cur, struct shim_ts when)
{
	jump(cur, when, true);
	advance(cur, when, true);
	return 0;
}
