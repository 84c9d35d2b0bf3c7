// SPDX-License-Identifier: LGPL-2.1-or-later
/* Putting a scanner at a time, by a walk or a seek, and the marks that it passes on the way. */
#include <errno.h>

#include "scan.h"

#define SEEK_AFTER	16	/* records; farther, a seek is cheaper than a walk */

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

/* -EAGAIN: not there after as many records */
static int walk_forward(struct shim_scanner *sc, int64_t t, unsigned int records)
{
	bool far = is_far(sc, t);

	for (unsigned int i = 0; i < records; i++) {
		struct shim_cursor c = sc->cursor;
		struct shim_record rec;
		int64_t at;
		int err;

		if (sc->ahead_known && sc->ahead > t)
			return 0;
		/* of what is only passed, a map is faster, which needs but the heads */
		if (far)
			c.spot = NULL;
		err = shim_cursor__next(&c, &rec);
		if (err && err != -ERANGE)
			return err;
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
		c.spot = &sc->spot;
		sc->cursor = c;
	}
	return -EAGAIN;
}

/* A mark at the very time is at or behind it when going back. */
static void note_marks_at(struct shim_scanner *sc, struct shim_cursor c, int64_t t)
{
	struct shim_record rec;

	while (!shim_cursor__prev(&c, &rec) && shim_scan__time(sc, &rec) == t)
		note_mark(sc, &rec, t);
}

static int walk_backward(struct shim_scanner *sc, int64_t t, unsigned int records)
{
	bool far = is_far(sc, t);

	for (unsigned int i = 0; i < records; i++) {
		struct shim_cursor c = sc->cursor;
		struct shim_record rec;
		int64_t at;
		int err;

		if (far)
			c.spot = NULL;
		err = shim_cursor__prev(&c, &rec);
		if (err && err != -ERANGE)
			return err;
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
		c.spot = &sc->spot;
		sc->cursor = c;
	}
	return -EAGAIN;
}

static int seek(struct shim_scanner *sc, struct shim_ts when)
{
	shim_cursor__init(&sc->cursor, sc->ar);
	sc->cursor.spot = &sc->spot;
	sc->placed = false;
	sc->behind_known = false;
	sc->ahead_known = false;
	sc->behind_single = false;
	sc->ahead_single = false;
	return shim_cursor__seek_after(&sc->cursor, when);
}

int shim_scan__place(struct shim_scanner *sc, struct shim_ts when, bool walk)
{
	int64_t t = shim_track__time(when, sc->start);
	unsigned int records = walk ? UINT32_MAX : is_far(sc, t) ? 0 : SEEK_AFTER;
	int err = -EAGAIN;

	if (sc->placed && t == sc->at)
		return 0;
	if (sc->placed)
		err = t > sc->at ? walk_forward(sc, t, records) : walk_backward(sc, t, records);
	if (err == -EAGAIN)
		err = seek(sc, when);
	if (err) {
		sc->placed = false;
		return err;
	}
	sc->placed = true;
	sc->at = t;
	return 0;
}
