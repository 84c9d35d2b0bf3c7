// SPDX-License-Identifier: LGPL-2.1-or-later
/* The interpolator's metrics and instances: create them, and find an instance. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "indom.h"
#include "interp_metric.h"

/*
 * Interpolation of a counter between two observations.
 *
 * The operations have the same order and the same types as in PCP, so that results agree to the
 * last bit.  On every machine, conversions to integers have the same results as on x86-64, even if
 * they are undefined in C.
 */

#define TWO_63 9223372036854775808.0

/* Convert to an integer.  Out-of-range values and NaN become INT32_MIN. */
static int32_t to_i32(double v)
{
	return v > -2147483649.0 && v < 2147483648.0 ? (int32_t)v : INT32_MIN;
}

static int64_t to_i64(double v)
{
	return v >= -TWO_63 && v < TWO_63 ? (int64_t)v : INT64_MIN;
}

static uint32_t to_u32(double v)
{
	return (uint32_t)to_i64(v);
}

/* Convert values of 2^63 and above in two steps, and negative values as signed numbers. */
static uint64_t to_u64(double v)
{
	return v >= TWO_63 ? (uint64_t)to_i64(v - TWO_63) ^ 1ull << 63 : (uint64_t)to_i64(v);
}

/*
 * Return the part of a difference between the observations that is reached at the requested time.
 */
static double part(const struct shim_span *s, double difference)
{
	return (s->t - s->p) * difference / (s->n - s->p);
}

static int32_t lerp_32(const struct shim_span *s, int32_t a, int32_t b)
{
	int32_t d = (int32_t)((uint32_t)b - (uint32_t)a);

	if (b < a && s->wrap)
		return (int32_t)((uint32_t)a + (uint32_t)to_i32(0.5 + part(s, d)));
	return to_i32(0.5 + a + part(s, d));
}

static uint32_t lerp_u32(const struct shim_span *s, uint32_t a, uint32_t b)
{
	if (b >= a)
		return to_u32(0.5 + a + part(s, b - a));
	if (s->wrap)
		return a + to_u32(0.5 + part(s, b - a));	/* modulo 2^32: it wrapped */
	return to_u32(0.5 + a - part(s, a - b));
}

static int64_t lerp_64(const struct shim_span *s, int64_t a, int64_t b)
{
	int64_t d = (int64_t)((uint64_t)b - (uint64_t)a);

	return to_i64(0.5 + (double)a + part(s, (double)d));
}

/*
 * Use signed arithmetic: if the top bit is set, the result is correct modulo 2^64 and to 53 bits.
 */
static uint64_t lerp_u64(const struct shim_span *s, uint64_t a, uint64_t b)
{
	double base = (double)(int64_t)a, v;

	if (b < a && s->wrap) {
		v = 0.5 + base + part(s, (double)(b - a));
		return to_u64(v >= 2 * TWO_63 ? v - 2 * TWO_63 : v);
	}
	if ((int64_t)b >= (int64_t)a || s->wrap)
		return to_u64(0.5 + base + part(s, (double)(int64_t)(b - a)));
	return to_u64(0.5 + base - part(s, (double)(int64_t)(a - b)));
}

static float lerp_float(const struct shim_span *s, float a, float b)
{
	float d = b - a;

	return (float)((double)a + part(s, (double)d));
}

/**
 * shim_lerp__can() - check whether values of a type can be interpolated
 * @type: enum shim_type
 *
 * Return: true for the numeric types.
 */
bool shim_lerp__can(int32_t type)
{
	return type >= SHIM_TYPE_32 && type <= SHIM_TYPE_DOUBLE;
}

void shim_lerp__value(const struct shim_span *span, struct shim_value *v,
		      const struct shim_value *next)
{
	if (!(span->n > span->p))
		return;	/* the two times are equal when converted to double */
	switch (v->type) {
	case SHIM_TYPE_32:
		v->l = lerp_32(span, v->l, next->l);
		break;
	case SHIM_TYPE_U32:
		v->ul = lerp_u32(span, v->ul, next->ul);
		break;
	case SHIM_TYPE_64:
		v->ll = lerp_64(span, v->ll, next->ll);
		break;
	case SHIM_TYPE_U64:
		v->ull = lerp_u64(span, v->ull, next->ull);
		break;
	case SHIM_TYPE_FLOAT:
		v->f = lerp_float(span, v->f, next->f);
		break;
	case SHIM_TYPE_DOUBLE:
		v->d = v->d + part(span, next->d - v->d);
		break;
	}
}

