// SPDX-License-Identifier: GPL-2.0-or-later
/* Print counts as text for people, as JSON, or as fields with separators. */
#include <math.h>
#include <string.h>

#include "counts.h"
#include "json_text.h"
#include "text.h"
#include "value.h"
#include "welch.h"

#define NAME_WIDTH	24
#define SPREAD_WIDTH	11
#define LABEL_WIDTH	12
#define NOT_SUPPORTED	"<not supported>"
#define NOT_COUNTED	"<not counted>"

/*
 * struct form - how a line's number is printed, as in perf stat
 * @decimals: digits after the point; 0: none for a single run, one for a mean below 1e6
 */
struct form {
	double scale;
	int decimals;
	const char *unit;
};

static const struct form as_count = { 1, 0, "" }, as_msec = { 1e-6, 2, "msec" }, as_seconds = { 1, 9, "" };

static const struct form *form_of(const struct vcpc_counts *c, unsigned int i)
{
	return vcpc_is_clock(c->names[i]) ? &as_msec : &as_count;
}

static void format_count(char *buf, size_t size, double mean, size_t runs, const struct form *form)
{
	vcpc_grouped(buf, size, mean * form->scale,
		     form->decimals ? form->decimals : runs > 1 && mean < 1e6);
}

static void put_line(FILE *out, const double *v, size_t runs, const struct form *form,
		     const char *name, const char *ratio)
{
	char number[64], spread[32] = "";
	double mean, half = vcpc_spread(v, runs, &mean);

	format_count(number, sizeof(number), mean, runs, form);
	if (runs > 1 && mean != 0)
		snprintf(spread, sizeof(spread), "+- %.2g %%", half / fabs(mean) * 100);
	fprintf(out, "%18s %-4s ", number, form->unit);
	if (runs > 1)
		fprintf(out, "%-*s  ", SPREAD_WIDTH, spread);
	if (*ratio)
		fprintf(out, "%-*s  # %s\n", NAME_WIDTH, name, ratio);
	else
		fprintf(out, "%s\n", name);
}

/*
 * struct spread - the precision of an event's mean
 * @half: half its 95 % interval; NAN if unknown, 0 for one run's exact count
 */
struct spread {
	double mean, half;
	bool estimated, counted;
};

static struct spread spread_of(const struct vcpc_counts *c, unsigned int i)
{
	struct spread s = { .counted = true };

	s.half = vcpc_spread(c->values[i], c->runs, &s.mean);
	s.counted = isfinite(s.mean);
	if (!c->groups)
		return s;
	/* Treat an event as estimated even if it happened to be counted all the time. */
	s.estimated = c->half[i] != 0;
	if (c->runs == 1)
		s.half = c->half[i];
	return s;
}

static const char *quality(const struct spread *s)
{
	return !s->counted ? "not counted" : s->estimated ? "estimated" : "exact";
}

static const char *quality_of(const struct vcpc_counts *c, unsigned int i)
{
	struct spread s = spread_of(c, i);

	return c->lacking[i] ? "not supported" : quality(&s);
}

/*
 * Print an estimated count, such as "12,345 +- 1.2 % estimated from 33 % of the time instructions".
 */
static void put_estimate(FILE *out, const struct vcpc_counts *c, unsigned int i, const char *name,
			 const char *ratio)
{
	struct spread s = spread_of(c, i);
	const struct form *form = form_of(c, i);
	char number[64] = "?", error[32] = "", how[48];

	if (s.counted)
		format_count(number, sizeof(number), s.mean, c->runs, form);
	if (s.counted && (s.estimated || c->runs > 1)) {
		if (!isfinite(s.half))
			snprintf(error, sizeof(error), "+- unknown");
		else if (s.mean != 0)
			snprintf(error, sizeof(error), "+- %.2g %%", s.half / fabs(s.mean) * 100);
		else
			snprintf(error, sizeof(error), "+- %.3g", s.half);
	}
	if (s.counted && s.estimated)
		snprintf(how, sizeof(how), "estimated, counted %.3g %% of the time",
			 c->share[i] / (double)c->runs * 100);
	else
		snprintf(how, sizeof(how), "%s", quality(&s));
	fprintf(out, "%18s %-4s %-*s  %-*s  %s\n", number, form->unit, SPREAD_WIDTH, error, NAME_WIDTH, name, how);
	if (*ratio)
		fprintf(out, "%23s %-*s  %-*s  # %s\n", "", SPREAD_WIDTH, "", NAME_WIDTH, "", ratio);
}

