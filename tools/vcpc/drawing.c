// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Choose the data that a report draws, and read them.
 *
 * The transactions with the longest total time, according to the window's last values, are chosen
 * before the records are read.  So are the metrics of an archive without counts and transactions.
 * Everything else is chosen when its first value is read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "overview.h"
#include "vcpc.h"

#define NOT_DRAWN	SIZE_MAX	/* a row's @note is this, or its curve's index + 1 */

static int by_id(const void *a, const void *b, void *names)
{
	const struct vcpc_drawing_names *n = names;
	int x = n->ids[*(const int *)a], y = n->ids[*(const int *)b];

	return (x > y) - (x < y);
}

/* Sort by instance number.  Return 0 or -ENOMEM. */
static int sort_names(struct vcpc_drawing_names *names)
{
	int *order = calloc(names->n + 1, sizeof(*order)), *ids = malloc((names->n + 1) * sizeof(*ids));
	char **texts = malloc((names->n + 1) * sizeof(*texts));
	int err = order && ids && texts ? 0 : -ENOMEM;

	for (int i = 0; !err && i < names->n; i++)
		order[i] = i;
	if (!err)
		qsort_r(order, names->n, sizeof(*order), by_id, names);
	for (int i = 0; !err && i < names->n; i++) {
		ids[i] = names->ids[order[i]];
		texts[i] = names->names[order[i]];
	}
	free(order);
	if (err) {
		free(ids);
		free(texts);
		return err;
	}
	/*
	 * Sort in place, because the PMAPI's list is a single block of memory that also contains
	 * the texts.
	 */
	memcpy(names->ids, ids, names->n * sizeof(*ids));
	memcpy(names->names, texts, names->n * sizeof(*texts));
	free(ids);
	free(texts);
	return 0;
}

static struct vcpc_drawing_names *names_of(struct vcpc_drawing *d, pmInDom indom)
{
	struct vcpc_drawing_names *names;

	for (size_t i = 0; i < d->nnames; i++)
		if (d->names[i].indom == indom)
			return &d->names[i];
	names = reallocarray(d->names, d->nnames + 1, sizeof(*names));
	if (!names)
		vcpc_no_memory();
	d->names = names;
	names += d->nnames++;
	*names = (struct vcpc_drawing_names){ .indom = indom };
	names->n = pmGetInDomArchive(indom, &names->ids, &names->names);
	if (names->n == -ENOMEM || (names->n > 0 && sort_names(names)))
		vcpc_no_memory();
	if (names->n < 0)
		names->n = 0;
	return names;
}

static int compare_id(const void *key, const void *element)
{
	int x = *(const int *)key, y = *(const int *)element;

	return (x > y) - (x < y);
}

const char *vcpc_drawing_name(struct vcpc_drawing *d, pmInDom indom, int inst)
{
	struct vcpc_drawing_names *names = indom == PM_INDOM_NULL ? NULL : names_of(d, indom);
	int *id = names && names->n ?
		bsearch(&inst, names->ids, names->n, sizeof(*names->ids), compare_id) : NULL;

	return id ? names->names[id - names->ids] : NULL;
}

static struct vcpc_drawn_tag *find_tag(struct vcpc_drawing *d, const char *name, size_t len)
{
	for (size_t i = 0; i < d->ntags; i++)
		if (!strncmp(d->tags[i].name, name, len) && !d->tags[i].name[len])
			return &d->tags[i];
	return NULL;
}

/*
 * Add a tag to the list of tags with the longest total time, if it belongs there.  Return 0 or
 * -ENOMEM.
 */
static int rank_tag(struct vcpc_drawing *d, const char *name, double seconds)
{
	struct vcpc_drawn_tag tag = { .seconds = seconds, .count = SIZE_MAX, .time = SIZE_MAX,
				      .watched = SIZE_MAX };
	size_t at = d->ntags;

	while (at && d->tags[at - 1].seconds < seconds)
		at--;
	if (d->ntags == VCPC_TAGS) {
		d->moretags++;
		if (at == VCPC_TAGS)
			return 0;
		free(d->tags[--d->ntags].name);
	}
	tag.name = strdup(name);
	if (!tag.name)
		return -ENOMEM;
	memset(tag.slots, 0xff, sizeof(tag.slots));
	memset(tag.parts, 0xff, sizeof(tag.parts));
	memmove(&d->tags[at + 1], &d->tags[at], (d->ntags - at) * sizeof(tag));
	d->tags[at] = tag;
	d->ntags++;
	return 0;
}

struct total {
	const char *name;
	double seconds;
};