double shim_lerp__seconds(struct shim_ts ts, struct shim_ts start)
{
	long double sec = (__int128)ts.sec - start.sec;

	return (double)(sec + (ts.nsec - start.nsec) / (long double)1e9);
}

#define BIG_DOMAIN	16	/* from this size on, PCP considers when instances begin and end */
#define FEW_CHANGES	16	/* if more than 1/16 of the instances may be added, all are checked */
#define NEAR_GUESS	4	/* instances; beyond this distance, a binary search is faster */
#define NSEC_PER_SEC	1000000000

int64_t shim_interp_metric__time(struct shim_ts ts, struct shim_ts start)
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
	const struct shim_interp_inst *x = a, *y = b;

	return (x->inst > y->inst) - (x->inst < y->inst);
}

static struct shim_interp_inst *search(const struct shim_interp_metric *m, int32_t inst)
{
	struct shim_interp_inst key = { .inst = inst };

	return bsearch(&key, m->insts, m->n, sizeof(key), by_inst);
}

struct shim_interp_inst *shim_interp_metric__inst(struct shim_interp_metric *m, int32_t inst,
						  unsigned int guess)
{
	if (m->desc->indom == SHIM_INDOM_NULL)
		return m->insts;
	for (unsigned int i = guess; i < m->n && i < guess + NEAR_GUESS && m->insts[i].inst <= inst;
	     i++)
		if (m->insts[i].inst == inst)
			return &m->insts[i];
	return search(m, inst);
}

static void put_order(struct shim_interp_order *of)
{
	if (of && !--of->refs)
		free(of);
}

static void inst_init(struct shim_interp_inst *k, int32_t inst)
{
	*k = (struct shim_interp_inst){ .inst = inst };
}

void shim_interp_metric__forget(struct shim_interp_metric *m)
{
	m->void_to = SHIM_TIME_MIN;
	m->void_from = SHIM_TIME_MAX;
	for (unsigned int i = 0; i < m->n; i++) {
		struct shim_interp_inst *k = &m->insts[i];

		k->prior.state = SHIM_BOUND_UNKNOWN;
		k->next.state = SHIM_BOUND_UNKNOWN;
		k->void_to = SHIM_TIME_MIN;
		k->void_from = SHIM_TIME_MAX;
	}
}

static bool lives_at(const struct shim_interp_order *of, uint32_t place, int64_t t)
{
	return of->lives[place].birth <= t && t <= of->lives[place].death;
}

