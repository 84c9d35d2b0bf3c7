// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Scan records for the observations next to a time.
 *
 * Both directions share the code: a backward scan finds prior observations, a forward scan finds
 * next observations.  "Farther" means farther in the scan's direction.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "base/bytes.h"
#include "base/vec.h"
#include "interp_metric.h"
#include "scan.h"

/* Recognize, by their layout, records that contain no value for which the scan is searching */

static unsigned int slot_of(const struct shim_record *rec)
{
	return (rec->len / 4 + rec->npmids * 5) % SHIM_SKIP_LAYOUTS;
}

/* Return whether a record has the same layout as one without values for this scan. */
static bool skip_has(const struct shim_scan_skip *skip, const struct shim_record *rec,
		     uint32_t scan)
{
	const struct shim_skip_layout *s = &skip->all[slot_of(rec)];

	if (s->scan != scan || s->len != rec->len || s->npmids != rec->npmids)
		return false;
	for (uint32_t i = 0; i < s->npmids; i++)
		if (memcmp(rec->data + s->sets[i].at, s->sets[i].head, sizeof(s->sets[i].head)))
			return false;
	return true;
}

/*
 * Remember that a record had no value for this scan.  If memory runs out, the scan is only slower.
 */
static void skip_note(struct shim_scan_skip *skip, const struct shim_record *rec, uint32_t scan)
{
	struct shim_skip_layout *s = &skip->all[slot_of(rec)];
	const uint8_t *at = rec->sets;
	struct shim_vset vset = shim_record__sets(rec);
	uint32_t n = 0;
	int err;

	s->scan = 0;
	if (shim_vec__reserve(s->sets, &s->room, rec->npmids))
		return;
	while (!(err = shim_record__step(rec, &vset))) {
		s->sets[n].at = (uint32_t)(at - rec->data);
		memcpy(s->sets[n++].head, at, sizeof(s->sets[0].head));
		at = vset.next;
	}
	if (n != rec->npmids)
		return;
	s->scan = scan;
	s->len = rec->len;
	s->npmids = n;
}

void shim_scan_skip__fini(struct shim_scan_skip *skip)
{
	for (unsigned int i = 0; i < SHIM_SKIP_LAYOUTS; i++)
		free(skip->all[i].sets);
}

/*
 * Skip many records at once, reading only their frames, stamps and numbers of metrics.  A scanner
 * must do this for all records between two distant times, because one of them may be a mark.
 */

#define HOP_AT_ONCE	1024	/* records, before checking again for a clear range to skip */

/*
 * struct hop - a run of records in one volume, without marks and with ascending stamps
 * @first, @former, @last: stamps of the first, the second to last, and the last of @n records
 * @offset: the place after the last record, or before it if the scan is backward
 */
struct hop {
	struct shim_volume_view view;
	bool back;
	struct shim_ts first, former, last;
	uint64_t offset;
	unsigned int n;
};

/*
 * Get the next record.  Return false at the end of the volume, and if there is no complete record.
 */
static bool next(const struct hop *h, struct shim_record *rec)
{
	int err = h->back ? shim_volume_record__before(&h->view, h->offset, rec) :
			    shim_volume_record__at(&h->view, h->offset, rec);

	return !err && rec->npmids;
}

/* Return whether a stamp is beyond the target, or out of order. */
static bool ends_hop(const struct hop *h, struct shim_ts stamp, struct shim_ts when)
{
	if (h->back)
		return shim_ts__cmp(stamp, when) <= 0 || (h->n && shim_ts__cmp(stamp, h->last) > 0);
	return shim_ts__cmp(stamp, when) > 0 || (h->n && shim_ts__cmp(stamp, h->last) < 0);
}

