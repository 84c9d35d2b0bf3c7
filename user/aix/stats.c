// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Collects the turns of sets from marks: samples that the caller asks for.  What a set
 * has counted since the last mark is added to its open turn; the first mark since
 * which it has counted nothing ends the turn.
 *
 * The last RING turns of all sets are kept for pmx_stats_turn().  For estimates each
 * set keeps all its turns; when there are SET_TURNS, they are added up in pairs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/vec.h"
#include "pmx.h"

#define RING		1024
#define SET_TURNS	4096

/* A set's turns that have ended, and the one that may go on */
struct set_stats {
	pmx_turn_t open;
	bool is_open;
	pmx_turn_t *turns;
	size_t n, room;
	unsigned int join;	/* how many turns are added up in an entry */
	unsigned int joined;	/* how many the last entry has so far */
};

struct pmx_stats {
	struct shim_aix_who who;
	struct shim_aix_sums *first, *last;
	unsigned long long first_anchor, last_anchor;
	unsigned long long program;	/* of which the turns are: a context's number */
	int nsets;
	struct set_stats *sets;
	pmx_turn_t ring[RING];
	unsigned long long nturns;
};

static int who_of(int scope, struct shim_aix_who *who)
{
	static const enum shim_aix_scope scopes[] = { AIX_THREAD, AIX_GROUP, AIX_SYSTEM };

	if (scope < PMX_MYTHREAD || scope > PMX_SYSTEM)
		return EINVAL;
	*who = (struct shim_aix_who) { .scope = scopes[scope] };
	return 0;
}

/**
 * pmx_set_program_mx() - pm_set_program_mx() with options
 * @scope: PMX_MYTHREAD, PMX_MYGROUP or PMX_SYSTEM
 * @prog: the program
 * @options: how sets take turns
 *
 * The anchor needs a counter of its own beside those of each set.
 *
 * Return: 0 or an error of pm_set_program_mx(); EINVAL; Pmapi_InvalidEvent also for the anchor,
 * Pmapi_InvalidSlice also for its slice.
 */
SHIM_API int pmx_set_program_mx(int scope, const pm_prog_mx_t *prog, const pmx_options_t *options)
{
	struct shim_aix_who who;
	int ret = who_of(scope, &who);

	if (ret || !options)
		return EINVAL;
	return shim_aix__set_mx_with(who, prog, options);
}

struct reading {
	struct shim_aix_sums *sums;
	unsigned long long anchor, program;
	int nsets;
};

static int read_anchor(const struct shim_aix_call *call, unsigned int flags,
		       unsigned long long *count)
{
	struct {
		struct vcpc_sample sample;
		__u64 value;
	} room;
	int ret;

	*count = 0;
	if (!call->ctx->anchor)
		return 0;
	ret = shim_counters__sample_at(call->ctx->anchor, call->tid, flags, &room.sample,
				       sizeof(room));
	if (!ret)
		*count = room.value;
	return ret;
}

static int read_locked(struct shim_aix_call *call, void *arg)
{
	unsigned int flags = call->who.scope == AIX_THREAD ? 0 : VCPC_SAMPLE_F_TOTAL;
	struct reading *r = arg;
	int ret;

	if (call->ctx->program.kind == AIX_PLAIN)
		return Pmapi_WrongKind;
	if (flags)
		call->tid = 0;
	ret = shim_aix_sums__read(call->ctx, call->tid, flags, &r->sums);
	if (ret)
		return shim_aix__error(ret);
	r->nsets = call->ctx->program.nsets;
	r->program = call->ctx->number;
	ret = read_anchor(call, flags, &r->anchor);
	if (ret)
		free(r->sums);
	return shim_aix__error(ret);
}

/**
 * pmx_stats_open() - begin to collect turns, with the first mark
 * @scope: whose program
 * @stats: for pmx_stats_close(); set only on success
 *
 * Return: 0, EINVAL, or an error of pm_get_data_mx().
 */
