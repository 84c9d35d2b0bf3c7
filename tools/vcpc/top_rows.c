// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc top: what the statistics of two looks differ by, as rows. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "plot.h"
#include "text.h"
#include "top.h"
#include "utf8.h"

#define NUMBER		9	/* columns of a number, with the blank before it */
#define LEAST_NAME	12

/* Copies, sorted by number of tag, and counts by number and event */
struct top_look {
	uint64_t time;
	struct shim_trace_stat *stats;
	struct shim_trace_count *counts;
	size_t nstats, ncounts;
};

static const char *const key_names[TOP_KEYS] = {
	[TOP_RATE] = "rate", [TOP_P50] = "p50", [TOP_P99] = "p99", [TOP_TOTAL] = "total", [TOP_NAME] = "name",
};

const char *top_key_name(enum top_key key)
{
	return key_names[key];
}

static int by_id(const void *a, const void *b)
{
	const struct shim_trace_stat *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_id_and_event(const void *a, const void *b)
{
	const struct shim_trace_count *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return strcmp(x->event, y->event);
}

static void free_look(struct top_look *look)
{
	for (size_t i = 0; look && i < look->ncounts; i++)
		free((char *)look->counts[i].event);
	if (look) {
		free(look->stats);
		free(look->counts);
	}
	free(look);
}

static int copy_counts(struct top_look *look, struct shim_trace *trace, size_t n)
{
	look->counts = calloc(n + 1, sizeof(*look->counts));
	for (size_t i = 0; look->counts && i < n; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(trace, i);
		char *event = strdup(count->event);

		if (!event)
			return -ENOMEM;
		look->counts[look->ncounts] = *count;
		look->counts[look->ncounts++].event = event;
	}
	if (!look->counts)
		return -ENOMEM;
	qsort(look->counts, look->ncounts, sizeof(*look->counts), by_id_and_event);
	return 0;
}

static int copy_stats(struct top_look *look, struct shim_trace *trace, size_t n)
{
	look->stats = calloc(n + 1, sizeof(*look->stats));
	for (size_t i = 0; look->stats && i < n; i++)
		if (shim_trace_stat_at(trace, i)->kind == SHIM_TRACE_TRANSACTION)
			look->stats[look->nstats++] = *shim_trace_stat_at(trace, i);
	if (!look->stats)
		return -ENOMEM;
	qsort(look->stats, look->nstats, sizeof(*look->stats), by_id);
	return 0;
}

static int take_look(struct top_view *view, struct shim_trace *trace, uint64_t now, struct top_look **taken)
{
	struct top_look *look = calloc(1, sizeof(*look));
	struct shim_trace_drops drops;
	size_t nstats, ncounts;
	int err = look ? shim_trace_stats_get(trace, &nstats) : -ENOMEM;

	if (!err)
		err = shim_trace_counts_get(trace, &ncounts);
	if (!err)
		err = shim_trace_drops_get(trace, &drops);
	if (!err)
		err = copy_stats(look, trace, nstats);
	if (!err)
		err = copy_counts(look, trace, ncounts);
	if (err) {
		free_look(look);
		return err;
	}
	look->time = now;
	view->lost = drops.open_full + drops.stat_full + drops.tag_full + drops.direct_full;
	*taken = look;
	return 0;
}

/* What ended since the look before */
static struct shim_trace_stat difference(const struct top_look *before, const struct shim_trace_stat *stat)
{
	const struct shim_trace_stat *old = bsearch(stat, before->stats, before->nstats, sizeof(*stat), by_id);
	struct shim_trace_stat d = *stat;

	if (!old || old->count > stat->count)
		return d;
	d.count -= old->count;
	/* Most tags of many are at rest. */
	if (!d.count)
		return d;
	d.sum_ns -= old->sum_ns;
	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		d.hist[i] -= old->hist[i] < d.hist[i] ? old->hist[i] : d.hist[i];
	return d;
}

/* An event's column, or TOP_EVENTS */
static size_t column_of(struct top_view *view, const char *event)
{
	for (size_t i = 0; i < view->nevents; i++)
		if (!strcmp(view->events[i], event))
			return i;
	if (view->nevents == TOP_EVENTS)
		return TOP_EVENTS;
	view->events[view->nevents] = strdup(event);
	return view->events[view->nevents] ? view->nevents++ : TOP_EVENTS;
}

static void count_each(struct top_view *view, const struct top_look *look, const struct shim_trace_stat *stat,
		       struct top_row *row)
{
	size_t lo = 0, hi = look->ncounts;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (look->counts[mid].id < stat->id)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < look->ncounts && look->counts[lo].id == stat->id; lo++) {
		const struct shim_trace_count *count = &look->counts[lo];
		const struct shim_trace_count *old = bsearch(count, view->before->counts, view->before->ncounts,
							     sizeof(*count), by_id_and_event);
		size_t column = column_of(view, count->event);
		uint64_t n = count->transactions - (old ? old->transactions : 0);

		if (column < TOP_EVENTS && n)
			row->each[column] = (double)(count->sum - (old ? old->sum : 0)) / n;
	}
}

