// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interpolation: the values of metrics at any time, computed from the recorded values.
 *
 * These are the rules for one instance at time t.  P is its last observation at or before t, unless
 * there is a mark after P that is not after t.  N is its first observation after t, unless there is
 * a mark before N.  If a mark and an observation have the same time, their order in the file
 * decides.  Without P there is no value.  Without N, P's value is returned if the metric is
 * discrete or P is exactly at t.  With both, a counter is interpolated between them, any other
 * number has the value of the nearer one, and all other types have P's value.  If a fetch has
 * returned a counter's values, the first fetch on the other side of a mark returns none, so that no
 * program computes a difference across the mark.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "interp.h"
#include "interp_metric.h"
#include "scan.h"

struct shim_interp {
	struct shim_scanner sc;
	unsigned int flags;
	uint64_t fetch;			/* number of the current fetch */
	uint64_t run;			/* number of the run of fetches without a reposition */
	bool started;			/* the run's first fetch has been completed */
	bool placed;			/* the scanner has been placed in this run */
	bool counted;			/* the run has returned values of counters */
	bool counted_before;		/* the value of @counted before the current fetch */
	unsigned int nasked;
	struct shim_ts run_start;
	struct shim_ts when;		/* time of the current fetch */
	int64_t t;
	double sec;
	struct shim_interp_metric **asked;	/* one per pmid; NULL if the metric is unknown */
	size_t asked_room;
	struct shim_value *out;
	size_t nout, out_room;
};

/**
 * shim_interp__new() - create an interpolator
 * @ar: the archive, to which the interpolator holds a reference
 * @flags: SHIM_INTERP_*
 * @out: the interpolator, to be freed by shim_interp__free()
 *
 * Return: 0 or -ENOMEM.
 */
int shim_interp__new(struct shim_archive *ar, unsigned int flags, struct shim_interp **out)
{
	struct shim_interp *ip = calloc(1, sizeof(*ip));

	if (!ip)
		return -ENOMEM;
	ip->sc.ar = shim_archive__get(ar);
	ip->sc.start = shim_archive__label(ar)->start;
	ip->sc.gap = SHIM_TIME_MIN;
	ip->sc.too_far = UINT64_MAX;
	ip->flags = flags;
	ip->run = 1;
	*out = ip;
	return 0;
}

void shim_interp__free(struct shim_interp *ip)
{
	if (!ip)
		return;
	for (unsigned int i = 0; i < ip->sc.n; i++)
		shim_interp_metric__free(ip->sc.metrics[i]);
	free(ip->sc.metrics);
	free(ip->sc.wants);
	shim_scan_skip__fini(&ip->sc.skip);
	shim_readbuf__fini(&ip->sc.readbuf);
	shim_pmidmap__fini(&ip->sc.map);
	shim_pmidmap__fini(&ip->sc.indoms);
	shim_pmidmap__fini(&ip->sc.reported);
	shim_archive__put(ip->sc.ar);
	free(ip->asked);
	free(ip->out);
	free(ip);
}

void shim_interp__ignore_marks(struct shim_interp *ip, struct shim_ts gap)
{
	ip->sc.gap = shim_interp_metric__time(gap, (struct shim_ts){ 0 });
}

void shim_interp__reposition(struct shim_interp *ip)
{
	ip->run++;
	ip->started = false;
	ip->placed = false;
	ip->counted = false;
	ip->sc.has_mark = false;
}

void shim_interp__grown(struct shim_interp *ip)
{
	for (unsigned int i = 0; i < ip->sc.n; i++)
		shim_interp_metric__forget(ip->sc.metrics[i]);
	ip->sc.ahead_known = false;
}

/*
 * Append the state of a new metric.  Metrics of the same instance domain share the order of
 * instances.
 */
static int metric_add(struct shim_scanner *sc, const struct shim_desc *desc)
{
	uint32_t first = shim_pmidmap__get(&sc->indoms, desc->indom);
	struct shim_interp_metric *like = NULL, *m;
	int err;

	if (first != SHIM_PMIDMAP_NONE)
		like = sc->metrics[first];
	err = shim_interp_metric__new(sc->ar, desc, like, &m);
	if (err)
		return err;
	err = shim_pmidmap__add(&sc->map, desc->pmid, sc->n);
	if (err) {
		shim_interp_metric__free(m);
		return err;
	}
	sc->metrics[sc->n] = m;
	/* If memory runs out, the next metric of the domain has its own order. */
	if (!like)
		shim_pmidmap__add(&sc->indoms, desc->indom, sc->n);
	sc->n++;
	return 0;
}

