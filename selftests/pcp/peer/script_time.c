// SPDX-License-Identifier: GPL-2.0-or-later
/* Random scripts of calls: set modes, times and steps, and fetch */
#include "script.h"

#define NEAR	3000000		/* 3 ms; a mark is 1 ms after a record */

static const struct {
	int base;
	int64_t nsec;
	int64_t most;	/* maximum: the original uses 32-bit arithmetic */
} units[] = {
	{ 0, 1000000, INT32_MAX },
	{ PM_XTB_SET(PM_TIME_NSEC), 1, 1000000000 },
	{ PM_XTB_SET(PM_TIME_USEC), 1000, 1000000 },
	{ PM_XTB_SET(PM_TIME_MSEC), 1000000, INT32_MAX },
	{ PM_XTB_SET(PM_TIME_SEC), NSEC, INT32_MAX },
	{ PM_XTB_SET(PM_TIME_MIN), 60 * NSEC, 1000000 },
	{ PM_XTB_SET(PM_TIME_HOUR), 3600 * NSEC, 100000 },
	{ PM_XTB_SET(9), 1000000, INT32_MAX },
};

static int64_t to_nsec(struct timespec t)
{
	return t.tv_sec * NSEC + t.tv_nsec;
}

static struct timespec from_nsec(int64_t t)
{
	struct timespec out = { t / NSEC, t % NSEC };

	if (out.tv_nsec < 0) {
		out.tv_nsec += NSEC;
		out.tv_sec--;
	}
	return out;
}

static int64_t anything(struct script *s, int64_t below)
{
	uint64_t v = (uint64_t)roll(s, 1u << 31) << 31 | roll(s, 1u << 31);

	return below > 0 ? (int64_t)(v % (uint64_t)below) : 0;
}

/* Return the time of a record whose time no other record has. */
static int64_t some_stamp(struct script *s)
{
	const struct archive *ar = s->ar;
	int i = roll(s, ar->nstamps);
	int64_t t = to_nsec(ar->stamps[i]);

	return ar->twins ? t + 1 + anything(s, 1000) : t;
}

static int64_t some_time(struct script *s, const struct actor *a)
{
	const struct archive *ar = s->ar;
	int64_t start = to_nsec(ar->start), end = to_nsec(ar->end);

	switch (roll(s, 10)) {
	case 0:
		return start;
	case 1:
		return end;
	case 2:
		return start - anything(s, 5 * NSEC) - 2000000;
	case 3:
		return end + anything(s, 5 * NSEC) + 2000000;
	case 4:
	case 5:
		return some_stamp(s) + (a->texts ? 13 : 0);
	case 6:
		return some_stamp(s) + 1 + anything(s, 1000);
	default:
		return start + anything(s, end - start + 1);
	}
}

/*
 * Return a step between a thousandth of the mean record interval and half of the archive, in either
 * direction, or 0.
 */
static int64_t some_step(struct script *s)
{
	const struct archive *ar = s->ar;
	int64_t span = to_nsec(ar->end) - to_nsec(ar->start);
	int64_t usual = ar->nstamps > 1 ? span / ar->nstamps : NSEC;
	int64_t step;

	switch (roll(s, 6)) {
	case 0:
		step = 0;
		break;
	case 1:
		step = (1 + roll(s, 20)) * NSEC / (roll(s, 2) ? 1 : 2);
		break;
	case 2:
		step = anything(s, span / 2 + 1);
		break;
	default:
		step = anything(s, 4 * usual + 1) >> roll(s, 6);
	}
	return roll(s, 3) ? step : -step;
}

/* Return the argument for @n hours; in the original, an hour has only 360 s. */
static int hours(int n)
{
#ifdef PEER_IS_PCP
	return n * 10;
#else
	return n;
#endif
}

