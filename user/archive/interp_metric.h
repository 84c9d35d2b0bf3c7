/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The known observations of each instance: the last one before a time and the first one after it.
 *
 * Times are nanoseconds since the archive's start, clamped to 64 bits.
 */
#ifndef SHIM_ARCHIVE_INTERP_METRIC_H
#define SHIM_ARCHIVE_INTERP_METRIC_H

#include <stdbool.h>

#include "reader.h"
#include "types.h"

#define SHIM_TIME_MIN	INT64_MIN
#define SHIM_TIME_MAX	INT64_MAX

static inline int64_t shim_time__min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t shim_time__max(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Times of records are clamped to these limits, so that one nanosecond before or after is still a
 * valid time.
 */
#define SHIM_TIME_FIRST	(SHIM_TIME_MIN + 2)
#define SHIM_TIME_LAST	(SHIM_TIME_MAX - 2)

enum shim_bound_state {
	SHIM_BOUND_UNKNOWN,
	SHIM_BOUND_NONE,	/* no observation up to the archive's start or end */
	SHIM_BOUND_MARK,
	SHIM_BOUND_VALUE,
};

/*
 * struct shim_interp_bound - an observation, or the reason why there is none
 * @sec: @at in seconds, for the arithmetic; only for a value
 * @len, @bits: for a value: its length and the bits of its union; it has the metric's type
 */
struct shim_interp_bound {
	enum shim_bound_state state;
	uint32_t len;
	int64_t at;
	double sec;
	uint64_t bits;
};

static inline void shim_interp_bound__keep(struct shim_interp_bound *bound,
					   const struct shim_value *value)
{
	bound->len = value->len;
	bound->bits = value->ull;
}

/*
 * Store an observation, except for its instance.  It is stored where it is needed, because the CPU
 * would have to wait for its parts before it could copy them as a whole.
 */
static inline void shim_interp_bound__value(const struct shim_interp_bound *bound, int32_t type,
					    struct shim_value *out)
{
	out->type = type;
	out->len = bound->len;
	out->ull = bound->bits;
}

/*
 * struct shim_interp_inst - one instance of a metric
 * @prior: the last observation at or before any time from @prior.at to @prior_to
 * @next: the first observation after any time from @next_from to before @next.at
 * @touched: a fetch or a scan has met the instance; until then, its metric has its empty ranges
 * @void_to: at and before this time there is no prior observation
 * @void_from: at and after this time there is no next observation
 * @seen: time of the last record with the instance that a scan found; valid in scan
 *	number @scan
 * @wanted: the current fetch requests the instance
 * @pending: a scan is searching for its observation
 */
struct shim_interp_inst {
	int32_t inst;
	uint32_t scan;
	bool wanted;
	bool pending;
	bool touched;
	int64_t seen;
	struct shim_interp_bound prior, next;
	int64_t prior_to, next_from;
	int64_t void_to, void_from;
};

/* The time span in which an instance exists */
struct shim_interp_life {
	int64_t birth, death;
};

/*
 * struct shim_interp_order - the instances of a domain, shared by its metrics of one interpolator
 * @order: the order in which values are returned, as indices of instances
 * @lives: lifetimes in the same order, or NULL if instances always exist; then the remaining arrays
 *	are not used
 * @births, @deaths: positions in @order, by the start and by the end of the life
 * @nborn, @ndead: number of instances that were born, or dead, at the last time
 * @alive: the @nalive instances of @order that live at any time from @alive_from to @alive_to;
 *	@places are their positions in @order
 * @added: room for the positions of instances that are added to @places
 */
struct shim_interp_order {
	unsigned int refs, n;
	uint32_t *order;
	struct shim_interp_life *lives;
	uint32_t *births, *deaths;
	unsigned int nborn, ndead;
	uint32_t *alive, *places, *added;
	unsigned int nalive;
	int64_t alive_from, alive_to;
};

/*
 * struct shim_interp_metric - one metric and its instances
 * @insts: array of @n instances, in ascending order of IDs
 * @void_to, @void_from: the same as those of an instance, for all instances that are not touched
 * @dptr: the last record had its values outside of the value set
 * @fetch: number of the last fetch that requested the metric
 * @answered: @first and @numval belong to that fetch
 * @last: run and time of the last answer; the run is 0 if it had no values; @before_last: the same
 *	for the previous answer
 * @pending: number of its instances that a scan is searching for
 * @first, @numval: index of the first returned value, and number of values or an error
 */
struct shim_interp_metric {
	const struct shim_desc *desc;
	struct shim_interp_order *of;
	int64_t void_to, void_from;
	uint64_t fetch;
	struct shim_interp_last {
		uint64_t run;
		int64_t at;
	} last, before_last;
	size_t first;
	int32_t numval;
	bool answered;
	bool dptr;
	unsigned int pending;
	unsigned int n;
	struct shim_interp_inst insts[];
};

/* @like is NULL, or another metric with the same instance domain, whose order is shared. */
int shim_interp_metric__new(const struct shim_archive *ar, const struct shim_desc *desc,
			    const struct shim_interp_metric *like, struct shim_interp_metric **out);
void shim_interp_metric__free(struct shim_interp_metric *m);
/* Discard all observations, and the ranges that are known to contain no observation. */
void shim_interp_metric__forget(struct shim_interp_metric *m);

/* Find an instance by its ID, starting at index @guess. Return NULL if there is none. */
struct shim_interp_inst *shim_interp_metric__inst(struct shim_interp_metric *m, int32_t inst,
						  unsigned int guess);

/* Set @of->alive to the instances that live at a time. */
void shim_interp_order__live_at(struct shim_interp_order *of, int64_t t);

/* Prepare an instance that a fetch or a scan meets, perhaps for the first time. */
static inline void shim_interp_inst__touch(struct shim_interp_inst *k,
					   const struct shim_interp_metric *m)
{
	if (k->touched)
		return;
	k->touched = true;
	k->void_to = m->void_to;
	k->void_from = m->void_from;
}

static inline bool shim_interp_inst__prior_known(const struct shim_interp_inst *k, int64_t t)
{
	return k->prior.state && k->prior.at <= t && t <= k->prior_to;
}

static inline bool shim_interp_inst__next_known(const struct shim_interp_inst *k, int64_t t)
{
	return k->next.state && k->next_from <= t && t < k->next.at;
}

/* Convert a stamp to nanoseconds since @start, clamped to SHIM_TIME_FIRST and SHIM_TIME_LAST. */
int64_t shim_interp_metric__time(struct shim_ts ts, struct shim_ts start);

/* Interpolation of a counter between two observations; only the arithmetic, exactly as in PCP */

/**
 * struct shim_span - the times of two observations, and a time between them
 * @t: the requested time
 * @p: time of the previous observation, < @t
 * @n: time of the next observation, > @t; all times are in seconds since the archive's start
 * @wrap: a counter that decreases has wrapped around
 */
struct shim_span {
	double t, p, n;
	bool wrap;
};

bool shim_lerp__can(int32_t type);
/*
 * Replace @v, the value at @span->p, with the value at @span->t.  @next is the one at @span->n.
 * shim_lerp__can() must accept the type.
 */
void shim_lerp__value(const struct shim_span *span, struct shim_value *v,
		      const struct shim_value *next);
/* Return whether @span->t is nearer to the next observation; false if it is exactly halfway. */
static inline bool shim_lerp__is_past_middle(const struct shim_span *span)
{
	return span->t > (span->p + span->n) / 2;
}

/* Return the seconds from @start to @ts, rounded once, as in PCP. */
double shim_lerp__seconds(struct shim_ts ts, struct shim_ts start);

#endif /* SHIM_ARCHIVE_INTERP_METRIC_H */
