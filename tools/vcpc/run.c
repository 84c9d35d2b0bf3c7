// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compute the quantities of one recorded run.
 *
 * The recorder's own metrics are summed over the run: the command's counts since its start, and the
 * times and counts of each tag's transactions that ended in the run, as means per transaction. All
 * other metrics are averaged over time, counters as rates.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shim/trace.h>

#include "damage.h"
#include "names.h"
#include "run.h"
#include "tally.h"
#include "value.h"
#include "vcpc.h"

/* The histogram of a tag's times so far: number of transactions per bucket */
struct times {
	char *tag;
	uint64_t slots[SHIM_TRACE_HIST_SLOTS];
};

/*
 * @scopes: numbers of scopes; @quantities: indexes into the run's list, until it is sorted
 * @tags: indexes into @times
 * @counted: rows of vcpc.transact.counted, sorted by instance; @watched: rows of
 *   vcpc.transact.time.count
 * @count_is_hidden: trace.transact.count was not requested, but is read as a divisor
 */
struct builder {
	struct vcpc_run *run;
	const struct vcpc_tally *tally;
	struct vcpc_names scopes, quantities, tags;
	struct times *times;
	size_t ntimes, times_room;
	const struct vcpc_rows *counted, *watched;
	bool count_is_hidden;
	int err;
};

static struct vcpc_quantity *quantity_find(const struct builder *b, const char *scope,
					   const char *what)
{
	long at = vcpc_names_find(&b->quantities, scope, what);

	return at < 0 ? NULL : &b->run->list[at];
}

static int make_room(struct vcpc_run *run)
{
	size_t room = run->room ? 2 * run->room : 32;
	struct vcpc_quantity *list;

	if (run->n < run->room)
		return 0;
	list = reallocarray(run->list, room, sizeof(*list));
	if (!list)
		return ENOMEM;
	run->list = list;
	run->room = room;
	return 0;
}

/*
 * Find a quantity, or add it with the value 0.  Return NULL and set @err if there is no memory for
 * it.
 */
static struct vcpc_quantity *quantity(struct builder *b, const char *scope, const char *what,
				      bool seconds)
{
	struct vcpc_quantity *q = quantity_find(b, scope, what);
	long order;

	if (q)
		return q;
	order = vcpc_names_number(&b->scopes, scope, "");
	if (order < 0 || make_room(b->run)) {
		b->err = ENOMEM;
		return NULL;
	}
	q = &b->run->list[b->run->n];
	*q = (struct vcpc_quantity){
		.scope = strdup(scope), .what = strdup(what), .order = order, .seconds = seconds,
	};
	if (q->scope && q->what && vcpc_names_number(&b->quantities, scope, what) >= 0) {
		b->run->n++;
		return q;
	}
	free(q->scope);
	free(q->what);
	b->err = ENOMEM;
	return NULL;
}

/* Add @value to a quantity.  Return the quantity, or NULL as quantity() does. */
static struct vcpc_quantity *quantity_add(struct builder *b, const char *scope, const char *what, bool seconds,
					  double value)
{
	struct vcpc_quantity *q = quantity(b, scope, what, seconds);

	if (q)
		q->value += value;
	return q;
}

/*
 * Return the increase of a tag's counter in the run.  A counter that is not in the first record
 * started at 0.
 */
static double of_tag(const struct vcpc_row *row)
{
	return row->gained + (row->late ? row->first : 0);
}

/* Return the command's count, including the first value, because its counters started at 0. */
static double of_command(const struct vcpc_row *row)
{
	return row->first + row->gained;
}

/* Add an event's count.  Clocks are added in seconds, like all times. */
static struct vcpc_quantity *add_event(struct builder *b, const char *scope, const char *event, double value)
{
	bool clock = vcpc_is_clock(event);

	return quantity_add(b, scope, event, clock, clock ? value * 1e-9 : value);
}

static void take_total(struct builder *b, const char *leaf, const char *instance,
		       const struct vcpc_row *row)
{
	(void)instance;
	add_event(b, "", leaf, of_command(row));
}

static void take_tick(struct builder *b, const char *leaf, const char *instance,
		      const struct vcpc_row *row)
{
	(void)leaf;
	(void)instance;
	quantity_add(b, "", "cpu_time", true, of_command(row) / 1e9);
}

static void take_count(struct builder *b, const char *leaf, const char *instance,
		       const struct vcpc_row *row)
{
	quantity_add(b, instance, leaf, false, of_tag(row));
}