static void set_by_unit(struct actor *a, int mode, int64_t when, bool keep, int64_t step, int u)
{
	struct timespec ts = from_nsec(when);
	struct timeval tv = { ts.tv_sec, ts.tv_nsec / 1000 };
	int64_t n = step / units[u].nsec;
	int err;

	n = n > units[u].most ? units[u].most : n;
	n = n < -units[u].most ? -units[u].most : n;
	if (units[u].base == PM_XTB_SET(PM_TIME_HOUR))
		err = pmSetMode(mode | units[u].base, keep ? NULL : &tv, hours((int)n));
	else
		err = pmSetMode(mode | units[u].base, keep ? NULL : &tv, (int)n);
	printf("mode %d unit %d at %s", mode, u, keep ? "-" : "");
	if (!keep)
		dump_stamp(tv.tv_sec, tv.tv_usec * 1000);
	printf(" by %" PRId64 ": %d\n", n, err);
	a->step = n * units[u].nsec;
	a->next = keep ? a->next : tv.tv_sec * NSEC + tv.tv_usec * 1000;
}

static void set_by_time(struct actor *a, int mode, int64_t when, bool keep, int64_t step)
{
	struct timespec at = from_nsec(when), by = { step / NSEC, step % NSEC };
	int err = pmSetModeHighRes(mode, keep ? NULL : &at, step ? &by : NULL);

	printf("mode %d at %s", mode, keep ? "-" : "");
	if (!keep)
		dump_stamp(at.tv_sec, at.tv_nsec);
	printf(" by %" PRId64 " ns: %d\n", step, err);
	a->step = step;
	a->next = keep ? a->next : when;
}

/*
 * Change the first time or the step so that no step ends at a round time, although the first fetch
 * can be at one.  If a step starts between two observations and ends exactly at the time of the
 * second one, the original returns texts one observation too late.
 */
static void odd(int64_t *when, int64_t *step, bool by_time)
{
	if (by_time)
		*step -= *step % 1000 - 137;
	else
		*when -= *when % 1000000 + 1000000 - 137000;
}

/*
 * Move a jump that would end at the first or the last record: the same error can occur if the
 * previous time was between the two records before.
 */
static void off_records(const struct archive *ar, int64_t *when)
{
	if (*when == to_nsec(ar->start))
		*when += 13;
	else if (*when == to_nsec(ar->end))
		*when -= 1000013;
}

static void set(struct script *s, int mode, int64_t when, bool keep, int64_t step, bool by_time)
{
	struct actor *a = &s->actors[s->at];

	a->mode = mode;
	if (by_time)
		set_by_time(a, mode, when, keep, step);
	else
		set_by_unit(a, mode, when, keep, step, roll(s, sizeof(units) / sizeof(units[0])));
}

/*
 * Step from the start of the archive, not from another time, because the original ignores marks
 * when it jumps.
 */
static void go_on(struct script *s, struct actor *a)
{
	int64_t when = to_nsec(s->ar->start), step = some_step(s);
	bool by_time = roll(s, 2);

	if (a->asked)
		return;
	step = step < 0 ? -step : step;
	if (a->texts)
		odd(&when, &step, by_time);
	set(s, PM_MODE_INTERP, when, false, step, by_time);
}

/*
 * Avoid the end of the archive in the record modes, because the original trusts index entries.  It
 * overlooks the last record if the entry for about its time has the offset of the record's end or,
 * if a mark follows the record, of its start.
 */
static void mind_index(const struct script *s, const struct actor *a, int mode, int64_t *when,
		       bool *keep)
{
	int64_t end = to_nsec(s->ar->end);

	/* Within a microsecond after the end, pmSetMode() uses the end. */
	if (mode != PM_MODE_INTERP && *when > end - NEAR && *when <= end + 1000)
		*when = mode == PM_MODE_BACK ? end : end - NEAR;
	if (mode != PM_MODE_INTERP && (a->at_end || (a->next > end - NEAR && a->next <= end)))
		*keep = false;
}

