// SPDX-License-Identifier: LGPL-2.1-or-later
/* Move a scanner to a time, by walking or seeking, and record the marks that it passes */
#include <errno.h>

#include "archive.h"
#include "scan.h"

#define SEEK_AFTER	16	/* records; beyond this distance, a seek is faster than a walk */
#define WALK_AT_ONCE	64	/* records, before checking again for a clear range to skip */

/*
 * Step to the next or previous record with values.  Return 0, -ENOENT if there is none, or an
 * error.
 */
static int to_values(struct shim_cursor *c, struct shim_record *rec, bool back)
{
	int err;

	do
		err = back ? shim_cursor__prev(c, rec) : shim_cursor__next(c, rec);
	while (err == -SHIM_EVOLUME || (!err && !rec->npmids));
	return err == -ERANGE || err == -EBADMSG ? -ENOENT : err;
}

/*
 * Get the time from the last record before a mark to the first one after it.  Return the errors of
 * to_values().
 */
static int gap_around(const struct shim_scanner *sc, const struct shim_record *mark, int64_t *gap)
{
	struct shim_cursor before = {
		.ar = sc->ar, .volume = mark->volume, .offset = mark->offset,
	}, behind = before;
	struct shim_record former, latter;
	int err = to_values(&before, &former, true);

	if (!err)
		err = to_values(&behind, &latter, false);
	if (!err)
		*gap = shim_scan__time(sc, &latter) - shim_scan__time(sc, &former);
	return err;
}

int shim_scan__is_mark(const struct shim_scanner *sc, const struct shim_record *rec)
{
	int64_t gap;
	int err;

	if (rec->npmids)
		return 0;
	if (sc->gap == SHIM_TIME_MIN)
		return 1;
	err = gap_around(sc, rec, &gap);
	return !err ? gap > sc->gap : err == -ENOENT ? 0 : err;
}

static int note_mark(struct shim_scanner *sc, const struct shim_record *rec, int64_t at)
{
	int is_mark = shim_scan__is_mark(sc, rec);

	if (is_mark > 0) {
		sc->has_mark = true;
		sc->mark = at;
	}
	return is_mark < 0 ? is_mark : 0;
}

/* Return whether a time is too far for a walk, estimated from the records around the cursor. */
static bool is_far(const struct shim_scanner *sc, int64_t t)
{
	int64_t each, way;

	if (!sc->behind_known || !sc->ahead_known || sc->behind == SHIM_TIME_MIN ||
	    sc->ahead == SHIM_TIME_MAX || __builtin_sub_overflow(sc->ahead, sc->behind, &each) ||
	    __builtin_sub_overflow(t, sc->at, &way))
		return true;
	return (way < 0 ? -way : way) / SEEK_AFTER > each;
}

static struct shim_position position_of(const struct shim_cursor *c)
{
	return (struct shim_position){ c->volume, c->offset };
}

static struct shim_clear_range begin_at(const struct shim_cursor *c)
{
	return (struct shim_clear_range){ .from = position_of(c), .to = position_of(c) };
}

/*
 * Move the scanner's cursor over a record to @c, and extend the clear range @way by the record.  A
 * mark, or a stamp that goes backwards, ends the range, which is then stored.
 */
static void range_pass(struct shim_scanner *sc, struct shim_clear_range *way,
		       const struct shim_record *rec,
		       int64_t at, const struct shim_cursor *c, bool back)
{
	bool empty = shim_clear_range__is_empty(way);

	if (!rec->npmids || (!empty && (back ? at > way->first : at < way->last))) {
		shim_clear_ranges__add(&sc->ar->clear, way);
		*way = begin_at(rec->npmids ? &sc->cursor : c);
		empty = true;
	}
	if (rec->npmids) {
		if (empty || back)
			way->first = at;
		if (empty || !back)
			way->last = at;
		*(back ? &way->from : &way->to) = position_of(c);
	}
	sc->cursor = *c;
	sc->cursor.readbuf = &sc->readbuf;
}

static int refused(struct shim_scanner *sc, const struct shim_record *rec, int err)
{
	if (err == -EBADMSG && shim_scan__note_damage(sc, rec->volume))
		return -ENOMEM;
	return err;
}