static int add_row(struct top_view *view, const struct top_look *look, const struct shim_trace_stat *stat)
{
	struct shim_trace_stat since = difference(view->before, stat);
	double seconds = (look->time - view->before->time) / 1e9;
	struct top_row *row = &view->rows[view->ntags];

	*row = (struct top_row){ .label = strdup(stat->label), .total = stat->count,
				 .rate = seconds > 0 ? since.count / seconds : 0,
				 .p50 = NAN, .p99 = NAN, .mean = NAN };
	if (!row->label)
		return -ENOMEM;
	vcpc_printable(row->label, "");
	for (size_t i = 0; i < TOP_EVENTS; i++)
		row->each[i] = NAN;
	if (since.count) {
		row->p50 = shim_trace_percentile(&since, 50) / 1e9;
		row->p99 = shim_trace_percentile(&since, 99) / 1e9;
		row->mean = (double)since.sum_ns / since.count / 1e9;
	}
	count_each(view, look, stat, row);
	view->rate += row->rate;
	view->ntags++;
	return 0;
}

static void free_rows(struct top_view *view)
{
	for (size_t i = 0; i < view->ntags; i++)
		free(view->rows[i].label);
	free(view->rows);
	view->rows = NULL;
	view->nrows = view->ntags = 0;
	view->rate = 0;
}

int top_look(struct top_view *view, struct shim_trace *trace, uint64_t now)
{
	struct top_look *look;
	int err = take_look(view, trace, now, &look);

	if (err)
		return err;
	free_rows(view);
	if (!view->before)
		err = -EAGAIN;
	else
		view->rows = calloc(look->nstats + 1, sizeof(*view->rows));
	if (!err && !view->rows)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < look->nstats; i++)
		err = add_row(view, look, &look->stats[i]);
	free_look(view->before);
	view->before = look;
	top_arrange(view);
	return err;
}

/* NAN is less than all */
static int by_number(double x, double y)
{
	if (isnan(x) || isnan(y))
		return !isnan(y) - !isnan(x);
	return (x < y) - (x > y);
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct top_view *view = arg;
	const struct top_row *x = a, *y = b;
	const double numbers[TOP_KEYS][2] = {
		[TOP_RATE] = { x->rate, y->rate }, [TOP_P50] = { x->p50, y->p50 }, [TOP_P99] = { x->p99, y->p99 },
		[TOP_TOTAL] = { x->total, y->total },
	};
	int order = by_number(numbers[view->key][0], numbers[view->key][1]);

	if (!order)
		order = strcmp(x->label, y->label);
	return view->reverse ? -order : order;
}

/* Those that are shown go first */
void top_arrange(struct top_view *view)
{
	size_t shown = 0;

	for (size_t i = 0; i < view->ntags; i++) {
		struct top_row row = view->rows[i];

		if (view->filter && !strcasestr(row.label, view->filter))
			continue;
		view->rows[i] = view->rows[shown];
		view->rows[shown++] = row;
	}
	view->nrows = shown;
	if (shown)
		qsort_r(view->rows, shown, sizeof(*view->rows), by_key, view);
}

void top_forget(struct top_view *view)
{
	free_rows(view);
	free_look(view->before);
	view->before = NULL;
}

