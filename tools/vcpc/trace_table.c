// SPDX-License-Identifier: GPL-2.0-or-later
/* Print trace statistics as tables for people. */
#include <string.h>

#include "text.h"
#include "trace.h"
#include "value.h"

#define HIST_ROWS	24
#define BAR_WIDTH	40
#define BAR		"########################################"

const char *trace_kind(uint32_t kind)
{
	static const char *const names[] = {
		[SHIM_TRACE_TRANSACTION] = "transaction",
		[SHIM_TRACE_POINT] = "point",
		[SHIM_TRACE_OBSERVATION] = "observation",
		[SHIM_TRACE_COUNTER] = "counter",
	};

	return kind < sizeof(names) / sizeof(names[0]) && names[kind] ? names[kind] : "?";
}

/* Format a time with three digits and a unit, such as "12.3 us". */
static const char *time_text(char *text, size_t size, double ns)
{
	vcpc_value_text(text, size, ns / 1e9, true, 3);
	return text;
}

/* Print a name, padded to @width; each byte counts as one column. */
static void print_name(const char *name, int width)
{
	int len = strlen(name);

	vcpc_put_printable(stdout, name, "");
	printf("%*s", width > len ? width - len : 0, "");
}

static int width_of_names(const struct trace_view *view)
{
	int width = 3;

	for (size_t i = 0; i < view->n; i++) {
		int len = strlen(view->stats[i]->label);

		width = len > width ? len : width;
	}
	return width;
}

static uint64_t sum_of_slots(const struct shim_trace_stat *stat, int from, int n)
{
	uint64_t sum = 0;

	for (int i = from; i < from + n && i < SHIM_TRACE_HIST_SLOTS; i++)
		sum += stat->hist[i];
	return sum;
}

/*
 * Return the number of buckets per row: the smallest power of two with which there are at most
 * HIST_ROWS rows.
 */
static int slots_to_a_row(int first, int last)
{
	int n = 1;

	while (last / n - first / n >= HIST_ROWS)
		n *= 2;
	return n;
}

static void show_row(int slot, int n, uint64_t count, uint64_t most)
{
	int bar = most ? (count * BAR_WIDTH + most - 1) / most : 0;
	char from[32], to[32];

	printf("    %8s to %-8s |%-*.*s| %llu\n",
	       time_text(from, sizeof(from), shim_trace_hist_floor(slot)),
	       time_text(to, sizeof(to), shim_trace_hist_floor(slot + n)), BAR_WIDTH, bar, BAR,
	       (unsigned long long)count);
}

static void show_hist(const struct shim_trace_stat *stat)
{
	int first = SHIM_TRACE_HIST_SLOTS, last = -1, n;
	uint64_t most = 0;

	for (int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++) {
		if (!stat->hist[i])
			continue;
		first = i < first ? i : first;
		last = i;
	}
	n = slots_to_a_row(first, last);
	first -= first % n;
	for (int i = first; i <= last; i += n) {
		uint64_t count = sum_of_slots(stat, i, n);

		most = count > most ? count : most;
	}
	for (int i = first; i <= last; i += n)
		show_row(i, n, sum_of_slots(stat, i, n), most);
}

static void show_transaction(const struct shim_trace_stat *stat, int width)
{
	const double times[] = {
		stat->count ? (double)stat->sum_ns / stat->count : 0,
		stat->min_ns,
		shim_trace_percentile(stat, 50),
		shim_trace_percentile(stat, 90),
		shim_trace_percentile(stat, 99),
		stat->max_ns,
		stat->last_took_ns,
	};
	char text[32];

	print_name(stat->label, width);
	printf("  %10llu %8llu", (unsigned long long)stat->count,
	       (unsigned long long)stat->aborted);
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		printf(" %9s", stat->count ? time_text(text, sizeof(text), times[i]) : "-");
	putchar('\n');
}

static void show_transactions(const struct trace_view *view, int width, int hist)
{
	int first = 1;

	for (size_t i = 0; i < view->n; i++) {
		const struct shim_trace_stat *stat = view->stats[i];

		if (stat->kind != SHIM_TRACE_TRANSACTION)
			continue;
		if (first)
			printf("%-*s  %10s %8s %9s %9s %9s %9s %9s %9s %9s\n", width,
			       "TRANSACTION", "COUNT", "ABORTED", "MEAN", "MIN", "P50", "P90",
			       "P99", "MAX", "LAST");
		first = 0;
		show_transaction(stat, width);
		if (hist)
			show_hist(stat);
	}
}

