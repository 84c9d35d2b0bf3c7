// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc top: what the statistics of two looks differ by, as rows. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"
#include "top.h"
#include "top_look.h"

static const char *const key_names[TOP_KEYS] = {
	[TOP_RATE] = "rate", [TOP_P50] = "p50", [TOP_P99] = "p99", [TOP_TOTAL] = "total", [TOP_NAME] = "name",
};

static const char *const by_names[TOP_BYS] = {
	[TOP_BY_TAG] = "tag", [TOP_BY_PROCESS] = "process", [TOP_BY_BOTH] = "both",
};

const char *top_by_name(enum top_by by)
{
	return by_names[by];
}

const char *top_key_name(enum top_key key)
{
	return key_names[key];
}

/* What ended since the look before, when it was @old */
static struct shim_trace_stat difference(const struct top_entry *old, const struct top_entry *entry)
{
	struct shim_trace_stat d = entry->stat;

	if (!old || old->stat.count > d.count)
		return d;
	d.count -= old->stat.count;
	/* Most of many are at rest. */
	if (!d.count)
		return d;
	d.sum_ns -= old->stat.sum_ns;
	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++)
		d.hist[i] -= old->stat.hist[i] < d.hist[i] ? old->stat.hist[i] : d.hist[i];
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

static void count_each(struct top_view *view, const struct top_look *look, const struct top_entry *entry,
		       struct top_row *row)
{
	size_t lo = 0, hi = look->ncounts;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (top_compare_whose(&look->counts[mid].whose, &entry->whose) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < look->ncounts && !top_compare_whose(&look->counts[lo].whose, &entry->whose); lo++) {
		const struct top_count *count = &look->counts[lo];
		const struct top_count *old = bsearch(count, view->before->counts, view->before->ncounts,
						      sizeof(*count), top_by_whose_and_event);
		size_t column = column_of(view, count->event);
		uint64_t n;

		/* A row that gave way begins at 0 again. */
		if (old && old->transactions > count->transactions)
			old = NULL;
		n = count->transactions - (old ? old->transactions : 0);
		if (column < TOP_EVENTS && n)
			row->each[column] = (double)(count->sum - (old ? old->sum : 0)) / n;
	}
}

/* Its name now: what the statistics have may be a thread's, or of before an exec. */
static void name_process(struct top_entry *entry)
{
	char path[32], name[TOP_COMMAND + 1] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", entry->whose.pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, sizeof(name), file) && *name != '\n')
		snprintf(entry->command, sizeof(entry->command), "%.*s", (int)strcspn(name, "\n"), name);
	fclose(file);
}

static char *label_of(const struct top_entry *entry, enum top_by by)
{
	const char *tag = by == TOP_BY_BOTH ? entry->stat.label : "";
	char *label;
	int n;

	if (by == TOP_BY_TAG)
		return strdup(entry->stat.label);
	if (entry->whose.pid)
		n = asprintf(&label, "%s[%u]%s%s", entry->command, entry->whose.pid, *tag ? " " : "", tag);
	else
		n = asprintf(&label, "(direct)%s%s", *tag ? " " : "", tag);
	return n < 0 ? NULL : label;
}

static int add_row(struct top_view *view, const struct top_look *look, struct top_entry *entry)
{
	const struct top_look *before = view->before;
	const struct top_entry *old = bsearch(entry, before->entries, before->nentries, sizeof(*entry), top_by_whose);
	struct shim_trace_stat since = difference(old, entry);
	double seconds = (look->time - view->before->time) / 1e9;
	struct top_row *row = &view->rows[view->nall];

	/* Most are at rest, and to ask for all their names takes long. */
	if (old && !since.count)
		memcpy(entry->command, old->command, sizeof(entry->command));
	else if (entry->whose.pid && look->named)
		name_process(entry);
	*row = (struct top_row){ .label = label_of(entry, view->by), .total = entry->stat.count,
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
	count_each(view, look, entry, row);
	view->rate += row->rate;
	view->nall++;
	return 0;
}

static void free_rows(struct top_view *view)
{
	for (size_t i = 0; i < view->nall; i++)
		free(view->rows[i].label);
	free(view->rows);
	view->rows = NULL;
	view->nrows = view->nall = 0;
	view->rate = 0;
}

int top_look(struct top_view *view, struct shim_trace *trace, uint64_t now)
{
	struct shim_trace_drops drops;
	struct top_look *look;
	int err = shim_trace_drops_get(trace, &drops);

	if (!err)
		err = top_look_take(view->by, trace, &look);
	if (err)
		return err;
	look->time = now;
	view->lost = drops.open_full + drops.stat_full + drops.tag_full + drops.direct_full;
	free_rows(view);
	if (!view->before)
		err = -EAGAIN;
	else
		view->rows = calloc(look->nentries + 1, sizeof(*view->rows));
	if (!err && !view->rows)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < look->nentries; i++)
		err = add_row(view, look, &look->entries[i]);
	top_look_free(view->before);
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

	for (size_t i = 0; i < view->nall; i++) {
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
	top_look_free(view->before);
	view->before = NULL;
}

void top_free(struct top_view *view)
{
	top_forget(view);
	for (size_t i = 0; i < view->nevents; i++)
		free(view->events[i]);
}