/*
 * Keep the sum of a tag's times until finish_means(), because the number of transactions may be
 * read later.
 */
static void take_time(struct builder *b, const char *leaf, const char *instance,
		      const struct vcpc_row *row)
{
	(void)leaf;
	quantity_add(b, instance, "time", true, of_tag(row));
}

static struct times *times_of(struct builder *b, const char *instance, size_t len)
{
	char *tag = strndup(instance, len);
	long at = tag ? vcpc_names_number(&b->tags, tag, "") : -ENOMEM;

	if (at >= 0 && (size_t)at < b->ntimes) {
		free(tag);
		return &b->times[at];
	}
	if (at >= 0 && b->ntimes == b->times_room) {
		size_t room = b->times_room ? 2 * b->times_room : 8;
		struct times *times = reallocarray(b->times, room, sizeof(*times));

		if (times) {
			b->times = times;
			b->times_room = room;
		}
	}
	if (at < 0 || b->ntimes == b->times_room) {
		free(tag);
		b->err = ENOMEM;
		return NULL;
	}
	b->times[at] = (struct times){ .tag = tag };
	b->ntimes++;
	return &b->times[at];
}

/* Store the count of a bucket of a tag's histogram.  Its instance is named "tag/4096ns". */
static void take_slot(struct builder *b, const char *leaf, const char *instance,
		      const struct vcpc_row *row)
{
	const char *slash = strrchr(instance, '/');
	struct times *times = slash ? times_of(b, instance, slash - instance) : NULL;
	uint64_t ns = slash ? strtoull(slash + 1, NULL, 10) : 0;
	double gained = of_tag(row);

	(void)leaf;
	/* An archive may contain any value.  Ignore one that cannot be a number of transactions. */
	if (!(gained > 0 && gained < 0x1p63))
		return;
	for (unsigned int i = 0; times && i < SHIM_TRACE_HIST_SLOTS; i++)
		if (shim_trace_hist_floor(i) == ns)
			times->slots[i] += (uint64_t)gained;
}

static void finish_times(struct builder *b, const struct times *times)
{
	static const struct {
		const char *what;
		double part;
	} percentiles[] = { { "p50", 0.5 }, { "p90", 0.9 }, { "p99", 0.99 } };
	uint64_t n = 0;

	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		n += times->slots[i];
	for (size_t p = 0; n && p < sizeof(percentiles) / sizeof(percentiles[0]); p++) {
		struct vcpc_quantity *q;
		uint64_t before = 0;
		unsigned int i = 0;

		while (i < SHIM_TRACE_HIST_SLOTS - 1 &&
		       (before += times->slots[i]) < n * percentiles[p].part)
			i++;
		q = quantity_add(b, times->tag, percentiles[p].what, true,
				 (shim_trace_hist_floor(i) + shim_trace_hist_floor(i + 1) - 1) / 2e9);
		if (q)
			q->resolution = (shim_trace_hist_floor(i + 1) - 1 - shim_trace_hist_floor(i)) / 2e9;
	}
}

static const struct vcpc_rows *rows_of(const struct vcpc_tally *tally, const char *metric)
{
	for (size_t i = 0; i < tally->catalog.n; i++)
		if (!strcmp(tally->catalog.entries[i].name, metric))
			return &tally->groups[i];
	return NULL;
}

static int compare_inst(const void *inst, const void *row)
{
	int a = *(const int *)inst, b = ((const struct vcpc_row *)row)->inst;

	return a < b ? -1 : a > b;
}

/* Find the row of an instance.  Rows are sorted by instance. */
static const struct vcpc_row *row_of(const struct vcpc_rows *g, int inst)
{
	return g && g->n ? bsearch(&inst, g->rows, g->n, sizeof(*g->rows), compare_inst) : NULL;
}

/*
 * Add an event's count in transactions; finish_means() computes the mean.  A tag that was removed
 * and recreated has several instances, named "tag/event".
 */
static void take_sum(struct builder *b, const char *leaf, const char *instance,
		     const struct vcpc_row *row)
{
	const struct vcpc_row *counted = row_of(b->counted, row->inst);
	const char *slash = strrchr(instance, '/');
	double n = counted ? of_tag(counted) : 0;
	struct vcpc_quantity *q = NULL;
	char *tag;

	(void)leaf;
	if (!slash || !(n > 0))
		return;
	tag = strndup(instance, slash - instance);
	if (tag)
		q = add_event(b, tag, slash + 1, of_tag(row));
	else
		b->err = ENOMEM;
	if (q)
		q->counted += n;
	free(tag);
}