/*
 * Find or create the state of a metric, which is kept for later fetches.  *@out is NULL if the
 * archive does not have the metric, or its type is NOSUPPORT.
 */
static int metric_of(struct shim_interp *ip, uint32_t pmid, struct shim_interp_metric **out)
{
	struct shim_scanner *sc = &ip->sc;
	uint32_t at = shim_pmidmap__get(&sc->map, pmid);
	const struct shim_desc *desc;
	int err;

	*out = NULL;
	if (at != SHIM_PMIDMAP_NONE) {
		*out = sc->metrics[at];
		return 0;
	}
	desc = shim_archive__desc(sc->ar, pmid);
	if (!desc || desc->type == SHIM_TYPE_NOSUPPORT)
		return 0;
	if (shim_vec__room(sc->metrics, &sc->room, sc->n))
		return -ENOMEM;
	err = metric_add(sc, desc);
	if (!err)
		*out = sc->metrics[sc->n - 1];
	return err;
}

static bool has(const struct shim_filter *filter, const struct shim_interp_metric *m,
		const struct shim_interp_inst *k)
{
	if (!filter->has || m->desc->indom == SHIM_INDOM_NULL)
		return true;
	return filter->has(filter->arg, m->desc->indom, k->inst);
}

/*
 * Mark the wanted instances, and schedule instances without a known prior observation for the next
 * scan.
 */
static int want_priors(struct shim_interp *ip, struct shim_interp_metric *m,
		       const struct shim_filter *filter)
{
	int err = 0;

	shim_interp_order__live_at(m->of, ip->t);
	for (unsigned int i = 0; i < m->of->nalive && !err; i++) {
		struct shim_interp_inst *k = &m->insts[m->of->alive[i]];

		shim_interp_inst__touch(k, m);
		k->wanted = has(filter, m, k);
		if (!k->wanted || shim_interp_inst__prior_known(k, ip->t))
			continue;
		if (ip->t <= k->void_to) {
			k->prior.state = SHIM_BOUND_NONE;
			k->prior.at = SHIM_TIME_MIN;
			k->prior_to = k->void_to;
			continue;
		}
		err = shim_scan__want(&ip->sc, m, k);
	}
	return err;
}

static bool is_discrete(const struct shim_interp_metric *m)
{
	return m->desc->sem == SHIM_SEM_DISCRETE;
}

/*
 * Return whether the next observation is needed.  It is not if there is no prior one, if the prior
 * one is exactly at the time of the fetch, or if the metric is discrete and not a number.
 */
static bool uses_next(const struct shim_interp *ip, const struct shim_interp_metric *m,
		      const struct shim_interp_inst *k)
{
	return k->wanted && k->prior.state == SHIM_BOUND_VALUE && k->prior.at < ip->t &&
	       (!is_discrete(m) || shim_lerp__can(m->desc->type));
}

static int want_nexts(struct shim_interp *ip, struct shim_interp_metric *m)
{
	int err = 0;

	for (unsigned int i = 0; i < m->of->nalive && !err; i++) {
		struct shim_interp_inst *k = &m->insts[m->of->alive[i]];

		if (!uses_next(ip, m, k) || shim_interp_inst__next_known(k, ip->t))
			continue;
		if (ip->t >= k->void_from) {
			k->next.state = SHIM_BOUND_NONE;
			k->next.at = SHIM_TIME_MAX;
			k->next_from = k->void_from;
			continue;
		}
		err = shim_scan__want(&ip->sc, m, k);
	}
	return err;
}

/*
 * Move the scanner to the time of the fetch.  Counters are omitted after a mark.  Therefore, once a
 * run has returned values of counters, the scanner walks from the time of the run's first fetch and
 * finds every mark up to the time of this fetch.
 */
static int place(struct shim_interp *ip)
{
	int err;

	if (!ip->placed && ip->counted) {
		err = shim_scan__seek(&ip->sc, ip->run_start, false);
		if (err)
			return err;
	}
	if (!ip->placed)
		ip->sc.has_mark = false;
	ip->placed = true;
	return shim_scan__seek(&ip->sc, ip->when, ip->counted);
}

/*
 * Reuse observations instead of decoding their records again: if the scanner has just passed a
 * single record, the former next observation is now the prior one, or the reverse if the scanner
 * moved backward.
 */