static int compare_totals(const void *a, const void *b)
{
	return strcmp(((const struct total *)a)->name, ((const struct total *)b)->name);
}

/*
 * Get the @n instances of @g with their names, sorted by name.  Return NULL if there is no memory.
 */
static struct total *totals_of(struct vcpc_drawing *d, pmInDom indom, const struct vcpc_rows *g, size_t *n)
{
	struct total *totals = calloc(g->n + 1, sizeof(*totals));

	*n = 0;
	for (size_t i = 0; totals && i < g->n; i++) {
		const struct vcpc_row *row = &g->rows[i];

		totals[*n].name = vcpc_drawing_name(d, indom, row->inst);
		totals[*n].seconds = row->gained + (row->late ? row->first : 0);
		*n += totals[*n].name ? 1 : 0;
	}
	if (totals)
		qsort(totals, *n, sizeof(*totals), compare_totals);
	return totals;
}

/*
 * Rank tags by the total time of their instances: a tag that was removed and recreated has several.
 */
static int rank_rows(struct vcpc_drawing *d, pmInDom indom, const struct vcpc_rows *g)
{
	size_t n;
	struct total *totals = totals_of(d, indom, g, &n);
	int err = totals ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n; i++) {
		if (i + 1 < n && !strcmp(totals[i].name, totals[i + 1].name))
			totals[i + 1].seconds += totals[i].seconds;
		else
			err = rank_tag(d, totals[i].name, totals[i].seconds);
	}
	free(totals);
	return err ? vcpc_fail(ENOMEM, "transactions") : 0;
}

/*
 * Read the window's records to rank the tags by their time within the window.  If an error ends
 * reading early, rank the tags found so far; vcpc_drawing_read() returns the error.
 */
static int rank_tags(struct vcpc_drawing *d, const char *archive)
{
	const char *metric = "trace.transact.total_time";
	char *names[] = { (char *)metric, NULL };
	struct vcpc_tally tally = { .window = d->tally.window };
	int status;
	pmDesc desc;
	pmID pmid;

	status = pmLookupName(1, &metric, &pmid);
	if (status == PM_ERR_NAME || status == PM_ERR_NONLEAF)
		return 0;
	if (status >= 0)
		status = pmLookupDesc(pmid, &desc);
	if (status < 0)
		return vcpc_fail_pm(status, metric);
	if (desc.indom == PM_INDOM_NULL)
		return 0;
	status = vcpc_tally_read(&tally, archive, names);
	d->failed = d->failed ? d->failed : status;
	if (tally.groups)
		status = 0;
	for (size_t i = 0; !status && i < tally.catalog.n; i++)
		status = rank_rows(d, desc.indom, &tally.groups[i]);
	vcpc_tally_free(&tally);
	return status;
}

/*
 * Return whether a metric has its own chart.  Only some of the recorder's metrics have one, but all
 * other metrics do.
 */
