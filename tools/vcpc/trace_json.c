// SPDX-License-Identifier: GPL-2.0-or-later
/* Write trace statistics as JSON, and numbers in JSON. */
#include <math.h>
#include <stddef.h>

#include "json_text.h"
#include "trace.h"

/* Write a number. Infinities and NaN, which JSON does not have, become strings. */
void trace_json_double(FILE *out, double value)
{
	if (isfinite(value))
		fprintf(out, "%.17g", value);
	else
		fputs(isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"", out);
}

static void put_u64(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, ",\"%s\":%llu", name, (unsigned long long)value);
}

static void put_double(FILE *out, const char *name, double value)
{
	fprintf(out, ",\"%s\":", name);
	trace_json_double(out, value);
}

static void put_hist(FILE *out, const struct shim_trace_stat *stat)
{
	const char *comma = "";

	fputs(",\"hist\":[", out);
	for (unsigned int i = 0; i < SHIM_TRACE_HIST_SLOTS; i++) {
		if (!stat->hist[i])
			continue;
		fprintf(out, "%s[%llu,%llu]", comma, (unsigned long long)shim_trace_hist_floor(i),
			(unsigned long long)stat->hist[i]);
		comma = ",";
	}
	putc(']', out);
}

static void put_times(FILE *out, const struct shim_trace_stat *stat)
{
	put_u64(out, "aborted", stat->aborted);
	put_u64(out, "sum_ns", stat->sum_ns);
	put_u64(out, "min_ns", stat->min_ns);
	put_u64(out, "max_ns", stat->max_ns);
	put_u64(out, "last_took_ns", stat->last_took_ns);
	put_double(out, "p50_ns", shim_trace_percentile(stat, 50));
	put_double(out, "p90_ns", shim_trace_percentile(stat, 90));
	put_double(out, "p99_ns", shim_trace_percentile(stat, 99));
	put_hist(out, stat);
}

static void put_stat(FILE *out, const struct shim_trace_stat *stat)
{
	fputs("{\"tag\":", out);
	vcpc_json_text(out, stat->name);
	put_u64(out, "id", stat->id);
	put_u64(out, "user", stat->user);
	fprintf(out, ",\"kind\":\"%s\"", trace_kind(stat->kind));
	put_u64(out, "count", stat->count);
	put_u64(out, "last_ns", stat->last_ns);
	if (stat->kind == SHIM_TRACE_TRANSACTION) {
		put_times(out, stat);
	} else if (stat->kind != SHIM_TRACE_POINT) {
		put_double(out, "value", stat->value);
		put_double(out, "value_min", stat->value_min);
		put_double(out, "value_max", stat->value_max);
	}
	putc('}', out);
}

static void put_count(FILE *out, const struct shim_trace_count *count)
{
	fputs("{\"tag\":", out);
	vcpc_json_text(out, count->name);
	put_u64(out, "id", count->id);
	put_u64(out, "user", count->user);
	fputs(",\"event\":", out);
	vcpc_json_text(out, count->event);
	put_u64(out, "transactions", count->transactions);
	put_u64(out, "sum", count->sum);
	putc('}', out);
}

static void put_drops(FILE *out, const struct shim_trace_drops *drops)
{
	fprintf(out, "{\"open_full\":%llu", (unsigned long long)drops->open_full);
	put_u64(out, "stat_full", drops->stat_full);
	put_u64(out, "tag_full", drops->tag_full);
	put_u64(out, "not_open", drops->not_open);
	put_u64(out, "given_up", drops->given_up);
	put_u64(out, "count_full", drops->count_full);
	put_u64(out, "ring_full", drops->ring_full);
	put_u64(out, "direct_full", drops->direct_full);
	putc('}', out);
}

static const char *const losses[] = {
	[SHIM_TRACE_LOST_EVENTS] = "ring_full",
	[SHIM_TRACE_LOST_COUNTS] = "not_counted",
	[SHIM_TRACE_LOST_THREADS] = "threads_refused",
	[SHIM_TRACE_LOST_TAGS] = "tags_removed",
};

static void put_losses(FILE *out, const struct trace_view *view)
{
	for (size_t i = 0; i < view->nlosses; i++)
		fprintf(out, "%s{\"what\":\"%s\",\"account\":%llu,\"n\":%llu}", i ? "," : "",
			losses[view->losses[i].what], (unsigned long long)view->losses[i].account,
			(unsigned long long)view->losses[i].n);
}

void trace_json(FILE *out, const struct trace_view *view)
{
	fputs("{\"tags\":[", out);
	for (size_t i = 0; i < view->n; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_stat(out, view->stats[i]);
	}
	fputs("],\n\"counts\":[", out);
	for (size_t i = 0; i < view->ncounts; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_count(out, view->counts[i]);
	}
	fputs("],\n\"drops\":", out);
	put_drops(out, &view->drops);
	fputs(",\n\"losses\":[", out);
	put_losses(out, view);
	putc(']', out);
	fputs("}\n", out);
}