void top_free(struct top_view *view)
{
	top_forget(view);
	for (size_t i = 0; i < view->nevents; i++)
		free(view->events[i]);
}

/* Columns of a character of @n bytes on a terminal: 0 to 2; 1 where the locale does not say */
static unsigned int columns_of(const char *text, size_t n)
{
	mbstate_t state = { 0 };
	wchar_t c;
	int columns = mbrtowc(&c, text, n, &state) == n ? wcwidth(c) : -1;

	return columns < 0 ? 1 : columns;
}

/* In @columns, to the left, cut, in no more than four bytes for each; returns behind it */
static char *put_left(char *at, const char *text, unsigned int columns)
{
	size_t room = 4 * (size_t)columns;

	while (*text) {
		size_t n = vcpc_utf8((const unsigned char *)text);
		unsigned int wide;

		n = n ? n : 1;
		wide = columns_of(text, n);
		if (wide > columns || n + (columns - wide) > room)
			break;
		at = mempcpy(at, text, n);
		text += n;
		room -= n;
		columns -= wide;
	}
	for (; columns; columns--)
		*at++ = ' ';
	return at;
}

/* To the right, behind a blank, by columns of which as many are shown as fit */
static char *put_right(char *at, const char *text, unsigned int *room)
{
	int len = strlen(text) < NUMBER ? strlen(text) : NUMBER - 1;

	if (*room < NUMBER)
		return at;
	*room -= NUMBER;
	return at + sprintf(at, "%*s%.*s", NUMBER - len, "", len, text);
}

static void time_text(double v, char *text, size_t size)
{
	static const struct {
		double size;
		const char *name;
	} units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" }, { 1e-9, "ns" } };
	size_t i = 0;

	if (isnan(v)) {
		snprintf(text, size, "-");
		return;
	}
	while (i < 3 && v < units[i].size)
		i++;
	v /= units[i].size;
	snprintf(text, size, "%.*f%s", v < 10 ? 2 : v < 100 ? 1 : 0, v, units[i].name);
}

static void number_text(double v, char *text, size_t size)
{
	if (isnan(v))
		snprintf(text, size, "-");
	else
		vcpc_plot_number(text, size, v);
}

void top_line(const struct top_view *view, const struct top_row *row, unsigned int width, char *line)
{
	static const char *const titles[] = { "/s", "p50", "p99", "mean", "total" };
	unsigned int name = width > 5 * NUMBER + 2 * LEAST_NAME ? width - 5 * NUMBER : width / 2;
	unsigned int want = view->nevents * NUMBER, spare, room;
	char text[5][32];

	spare = name > 2 * LEAST_NAME ? name - 2 * LEAST_NAME : 0;
	name -= want < spare ? want : spare / NUMBER * NUMBER;
	name = name > width ? width : name;
	room = width - name;
	line = put_left(line, row ? row->label : "TRANSACTION", name);
	if (row) {
		number_text(row->rate, text[0], sizeof(text[0]));
		time_text(row->p50, text[1], sizeof(text[1]));
		time_text(row->p99, text[2], sizeof(text[2]));
		time_text(row->mean, text[3], sizeof(text[3]));
		number_text(row->total, text[4], sizeof(text[4]));
	}
	for (int i = 0; i < 5; i++)
		line = put_right(line, row ? text[i] : titles[i], &room);
	for (size_t i = 0; i < view->nevents; i++) {
		if (row)
			number_text(row->each[i], text[0], sizeof(text[0]));
		line = put_right(line, row ? text[0] : view->events[i], &room);
	}
	*line = '\0';
}

void top_title(const struct top_view *view, bool paused, char *line, size_t size)
{
	char rate[32];

	number_text(view->rate, rate, sizeof(rate));
	snprintf(line, size, "%s/s, %zu of %zu tags, by %s%s%s%s%s", rate, view->nrows, view->ntags,
		 top_key_name(view->key), view->reverse ? " (least first)" : "", view->filter ? ", with " : "",
		 view->filter ? view->filter : "", paused ? ", PAUSED" : "");
	if (view->lost)
		snprintf(line + strlen(line), size - strlen(line), ", %llu lost: tables are full",
			 (unsigned long long)view->lost);
	vcpc_printable(line, "");
}
