// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc top: compute rows from the differences between two snapshots of the statistics. */
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

/*
 * struct group - entries that form one row: all entries of a tag, of a process, or of a tag in a
 * process
 * @since: statistics of the transactions that ended since the previous snapshot; valid if @any
 * @counted: their counts, by column
 */
struct group {
	const struct top_entry *first;
	struct shim_trace_stat since;
	bool any;
	uint64_t total;
	struct {
		uint64_t transactions, sum;
	} counted[TOP_EVENTS];
};

/*
 * Subtract @old from @now.  Return false if a value decreased, because the statistics were then
 * dropped and restarted, and @old must be ignored.
 */
static bool subtract(struct shim_trace_stat *restrict d, const struct shim_trace_stat *restrict old,
		     const struct shim_trace_stat *restrict now)
{
	uint64_t less = 0;

	if (old->count > now->count || old->sum_ns > now->sum_ns)
		return false;
	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++) {
		d->hist[i] = now->hist[i] - old->hist[i];
		less |= d->hist[i] >> 63;
	}
	d->count = now->count - old->count;
	d->sum_ns = now->sum_ns - old->sum_ns;
	d->min_ns = now->min_ns;
	d->max_ns = now->max_ns;
	return !less;
}

static void add_stat(struct shim_trace_stat *restrict to,
		     const struct shim_trace_stat *restrict from)
{
	to->count += from->count;
	to->sum_ns += from->sum_ns;
	to->min_ns = from->min_ns < to->min_ns ? from->min_ns : to->min_ns;
	to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
	for (size_t slot = 0; slot < SHIM_TRACE_HIST_SLOTS; slot++)
		to->hist[slot] += from->hist[slot];
}

