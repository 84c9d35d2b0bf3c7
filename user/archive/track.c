// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics and their instances, as the interpolator keeps them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "instances.h"
#include "track.h"

#define BIG_DOMAIN	16	/* from this size on, PCP has instances live and die */
#define NSEC_PER_SEC	1000000000

int64_t shim_track__time(struct shim_ts ts, struct shim_ts start)
{
	struct shim_ts d = shim_ts__sub(ts, start);
	int64_t ns;

	if (__builtin_mul_overflow(d.sec, NSEC_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, d.nsec, &ns))
		ns = d.sec < 0 ? SHIM_TIME_MIN : SHIM_TIME_MAX;
	if (ns < SHIM_TIME_FIRST)
		return SHIM_TIME_FIRST;
	return ns > SHIM_TIME_LAST ? SHIM_TIME_LAST : ns;
}

static int by_inst(const void *a, const void *b)
{
	const struct shim_track *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

static struct shim_track *search(const struct shim_metric *m, int32_t inst)
{
	struct shim_track key = { .inst = inst };

	return bsearch(&key, m->tracks, m->n, sizeof(key), by_inst);
}

struct shim_track *shim_metric__track(struct shim_metric *m, int32_t inst, unsigned int guess)
{
	if (m->desc->indom == SHIM_INDOM_NULL)
		return m->tracks;
	if (guess < m->n && m->tracks[guess].inst == inst)
		return &m->tracks[guess];
	return search(m, inst);
}

static void track_init(struct shim_track *k, int32_t inst)
{
	*k = (struct shim_track){
		.inst = inst,
		.birth = SHIM_TIME_MIN,
		.death = SHIM_TIME_MAX,
		.void_to = SHIM_TIME_MIN,
		.void_from = SHIM_TIME_MAX,
	};
}

void shim_metric__forget(struct shim_metric *m)
{
	for (unsigned int i = 0; i < m->n; i++) {
		struct shim_track *k = &m->tracks[i];

		k->prior.state = SHIM_BOUND_UNKNOWN;
		k->next.state = SHIM_BOUND_UNKNOWN;
		k->void_to = SHIM_TIME_MIN;
		k->void_from = SHIM_TIME_MAX;
	}
}

/*
 * The order of PCP's hash table: as many buckets as instances, the newest of a
 * bucket first.  Programs see it, so it is the same here.
 */
static int make_order(struct shim_metric *m, const struct shim_instances *set)
{
	uint32_t *count = calloc(set->n + 1, sizeof(*count));

	m->order = malloc((set->n + 1) * sizeof(*m->order));
	if (!count || !m->order) {
		free(count);
		return -ENOMEM;
	}
	for (unsigned int i = 0; i < set->n; i++)
		count[(uint32_t)set->all[i].inst % set->n]++;
	for (unsigned int i = 1; i < set->n; i++)
		count[i] += count[i - 1];
	for (unsigned int i = 0; i < set->n; i++)
		m->order[--count[(uint32_t)set->all[i].inst % set->n]] =
			search(m, set->all[i].inst) - m->tracks;
	free(count);
	return 0;
}

static void live_in(struct shim_metric *m, const struct shim_indom *state, int64_t at,
		    int64_t later)
{
	for (unsigned int i = 0; i < state->n; i++) {
		struct shim_track *k = search(m, state->inst[i]);

		if (!k)
			continue;
		if (k->birth == SHIM_TIME_MIN)
			k->death = later;
		k->birth = at;
	}
}

static bool is_big(const struct shim_archive *ar, uint32_t indom, unsigned int states)
{
	for (unsigned int i = 0; i < states; i++) {
		const struct shim_indom *state = shim_archive__indom_at(ar, indom, i);

		if (state && state->n >= BIG_DOMAIN)
			return true;
	}
	return false;
}

/* From the first state that has an instance to the one behind the last that has it */
static void make_lives(struct shim_metric *m, const struct shim_archive *ar)
{
	struct shim_ts start = shim_archive__label(ar)->start;
	uint32_t indom = m->desc->indom;
	unsigned int n = shim_archive__nindoms(ar, indom);
	int64_t later = SHIM_TIME_MAX;

	if (!is_big(ar, indom, n))
		return;
	for (unsigned int i = 0; i < n; i++) {	/* the newest first */
		const struct shim_indom *state = shim_archive__indom_at(ar, indom, i);
		int64_t at;

		if (!state)
			continue;
		at = shim_track__time(state->stamp, start);
		live_in(m, state, at, later);
		later = at;
	}
}

static int make_tracks(struct shim_metric *m, const struct shim_instances *set)
{
	m->tracks = malloc((set->n + 1) * sizeof(*m->tracks));
	if (!m->tracks)
		return -ENOMEM;
	m->n = set->n;
	for (unsigned int i = 0; i < set->n; i++)
		track_init(&m->tracks[i], set->all[i].inst);
	qsort(m->tracks, m->n, sizeof(*m->tracks), by_inst);
	return make_order(m, set);
}

static int make_single(struct shim_metric *m)
{
	struct shim_instance none = { .inst = SHIM_IN_NULL };
	const struct shim_instances set = { .n = 1, .all = &none };

	return make_tracks(m, &set);
}

static int make_domain(struct shim_metric *m, const struct shim_archive *ar)
{
	struct shim_instances set = { 0 };
	int err;

	err = shim_instances__union(&set, ar, m->desc->indom);
	if (!err)
		err = make_tracks(m, &set);
	if (!err)
		make_lives(m, ar);
	shim_instances__fini(&set);
	return err;
}

static int make_like(struct shim_metric *m, const struct shim_metric *like)
{
	m->tracks = malloc((like->n + 1) * sizeof(*m->tracks));
	m->order = malloc((like->n + 1) * sizeof(*m->order));
	if (!m->tracks || !m->order)
		return -ENOMEM;
	m->n = like->n;
	memcpy(m->order, like->order, m->n * sizeof(*m->order));
	for (unsigned int i = 0; i < m->n; i++) {
		track_init(&m->tracks[i], like->tracks[i].inst);
		m->tracks[i].birth = like->tracks[i].birth;
		m->tracks[i].death = like->tracks[i].death;
	}
	return 0;
}

int shim_metric__new(const struct shim_archive *ar, const struct shim_desc *desc,
		     const struct shim_metric *like, struct shim_metric **out)
{
	struct shim_metric *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->desc = desc;
	if (desc->indom == SHIM_INDOM_NULL)
		err = make_single(m);
	else
		err = like ? make_like(m, like) : make_domain(m, ar);
	if (err) {
		shim_metric__free(m);
		return err;
	}
	*out = m;
	return 0;
}

void shim_metric__free(struct shim_metric *m)
{
	if (!m)
		return;
	free(m->tracks);
	free(m->order);
	free(m);
}