static void scan_hop_run(struct hop *h, struct shim_cursor *cur, struct shim_ts when)
{
	struct shim_record rec;

	while (h->n < HOP_AT_ONCE && next(h, &rec) && !ends_hop(h, rec.stamp, when)) {
		/*
		 * Most records are as long as the previous one.  Prefetching too far has no effect.
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

/* Update the scanner's data about the last record that it passed. */
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

	/* Clamped times may be equal although their stamps differ. */
	if (t <= SHIM_TIME_FIRST || t >= SHIM_TIME_LAST ||
	    shim_archive__view(sc->ar, sc->cursor.volume, &h.view))
		return false;
	scan_hop_run(&h, &sc->cursor, when);
	if (h.n < 2)
		return false;
	remember(sc, &h);
	note_last(sc, &h);
	sc->cursor.offset = h.offset;
	return true;
}


int shim_scan__want(struct shim_scanner *sc, struct shim_interp_metric *m,
		    struct shim_interp_inst *k)
{
	if (shim_vec__room(sc->wants, &sc->wants_room, sc->nwants))
		return -ENOMEM;
	sc->wants[sc->nwants++] = (struct shim_want){ m, k };
	k->pending = true;
	m->pending++;
	sc->left++;
	return 0;
}

void shim_scan__unwant(struct shim_scanner *sc, const struct shim_want *want)
{
	if (!want->inst->pending)
		return;
	want->inst->pending = false;
	want->metric->pending--;
	sc->left--;
}

void shim_scan__stop(struct shim_scanner *sc)
{
	for (unsigned int i = 0; i < sc->nwants; i++)
		shim_scan__unwant(sc, &sc->wants[i]);
	sc->nwants = 0;
}

/*
 * struct pass - the state of one scan
 * @back: the direction of the scan
 * @t: time at which the scan began
 * @at: time of the current record; it never moves back towards @t, even if stamps do
 * @limit: the nearest of the wanted instances' limits, see limit_of()
 */
struct pass {
	struct shim_scanner *sc;
	bool back;
	int64_t t;
	int64_t at;
	double sec;
	int64_t limit;
};

static bool farther(const struct pass *p, int64_t a, int64_t b)
{
	return p->back ? a < b : a > b;
}

/*
 * Return the time up to which a scan must search for an instance.  The instance's observations
 * beyond that time are already known.
 */
static int64_t limit_of(const struct pass *p, const struct shim_interp_inst *k)
{
	if (p->back) {
		bool useful = k->prior.state && k->prior.at <= p->t && k->prior_to <= p->t;

		return useful ? shim_time__max(k->prior_to, k->void_to) : k->void_to;
	}
	if (k->next.state && k->next.at > p->t && k->next_from >= p->t)
		return shim_time__min(k->next_from, k->void_from);
	return k->void_from;
}

static void settle(struct pass *p, const struct shim_want *w, enum shim_bound_state state,
		   int64_t at)
{
	struct shim_interp_inst *k = w->inst;
	struct shim_interp_bound *bound = p->back ? &k->prior : &k->next;

	bound->state = state;
	bound->at = at;
	if (p->back)
		k->prior_to = p->t;
	else
		k->next_from = p->t;
	shim_scan__unwant(p->sc, w);
}

/* Extend an instance's known range to the scan's start: the scan found nothing between them. */
static void reach_limit(struct pass *p, const struct shim_want *w)
{
	struct shim_interp_inst *k = w->inst;

	if (p->back) {
		if (k->prior.state && k->prior.at <= p->t && k->prior_to >= k->void_to)
			settle(p, w, k->prior.state, k->prior.at);
		else
			settle(p, w, SHIM_BOUND_NONE, SHIM_TIME_MIN);
	} else {
		if (k->next.state && k->next.at > p->t && k->next_from <= k->void_from)
			settle(p, w, k->next.state, k->next.at);
		else
			settle(p, w, SHIM_BOUND_NONE, SHIM_TIME_MAX);
	}
}

static bool beyond(const struct pass *p, int64_t limit)
{
	return p->back ? p->at <= limit : p->at > limit;
}

static void extend_void(const struct pass *p, int64_t *to, int64_t *from, int64_t reached,
			const int64_t *seen)
{
	if (p->back && *to >= reached)
		*to = shim_time__max(*to, seen ? *seen - 1 : p->t);
	else if (!p->back && *from <= reached)
		*from = shim_time__min(*from, seen ? *seen : p->t);
}

/*
 * Record that no instance of a metric has an observation beyond the record in which the scan last
 * saw it.  The metric was still wanted when the scan reached this time, so the scan has passed all
 * its observations up to there, and instances without observations beyond there have none.
 *
 * Instances that no fetch or scan has met share one record.  There may be very many others that do
 * not live at the time of the fetch.  Their ranges are extended only with @all, after a scan that
 * has passed all their observations: it finds where each of them ends.
 */
static void note_void(const struct pass *p, struct shim_interp_metric *m, int64_t reached, bool all)
{
	extend_void(p, &m->void_to, &m->void_from, reached, NULL);
	for (unsigned int i = 0; i < (all ? m->n : m->of->nalive); i++) {
		struct shim_interp_inst *k = &m->insts[all ? i : m->of->alive[i]];

		if (k->touched)
			extend_void(p, &k->void_to, &k->void_from, reached,
				    k->scan == p->sc->number ? &k->seen : NULL);
	}
}

/* Settle the instances whose limit the scan has reached, and find the next limit. */
static void sweep(struct pass *p)
{
	struct shim_scanner *sc = p->sc;
	struct shim_interp_metric *noted = NULL;
	unsigned int kept = 0;

	p->limit = p->back ? SHIM_TIME_MIN : SHIM_TIME_MAX;
	for (unsigned int i = 0; i < sc->nwants; i++) {
		const struct shim_want w = sc->wants[i];
		int64_t limit;

		if (!w.inst->pending)
			continue;
		limit = limit_of(p, w.inst);
		if (beyond(p, limit)) {
			reach_limit(p, &w);
			if (w.metric != noted &&
			    limit == (p->back ? w.inst->void_to : w.inst->void_from)) {
				noted = w.metric;
				note_void(p, noted, p->back ? p->at : p->at - 1, false);
			}
			continue;
		}
		if (farther(p, p->limit, limit))
			p->limit = limit;
		sc->wants[kept++] = w;
	}
	sc->nwants = kept;
}

/* Check a value of an unknown instance, whose number may be the result of damage. */
static int check_unknown(struct pass *p, const struct shim_record *rec,
			 const struct shim_interp_metric *m, const struct shim_vset *vset,
			 unsigned int i)
{
	struct shim_value value;
	int err = shim_vset__value(rec, vset, i, m->desc->type, &value);

	return err == -EBADMSG ? shim_scan__note_damage(p->sc, rec->volume) : err;
}

/*
 * Process one value of a wanted metric.  *@guess is the probable index of its instance, and is
 * updated for the next value.
 */
static int take_value(struct pass *p, const struct shim_record *rec, struct shim_interp_metric *m,
		      const struct shim_vset *vset, unsigned int i, unsigned int *guess)
{
	struct shim_interp_inst *k;
	struct shim_interp_bound *bound;
	struct shim_value value = { 0 };
	int err;

	k = shim_interp_metric__inst(m, shim_be32__get(vset->vlist + (size_t)i * SHIM_VALUE_LEN),
				     *guess);
	if (!k)
		return check_unknown(p, rec, m, vset, i);
	*guess = (unsigned int)(k - m->insts) + 1;
	shim_interp_inst__touch(k, m);
	k->seen = p->at;
	k->scan = p->sc->number;
	if (!k->pending)
		return 0;
	bound = p->back ? &k->prior : &k->next;
	err = shim_vset__value(rec, vset, i, m->desc->type, &value);
	if (!err)
		err = shim_readbuf__keep(&p->sc->readbuf, p->sc->ar, rec, &value);
	if (err) {
		bound->state = SHIM_BOUND_UNKNOWN;
		return err;
	}
	if (value.type >= SHIM_TYPE_STRING)	/* its bytes are in the mapping */
		shim_cursor__look_at(&p->sc->cursor, rec->volume, rec->offset);
	shim_interp_bound__keep(bound, &value);
	bound->sec = p->sec;
	settle(p, &(struct shim_want){ m, k }, SHIM_BOUND_VALUE, p->at);
	return 0;
}

static int take_record(struct pass *p, const struct shim_record *rec)
{
	struct shim_scanner *sc = p->sc;
	struct shim_vset vset = shim_record__sets(rec);
	unsigned int guess;
	bool any = false;
	int err;

	if (skip_has(&sc->skip, rec, sc->number))
		return 0;
	p->sec = shim_lerp__seconds(rec->stamp, sc->start);
	while (!(err = shim_record__step(rec, &vset))) {
		uint32_t at = shim_pmidmap__get(&sc->map, vset.pmid);
		struct shim_interp_metric *m = at == SHIM_PMIDMAP_NONE ? NULL : sc->metrics[at];

		if (!m || !m->pending || vset.numval <= 0)
			continue;
		any = true;
		m->dptr = vset.valfmt != SHIM_VAL_INSITU;
		guess = 0;
		for (int i = 0; i < vset.numval && m->pending && !err; i++)
			err = take_value(p, rec, m, &vset, i, &guess);
		if (err || !sc->left)
			return err;
	}
	if (err != -ENOENT)
		return err;
	if (!any)
		skip_note(&sc->skip, rec, sc->number);
	return 0;
}

/*
 * The reason why a scan ends before it has found all observations; END_OF_ARCHIVE is its start or
 * end
 */
enum end { END_AT_MARK, END_AT_DAMAGE, END_OF_ARCHIVE };

/* Settle all remaining instances, for which there is nothing beyond this place in the file. */
static void give_up(struct pass *p, enum end end)
{
	struct shim_scanner *sc = p->sc;
	const struct shim_interp_metric *noted = NULL;

	for (unsigned int i = 0; i < sc->nwants; i++) {
		const struct shim_want w = sc->wants[i];

		if (!w.inst->pending)
			continue;
		if (end == END_OF_ARCHIVE && w.metric != noted)
			note_void(p, w.metric, p->back ? SHIM_TIME_MIN : SHIM_TIME_MAX, true);
		noted = w.metric;
		if (end == END_AT_MARK)
			settle(p, &w, SHIM_BOUND_MARK, p->at);
		else if (end == END_OF_ARCHIVE)
			settle(p, &w, SHIM_BOUND_NONE, p->back ? SHIM_TIME_MIN : SHIM_TIME_MAX);
		else	/* at a corrupt record, beyond which everything is unknown */
			settle(p, &w, SHIM_BOUND_NONE, p->back ? p->at : p->at + 1);
	}
}

int shim_scan__note_damage(struct shim_scanner *sc, uint32_t volume)
{
	int err;

	if (shim_pmidmap__get(&sc->reported, volume) != SHIM_PMIDMAP_NONE)
		return 0;
	err = shim_pmidmap__add(&sc->reported, volume, 0);
	if (err)
		return err;
	/* As in PCP 7.2, damage in one of several archives is not an error. */
	if (shim_archive__is_several(sc->ar))
		shim_archive__leave(sc->ar, volume);
	else
		sc->damaged = true;
	return 0;
}

int shim_scan__step(struct shim_scanner *sc, struct shim_cursor *c, struct shim_record *rec,
		    bool back)
{
	int err, noted = 0;

	do {
		err = back ? shim_cursor__prev(c, rec) : shim_cursor__next(c, rec);
		if (err == -SHIM_EVOLUME)
			noted = shim_scan__note_damage(sc, rec->volume);
	} while (err == -SHIM_EVOLUME && !noted);
	return noted ? noted : err;
}

/* Step forward.  Wait for a half-written record if its writer may still be writing it. */
static int next_whole(struct shim_scanner *sc, struct shim_cursor *c, struct shim_record *rec)
{
	struct shim_ts since = { 0 };
	int err = shim_scan__step(sc, c, rec, false);

	while (err == -EBADMSG &&
	       shim_pmidmap__get(&sc->reported, rec->volume) == SHIM_PMIDMAP_NONE &&
	       shim_archive__await(c, &since))
		err = shim_scan__step(sc, c, rec, false);
	return err;
}

static int step(const struct pass *p, struct shim_cursor *c, struct shim_record *rec)
{
	int err = p->back ? shim_scan__step(p->sc, c, rec, true) : next_whole(p->sc, c, rec);

	if (err == -EBADMSG && shim_scan__note_damage(p->sc, rec->volume))
		err = -ENOMEM;
	return err;
}

int shim_scan__end(struct shim_scanner *sc, struct shim_ts end)
{
	struct shim_cursor c;
	struct shim_record rec;
	int err;

	shim_cursor__init(&c, sc->ar);
	err = shim_cursor__seek_after(&c, end);
	if (!err)
		err = next_whole(sc, &c, &rec);
	if (err == -EBADMSG)
		err = shim_scan__note_damage(sc, rec.volume);
	return err == -ERANGE ? 0 : err;
}

/*
 * Store the time of the record next to the scanner's cursor, which is the first record of the scan.
 */
static void note_neighbour(const struct pass *p, int64_t at)
{
	struct shim_scanner *sc = p->sc;

	if (p->back && !sc->behind_known) {
		sc->behind_known = true;
		sc->behind = at;
	} else if (!p->back && !sc->ahead_known) {
		sc->ahead_known = true;
		sc->ahead = at;
	}
}

/*
 * Process a record, which has values or is a mark.  A mark separates the records before it in the
 * file from the records after it, even if they have the mark's time.
 */
static int meet(struct pass *p, const struct shim_record *rec)
{
	int mark;

	if (rec->npmids)
		return take_record(p, rec);
	mark = shim_scan__is_mark(p->sc, rec);
	if (mark > 0)
		give_up(p, END_AT_MARK);
	return mark < 0 ? mark : 0;
}

static int pass_scan(struct pass *p)
{
	struct shim_scanner *sc = p->sc;
	struct shim_cursor c = sc->cursor;
	struct shim_record rec;
	int err;

	sweep(p);
	while (sc->left) {
		err = step(p, &c, &rec);
		if (err && err != -ERANGE && err != -EBADMSG)
			return err;
		if (err) {
			give_up(p, err == -ERANGE ? END_OF_ARCHIVE : END_AT_DAMAGE);
			break;
		}
		if (farther(p, shim_scan__time(sc, &rec), p->at))
			p->at = shim_scan__time(sc, &rec);
		note_neighbour(p, p->at);
		if (beyond(p, p->limit))
			sweep(p);
		err = meet(p, &rec);
		if (err)
			return err;
	}
	return 0;
}

static int scan_run(struct pass *p)
{
	int err;

	p->sc->number++;
	err = pass_scan(p);
	shim_scan__stop(p->sc);
	return err;
}

int shim_scan__back(struct shim_scanner *sc, int64_t t)
{
	struct pass p = { .sc = sc, .back = true, .t = t, .at = t };

	return scan_run(&p);
}

int shim_scan__forw(struct shim_scanner *sc, int64_t t)
{
	struct pass p = { .sc = sc, .back = false, .t = t, .at = t + 1 };

	return scan_run(&p);
}