/* Step one record forward.  Return 0 if @t is reached, -EAGAIN if not, or -EBADMSG. */
static int step_forward(struct shim_scanner *sc, struct shim_clear_range *way, int64_t t, bool far)
{
	struct shim_cursor c = sc->cursor;
	struct shim_record rec;
	int64_t at;
	int err;

	if (sc->ahead_known && sc->ahead > t)
		return 0;
	/*
	 * If records are only passed, the mapping is faster, because only their heads are touched.
	 */
	if (far)
		c.readbuf = NULL;
	err = shim_scan__step(sc, &c, &rec, false);
	if (err && err != -ERANGE)
		return refused(sc, &rec, err);
	at = err ? SHIM_TIME_MAX : shim_scan__time(sc, &rec);
	if (at > t) {
		sc->ahead_single = false;
		sc->ahead_known = true;
		sc->ahead = at;
		return 0;
	}
	/*
	 * Most records are as long as the previous one.  A prefetch beyond the mapping has no
	 * effect.
	 */
	__builtin_prefetch(rec.data + 4 * (size_t)rec.len);
	err = note_mark(sc, &rec, at);
	if (err)
		return err;
	sc->behind_single = !sc->behind_known ? sc->at < at : sc->behind < at;
	sc->behind_known = true;
	sc->behind = at;
	sc->ahead_known = false;
	range_pass(sc, way, &rec, at, &c, false);
	return -EAGAIN;
}

static int step_backward(struct shim_scanner *sc, struct shim_clear_range *way, int64_t t, bool far)
{
	struct shim_cursor c = sc->cursor;
	struct shim_record rec;
	int64_t at;
	int err;

	if (far)
		c.readbuf = NULL;
	err = shim_scan__step(sc, &c, &rec, true);
	if (err && err != -ERANGE)
		return refused(sc, &rec, err);
	at = err ? SHIM_TIME_MIN : shim_scan__time(sc, &rec);
	if (at <= t) {
		sc->behind_single = false;
		sc->behind_known = true;
		sc->behind = at;
		return 0;
	}
	err = note_mark(sc, &rec, at);
	if (err)
		return err;
	sc->ahead_single = !sc->ahead_known || sc->ahead > at;
	sc->ahead_known = true;
	sc->ahead = at;
	sc->behind_known = false;
	range_pass(sc, way, &rec, at, &c, true);
	return -EAGAIN;
}

/* Walk at most @records records towards @t.  Return -EAGAIN if that does not reach it. */
static int walk(struct shim_scanner *sc, int64_t t, unsigned int records, bool far)
{
	struct shim_clear_range way = begin_at(&sc->cursor);
	int err = -EAGAIN;

	for (unsigned int i = 0; i < records && err == -EAGAIN; i++)
		err = t > sc->at ? step_forward(sc, &way, t, far) : step_backward(sc, &way, t, far);
	shim_clear_ranges__add(&sc->ar->clear, &way);
	return err;
}

static int scanner_seek(struct shim_scanner *sc, struct shim_ts when)
{
	shim_cursor__init(&sc->cursor, sc->ar);
	sc->cursor.readbuf = &sc->readbuf;
	sc->placed = false;
	sc->behind_known = false;
	sc->ahead_known = false;
	sc->behind_single = false;
	sc->ahead_single = false;
	return shim_cursor__seek_after(&sc->cursor, when);
}

/* Move the scanner's cursor to @to; @at is the time of the last record that was skipped. */
static void leap_to(struct shim_scanner *sc, struct shim_position to, int64_t at, bool back)
{
	sc->cursor.volume = to.volume;
	sc->cursor.offset = to.offset;
	sc->ahead_single = false;
	sc->behind_single = false;
	sc->ahead_known = back;
	sc->behind_known = !back;
	*(back ? &sc->ahead : &sc->behind) = at;
}

/*
 * Skip to @t within the clear range that contains the cursor.  Return false if a seek does not end
 * there.
 */