/* Return the number of births up to a time. */
static unsigned int births_until(const struct shim_interp_order *of, int64_t t)
{
	unsigned int low = 0, high = of->n;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (of->lives[of->births[mid]].birth <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Return the number of deaths before a time. */
static unsigned int deaths_before(const struct shim_interp_order *of, int64_t t)
{
	unsigned int low = 0, high = of->n;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (of->lives[of->deaths[mid]].death < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int by_place(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void find_alive(struct shim_interp_order *of, int64_t t)
{
	of->nalive = 0;
	for (uint32_t i = 0; i < of->n; i++)
		if (lives_at(of, i, t))
			of->places[of->nalive++] = i;
}

/* Remove instances that do not live at @t, and add those of @n candidates that do. */
static void update_alive(struct shim_interp_order *of, int64_t t, const uint32_t *candidates,
			 unsigned int n)
{
	unsigned int kept = 0, added = 0;

	for (unsigned int i = 0; i < of->nalive; i++)
		if (lives_at(of, of->places[i], t))
			of->places[kept++] = of->places[i];
	for (unsigned int i = 0; i < n; i++)
		if (lives_at(of, candidates[i], t))
			of->added[added++] = candidates[i];
	qsort(of->added, added, sizeof(*of->added), by_place);
	of->nalive = kept + added;
	/* Merge both from the end. */
	for (unsigned int i = of->nalive; added; i--)
		of->places[i - 1] = kept && of->places[kept - 1] > of->added[added - 1] ?
			of->places[--kept] : of->added[--added];
}

/* Set the times between which the same instances live. */
static void set_limits(struct shim_interp_order *of)
{
	const struct shim_interp_life *lives = of->lives;
	unsigned int born = of->nborn, dead = of->ndead;

	of->alive_from = born ? lives[of->births[born - 1]].birth : SHIM_TIME_MIN;
	if (dead)
		of->alive_from = shim_time__max(of->alive_from, lives[of->deaths[dead - 1]].death + 1);
	of->alive_to = born < of->n ? lives[of->births[born]].birth - 1 : SHIM_TIME_MAX;
	if (dead < of->n)
		of->alive_to = shim_time__min(of->alive_to, lives[of->deaths[dead]].death);
}

void shim_interp_order__live_at(struct shim_interp_order *of, int64_t t)
{
	unsigned int born, dead, more;

	if (of->alive_from <= t && t <= of->alive_to)
		return;
	born = births_until(of, t);
	dead = deaths_before(of, t);
	/* Going forward, others have been born; going backward, others have not died yet. */
	more = born > of->nborn ? born - of->nborn : dead < of->ndead ? of->ndead - dead : 0;
	if (more > of->n / FEW_CHANGES)
		find_alive(of, t);
	else
		update_alive(of, t, born > of->nborn ? &of->births[of->nborn] : &of->deaths[dead], more);
	of->nborn = born;
	of->ndead = dead;
	for (unsigned int i = 0; i < of->nalive; i++)
		of->alive[i] = of->order[of->places[i]];
	set_limits(of);
}

/*
 * Return the lifetime of an instance: from its first state to the state after the last one that
 * contains it.
 */
static struct shim_interp_life life_of(const struct shim_archive *ar,
				       const struct shim_instances *set, unsigned int i)
{
	struct shim_ts start = shim_archive__label(ar)->start;
	size_t after = (size_t)set->last[i] + 1;

	return (struct shim_interp_life){
		.birth = shim_interp_metric__time(set->states[set->first[i]].rec.stamp, start),
		.death = after == set->nstates ? SHIM_TIME_MAX :
			shim_interp_metric__time(set->states[after].rec.stamp, start),
	};
}

/* Set @out to the places, ordered by a key that is less than @nkeys. */
static int sort_places(uint32_t *out, const uint32_t *places, const uint32_t *keys, unsigned int n,
		       size_t nkeys)
{
	uint32_t *count = calloc(nkeys + 1, sizeof(*count));

	if (!count)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++)
		count[keys[i] + 1]++;
	for (size_t i = 1; i < nkeys; i++)
		count[i] += count[i - 1];
	for (unsigned int i = 0; i < n; i++)
		out[count[keys[i]]++] = places[i];
	free(count);
	return 0;
}

/*
 * Order instances as PCP's hash table does, because programs see that order.  There are as many
 * buckets as instances, and each bucket starts with the instance that was added last.
 */
static int make_order(struct shim_interp_metric *m, const struct shim_archive *ar,
		      const struct shim_instances *set)
{
	struct shim_interp_order *of = m->of;
	uint32_t *count = calloc(set->n + 1, sizeof(*count));
	int err;

	if (!count)
		return -ENOMEM;
	for (unsigned int i = 0; i < set->n; i++)
		count[(uint32_t)set->ids[i] % set->n]++;
	for (unsigned int i = 1; i < set->n; i++)
		count[i] += count[i - 1];
	for (unsigned int i = 0; i < set->n; i++) {
		uint32_t at = --count[(uint32_t)set->ids[i] % set->n];

		of->order[at] = search(m, set->ids[i]) - m->insts;
		if (!of->lives)
			continue;
		of->lives[at] = life_of(ar, set, i);
		of->places[i] = at;
	}
	free(count);
	if (!of->lives)
		return 0;
	err = sort_places(of->births, of->places, set->first, set->n, set->nstates);
	return err ? err : sort_places(of->deaths, of->places, set->last, set->n, set->nstates);
}

/* Allocate an order of @n instances.  With @lives, also allocate their lives. */
static struct shim_interp_order *new_order(unsigned int n, bool lives)
{
	struct shim_interp_order *of;
	size_t arrays = lives ? 6 : 1;

	of = malloc(sizeof(*of) + n * (arrays * sizeof(uint32_t) + (lives ? sizeof(*of->lives) : 0)));
	if (!of)
		return NULL;
	*of = (struct shim_interp_order){ .refs = 1, .n = n, .alive_to = SHIM_TIME_MAX };
	of->lives = lives ? (struct shim_interp_life *)(of + 1) : NULL;
	of->order = lives ? (uint32_t *)(of->lives + n) : (uint32_t *)(of + 1);
	if (lives) {
		of->births = of->order + n;
		of->deaths = of->births + n;
		of->alive = of->deaths + n;
		of->places = of->alive + n;
		of->added = of->places + n;
		of->alive_from = SHIM_TIME_MAX;
	} else {
		of->alive = of->order;
		of->nalive = n;
		of->alive_from = SHIM_TIME_MIN;
	}
	return of;
}

/* Allocate a metric, to which the order belongs from now on, even if this fails. */
static struct shim_interp_metric *allocate(const struct shim_desc *desc, struct shim_interp_order *of)
{
	struct shim_interp_metric *m = of ? malloc(sizeof(*m) + of->n * sizeof(*m->insts)) : NULL;

	if (!m) {
		put_order(of);
		return NULL;
	}
	*m = (struct shim_interp_metric){
		.desc = desc, .n = of->n, .of = of,
		.void_to = SHIM_TIME_MIN, .void_from = SHIM_TIME_MAX,
	};
	return m;
}

static int make_single(const struct shim_desc *desc, struct shim_interp_metric **out)
{
	struct shim_interp_metric *m = allocate(desc, new_order(1, false));

	if (!m)
		return -ENOMEM;
	inst_init(m->insts, SHIM_IN_NULL);
	m->of->order[0] = 0;
	*out = m;
	return 0;
}

static int make_of(const struct shim_archive *ar, const struct shim_desc *desc,
		   const struct shim_instances *set, struct shim_interp_metric **out)
{
	struct shim_interp_metric *m = allocate(desc, new_order(set->n, set->largest >= BIG_DOMAIN));
	int err;

	if (!m)
		return -ENOMEM;
	for (unsigned int i = 0; i < set->n; i++)
		inst_init(&m->insts[i], set->ids[i]);
	qsort(m->insts, m->n, sizeof(*m->insts), by_inst);
	err = make_order(m, ar, set);
	if (err)
		shim_interp_metric__free(m);
	else
		*out = m;
	return err;
}

static int make_domain(const struct shim_archive *ar, const struct shim_desc *desc,
		       struct shim_interp_metric **out)
{
	static const struct shim_instances none;
	const struct shim_instances *set = shim_archive__instances(ar, desc->indom);

	if (!set && shim_archive__nindoms(ar, desc->indom))
		return -ENOMEM;
	return make_of(ar, desc, set ? set : &none, out);
}

static int make_like(const struct shim_desc *desc, const struct shim_interp_metric *like,
		     struct shim_interp_metric **out)
{
	struct shim_interp_metric *m;

	like->of->refs++;
	m = allocate(desc, like->of);
	if (!m)
		return -ENOMEM;
	for (unsigned int i = 0; i < m->n; i++)
		inst_init(&m->insts[i], like->insts[i].inst);
	*out = m;
	return 0;
}

int shim_interp_metric__new(const struct shim_archive *ar, const struct shim_desc *desc,
			    const struct shim_interp_metric *like, struct shim_interp_metric **out)
{
	if (like)
		return make_like(desc, like, out);
	return desc->indom == SHIM_INDOM_NULL ? make_single(desc, out) : make_domain(ar, desc, out);
}

void shim_interp_metric__free(struct shim_interp_metric *m)
{
	if (m)
		put_order(m->of);
	free(m);
}