static void shift_bounds(struct shim_interp *ip)
{
	struct shim_scanner *sc = &ip->sc;
	bool forw = sc->behind_known && sc->behind_single;
	bool back = sc->ahead_known && sc->ahead_single;

	for (unsigned int i = 0; (forw || back) && i < sc->nwants; i++) {
		struct shim_interp_inst *k = sc->wants[i].inst;

		if (back && k->prior.state && k->prior.at == sc->ahead) {
			k->next = k->prior;
			k->next_from = ip->t;
		} else if (forw && k->next.state && k->next.at == sc->behind &&
			   k->next_from < sc->behind) {
			k->prior = k->next;
			k->prior_to = ip->t;
			shim_scan__unwant(sc, &sc->wants[i]);
		}
	}
}

static int find_priors(struct shim_interp *ip, unsigned int n, const struct shim_filter *filter)
{
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++) {
		struct shim_interp_metric *m = ip->asked[i];

		if (!m || m->fetch == ip->fetch)
			continue;	/* unknown, or requested twice */
		m->fetch = ip->fetch;
		m->answered = false;
		err = want_priors(ip, m, filter);
	}
	if (!err && ip->sc.left)
		err = place(ip);
	if (err)
		return err;
	shift_bounds(ip);
	return shim_scan__back(&ip->sc, ip->t);
}

static int find_nexts(struct shim_interp *ip, unsigned int n)
{
	int err = 0;

	for (unsigned int i = 0; i < n && !err; i++)
		if (ip->asked[i])
			err = want_nexts(ip, ip->asked[i]);
	if (!err && ip->sc.left)
		err = place(ip);
	if (err)
		return err;
	return shim_scan__forw(&ip->sc, ip->t);
}

/* Extend the validity of each bound up to the other, because no observation lies between them. */
static void join_bounds(struct shim_interp_inst *k, int64_t t)
{
	if (!shim_interp_inst__next_known(k, t))
		return;
	if (k->prior_to < k->next.at - 1)
		k->prior_to = k->next.at - 1;
	if (k->next_from > k->prior.at)
		k->next_from = k->prior.at;
}

static bool continuous(const struct shim_interp_metric *m)
{
	return m->desc->sem != SHIM_SEM_INSTANT && m->desc->sem != SHIM_SEM_DISCRETE;
}

/* Compute a number at the time of the fetch from the observations before and after it. */
static void between(const struct shim_interp *ip, const struct shim_interp_metric *m,
		    const struct shim_interp_inst *k, struct shim_value *out)
{
	const int32_t type = m->desc->type;
	const struct shim_span span = {
		.t = ip->sec, .p = k->prior.sec, .n = k->next.sec,
		.wrap = ip->flags & SHIM_INTERP_WRAP,
	};
	struct shim_value next;

	if (continuous(m)) {
		shim_interp_bound__value(&k->prior, type, out);
		shim_interp_bound__value(&k->next, type, &next);
		shim_lerp__value(&span, out, &next);
	} else {
		shim_interp_bound__value(shim_lerp__is_past_middle(&span) ? &k->next : &k->prior,
					 type, out);
	}
}

/* Add the instance's value, and return 1.  Return 0 if it has no value, or -EDOM or -ENOMEM. */
static int evaluate(struct shim_interp *ip, const struct shim_interp_metric *m,
		    const struct shim_interp_inst *k)
{
	bool number = shim_lerp__can(m->desc->type);
	struct shim_value *out;
	bool has_next;

	if (k->prior.state != SHIM_BOUND_VALUE)
		return 0;
	has_next = shim_interp_inst__next_known(k, ip->t) && k->next.state == SHIM_BOUND_VALUE;
	if (k->prior.at < ip->t && !has_next && !is_discrete(m))
		return 0;
	if (continuous(m) && !number)
		return -EDOM;
	if (shim_vec__room(ip->out, &ip->out_room, ip->nout))
		return -ENOMEM;
	out = &ip->out[ip->nout++];
	out->inst = m->desc->indom == SHIM_INDOM_NULL ? SHIM_IN_NULL : k->inst;
	if (k->prior.at < ip->t && has_next && number)
		between(ip, m, k, out);
	else
		shim_interp_bound__value(&k->prior, m->desc->type, out);
	return 1;
}

/*
 * Return whether there is a mark between this fetch and the last one, which returned values of the
 * metric.
 */
static bool after_mark(const struct shim_interp *ip, const struct shim_interp_metric *m)
{
	int64_t mark = ip->sc.mark;

	if (!continuous(m) || m->last.run != ip->run || !ip->sc.has_mark)
		return false;
	return (m->last.at < mark && mark <= ip->t) || (ip->t < mark && mark <= m->last.at);
}