static bool is_drawn(const char *name)
{
	static const char *const own[] = {
		"vcpc.count.", "trace.transact.count", "trace.point.count", "trace.observe.value",
		"trace.counter.value",
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (vcpc_begins(name, own[i]))
			return true;
	return !vcpc_overview_is_own(name);
}

static struct vcpc_drawn *chart_of(struct vcpc_drawing *d, size_t metric)
{
	for (size_t i = 0; i < d->ncharts; i++)
		if (d->charts[i].metric == metric)
			return &d->charts[i];
	if (d->ncharts == VCPC_CHARTS)
		return NULL;
	d->charts[d->ncharts] = (struct vcpc_drawn){ .metric = metric };
	return &d->charts[d->ncharts++];
}

/*
 * Return whether a chart can show another instance.  A chart of transactions shows only the tags
 * with the longest total time.
 */
static bool has_room(struct vcpc_drawing *d, const struct vcpc_drawn *chart, const char *metric,
		     const char *instance)
{
	struct vcpc_drawn_tag *tag;

	if (chart->n == VCPC_LINES)
		return false;
	if (!instance || !d->ntags || !vcpc_begins(metric, "trace.transact."))
		return true;
	tag = find_tag(d, instance, strlen(instance));
	return tag && tag - d->tags < VCPC_LINES;
}

/*
 * Add a line to the metric's chart.  Return its curve's index + 1, NOT_DRAWN, or 0 if there is no
 * memory.
 */
static size_t draw_line(struct vcpc_drawing *d, size_t metric, const char *instance)
{
	const struct vcpc_entry *e = &d->tally.catalog.entries[metric];
	struct vcpc_drawn *chart = chart_of(d, metric);
	struct vcpc_line *line;

	if (!chart) {
		d->morecharts++;
		return NOT_DRAWN;
	}
	/* An instance that was removed and added again continues its curve. */
	for (size_t i = 0; instance && i < chart->n; i++)
		if (!strcmp(chart->lines[i].name, instance))
			return chart->lines[i].curve + 1;
	if (!has_room(d, chart, e->name, instance)) {
		chart->more++;
		return NOT_DRAWN;
	}
	line = &chart->lines[chart->n];
	*line = (struct vcpc_line){ instance ? strdup(instance) : NULL,
				    vcpc_steps_add(&d->steps, e->desc.sem == PM_SEM_COUNTER) };
	if ((instance && !line->name) || line->curve == SIZE_MAX) {
		free(line->name);
		return 0;
	}
	chart->n++;
	return line->curve + 1;
}

/* Add a curve at a tag's @place, if there is one.  The result is as for draw_line(). */
static size_t draw_into(struct vcpc_drawing *d, size_t *place)
{
	if (!place)
		return NOT_DRAWN;
	*place = vcpc_steps_add(&d->steps, true);
	return *place == SIZE_MAX ? 0 : *place + 1;
}

static size_t *slot_of(struct vcpc_drawn_tag *tag, const char *floor)
{
	uint64_t ns = strtoull(floor, NULL, 10);

	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		if (shim_trace_hist_floor(i) == ns)
			return &tag->slots[i];
	return NULL;
}

static struct vcpc_drawn_event *event_of(struct vcpc_drawn_tag *tag, const char *name)
{
	struct vcpc_drawn_event *event;

	for (size_t i = 0; i < tag->nevents; i++)
		if (!strcmp(tag->events[i].name, name))
			return &tag->events[i];
	if (tag->nevents == VCPC_EVENTS)
		return NULL;
	event = &tag->events[tag->nevents];
	*event = (struct vcpc_drawn_event){ strdup(name), SIZE_MAX, SIZE_MAX };
	if (!event->name)
		return NULL;
	tag->nevents++;
	return event;
}

const char *const vcpc_part_names[VCPC_PARTS] = { "oncpu", "runqueue", "blocked" };

static size_t *part_of(struct vcpc_drawn_tag *tag, const char *part)
{
	for (size_t i = 0; i < VCPC_PARTS; i++)
		if (!strcmp(part, vcpc_part_names[i]))
			return &tag->parts[i];
	return strcmp(part, "count") ? NULL : &tag->watched;
}

/*
 * Return where a tag stores the curve of a metric's instance, which is named "tag", "tag/4096ns" or
 * "tag/event"; NULL if no tag has this curve.
 */
static size_t *place_of(struct vcpc_drawing *d, const char *metric, const char *instance)
{
	const char *slash = strrchr(instance, '/');
	struct vcpc_drawn_event *event;
	struct vcpc_drawn_tag *tag;

	if (!strcmp(metric, "trace.transact.count") || !strcmp(metric, "trace.transact.total_time")) {
		tag = find_tag(d, instance, strlen(instance));
		return !tag ? NULL : metric[15] == 'c' ? &tag->count : &tag->time;
	}
	if (vcpc_begins(metric, "vcpc.transact.time.")) {
		tag = find_tag(d, instance, strlen(instance));
		return tag ? part_of(tag, strrchr(metric, '.') + 1) : NULL;
	}
	tag = slash && vcpc_begins(metric, "vcpc.transact.") ?
		find_tag(d, instance, slash - instance) : NULL;
	if (!tag)
		return NULL;
	if (!strcmp(metric, "vcpc.transact.hist"))
		return slot_of(tag, slash + 1);
	if (strcmp(metric, "vcpc.transact.sum") && strcmp(metric, "vcpc.transact.counted"))
		return NULL;
	event = event_of(tag, slash + 1);
	return !event ? NULL : !strcmp(metric, "vcpc.transact.sum") ? &event->sum : &event->counted;
}

/*
 * Decide how a row is drawn, and return its note.  If a chart and a tag both draw it, they share
 * one curve, as do the instances of a tag that was removed and recreated.
 */
static size_t metric_draw(struct vcpc_drawing *d, size_t metric, int inst)
{
	const struct vcpc_entry *e = &d->tally.catalog.entries[metric];
	const char *instance = vcpc_drawing_name(d, e->desc.indom, inst);
	size_t *place = instance ? place_of(d, e->name, instance) : NULL;
	size_t note;

	if (e->desc.indom != PM_INDOM_NULL && !instance)
		return NOT_DRAWN;
	if (place && *place != SIZE_MAX)
		return *place + 1;
	if (!is_drawn(e->name))
		return draw_into(d, place);
	note = draw_line(d, metric, instance);
	if (place && note == NOT_DRAWN)
		return draw_into(d, place);
	if (place && note)
		*place = note - 1;
	return note;
}

static int take_record(void *arg, double at, bool mark)
{
	struct vcpc_drawing *d = arg;

	d->before = d->now;
	d->now = at;
	d->marks += mark;
	vcpc_steps_record(&d->steps, at, mark);
	return 0;
}

/*
 * Return the first value of a transaction's or point's counter if it was not in the first record,
 * because it has then increased from 0 since the previous record.  Otherwise return 0.
 */
static double first_gain(const struct vcpc_drawing *d, size_t metric, const struct vcpc_row *row)
{
	const char *name = d->tally.catalog.entries[metric].name;

	return row->late && (vcpc_begins(name, "vcpc.transact.") ||
			     vcpc_begins(name, "trace.transact.") ||
			     vcpc_begins(name, "trace.point.")) ? row->first : 0;
}

static int take_value(void *arg, size_t metric, struct vcpc_row *row, double v, double at)
{
	struct vcpc_drawing *d = arg;
	bool first = !row->note;
	size_t curve;

	if (first) {
		row->note = metric_draw(d, metric, row->inst);
		if (!row->note)
			return vcpc_fail(ENOMEM, "values");
	}
	if (row->note == NOT_DRAWN || !isfinite(v))
		return 0;
	curve = row->note - 1;
	if (!d->steps.curves[curve]->counter)
		vcpc_steps_value(&d->steps, curve, v, 1);
	else if (first && at > d->before && first_gain(d, metric, row) > 0)
		vcpc_steps_value(&d->steps, curve, v, at - d->before);
	else if (at > row->at && v >= row->last)
		vcpc_steps_value(&d->steps, curve, v - row->last, at - row->at);
	return 0;
}

static bool has_own(const struct vcpc_catalog *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (vcpc_overview_is_own(c->entries[i].name))
			return true;
	return false;
}

/*
 * Choose the metrics to draw by their values in the window.  Errors from reading are handled as in
 * rank_tags().
 */
static int rank_metrics(struct vcpc_drawing *d, const char *archive)
{
	struct vcpc_tally tally = { .window = d->tally.window };
	char *all[] = { NULL };
	int status = vcpc_catalog_read(&tally.catalog, all);
	bool own = !status && has_own(&tally.catalog);

	vcpc_catalog_free(&tally.catalog);
	if (status || own)
		return status;
	tally = (struct vcpc_tally){ .window = d->tally.window };
	status = vcpc_tally_read(&tally, archive, all);
	d->failed = d->failed ? d->failed : status;
	if (tally.groups) {
		d->order = vcpc_overview_tally(&tally);
		status = d->order ? 0 : vcpc_fail(ENOMEM, "metrics");
	}
	for (size_t i = 0; !status && i < tally.catalog.n; i++)
		if (tally.groups[d->order[i]].n)
			chart_of(d, d->order[i]);
	vcpc_tally_free(&tally);
	return status;
}

int vcpc_drawing_read(struct vcpc_drawing *d, const char *archive)
{
	char *all[] = { NULL };
	int status = vcpc_window_set(&d->tally.window, archive);

	if (!status)
		status = rank_tags(d, archive);
	if (!status)
		status = rank_metrics(d, archive);
	if (status)
		return status;
	d->watch = (struct vcpc_watch){ take_record, take_value, d };
	d->tally.watch = &d->watch;
	status = vcpc_tally_read(&d->tally, archive, all);
	vcpc_steps_finish(&d->steps);
	return status ? status : d->failed;
}

void vcpc_drawing_free(struct vcpc_drawing *d)
{
	for (size_t i = 0; i < d->ncharts; i++)
		for (size_t j = 0; j < d->charts[i].n; j++)
			free(d->charts[i].lines[j].name);
	for (size_t i = 0; i < d->ntags; i++) {
		for (size_t j = 0; j < d->tags[i].nevents; j++)
			free(d->tags[i].events[j].name);
		free(d->tags[i].name);
	}
	for (size_t i = 0; i < d->nnames; i++) {
		if (d->names[i].n <= 0)
			continue;
		free(d->names[i].ids);
		free(d->names[i].names);
	}
	free(d->names);
	free(d->order);
	vcpc_steps_free(&d->steps);
	vcpc_tally_free(&d->tally);
}