static const struct top_count *first_count(const struct top_look *look,
					   const struct top_whose *whose)
{
	size_t lo = 0, hi = look->ncounts;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (top_compare_whose(&look->counts[mid].whose, whose) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &look->counts[lo];
}

/*
 * Add the counts of an entry's transactions since @before, or of all transactions if @before is
 * NULL.
 */
static void add_counts(struct group *group, const struct top_look *before,
		       const struct top_look *look,
		       const struct top_entry *entry)
{
	const struct top_count *end = &look->counts[look->ncounts];
	const struct top_count *count = first_count(look, &entry->whose);

	for (; count < end && !top_compare_whose(&count->whose, &entry->whose); count++) {
		const struct top_count *old = before ? bsearch(count, before->counts, before->ncounts, sizeof(*count),
							       top_by_whose_and_column) : NULL;

		if (old && (old->transactions > count->transactions || old->sum > count->sum))
			old = NULL;
		group->counted[count->column].transactions += count->transactions - (old ? old->transactions : 0);
		group->counted[count->column].sum += count->sum - (old ? old->sum : 0);
	}
}

static void join_entry(struct group *group, const struct top_look *before,
		       const struct top_look *look,
		       const struct top_entry *entry, const struct top_entry *old)
{
	struct shim_trace_stat d, *since = group->any ? &d : &group->since;

	group->total += entry->stat.count;
	/* Skip entries in which no transaction ended.  Most entries are of this kind. */
	if (old && old->stat.count == entry->stat.count && old->stat.sum_ns == entry->stat.sum_ns)
		return;
	if (old && !subtract(since, &old->stat, &entry->stat))
		old = NULL;
	if (!old)
		*since = entry->stat;
	if (group->any)
		add_stat(&group->since, &d);
	group->any = true;
	add_counts(group, old ? before : NULL, look, entry);
}

static void ask_name(struct top_entry *entry)
{
	char path[32], name[TOP_COMMAND + 1] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", entry->whose.pid);
	file = fopen(path, "re");
	/* Keep the name from the statistics, or the name that was read before. */
	if (!file)
		return;
	if (fgets(name, sizeof(name), file) && *name != '\n')
		snprintf(entry->command, sizeof(entry->command), "%.*s", (int)strcspn(name, "\n"), name);
	fclose(file);
}

/*
 * Read a process's current name from /proc, because the name in the statistics may belong to a
 * thread or precede an exec.  Reading all names is slow, so a process without new transactions
 * keeps its previous name.
 */
static void name_process(const struct top_look *look, struct top_entry *entry,
			 const struct top_entry *old, bool active)
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

static void add_row(struct top_view *view, const struct group *group, double seconds)
{
	struct top_row *row = &view->rows[view->nall++];

	*row = (struct top_row){ .entry = group->first, .total = group->total, .p50 = NAN, .p99 = NAN, .mean = NAN };
	for (size_t i = 0; i < TOP_EVENTS; i++)
		row->each[i] = group->counted[i].transactions ?
			       (double)group->counted[i].sum / group->counted[i].transactions : NAN;
	if (!group->any || !group->since.count)
		return;
	row->rate = seconds > 0 ? group->since.count / seconds : 0;
	row->p50 = shim_trace_percentile(&group->since, 50) / 1e9;
	row->p99 = shim_trace_percentile(&group->since, 99) / 1e9;
	row->mean = (double)group->since.sum_ns / group->since.count / 1e9;
}

static bool is_same_row(enum top_by by, const struct top_entry *x, const struct top_entry *y)
{
	return x->whose.pid == y->whose.pid && (by == TOP_BY_PROCESS || x->whose.tag == y->whose.tag);
}

/*
 * Build a row from the entries that belong to it, starting with entry @i.  Return the index of the
 * next entry.
 */
static size_t add_group(struct top_view *view, const struct top_look *look, size_t i,
			struct group *group)
{
	const struct top_look *before = view->before;
	struct top_entry *first = &look->entries[i];

	group->first = first;
	group->any = false;
	group->total = 0;
	memset(group->counted, 0, sizeof(group->counted));
	for (; i < look->nentries && is_same_row(view->by, first, &look->entries[i]); i++) {
		struct top_entry *entry = &look->entries[i];
		const struct top_entry *old = bsearch(entry, before->entries, before->nentries, sizeof(*entry),
						      top_by_whose);

		name_process(look, entry, old, !old || old->stat.count != entry->stat.count);
		join_entry(group, before, look, entry, old);
	}
	/* A row shows its first entry's name.  Use a later entry's name if that was just read. */
	if (i - 1 > (size_t)(first - look->entries) && look->entries[i - 1].asked)
		memcpy(first->command, look->entries[i - 1].command, sizeof(first->command));
	add_row(view, group, (look->time - before->time) / 1e9);
	return i;
}

static void forget_rows(struct top_view *view)
{
	view->nrows = view->nall = 0;
}

/* Build the rows of a snapshot, by comparing it with the previous one.  Return 0 or -ENOMEM. */
static int looks_compare(struct top_view *view, const struct top_look *look)
{
	struct top_row *rows = reallocarray(view->rows, look->nentries + 1, sizeof(*rows));
	struct group group;

	if (!rows)
		return -ENOMEM;
	view->rows = rows;
	for (size_t i = 0; i < look->nentries;)
		i = add_group(view, look, i, &group);
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
	err = view->before ? looks_compare(view, look) : -EAGAIN;
	view->spare = view->before;
	view->before = look;
	top_arrange(view);
	return err;
}

void top_label(const struct top_view *view, const struct top_row *row, char *label, size_t size)
{
	const struct top_entry *entry = row->entry;
	const char *tag = view->by == TOP_BY_PROCESS ? "" : entry->label;

	if (view->by == TOP_BY_TAG)
		snprintf(label, size, "%s", tag);
	else if (entry->whose.pid)
		snprintf(label, size, "%s[%u]%s%s", entry->command, entry->whose.pid, *tag ? " " : "", tag);
	else
		snprintf(label, size, "(direct)%s%s", *tag ? " " : "", tag);
	vcpc_printable(label, "");
}

/* Compare numbers for descending order, with NAN last. */
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
	if (!order && by != TOP_BY_PROCESS)
		order = strcmp(x->label, y->label);
	return order ? order : top_compare_whose(&x->whose, &y->whose);
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

/*
 * Keep the maximum width, so that the columns of numbers do not move to the left when a long name
 * disappears.
 */
static void note_width(struct top_view *view, const struct top_row *row)
{
	char label[TOP_LABEL];
	unsigned int columns;

	top_label(view, row, label, sizeof(label));
	columns = top_columns(label);
	if (columns > view->widest)
		view->widest = columns;
}

/* Move the rows that pass the filter to the front, and sort them. */
void top_arrange(struct top_view *view)
{
	size_t shown = 0;

	for (size_t i = 0; i < view->nall; i++) {
		struct top_row row = view->rows[i];

		if (!is_shown(view, &row))
			continue;
		view->rows[i] = view->rows[shown];
		view->rows[shown++] = row;
		note_width(view, &row);
	}
	view->nrows = shown;
	if (shown)
		qsort_r(view->rows, shown, sizeof(*view->rows), by_key, view);
}

void top_forget(struct top_view *view)
{
	forget_rows(view);
	view->widest = 0;
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