/* Add a part of the time of transactions; finish_means() computes its mean. */
static void take_part(struct builder *b, const char *leaf, const char *instance,
		      const struct vcpc_row *row)
{
	const struct vcpc_row *watched = row_of(b->watched, row->inst);
	double n = watched ? of_tag(watched) : 0;
	struct vcpc_quantity *q =
		n > 0 ? quantity_add(b, instance, leaf, true, of_tag(row) / 1e9) : NULL;

	if (q)
		q->counted += n;
}

static void value_ignore(struct builder *b, const char *leaf, const char *instance,
			 const struct vcpc_row *row)
{
	(void)b;
	(void)leaf;
	(void)instance;
	(void)row;
}

/* The recorder's metrics, identified by prefixes of their names */
static const struct {
	const char *metric;
	void (*take)(struct builder *b, const char *leaf, const char *instance,
		     const struct vcpc_row *row);
} own[] = {
	{ "vcpc.count.", take_total },
	{ "vcpc.time.tick", take_tick },
	{ "trace.transact.count", take_count },
	{ "trace.transact.total_time", take_time },
	{ "trace.point.count", take_count },
	{ "vcpc.transact.aborted", take_count },
	{ "vcpc.transact.hist", take_slot },
	{ "vcpc.transact.sum", take_sum },
	{ "vcpc.transact.time.count", value_ignore },
	{ "vcpc.transact.time.", take_part },
	{ "vcpc.", value_ignore },
	{ "trace.", value_ignore },
};

static void take_other(struct builder *b, const struct vcpc_entry *e, const char *instance,
		       const struct vcpc_row *row)
{
	double value = row->seconds > 0 ? row->weighted / row->seconds : row->sum / row->n;
	char *what;

	if (!row->n)
		return;
	if (asprintf(&what, instance ? "%s[%s]" : "%s", e->name, instance) < 0) {
		b->err = ENOMEM;
		return;
	}
	quantity_add(b, "", what, false, value);
	free(what);
}

static void take_row(struct builder *b, const struct vcpc_entry *e, const char *instance,
		     const struct vcpc_row *row)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (strncmp(e->name, own[i].metric, strlen(own[i].metric)))
			continue;
		own[i].take(b, strrchr(e->name, '.') + 1, instance ? instance : "", row);
		return;
	}
	take_other(b, e, instance, row);
}

static void take_metric(struct builder *b, size_t at)
{
	const struct vcpc_entry *e = &b->tally->catalog.entries[at];
	const struct vcpc_rows *g = &b->tally->groups[at];

	for (size_t i = 0; i < g->n; i++) {
		char *name = NULL;
		int err = e->desc.indom == PM_INDOM_NULL ? 0 :
			pmNameInDomArchive(e->desc.indom, g->rows[i].inst, &name);

		if (err == -ENOMEM)
			vcpc_no_memory();
		/*
		 * Skip it: a quantity without a name cannot be paired with a quantity of the other
		 * run.
		 */
		if (err == PM_ERR_INST_LOG || err == PM_ERR_INST || err == PM_ERR_INDOM_LOG)
			continue;
		if (err) {
			b->err = err > -PM_ERR_BASE ? err : -EIO;
			return;
		}
		take_row(b, e, name, &g->rows[i]);
		free(name);
	}
}

/*
 * Convert the sums of times and of counts to means per transaction.  A tag without transactions has
 * no means.  The number of transactions is hidden if it was read only to compute the mean.
 */
static void finish_means(struct builder *b)
{
	for (size_t i = 0; i < b->run->n; i++) {
		struct vcpc_quantity *q = &b->run->list[i];
		const struct vcpc_quantity *n = quantity_find(b, q->scope, "count");

		if (*q->scope && !strcmp(q->what, "time"))
			q->value = n && n->value > 0 ? q->value / n->value : NAN;
		else if (q->counted > 0)
			q->value /= q->counted;
	}
	for (size_t i = 0; i < b->run->n && b->count_is_hidden; i++)
		if (*b->run->list[i].scope && !strcmp(b->run->list[i].what, "count"))
			b->run->list[i].value = NAN;
}

struct ranked {
	struct vcpc_quantity q;
	size_t came;
};

static int compare_order(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;

	if (one->q.order != other->q.order)
		return one->q.order < other->q.order ? -1 : 1;
	return one->came < other->came ? -1 : one->came > other->came;
}

