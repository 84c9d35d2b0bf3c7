// SPDX-License-Identifier: LGPL-2.1-or-later
/* Step through the records in both directions, and find a time. */
#include "archive.h"
#include "bisect.h"
#include "readbuf.h"

/* Place a cursor before the first record. */
void shim_cursor__init(struct shim_cursor *cur, struct shim_archive *ar)
{
	cur->ar = ar;
	cur->volume = 0;
	cur->offset = shim_archive__head(ar, 0);
	cur->readbuf = NULL;
	cur->window = UINT32_MAX;
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

/* Handle a step that did not reach a record: if the volume is unusable, move to its other end. */
static int pass(struct shim_cursor *cur, unsigned int volume, uint64_t offset, int err)
{
	if (err == -SHIM_EVOLUME) {
		cur->volume = volume;
		cur->offset = offset;
	}
	return err;
}

/*
 * Get the record at the cursor from the read buffer, which is refilled if it does not contain it.
 */
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
		 * test this before reading the size: a volume stops growing once a later one exists
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
		return pass(cur, volume, UINT64_MAX, err);
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
		return pass(cur, volume, 0, err);
	shim_cursor__look_at(cur, volume, rec->offset);
	return arrive(cur, rec, volume, rec->offset);
}

/*
 * Check that an index entry points between two records and that the record before it is not later
 * than the entry's stamp.  Returns 1, 0, or the error that prevented reading a volume.  If the
 * record after it is earlier than the stamp, the search just takes more steps.
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
	/* the volume before it is damaged, which does not invalidate this entry */
	if (err == -EBADMSG || err == -SHIM_EVOLUME || err == -ERANGE)
		return 1;
	return err ? err : shim_ts__cmp(rec.stamp, place->stamp) <= 0;
}

/*
 * Jump near @when by bisection, otherwise to the last valid index entry before it or to the start.
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
 * Move to the first volume after a damaged one that begins with a complete record before @when.
 * Returns 0; -ERANGE, without moving, if there is no such volume or its first record is not before
 * @when; or the error that prevented reading a volume.
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
 * Step over all records < @when, or <= @when.  If a volume is damaged, skip the rest of it if a
 * later volume begins early enough.
 */
static int advance(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	struct shim_cursor before = *cur;
	struct shim_record rec;
	int err;

	do {
		while (!(err = next_usable(cur, &rec)) && is_before(rec.stamp, when, or_equal))
			before = *cur;
		if (err == -EBADMSG)
			err = skip_damage(cur, rec.volume, when, or_equal);
		else if (!err)
			err = -ERANGE;
	} while (!err);
	*cur = before;
	return err == -ERANGE ? 0 : err;
}

static int seek(struct shim_cursor *cur, struct shim_ts when, bool or_equal)
{
	int err = shim_archive__list(cur->ar);

	if (!err)
		err = jump(cur, when, or_equal);
	return err ? err : advance(cur, when, or_equal);
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
	return seek(cur, when, false);
}

/**
 * shim_cursor__seek_after() - move after the last record at or before a time
 * @cur: the cursor
 * @when: the time
 *
 * Return: as shim_cursor__seek_before().
 */
int shim_cursor__seek_after(struct shim_cursor *cur, struct shim_ts when)
{
	return seek(cur, when, true);
}
