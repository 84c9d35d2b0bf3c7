// SPDX-License-Identifier: LGPL-2.1-or-later
/* Putting a scanner at a time, by a walk or a seek, and the marks that it passes on the way. */
#include <errno.h>

#include "archive.h"
#include "scan.h"

#define SEEK_AFTER	16	/* records; farther, a seek is cheaper than a walk */
#define WALK_AT_ONCE	64	/* records, until one looks for ground that is known */

/* The time from the last record before a mark to the first one behind it */
static int64_t gap_around(const struct shim_scanner *sc, const struct shim_record *mark)
{
	struct shim_cursor before = {
		.ar = sc->ar, .volume = mark->volume, .offset = mark->offset,
	}, behind = before;
	struct shim_record former, latter;

	do
		if (shim_cursor__prev(&before, &former))
			return SHIM_TIME_MIN;
	while (!former.npmids);
	do
		if (shim_cursor__next(&behind, &latter))
			return SHIM_TIME_MIN;
	while (!latter.npmids);
	return shim_scan__time(sc, &latter) - shim_scan__time(sc, &former);
}

bool shim_scan__is_mark(const struct shim_scanner *sc, const struct shim_record *rec)
{
	return !rec->npmids && (sc->gap == SHIM_TIME_MIN || gap_around(sc, rec) > sc->gap);
}

static void note_mark(struct shim_scanner *sc, const struct shim_record *rec, int64_t at)
{
	if (shim_scan__is_mark(sc, rec)) {
		sc->has_mark = true;
		sc->mark = at;
	}
}

/* Whether a time is farther than one would walk, as far as records come as they did here */
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

/* The scanner's cursor goes over a record to @c; what had no mark is remembered where it ends. */
static void pass(struct shim_scanner *sc, struct shim_clear_range *way,
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
	if (err == -EBADMSG)
		shim_scan__note_damage(sc, rec->volume);
	return err;
}

/* One record forward; 0: @t is reached; -EAGAIN: it may be farther on; -EBADMSG */
static int step_forward(struct shim_scanner *sc, struct shim_clear_range *way, int64_t t, bool far)
{
	struct shim_cursor c = sc->cursor;
	struct shim_record rec;
	int64_t at;
	int err;

	if (sc->ahead_known && sc->ahead > t)
		return 0;
	/* of what is only passed, a map is faster, which needs but the heads */
	if (far)
		c.readbuf = NULL;
	err = shim_cursor__next(&c, &rec);
	if (err && err != -ERANGE)
		return refused(sc, &rec, err);
	at = err ? SHIM_TIME_MAX : shim_scan__time(sc, &rec);
	if (at > t) {
		sc->ahead_single = false;
		sc->ahead_known = true;
		sc->ahead = at;
		return 0;
	}
	/* most records are as long as the one before; what is not there is not fetched */
	__builtin_prefetch(rec.data + 4 * (size_t)rec.len);
	note_mark(sc, &rec, at);
	sc->behind_single = !sc->behind_known ? sc->at < at : sc->behind < at;
	sc->behind_known = true;
	sc->behind = at;
	sc->ahead_known = false;
	pass(sc, way, &rec, at, &c, false);
	return -EAGAIN;
}

/* A mark at the very time is at or behind it when going back. */
static void note_marks_at(struct shim_scanner *sc, struct shim_cursor c, int64_t t)
{
	struct shim_record rec;

	while (!shim_cursor__prev(&c, &rec) && shim_scan__time(sc, &rec) == t)
		note_mark(sc, &rec, t);
}

static int step_backward(struct shim_scanner *sc, struct shim_clear_range *way, int64_t t, bool far)
{
	struct shim_cursor c = sc->cursor;
	struct shim_record rec;
	int64_t at;
	int err;

	if (far)
		c.readbuf = NULL;
	err = shim_cursor__prev(&c, &rec);
	if (err && err != -ERANGE)
		return refused(sc, &rec, err);
	at = err ? SHIM_TIME_MIN : shim_scan__time(sc, &rec);
	if (at <= t) {
		sc->behind_single = false;
		sc->behind_known = true;
		sc->behind = at;
		if (at == t)
			note_marks_at(sc, sc->cursor, t);
		return 0;
	}
	note_mark(sc, &rec, at);
	sc->ahead_single = !sc->ahead_known || sc->ahead > at;
	sc->ahead_known = true;
	sc->ahead = at;
	sc->behind_known = false;
	pass(sc, way, &rec, at, &c, true);
	return -EAGAIN;
}

/* -EAGAIN: not there after as many records */
static int walk(struct shim_scanner *sc, int64_t t, unsigned int records, bool far)
{
	struct shim_clear_range way = begin_at(&sc->cursor);
	int err = -EAGAIN;

	for (unsigned int i = 0; i < records && err == -EAGAIN; i++)
		err = t > sc->at ? step_forward(sc, &way, t, far) : step_backward(sc, &way, t, far);
	shim_clear_ranges__add(&sc->ar->clear, &way);
	return err;
}

static int seek(struct shim_scanner *sc, struct shim_ts when)
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

/* The scanner's cursor goes to @c; the time of the record on the way's side of it is @at. */
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

/* To the place of @t in a range that the cursor is in; false if a seek does not find it there */
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
	shim_cursor__seek_after(&c, when);
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
 * Over records that are known to be no marks: as far as is known, or to where @t is near, which
 * is what is returned.
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

/* To a time by way of every record, or of those not known to be no marks */
static int walk_all(struct shim_scanner *sc, struct shim_ts when, int64_t t)
{
	int err;

	do {
		bool far = is_far(sc, t) && !leap(sc, when, t);

		err = walk(sc, t, WALK_AT_ONCE, far);
	} while (err == -EAGAIN);
	return err;
}

int shim_scan__seek(struct shim_scanner *sc, struct shim_ts when, bool walk_there)
{
	int64_t t = shim_interp_metric__time(when, sc->start);
	int err = -EAGAIN;

	if (sc->placed && t == sc->at)
		return 0;
	if (sc->placed && walk_there)
		err = walk_all(sc, when, t);
	else if (sc->placed && !is_far(sc, t))
		err = walk(sc, t, SEEK_AFTER, false);
	/* behind damage a seek goes on, from which on marks count again */
	if (err == -EAGAIN || err == -EBADMSG)
		err = seek(sc, when);
	if (err) {
		sc->placed = false;
		return err;
	}
	sc->placed = true;
	sc->at = t;
	return 0;
}