/* Describe how the estimates were made. */
static void put_turns(FILE *out, const struct vcpc_counts *c)
{
	if (c->groups == 1)
		fputs("All events were counted at the same time: nothing is estimated.\n\n", out);
	else if (c->groups)
		fprintf(out, "Estimated events were multiplexed in %u groups. +- is half the 95 %% interval\n"
			"(Student's t), computed from the variation between %s.\n\n", c->groups, c->runs > 1 ? "runs" : "slots");
}

static void put_heading(FILE *out, const struct vcpc_counts *c)
{
	fputs("\nCounts of ", out);
	vcpc_put_printable(out, c->what, "");
	if (c->runs > 1)
		fprintf(out, ", means of %zu runs, +- half the 95 %% interval of the mean (Student's t)",
			c->runs);
	fputs(":\n\n", out);
}

/* Print a label as in perf stat: "CPU0", or a core and the number of its CPUs. */
static void put_label(FILE *out, const struct vcpc_counts *c, const char *separator)
{
	if (!c->part)
		return;
	fprintf(out, "%-*s%s", separator ? 0 : LABEL_WIDTH, c->part->label, separator ? separator : "");
	if (c->part->cpus)
		fprintf(out, "%*u%s", separator ? 0 : 4, c->part->cpus, separator ? separator : "");
}

static void put_event(FILE *out, const struct vcpc_counts *c, unsigned int i, const char *ratio)
{
	const char *name = c->names[i];

	put_label(out, c, NULL);
	if (c->lacking[i] || (!c->groups && !spread_of(c, i).counted))
		fprintf(out, "%18s %*s %s\n", c->lacking[i] ? NOT_SUPPORTED : NOT_COUNTED,
			c->runs > 1 || c->groups > 1 ? 4 + SPREAD_WIDTH + 2 : 4, "", name);
	else if (c->groups > 1)
		put_estimate(out, c, i, name, ratio);
	else
		put_line(out, c->values[i], c->runs, form_of(c, i), name, ratio);
}

static void means_of(const struct vcpc_counts *c, double *means)
{
	for (unsigned int i = 0; i < c->n; i++)
		vcpc_spread(c->values[i], c->runs, &means[i]);
}

static void put_events(FILE *out, const struct vcpc_counts *c)
{
	double means[SHIM_SET_MAX];
	char ratio[80];

	means_of(c, means);
	for (unsigned int i = 0; i < c->n; i++) {
		vcpc_ratio(ratio, sizeof(ratio), c, means, i);
		put_event(out, c, i, ratio);
	}
}

void vcpc_counts_text(FILE *out, const struct vcpc_counts *c, unsigned int n)
{
	put_heading(out, c);
	put_turns(out, c);
	for (unsigned int i = 0; i < n; i++)
		put_events(out, &c[i]);
	fputc('\n', out);
	put_line(out, c->elapsed, c->runs, &as_seconds, "seconds elapsed", "");
	if (!c->part)
		put_line(out, c->cpu, c->runs, &as_seconds, "seconds of CPU time while counting", "");
	if (c->has_usage) {
		put_line(out, c->user, c->runs, &as_seconds, "seconds user", "");
		put_line(out, c->system, c->runs, &as_seconds, "seconds sys", "");
	}
	fputc('\n', out);
}

static void json_number(FILE *out, const char *name, double v)
{
	fprintf(out, ",\"%s\":", name);
	if (isfinite(v))
		fprintf(out, "%.17g", v);
	else
		fputs("null", out);
}

static void json_values(FILE *out, const double *v, size_t runs)
{
	fputs(",\"values\":[", out);
	for (size_t i = 0; i < runs; i++) {
		fputs(i ? "," : "", out);
		if (isfinite(v[i]))
			fprintf(out, "%.17g", v[i]);
		else
			fputs("null", out);
	}
	putc(']', out);
}

static void json_row(FILE *out, const char *name, const char *unit, const char *quality, const double *v,
		     size_t runs)
{
	double mean, half = vcpc_spread(v, runs, &mean);

	fputs("{\"event\":", out);
	vcpc_json_text(out, name);
	fprintf(out, ",\"unit\":\"%s\",\"quality\":\"%s\"", unit, quality);
	json_values(out, v, runs);
	json_number(out, "mean", mean);
	json_number(out, "half_width", half);
	putc('}', out);
}

