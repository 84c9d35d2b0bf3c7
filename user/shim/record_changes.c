// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write only the trace values that have changed.
 *
 * PCP interpolates a value between the observation before a time and the one after it.  Therefore a
 * value that stays the same needs only two observations: at the first record with this value, and
 * at the last one.  It is only known that a record was the last one when the next sample is taken.
 * Then the value is written in an additional record that has the same stamp as the last one.
 *
 * Each FULL-th record has all values.  If the recorder is killed, only values that have not changed
 * since that record are missing from the archive's end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "record_changes.h"

#define FULL	60

/*
 * struct entry - a value
 * @written: a record of its sample contains it
 * @adding: the additional record that has been begun contains it
 */
struct entry {
	int32_t inst;
	bool written, adding;
	uint64_t bits;
};

/* Values in ascending order of instances */
struct list {
	struct entry *at;
	size_t n, room;
};

/* A metric's values of the current sample and of the last record */
struct metric {
	struct list now, last;
};

struct shim_rec_changes {
	struct metric *metrics;		/* by index in shim_live_trace__metric() */
	size_t n, room;
	struct shim_ts stamp;		/* the last record's stamp */
	uint64_t records;
};

struct shim_rec_changes *shim_rec_changes__new(void)
{
	return calloc(1, sizeof(struct shim_rec_changes));
}

void shim_rec_changes__free(struct shim_rec_changes *changes)
{
	if (!changes)
		return;
	for (size_t i = 0; i < changes->n; i++) {
		free(changes->metrics[i].now.at);
		free(changes->metrics[i].last.at);
	}
	free(changes->metrics);
	free(changes);
}

/*
 * Return whether interpolation between two equal values returns the same bits.  PCP converts
 * integers to double and adds 0.5, and adds 0 to a double.
 */
static bool is_exact(int32_t type, uint64_t bits)
{
	double d;

	if (type == SHIM_TYPE_U64)
		return bits < 1ull << 52;
	memcpy(&d, &bits, sizeof(d));
	return type == SHIM_TYPE_DOUBLE && isfinite(d) && (d != 0 || !signbit(d));
}

/*
 * Find the entry of an instance, or NULL.  Search from *@from, and set it to where the next search
 * begins.
 */
static struct entry *entry_find(const struct list *list, int32_t inst, size_t *from)
{
	while (*from < list->n && list->at[*from].inst < inst)
		++*from;
	return *from < list->n && list->at[*from].inst == inst ? &list->at[*from] : NULL;
}

static int add_value(struct list *list, const struct shim_value *value)
{
	if (shim_vec__room(list->at, &list->room, list->n))
		return -ENOMEM;
	list->at[list->n++] = (struct entry) { .inst = value->inst, .bits = value->ull };
	return 0;
}

static int take_metric(struct list *now, const struct shim_live_trace *live, size_t i)
{
	size_t n = shim_live_trace__instances(live, shim_live_trace__domain(i));
	int ret = 0;

	now->n = 0;
	for (size_t k = 0; k < n && !ret; k++) {
		struct shim_value value = { 0 };

		if (shim_live_trace__value(live, i, k, &value))
			ret = add_value(now, &value);
	}
	return ret;
}

static int put(struct shim_writer *w, size_t metric, const struct entry *entry)
{
	const struct shim_value value = {
		.inst = entry->inst,
		.type = shim_live_trace__metric(metric)->type,
		.ull = entry->bits,
	};

	return shim_writer__value(w, &value);
}

/*
 * Write a metric's values that the last record lacks and that differ now.  *@begun: the additional
 * record has been begun.
 */
static int complete(struct shim_rec_changes *changes, size_t metric, struct shim_writer *w,
		    bool *begun)
{
	struct metric *m = &changes->metrics[metric];
	bool has_set = false;
	size_t from = 0;
	int ret = 0;

	for (size_t i = 0; i < m->last.n && !ret; i++) {
		struct entry *last = &m->last.at[i];
		const struct entry *now = entry_find(&m->now, last->inst, &from);

		if (last->written || (now && now->bits == last->bits))
			continue;
		if (!*begun)
			ret = shim_writer__begin(w, changes->stamp);
		*begun = true;
		if (!ret && !has_set)
			ret = shim_writer__vset(w, shim_live_trace__metric(metric)->pmid, 0);
		has_set = true;
		if (!ret)
			ret = put(w, metric, last);
		last->adding = true;
	}
	return ret;
}

/* The additional record has been written, or not. */
static void end_additional(struct shim_rec_changes *changes, bool written)
{
	for (size_t i = 0; i < changes->n; i++) {
		const struct list *last = &changes->metrics[i].last;

		for (size_t k = 0; k < last->n; k++) {
			last->at[k].written |= last->at[k].adding && written;
			last->at[k].adding = false;
		}
	}
}

static int complete_all(struct shim_rec_changes *changes, struct shim_writer *w)
{
	bool begun = false;
	int ret = 0;

	for (size_t i = 0; i < changes->n && !ret; i++)
		ret = complete(changes, i, w, &begun);
	if (!begun)
		return ret;
	if (ret)
		shim_writer__cancel(w);
	else
		ret = shim_writer__commit(w);
	end_additional(changes, !ret);
	return ret;
}

int shim_rec_changes__take(struct shim_rec_changes *changes, const struct shim_live_trace *live,
			   struct shim_writer *w)
{
	const struct shim_metric *about;
	int ret = 0;

	for (size_t i = 0; (about = shim_live_trace__metric(i)) && !ret; i++) {
		if (i == changes->n) {
			if (shim_vec__room(changes->metrics, &changes->room, i))
				return -ENOMEM;
			changes->metrics[changes->n++] = (struct metric) { .now.n = 0 };
		}
		if (!about->live_only)
			ret = take_metric(&changes->metrics[i].now, live, i);
	}
	return ret ? ret : complete_all(changes, w);
}

int shim_rec_changes__values(struct shim_rec_changes *changes, size_t metric, struct shim_writer *w)
{
	const int32_t type = shim_live_trace__metric(metric)->type;
	/* Programs that read records without interpolation must see which tags had no events. */
	const bool all = changes->records % FULL == 0 || !shim_live_trace__lasts(metric);
	struct metric *m = &changes->metrics[metric];
	size_t from = 0;
	int ret = 0;

	for (size_t i = 0; i < m->now.n && !ret; i++) {
		struct entry *now = &m->now.at[i];
		const struct entry *last = entry_find(&m->last, now->inst, &from);

		now->written = all || !last || last->bits != now->bits ||
			       !is_exact(type, now->bits);
		if (now->written)
			ret = put(w, metric, now);
	}
	return ret;
}

void shim_rec_changes__settle(struct shim_rec_changes *changes, struct shim_ts stamp)
{
	for (size_t i = 0; i < changes->n; i++) {
		struct metric *m = &changes->metrics[i];
		struct list last = m->last;

		m->last = m->now;
		m->now = last;
		m->now.n = 0;
	}
	changes->stamp = stamp;
	changes->records++;
}

int shim_rec_changes__finish(struct shim_rec_changes *changes, struct shim_writer *w)
{
	for (size_t i = 0; i < changes->n; i++)
		changes->metrics[i].now.n = 0;
	return complete_all(changes, w);
}