SHIM_API int pmx_stats_open(int scope, pmx_stats_t **stats)
{
	struct pmx_stats *s = calloc(1, sizeof(*s));
	struct reading r = { 0 };
	int ret;

	if (!s)
		return Pmapi_Malloc_Err;
	ret = stats ? who_of(scope, &s->who) : EINVAL;
	if (!ret)
		ret = shim_aix_state__call(s->who, read_locked, &r);
	if (ret) {
		free(s);
		return ret;
	}
	s->first = r.sums;
	s->nsets = r.nsets;
	s->program = r.program;
	s->first_anchor = s->last_anchor = r.anchor;
	s->sets = calloc(r.nsets, sizeof(*s->sets));
	if (!s->sets) {
		pmx_stats_close(s);
		return Pmapi_Malloc_Err;
	}
	for (int k = 0; k < s->nsets; k++)
		s->sets[k].join = 1;
	*stats = s;
	return 0;
}

static void add_turn(pmx_turn_t *to, const pmx_turn_t *turn)
{
	to->length += turn->length;
	to->anchor += turn->anchor;
	for (int c = 0; c < MAX_COUNTERS; c++)
		to->counts[c] += turn->counts[c];
}

/* Half as many entries, each of twice as many turns */
static void join_pairs(struct set_stats *set)
{
	for (size_t i = 0; i < set->n / 2; i++) {
		set->turns[i] = set->turns[2 * i];
		add_turn(&set->turns[i], &set->turns[2 * i + 1]);
	}
	set->n /= 2;
	set->join *= 2;
	set->joined = set->join;
}

/* Room for one more turn of each set, before any is noted */
static int make_room(struct pmx_stats *s)
{
	for (int k = 0; k < s->nsets; k++) {
		struct set_stats *set = &s->sets[k];

		if (set->n < SET_TURNS && shim_vec__room(set->turns, &set->room, set->n))
			return Pmapi_Malloc_Err;
	}
	return 0;
}

static void keep(struct set_stats *set, const pmx_turn_t *turn)
{
	if (set->n && set->joined < set->join) {
		add_turn(&set->turns[set->n - 1], turn);
		set->joined++;
		return;
	}
	if (set->n == SET_TURNS)
		join_pairs(set);
	set->turns[set->n++] = *turn;
	set->joined = 1;
}

static void close_turn(struct pmx_stats *s, struct set_stats *set)
{
	keep(set, &set->open);
	s->ring[s->nturns++ % RING] = set->open;
	set->is_open = false;
}