void play_mode(struct script *s)
{
	static const int modes[] = { PM_MODE_INTERP, PM_MODE_INTERP, PM_MODE_FORW, PM_MODE_BACK };
	static const int wrong[] = { PM_MODE_LIVE, 4, 99, -1 };
	struct actor *a = s->at < 0 ? NULL : &s->actors[s->at];
	bool keep = !roll(s, 5), by_time = roll(s, 2);
	int mode = modes[roll(s, 4)];
	int64_t when, step;

	if (!a || a->partial || !roll(s, 15)) {
		printf("no mode: %d\n", pmSetMode(wrong[roll(s, 4)], NULL, 0));
		return;
	}
	if (mode == PM_MODE_INTERP && s->ar->marks) {
		go_on(s, a);
		return;
	}
	when = some_time(s, a);
	step = some_step(s);
	if (a->texts) {
		odd(&when, &step, by_time);
		by_time |= keep;
		keep &= mode != PM_MODE_INTERP || a->mode == PM_MODE_INTERP;
		if (mode == PM_MODE_INTERP)
			off_records(s->ar, &when);
	}
	mind_index(s, a, mode, &when, &keep);
	set(s, mode, when, keep, step, by_time);
	if (!keep)
		a->at_end = when == to_nsec(s->ar->end);
}

/* Print the whole result, and determine whether it is the last record's. */
static void take(struct script *s, struct actor *a, struct timespec stamp, int n,
		 pmValueSet *const *vsets)
{
	int64_t left = to_nsec(s->ar->end) - to_nsec(stamp);

	a->next = to_nsec(stamp) + (a->mode == PM_MODE_INTERP ? a->step : 0);
	dump_stamp(stamp.tv_sec, stamp.tv_nsec);
	printf(" %d\n", n);
	dump_vsets(n, vsets, 1);
	a->at_end |= left >= 0 && left < NEAR;
}

static int fetch(struct script *s, struct actor *a, bool any)
{
	pmHighResResult *r;
	int err = any ? pmFetchHighResArchive(&r) : pmFetchHighRes(a->n, a->wanted, &r);

	if (err < 0)
		return err;
	take(s, a, r->timestamp, r->numpmid, r->vset);
	pmFreeHighResResult(r);
	return err;
}

static int fetch_coarse(struct script *s, struct actor *a, bool any)
{
	pmResult *r;
	int err = any ? pmFetchArchive(&r) : pmFetch(a->n, a->wanted, &r);
	struct timespec stamp;

	if (err < 0)
		return err;
	stamp.tv_sec = r->timestamp.tv_sec;
	stamp.tv_nsec = (long)r->timestamp.tv_usec * 1000;
	pmSortInstances(r);
	take(s, a, stamp, r->numpmid, r->vset);
	pmFreeResult(r);
	return err;
}

static void pass_end(const struct script *s, struct actor *a)
{
	if (a->mode == PM_MODE_INTERP)
		a->next += a->step;
	else
		a->at_end = true;
	if (a->mode == PM_MODE_FORW && a->next < to_nsec(s->ar->end))
		a->next = to_nsec(s->ar->end);
}

/*
 * Return whether values at this time may differ.  In the millisecond after the end, the original's
 * previous fetch determines whether there are values.  With several archives, the first time after
 * the end counts as inside if the previous fetch was from an earlier archive.
 */
static bool is_doubtful(const struct script *s, const struct actor *a)
{
	int64_t past = a->next - to_nsec(s->ar->end);

	return a->mode == PM_MODE_INTERP && past > 0 && (past < 2000000 || s->ar->several);
}

void play_fetch(struct script *s)
{
	struct actor none = { .n = 1, .wanted = { s->ar->pmids[0] } };
	struct actor *a = s->at < 0 ? &none : &s->actors[s->at];
	bool any = !roll(s, 6);
	pmResult *r;

	if (!roll(s, 30))
		printf("fetch of nothing: %d\n", pmFetch(0, a->wanted, &r));
	for (int n = 1 + roll(s, 8); n && !is_doubtful(s, a); n--) {
		int err = roll(s, 3) ? fetch(s, a, any) : fetch_coarse(s, a, any);

		/* The original sometimes returns 1 if a metric has no values in a record. */
		if (err < 0)
			printf("fetch: %d\n", err);
		if (err == PM_ERR_EOL)
			pass_end(s, a);
	}
	if (!any && a->mode == PM_MODE_INTERP)
		a->asked = true;
}
