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
static void difference(struct shim_trace_stat *restrict d, const struct top_entry *restrict old,
		       const struct top_entry *restrict entry)
{
	uint64_t less = 0;

	if (!old || old->stat.count > entry->stat.count) {
		*d = entry->stat;
		return;
	}
	d->count = entry->stat.count - old->stat.count;
	d->sum_ns = entry->stat.sum_ns - old->stat.sum_ns;
	d->min_ns = entry->stat.min_ns;
	d->max_ns = entry->stat.max_ns;
	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++) {
		d->hist[i] = entry->stat.hist[i] - old->stat.hist[i];
		less |= d->hist[i] >> 63;
	}
	/* It gave way, and began again. */
	for (unsigned int i = 0; less && i < SHIM_TRACE_HIST_SLOTS; i++)
		if ((int64_t)d->hist[i] < 0)
			d->hist[i] = 0;
}

static void count_each(const struct top_view *view, const struct top_look *look, const struct top_entry *entry,
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
						      sizeof(*count), top_by_whose_and_column);
		uint64_t n;

		/* A row that gave way begins at 0 again. */
		if (old && old->transactions > count->transactions)
			old = NULL;
		n = count->transactions - (old ? old->transactions : 0);
		if (n)
			row->each[count->column] = (double)(count->sum - (old ? old->sum : 0)) / n;
	}
}

static void ask_name(struct top_entry *entry)
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

/*
 * A process's name now: what the statistics have may be a thread's, or of before an exec.  Most are
 * at rest, and to ask for all their names takes long.
 */
static void name_process(const struct top_look *look, struct top_entry *entry, const struct top_entry *old, bool active)
{
	const struct top_entry *other = entry - 1;

	if (!entry->whose.pid || !look->named)
		return;
	if (other >= look->entries && other->whose.pid == entry->whose.pid && other->asked) {
		memcpy(entry->command, other->command, sizeof(entry->command));
		entry->asked = true;
	} else if (old && !active) {
		memcpy(entry->command, old->command, sizeof(entry->command));
	} else {
		ask_name(entry);
		entry->asked = true;
	}
}

static void add_row(struct top_view *view, const struct top_look *look, struct top_entry *entry)
{
	const struct top_look *before = view->before;
	const struct top_entry *old = bsearch(entry, before->entries, before->nentries, sizeof(*entry), top_by_whose);
	double seconds = (look->time - before->time) / 1e9;
	struct top_row *row = &view->rows[view->nall++];
	struct shim_trace_stat since;

	*row = (struct top_row){ .entry = entry, .total = entry->stat.count, .p50 = NAN, .p99 = NAN, .mean = NAN };
	for (size_t i = 0; i < TOP_EVENTS; i++)
		row->each[i] = NAN;
	name_process(look, entry, old, !old || old->stat.count != entry->stat.count);
	if (old && old->stat.count == entry->stat.count)
		return;
	difference(&since, old, entry);
	row->rate = seconds > 0 ? since.count / seconds : 0;
	if (since.count) {
		row->p50 = shim_trace_percentile(&since, 50) / 1e9;
		row->p99 = shim_trace_percentile(&since, 99) / 1e9;
		row->mean = (double)since.sum_ns / since.count / 1e9;
	}
	count_each(view, look, entry, row);
	view->rate += row->rate;
}

static void forget_rows(struct top_view *view)
{
	view->nrows = view->nall = 0;
	view->rate = 0;
}

/* Room for as many rows as the look has, and then those */
static int compare(struct top_view *view, const struct top_look *look)
{
	struct top_row *rows = reallocarray(view->rows, look->nentries + 1, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	view->rows = rows;
	for (size_t i = 0; i < look->nentries; i++)
		add_row(view, look, &look->entries[i]);
	return 0;
}

int top_look(struct top_view *view, struct shim_trace *trace, uint64_t now)
{
	struct top_look *look = view->spare ? view->spare : calloc(1, sizeof(*look));
	struct shim_trace_drops drops;
	int err = look ? shim_trace_drops_get(trace, &drops) : -ENOMEM;

	view->spare = look;
	if (!err)
		err = top_look_take(view, trace, look);
	if (err)
		return err;
	look->time = now;
	view->lost = drops.open_full + drops.stat_full + drops.tag_full + drops.direct_full;
	forget_rows(view);
	err = view->before ? compare(view, look) : -EAGAIN;
	view->spare = view->before;
	view->before = look;
	top_arrange(view);
	return err;
}

void top_label(const struct top_view *view, const struct top_row *row, char *label, size_t size)
{
	const struct top_entry *entry = row->entry;
	const char *tag = view->by == TOP_BY_PROCESS ? "" : entry->stat.label;

	if (view->by == TOP_BY_TAG)
		snprintf(label, size, "%s", tag);
	else if (entry->whose.pid)
		snprintf(label, size, "%s[%u]%s%s", entry->command, entry->whose.pid, *tag ? " " : "", tag);
	else
		snprintf(label, size, "(direct)%s%s", *tag ? " " : "", tag);
	vcpc_printable(label, "");
}

/* NAN is less than all */
static int by_number(double x, double y)
{
	if (isnan(x) || isnan(y))
		return !isnan(y) - !isnan(x);
	return (x < y) - (x > y);
}

static int by_name(enum top_by by, const struct top_entry *x, const struct top_entry *y)
{
	int order = by == TOP_BY_TAG ? 0 : strcmp(x->command, y->command);

	if (!order)
		order = (x->whose.pid > y->whose.pid) - (x->whose.pid < y->whose.pid);
	return order || by == TOP_BY_PROCESS ? order : strcmp(x->stat.label, y->stat.label);
}

static int by_key(const void *a, const void *b, void *arg)
{
	const struct top_view *view = arg;
	const struct top_row *x = a, *y = b;
	int order = 0;

	switch (view->key) {
	case TOP_RATE:
		order = by_number(x->rate, y->rate);
		break;
	case TOP_P50:
		order = by_number(x->p50, y->p50);
		break;
	case TOP_P99:
		order = by_number(x->p99, y->p99);
		break;
	case TOP_TOTAL:
		order = by_number(x->total, y->total);
		break;
	default:
		break;
	}
	if (!order)
		order = by_name(view->by, x->entry, y->entry);
	return view->reverse ? -order : order;
}

static bool is_shown(const struct top_view *view, const struct top_row *row)
{
	char label[TOP_LABEL];

	if (!view->filter)
		return true;
	top_label(view, row, label, sizeof(label));
	return strcasestr(label, view->filter);
}

/* Those that are shown go first */
void top_arrange(struct top_view *view)
{
	size_t shown = 0;

	for (size_t i = 0; i < view->nall; i++) {
		struct top_row row = view->rows[i];

		if (!is_shown(view, &row))
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
	forget_rows(view);
	top_look_free(view->before);
	top_look_free(view->spare);
	view->before = view->spare = NULL;
}

void top_free(struct top_view *view)
{
	top_forget(view);
	free(view->rows);
	for (size_t i = 0; i < view->nevents; i++)
		free(view->events[i]);
}