static __u64 less(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

/* What a set has counted since the last mark */
static pmx_turn_t difference(const struct shim_aix_context *ctx, int k,
			     const struct shim_aix_sums *now, const struct shim_aix_sums *last)
{
	const struct shim_aix_program *p = &ctx->program;
	pmx_turn_t turn = {
		.set = k,
		.start = last->time,
		.length = less(now->turns[k].tick, last->turns[k].tick),
	};

	for (int c = 0; c < MAX_COUNTERS; c++)
		if (p->where[k][c] >= 0)
			turn.counts[c] = less(now->values[p->where[k][c]],
					      last->values[p->where[k][c]]);
	if (p->anchor != COUNT_NOTHING)
		turn.anchor = less(now->values[p->anchor_at[k]], last->values[p->anchor_at[k]]);
	return turn;
}

static void mark_set(struct pmx_stats *s, int k, const pmx_turn_t *turn)
{
	struct set_stats *set = &s->sets[k];

	if (!turn->length) {
		if (set->is_open)
			close_turn(s, set);
	} else if (set->is_open) {
		add_turn(&set->open, turn);
	} else {
		set->open = *turn;
		set->is_open = true;
	}
}

static int mark_locked(struct shim_aix_call *call, void *arg)
{
	struct pmx_stats *s = arg;
	struct reading r = { 0 };
	int ret = read_locked(call, &r);

	if (ret)
		return ret;
	ret = r.program == s->program ? make_room(s) : Pmapi_WrongKind;
	if (ret) {
		free(r.sums);
		return ret;
	}
	for (int k = 0; k < s->nsets; k++) {
		pmx_turn_t turn = difference(call->ctx, k, r.sums, s->last ? s->last : s->first);

		mark_set(s, k, &turn);
	}
	free(s->last);
	s->last = r.sums;
	s->last_anchor = r.anchor;
	return 0;
}

/**
 * pmx_stats_mark() - note what was counted since the last mark
 * @stats: the turns; to be called by the thread whose program it is
 *
 * If marks follow each other faster than turns, each turn is seen by itself.  Otherwise
 * several turns are added up, which is enough for estimates if there are many marks.
 *
 * Return: 0, EINVAL, Pmapi_WrongKind (another program), or an error of pm_get_data_mx().
 */
SHIM_API int pmx_stats_mark(pmx_stats_t *stats)
{
	return stats ? shim_aix_state__call(stats->who, mark_locked, stats) : EINVAL;
}

/**
 * pmx_stats_whole() - the time from the first mark to the last
 * @stats: the turns
 * @whole: filled
 *
 * Return: 0, EINVAL.
 */
SHIM_API int pmx_stats_whole(const pmx_stats_t *stats, pmx_whole_t *whole)
{
	const struct shim_aix_sums *last;

	if (!stats || !whole)
		return EINVAL;
	last = stats->last ? stats->last : stats->first;
	*whole = (pmx_whole_t) {
		.gap = less(last->tick, stats->first->tick),
		.anchor = less(stats->last_anchor, stats->first_anchor),
		.rounds = less(last->turns[0].rounds, stats->first->turns[0].rounds),
		.turns = stats->nturns,
	};
	for (int k = 0; k < stats->nsets; k++) {
		whole->counted += less(last->turns[k].tick, stats->first->turns[k].tick);
		whole->voids += less(last->turns[k].voids, stats->first->turns[k].voids);
	}
	whole->gap = less(whole->gap, whole->counted);
	return 0;
}

/**
 * pmx_stats_turn() - one of the last 1024 turns that have ended
 * @stats: the turns
 * @n: from 0, oldest first, below the whole's turns
 * @turn: filled
 *
 * Return: 0, EINVAL; ENOENT if it is not there, or not any more.
 */
SHIM_API int pmx_stats_turn(const pmx_stats_t *stats, unsigned long long n, pmx_turn_t *turn)
{
	if (!stats || !turn)
		return EINVAL;
	if (n >= stats->nturns || stats->nturns - n > RING)
		return ENOENT;
	*turn = stats->ring[n % RING];
	return 0;
}

/**
 * pmx_stats_estimate() - what a counter would have counted in the whole time
 * @stats: the turns
 * @set: of the program
 * @counter: of the set
 * @estimate: filled
 *
 * Return: 0, EINVAL, Pmapi_Malloc_Err.
 */
SHIM_API int pmx_stats_estimate(const pmx_stats_t *stats, int set, int counter,
				pmx_estimate_t *estimate)
{
	const struct set_stats *s;
	struct shim_pmx_turn *turns;
	pmx_whole_t whole;
	size_t n;

	if (pmx_stats_whole(stats, &whole) || !estimate || set < 0 || set >= stats->nsets ||
	    counter < 0 || counter >= MAX_COUNTERS)
		return EINVAL;
	s = &stats->sets[set];
	n = s->n + s->is_open;
	turns = calloc(n + 1, sizeof(*turns));
	if (!turns)
		return Pmapi_Malloc_Err;
	for (size_t i = 0; i < n; i++) {
		const pmx_turn_t *turn = i < s->n ? &s->turns[i] : &s->open;

		turns[i] = (struct shim_pmx_turn) { turn->counts[counter], turn->length,
						    turn->anchor };
	}
	shim_pmx__estimate(turns, n, whole.counted, whole.anchor, estimate);
	free(turns);
	return 0;
}

/**
 * pmx_stats_close() - forget the turns
 * @stats: may be NULL
 */
SHIM_API void pmx_stats_close(pmx_stats_t *stats)
{
	if (!stats)
		return;
	for (int k = 0; stats->sets && k < stats->nsets; k++)
		free(stats->sets[k].turns);
	free(stats->sets);
	free(stats->first);
	free(stats->last);
	free(stats);
}