static bool leap_within(struct shim_scanner *sc, const struct shim_clear_range *s,
			struct shim_ts when,
			int64_t t, bool back)
{
	struct shim_cursor c, probe;
	struct shim_position to;
	struct shim_record rec;
	int64_t at;

	shim_cursor__init(&c, sc->ar);
	c.readbuf = &sc->readbuf;
	if (shim_cursor__seek_after(&c, when))
		return false;
	to = position_of(&c);
	probe = c;
	if (back) {
		if (shim_position__cmp(to, s->from) < 0 ||
		    shim_position__cmp(to, position_of(&sc->cursor)) >= 0 ||
		    shim_cursor__next(&probe, &rec))
			return false;
	} else if (shim_position__cmp(to, position_of(&sc->cursor)) <= 0 ||
		   shim_position__cmp(to, s->to) > 0 || shim_cursor__prev(&probe, &rec)) {
		return false;
	}
	at = shim_scan__time(sc, &rec);
	if (back ? at <= t : at > t)
		return false;
	leap_to(sc, to, at, back);
	return true;
}

/*
 * Skip records that are known not to be marks: to @t if it is within the known range, otherwise to
 * the end of the range.  Return true if the cursor is now at @t.
 */
static bool leap(struct shim_scanner *sc, struct shim_ts when, int64_t t)
{
	bool back = t < sc->at;
	struct shim_clear_range s;

	if (!shim_clear_ranges__find(&sc->ar->clear, position_of(&sc->cursor), back, &s))
		return false;
	if (back ? s.first <= t : s.last > t)
		return leap_within(sc, &s, when, t, back);
	leap_to(sc, back ? s.from : s.to, back ? s.first : s.last, back);
	return false;
}

/* Walk to a time over every record, except ranges known to contain no marks. */
static int walk_all(struct shim_scanner *sc, struct shim_ts when, int64_t t)
{
	int err;

	do {
		bool far = is_far(sc, t) && !leap(sc, when, t);

		err = -EAGAIN;
		if (!far || !shim_scan__hop(sc, when, t))
			err = walk(sc, t, far ? 1 : WALK_AT_ONCE, far);
	} while (err == -EAGAIN);
	return err;
}

/*
 * Walk from the scanner's current position.  Return -EAGAIN if that does not reach @t, or -EBADMSG
 * at damage.  After any other error the scanner is restored, because no mark may be missed when the
 * fetch is repeated.
 */
static int walk_to(struct shim_scanner *sc, struct shim_ts when, int64_t t, bool all_the_way)
{
	const struct shim_scanner was = *sc;
	uint64_t way = t > sc->at ? (uint64_t)t - sc->at : (uint64_t)sc->at - t;
	int err = -EAGAIN;

	if (all_the_way)
		err = walk_all(sc, when, t);
	else if (way < sc->too_far || !is_far(sc, t))
		err = walk(sc, t, SEEK_AFTER, false);
	if (err == -EAGAIN && way < sc->too_far)
		sc->too_far = way;
	if (!err || err == -EAGAIN || err == -EBADMSG)
		return err;
	sc->cursor = was.cursor;
	sc->behind_known = was.behind_known;
	sc->behind_single = was.behind_single;
	sc->behind = was.behind;
	sc->ahead_known = was.ahead_known;
	sc->ahead_single = was.ahead_single;
	sc->ahead = was.ahead;
	sc->has_mark = was.has_mark;
	sc->mark = was.mark;
	return err;
}

/*
 * Return whether a seek to @t would stop before the cursor: the record before the last one that is
 * not after @t has a later time.  pmlogreduce writes such records around marks.
 */
static bool is_disordered(const struct shim_scanner *sc, int64_t t)
{
	struct shim_cursor c = sc->cursor;
	struct shim_record rec;

	return !shim_cursor__prev(&c, &rec) && !shim_cursor__prev(&c, &rec) &&
	       shim_scan__time(sc, &rec) > t;
}

int shim_scan__seek(struct shim_scanner *sc, struct shim_ts when, bool walk_there)
{
	int64_t t = shim_interp_metric__time(when, sc->start);
	int err = -EAGAIN;

	if (sc->placed && t == sc->at)
		return 0;
	if (sc->placed) {
		err = walk_to(sc, when, t, walk_there);
		if (err && err != -EAGAIN && err != -EBADMSG)
			return err;
		/* Values at a time must not depend on earlier fetches. */
		if (!err && t < sc->at && is_disordered(sc, t))
			err = -EAGAIN;
	}
	/*
	 * A seek gets past damage that stops a walk, but does not record the marks before the
	 * damage.
	 */
	if (err == -EAGAIN || err == -EBADMSG)
		err = scanner_seek(sc, when);
	if (err) {
		sc->placed = false;
		return err;
	}
	sc->placed = true;
	sc->at = t;
	return 0;
}