static void show_value(const struct shim_trace_stat *stat, int width)
{
	print_name(stat->label, width);
	printf("  %-11s %10llu", trace_kind(stat->kind), (unsigned long long)stat->count);
	if (stat->kind == SHIM_TRACE_POINT)
		printf(" %12s %12s %12s\n", "-", "-", "-");
	else
		printf(" %12g %12g %12g\n", stat->value, stat->value_min, stat->value_max);
}

static void show_values(const struct trace_view *view, int width)
{
	int first = 1;

	for (size_t i = 0; i < view->n; i++) {
		if (view->stats[i]->kind == SHIM_TRACE_TRANSACTION)
			continue;
		if (first)
			printf("%-*s  %-11s %10s %12s %12s %12s\n", width, "TAG", "KIND", "COUNT",
			       "LAST", "MIN", "MAX");
		first = 0;
		show_value(view->stats[i], width);
	}
}

/* Print a sum and a mean of counts.  Clocks count nanoseconds. */
static void show_count(const struct shim_trace_count *count)
{
	double each = (double)count->sum / count->transactions;
	char text[2][32];

	if (vcpc_is_clock(count->event))
		printf(" %16s %16s\n", time_text(text[0], sizeof(text[0]), count->sum),
		       time_text(text[1], sizeof(text[1]), each));
	else
		printf(" %16llu %16.1f\n", (unsigned long long)count->sum, each);
}

static void show_counts(const struct trace_view *view, int width)
{
	for (size_t i = 0; i < view->ncounts; i++) {
		const struct shim_trace_count *count = view->counts[i];

		if (!i)
			printf("%-*s  %-24s %12s %16s %16s\n", width, "COUNTED IN", "EVENT",
			       "TRANSACTIONS", "SUM", "EACH");
		print_name(count->label, width);
		printf("  %-24s %12llu", count->event, (unsigned long long)count->transactions);
		show_count(count);
	}
}

static void show_drops(const struct shim_trace_drops *drops)
{
	const struct {
		uint64_t n;
		const char *why;
	} reasons[] = {
		{ drops->open_full, "begins, because too many transactions were open (--max-open, or 64 nested calls in a thread)" },
		{ drops->stat_full, "events of new tags, because there are too many tags (--max-tags)" },
		{ drops->tag_full, "events of new names, because there are too many names (--max-tags)" },
		{ drops->not_open, "ends without a begin (lost, or before tracing was turned on)" },
		{ drops->given_up, "transactions that did not end (end of the process, longjmp or exception)" },
		{ drops->count_full, "counts of transactions, because there are too many combinations of tag and events" },
		{ drops->direct_full, "events of SHIM_TRACE=direct, because there were too few slots (--direct)" },
		{ drops->ring_full, "individual events, because they were not exported in time (--events)" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].n)
			printf("not recorded: %llu %s\n", (unsigned long long)reasons[i].n,
			       reasons[i].why);
}

static void show_account(uint64_t account)
{
	if (account == SHIM_TRACE_OTHERS)
		printf("other users\n");
	else if (account >= SHIM_TRACE_NAMESPACE)
		printf("user namespace %llu\n",
		       (unsigned long long)(account - SHIM_TRACE_NAMESPACE));
	else
		printf("user %llu\n", (unsigned long long)account);
}

static void show_losses(const struct trace_view *view)
{
	for (size_t i = 0; i < view->nlosses; i++) {
		const struct shim_trace_loss *loss = &view->losses[i];

		switch (loss->what) {
		case SHIM_TRACE_LOST_EVENTS:
			printf("   including: %llu of ", (unsigned long long)loss->n);
			show_account(loss->account);
			break;
		case SHIM_TRACE_LOST_COUNTS:
			printf("not counted: %llu transactions of threads that did not count the "
			       "events of --counts\n", (unsigned long long)loss->n);
			break;
		case SHIM_TRACE_LOST_THREADS:
			printf("not counted: a thread with SHIM_TRACE=direct could not count "
			       "the events of --counts (%llu times)\n", (unsigned long long)loss->n);
			break;
		case SHIM_TRACE_LOST_TAGS:
			printf("not shown: %llu unused tags that were removed because there were "
			       "too many\n", (unsigned long long)loss->n);
			break;
		}
	}
}

void trace_table(const struct trace_view *view, int hist)
{
	int width = width_of_names(view);

	if (width < (int)strlen("TRANSACTION"))
		width = strlen("TRANSACTION");
	show_transactions(view, width, hist);
	show_values(view, width);
	show_counts(view, width);
	show_drops(&view->drops);
	show_losses(view);
}