static void json_estimate(FILE *out, const struct vcpc_counts *c, unsigned int i, const char *unit)
{
	struct spread s = spread_of(c, i);

	fputs("{\"event\":", out);
	vcpc_json_text(out, c->names[i]);
	fprintf(out, ",\"unit\":\"%s\",\"quality\":\"%s\"", unit, quality_of(c, i));
	json_number(out, "counted_share", c->share[i] / (double)c->runs);
	json_values(out, c->values[i], c->runs);
	json_number(out, "mean", s.mean);
	json_number(out, "half_width", s.half);
	putc('}', out);
}

void vcpc_counts_json(FILE *out, const struct vcpc_counts *c)
{
	const char *unit;

	fputs("{\"counted\":", out);
	vcpc_json_text(out, c->what);
	fprintf(out, ",\"runs\":%zu,\"half_width\":\"of the 95 %% interval of the %s, Student's t\"",
		c->runs, c->groups && c->runs == 1 ? "estimate" : "mean");
	if (c->groups)
		fprintf(out, ",\"groups\":%u", c->groups);
	fputs(",\"counts\":[", out);
	for (unsigned int i = 0; i < c->n; i++) {
		fputs(i ? ",\n " : "\n ", out);
		unit = vcpc_is_clock(c->names[i]) ? "ns" : "";
		if (c->groups)
			json_estimate(out, c, i, unit);
		else
			json_row(out, c->names[i], unit, quality_of(c, i), c->values[i], c->runs);
	}
	fputs("],\n\"elapsed\":", out);
	json_row(out, "elapsed", "s", "exact", c->elapsed, c->runs);
	fputs(",\n\"cpu_time\":", out);
	json_row(out, "cpu-time", "s", "exact", c->cpu, c->runs);
	if (c->has_usage) {
		fputs(",\n\"user_time\":", out);
		json_row(out, "user-time", "s", "exact", c->user, c->runs);
		fputs(",\n\"system_time\":", out);
		json_row(out, "system-time", "s", "exact", c->system, c->runs);
	}
	fputs("}\n", out);
}

/*
 * Print a value (in ms for a clock), its unit, the event's name and, after several runs, half the
 * width of the mean's interval in percent.
 */
static void put_value(FILE *out, const struct vcpc_counts *c, unsigned int i, const char *separator)
{
	struct spread s = spread_of(c, i);
	const struct form *form = form_of(c, i);

	if (!s.counted)
		fputs(c->lacking[i] ? NOT_SUPPORTED : NOT_COUNTED, out);
	else
		fprintf(out, "%.*f", form->decimals, s.mean * form->scale);
	fprintf(out, "%s%s%s%s", separator, form->unit, separator, c->names[i]);
	if (c->runs > 1 && s.counted)
		fprintf(out, "%s%.2f%%", separator, s.mean != 0 ? s.half / fabs(s.mean) * 100 : 0);
}

/*
 * Print a line.  The event is followed by the number of nanoseconds, and the part of the time,
 * during which it was counted.
 */
static void put_separated(FILE *out, const struct vcpc_counts *c, unsigned int i, const double *means,
			  const char *separator)
{
	double share = c->groups ? c->share[i] / (double)c->runs : !c->lacking[i], cpu;
	char ratio[80];
	size_t len;

	vcpc_spread(c->cpu, c->runs, &cpu);
	put_label(out, c, separator);
	put_value(out, c, i, separator);
	vcpc_ratio(ratio, sizeof(ratio), c, means, i);
	len = strcspn(ratio, " %");
	fprintf(out, "%s%.0f%s%.2f%s", separator, cpu * 1e9 * share, separator, share * 100, separator);
	for (size_t at = 0; at < len; at++)
		if (ratio[at] != ',')
			putc(ratio[at], out);
	fprintf(out, "%s%s\n", separator, ratio + len + strspn(ratio + len, " %"));
}

void vcpc_counts_separated(FILE *out, const struct vcpc_counts *c, const char *separator)
{
	double means[SHIM_SET_MAX];

	means_of(c, means);
	for (unsigned int i = 0; i < c->n; i++)
		put_separated(out, c, i, means, separator);
}

void vcpc_counts_interval(FILE *out, const struct vcpc_counts *c, double seconds, const char *separator)
{
	double means[SHIM_SET_MAX];
	char ratio[80];

	means_of(c, means);
	for (unsigned int i = 0; i < c->n; i++) {
		fprintf(out, "%15.9f%s", seconds, separator ? separator : c->part ? " " : "");
		if (separator) {
			put_separated(out, c, i, means, separator);
			continue;
		}
		vcpc_ratio(ratio, sizeof(ratio), c, means, i);
		put_event(out, c, i, ratio);
	}
}