static int answer(struct shim_interp *ip, struct shim_interp_metric *m)
{
	int got = 0;

	m->first = ip->nout;
	for (unsigned int i = 0; i < m->of->nalive && got >= 0; i++) {
		struct shim_interp_inst *k = &m->insts[m->of->alive[i]];

		if (!k->wanted)
			continue;
		join_bounds(k, ip->t);
		got = evaluate(ip, m, k);
	}
	if (got < 0 && got != -EDOM)
		return got;
	if (got == -EDOM || after_mark(ip, m))
		ip->nout = m->first;
	m->numval = got == -EDOM ? -EDOM : (int32_t)(ip->nout - m->first);
	m->answered = true;
	m->before_last = m->last;
	m->last = (struct shim_interp_last){ m->numval > 0 ? ip->run : 0, ip->t };
	ip->counted |= continuous(m) && m->numval > 0;
	return 0;
}

static int answer_all(struct shim_interp *ip, unsigned int n, const uint32_t *pmids,
		      struct shim_answer *answers)
{
	ip->nout = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct shim_interp_metric *m = ip->asked[i];
		int err = m && !m->answered ? answer(ip, m) : 0;

		if (err)
			return err;
	}
	for (unsigned int i = 0; i < n; i++) {
		const struct shim_interp_metric *m = ip->asked[i];

		answers[i].pmid = pmids[i];
		answers[i].numval = m ? m->numval : pmids[i] == UINT32_MAX ? 0 : -ENOENT;
		answers[i].valfmt = m && !m->dptr ? SHIM_VAL_INSITU : SHIM_VAL_DPTR;
		answers[i].values = m && m->numval > 0 ? &ip->out[m->first] : NULL;
	}
	return 0;
}

static int ask(struct shim_interp *ip, unsigned int n, const uint32_t *pmids)
{
	int err = shim_vec__reserve(ip->asked, &ip->asked_room, n);

	for (unsigned int i = 0; i < n && !err; i++)
		err = metric_of(ip, pmids[i], &ip->asked[i]);
	return err;
}

static bool take_damage(struct shim_interp *ip)
{
	bool damaged = ip->sc.damaged;

	ip->sc.damaged = false;
	return damaged;
}

/**
 * shim_interp__end() - report damage after the last record
 * @ip: an interpolator
 * @end: time of the last record
 *
 * Return: 0; -EBADMSG, once, if there is damage that no fetch has reported; or the error that
 * prevented reading a volume.
 */
int shim_interp__end(struct shim_interp *ip, struct shim_ts end)
{
	int err = shim_scan__end(&ip->sc, end);

	return !err && take_damage(ip) ? -EBADMSG : err;
}

/**
 * shim_interp__fetch() - get the values of metrics at a time
 * @ip: an interpolator
 * @when: the time
 * @n: number of metrics
 * @pmids: the metrics, possibly with duplicates
 * @filter: which instances are wanted
 * @answers: @n answers, in the order of @pmids, valid until the next fetch
 *
 * Return: 0; -EBADMSG if a required record is corrupt, or if the search for values has found new
 * damage, in which case repeating the fetch returns the existing values; or -ENOMEM.
 */
int shim_interp__fetch(struct shim_interp *ip, struct shim_ts when, unsigned int n,
		       const uint32_t *pmids, const struct shim_filter *filter,
		       struct shim_answer *answers)
{
	int err;

	ip->fetch++;
	ip->when = when;
	ip->t = shim_interp_metric__time(when, ip->sc.start);
	ip->sec = shim_lerp__seconds(when, ip->sc.start);
	if (!ip->started) {
		ip->started = true;
		ip->run_start = when;
	}
	err = ask(ip, n, pmids);
	if (!err)
		err = find_priors(ip, n, filter);
	if (!err)
		err = find_nexts(ip, n);
	if (!err && take_damage(ip))
		err = -EBADMSG;
	if (err) {
		shim_scan__stop(&ip->sc);
		return err;
	}
	ip->nasked = n;
	ip->counted_before = ip->counted;
	err = answer_all(ip, n, pmids, answers);
	if (err)
		shim_interp__undo(ip);
	return err;
}

/**
 * shim_interp__undo() - forget the last fetch, whose answers were not delivered
 * @ip: an interpolator
 *
 * Without this call, a repeated fetch would assume that values on this side of a mark have already
 * been returned.
 */
void shim_interp__undo(struct shim_interp *ip)
{
	for (unsigned int i = 0; i < ip->nasked; i++) {
		struct shim_interp_metric *m = ip->asked[i];

		if (!m || !m->answered)
			continue;
		m->last = m->before_last;
		m->answered = false;
	}
	ip->counted = ip->counted_before;
}