/* Sort by scope, then by the order in which quantities were added. */
static int run_sort(struct vcpc_run *run)
{
	struct ranked *ranked = reallocarray(NULL, run->n + 1, sizeof(*ranked));

	if (!ranked)
		return ENOMEM;
	for (size_t i = 0; i < run->n; i++)
		ranked[i] = (struct ranked){ run->list[i], i };
	qsort(ranked, run->n, sizeof(*ranked), compare_order);
	for (size_t i = 0; i < run->n; i++)
		run->list[i] = ranked[i].q;
	free(ranked);
	return 0;
}

static void builder_fini(struct builder *b)
{
	for (size_t i = 0; i < b->ntimes; i++)
		free(b->times[i].tag);
	free(b->times);
	vcpc_names_free(&b->scopes);
	vcpc_names_free(&b->quantities);
	vcpc_names_free(&b->tags);
}

static int build(struct builder *b, bool all)
{
	b->counted = rows_of(b->tally, "vcpc.transact.counted");
	b->watched = rows_of(b->tally, "vcpc.transact.time.count");
	if (vcpc_names_number(&b->scopes, "", "") < 0)
		b->err = ENOMEM;
	if (all && b->tally->records && !b->err)
		quantity_add(b, "", "elapsed", true, b->tally->end - b->tally->begin);
	for (size_t i = 0; i < b->tally->catalog.n && !b->err; i++)
		take_metric(b, i);
	finish_means(b);
	for (size_t i = 0; i < b->ntimes && !b->err; i++)
		finish_times(b, &b->times[i]);
	if (!b->err)
		b->err = run_sort(b->run);
	return b->err ? vcpc_fail(b->err, "values") : 0;
}

/* Metrics, each with the metric by which its values are divided and that must also be read */
static const char *const divisors[][2] = {
	{ "trace.transact.total_time", "trace.transact.count" },
	{ "vcpc.transact.sum", "vcpc.transact.counted" },
	{ "vcpc.transact.time.oncpu", "vcpc.transact.time.count" },
	{ "vcpc.transact.time.runqueue", "vcpc.transact.time.count" },
	{ "vcpc.transact.time.blocked", "vcpc.transact.time.count" },
};

#define DIVISORS (sizeof(divisors) / sizeof(divisors[0]))

static bool is_named(char *const *names, const char *name)
{
	for (; *names; names++)
		if (!strcmp(*names, name))
			return true;
	return false;
}

static bool is_there(const char *name)
{
	pmID pmid;

	return pmLookupName(1, &name, &pmid) == 1;
}

/* Create a list of @names and their divisors.  Return NULL if out of memory. */
static char **with_divisors(char *const *names, bool *count_is_hidden)
{
	size_t n = 0;
	char **all;

	while (names[n])
		n++;
	all = calloc(n + DIVISORS + 1, sizeof(*all));
	if (!all)
		return NULL;
	memcpy(all, names, n * sizeof(*all));
	for (size_t i = 0; i < DIVISORS; i++) {
		if (!is_named(all, divisors[i][0]) || is_named(all, divisors[i][1]) ||
		    !is_there(divisors[i][1]))
			continue;
		all[n++] = (char *)divisors[i][1];
		*count_is_hidden |= !i && !is_named(names, "trace.transact") && !is_named(names, "trace");
	}
	return all;
}

int vcpc_run_of(struct vcpc_run *run, const struct vcpc_tally *tally)
{
	struct builder b = { .run = run, .tally = tally };
	int status = build(&b, true);

	builder_fini(&b);
	return status;
}

int vcpc_run_read(struct vcpc_run *run, const char *archive, const struct vcpc_window *options,
		  char **names)
{
	struct vcpc_tally tally = { .window = *options };
	struct builder b = { .run = run, .tally = &tally };
	const struct vcpc_read read = { .window = &tally.window };
	int status = vcpc_open_archive(archive);
	char **wanted;

	if (status)
		return status;
	wanted = with_divisors(names, &b.count_is_hidden);
	status = wanted ? vcpc_tally_read(&tally, archive, wanted) : vcpc_fail(ENOMEM, "names");
	if (!status)
		status = build(&b, !*names);
	if (!status)
		status = vcpc_damage(archive, &read);
	builder_fini(&b);
	free(wanted);
	vcpc_tally_free(&tally);
	pmDestroyContext(pmWhichContext());
	return status;
}

void vcpc_run_free(struct vcpc_run *run)
{
	for (size_t i = 0; i < run->n; i++) {
		free(run->list[i].scope);
		free(run->list[i].what);
	}
	free(run->list);
	*run = (struct vcpc_run){ NULL };
}
