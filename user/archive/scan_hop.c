// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Pass over many records at once, reading only their frames, stamps and numbers of metrics.  A
 * scanner must do this for all records between two times far apart, because one of them may be a
 * mark.
 */
#include "archive.h"
#include "scan.h"

#define HOP_AT_ONCE	1024	/* records, before checking again for a clear range to skip */

/*
 * struct hop - a run of records in one volume, without marks and with ascending stamps
 * @first, @former, @last: stamps of the first, the second to last, and the last of @n records
 * @offset: the place after the last record; backward, before it
 */
struct hop {
	struct shim_volume_view view;
	bool back;
	struct shim_ts first, former, last;
	uint64_t offset;
	unsigned int n;
};

/* The next record; false at the end of the volume, and if there is no complete record */
static bool next(const struct hop *h, struct shim_record *rec)
{
	int err = h->back ? shim_volume_record__before(&h->view, h->offset, rec) :
			    shim_volume_record__at(&h->view, h->offset, rec);

	return !err && rec->npmids;
}

/* Whether a stamp is beyond the target, or out of order */
static bool ends_hop(const struct hop *h, struct shim_ts stamp, struct shim_ts when)
{
	if (h->back)
		return shim_ts__cmp(stamp, when) <= 0 || (h->n && shim_ts__cmp(stamp, h->last) > 0);
	return shim_ts__cmp(stamp, when) > 0 || (h->n && shim_ts__cmp(stamp, h->last) < 0);
}

static void run(struct hop *h, struct shim_cursor *cur, struct shim_ts when)
{
	struct shim_record rec;

	while (h->n < HOP_AT_ONCE && next(h, &rec) && !ends_hop(h, rec.stamp, when)) {
		/*
		 * most records are as long as the previous one; prefetching too far has no effect
		 */
		__builtin_prefetch(rec.data + (h->back ? -3 : 4) * (ptrdiff_t)rec.len);
		if (!h->n++)
			h->first = rec.stamp;
		h->former = h->last;
		h->last = rec.stamp;
		h->offset = h->back ? rec.offset : rec.offset + rec.len;
		shim_cursor__look_at(cur, cur->volume, rec.offset);
	}
}

/* Update the scanner's data about the record that it passed last. */
static void note_last(struct shim_scanner *sc, const struct hop *h)
{
	int64_t last = shim_interp_metric__time(h->last, sc->start);
	bool alone = h->n > 1 && shim_interp_metric__time(h->former, sc->start) != last;

	sc->behind_known = !h->back;
	sc->ahead_known = h->back;
	if (h->back) {
		sc->ahead = last;
		sc->ahead_single = alone;
	} else {
		sc->behind = last;
		sc->behind_single = alone;
	}
}

static void remember(struct shim_scanner *sc, const struct hop *h)
{
	int64_t first = shim_interp_metric__time(h->first, sc->start);
	int64_t last = shim_interp_metric__time(h->last, sc->start);
	struct shim_position start = { sc->cursor.volume, sc->cursor.offset };
	struct shim_position end = { sc->cursor.volume, h->offset };
	struct shim_clear_range way = {
		.from = h->back ? end : start, .to = h->back ? start : end,
		.first = h->back ? last : first, .last = h->back ? first : last,
	};

	shim_clear_ranges__add(&sc->ar->clear, &way);
}

bool shim_scan__hop(struct shim_scanner *sc, struct shim_ts when, int64_t t)
{
	struct hop h = { .back = t < sc->at, .offset = sc->cursor.offset };

	/* clamped times may not have the order of their stamps */
	if (t <= SHIM_TIME_FIRST || t >= SHIM_TIME_LAST ||
	    shim_archive__view(sc->ar, sc->cursor.volume, &h.view))
		return false;
	run(&h, &sc->cursor, when);
	if (h.n < 2)
		return false;
	remember(sc, &h);
	note_last(sc, &h);
	sc->cursor.offset = h.offset;
	return true;
}
