// SPDX-License-Identifier: GPL-2.0-or-later
/* Collect the counts of one or more runs, and compute ratios of events. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counts.h"
#include "kinds.h"
#include "value.h"

static int count_append(double **values, size_t runs, double v)
{
	double *more = reallocarray(*values, runs + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	more[runs] = v;
	*values = more;
	return 0;
}

static int add_times(struct vcpc_counts *counts, double elapsed, double cpu)
{
	int err = count_append(&counts->elapsed, counts->runs, elapsed);

	return err ? err : count_append(&counts->cpu, counts->runs, cpu);
}

static int add_value(struct vcpc_counts *counts, const struct vcpc_event_rows *rows, unsigned int i,
		     const struct shim_set *set, double v)
{
	char name[SHIM_EVENT_MAX];

	counts->lacking[i] = !rows->row[i].n;
	if (!counts->names[i]) {
		vcpc_event_row_name(rows, i, set, name, sizeof(name));
		counts->names[i] = strdup(name);
	}
	return counts->names[i] ? count_append(&counts->values[i], counts->runs, v) : -ENOMEM;
}

int vcpc_counts_add(struct vcpc_counts *counts, const struct vcpc_event_rows *rows,
		    const struct shim_set *set, const struct shim_sample *sample, double elapsed)
{
	int err = add_times(counts, elapsed, sample ? sample->tick / 1e9 : 0);

	for (unsigned int i = 0; i < rows->n && !err; i++) {
		const struct vcpc_event_row *row = &rows->row[i];
		uint64_t sum = 0;

		for (unsigned int k = 0; sample && k < row->n; k++)
			sum += sample->values[row->first + k];
		err = add_value(counts, rows, i, set, sample && row->n ? (double)sum : NAN);
	}
	counts->n = rows->n;
	counts->runs += !err;
	return err;
}

/* Estimate a sum.  Its share of the time is the smallest share among its parts. */
static void estimate_row(const struct vcpc_turns *turns, const struct vcpc_event_row *row,
			 struct vcpc_estimate *out)
{
	*out = (struct vcpc_estimate){ row->n ? 0 : NAN, 0, row->n ? 1 : 0 };
	for (unsigned int k = 0; k < row->n; k++) {
		struct vcpc_estimate e;

		vcpc_turns_estimate(turns, row->first + k, &e);
		out->value += e.value;
		out->half = hypot(out->half, e.half);
		out->share = fmin(out->share, e.share);
	}
}

int vcpc_counts_add_turns(struct vcpc_counts *counts, const struct vcpc_event_rows *rows,
			  const struct shim_set *set, const struct vcpc_turns *turns, double elapsed)
{
	int err = add_times(counts, elapsed, turns->last.tick / 1e9);

	for (unsigned int i = 0; i < rows->n && !err; i++) {
		struct vcpc_estimate e;

		estimate_row(turns, &rows->row[i], &e);
		err = add_value(counts, rows, i, set, e.value);
		counts->half[i] = e.half;
		counts->share[i] += e.share;
	}
	counts->n = rows->n;
	counts->groups = turns->last.groups;
	counts->runs += !err;
	return err;
}

int vcpc_counts_add_usage(struct vcpc_counts *counts, double user, double system)
{
	int err = count_append(&counts->user, counts->runs - 1, user);

	counts->has_usage = true;
	return err ? err : count_append(&counts->system, counts->runs - 1, system);
}

void vcpc_counts_free(struct vcpc_counts *counts)
{
	for (unsigned int i = 0; i < SHIM_SET_MAX; i++) {
		free(counts->names[i]);
		free(counts->values[i]);
	}
	free(counts->elapsed);
	free(counts->cpu);
	free(counts->user);
	free(counts->system);
	*counts = (struct vcpc_counts){ NULL };
}

void vcpc_grouped(char *buf, size_t size, double v, int decimals)
{
	char digits[400];
	size_t len, at = 0;

	snprintf(digits, sizeof(digits), "%.*f", decimals, v);
	len = strcspn(digits, ".");
	for (size_t i = 0; digits[i] && at + 2 < size; i++) {
		if (i && i < len && (len - i) % 3 == 0 && digits[i - 1] != '-')
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
}

/* Return whether @event is @name, with or without modes.  Store the modes in @modes: ":u" or "". */
static bool is_event(const char *event, const char *name, const char **modes)
{
	size_t len = strlen(name);

	if (strncmp(event, name, len) || (event[len] && event[len] != ':'))
		return false;
	*modes = event + len;
	return true;
}

/*
 * Ratios: @event divided by @of, multiplied by @factor.  Both have the same modes, unless they are
 * clocks, which have none.  perf stat prints the same numbers and units, with as many decimals.
 */
static const struct {
	const char *event, *of;
	double factor;
	int decimals;	/* -1: three significant digits */
	const char *text;
} ratios[] = {
	{ "instructions", "cycles", 1, 2, " insn per cycle" },
	{ "cycles", "task-clock", 1, 3, " GHz" },
	{ "branches", "instructions", 100, -1, "% of instructions" },
	{ "branch-misses", "branches", 100, 2, "% of all branches" },
	{ "cache-misses", "cache-references", 100, 2, "% of all cache refs" },
	{ "L1-dcache-load-misses", "L1-dcache-loads", 100, 2, "% of all L1-dcache accesses" },
	{ "L1-icache-load-misses", "L1-icache-loads", 100, 2, "% of all L1-icache accesses" },
	{ "LLC-load-misses", "LLC-loads", 100, 2, "% of all LL-cache accesses" },
	{ "dTLB-load-misses", "dTLB-loads", 100, 2, "% of all dTLB cache accesses" },
	{ "iTLB-load-misses", "iTLB-loads", 100, 2, "% of all iTLB cache accesses" },
	{ "page-faults", "task-clock", 1e9, -1, " per second of CPU time" },
	{ "context-switches", "task-clock", 1e9, -1, " per second of CPU time" },
	{ "cpu-migrations", "task-clock", 1e9, -1, " per second of CPU time" },
};

static double mean_of(const struct vcpc_counts *counts, const double *means, const char *name,
		      const char *modes)
{
	const char *found;

	for (unsigned int i = 0; i < counts->n; i++)
		if (is_event(counts->names[i], name, &found) &&
		    (vcpc_is_clock(name) || !strcmp(found, modes)))
			return means[i];
	return 0;
}

/*
 * Format a ratio with three significant digits, and commas in large numbers: 0.0123, 12.3, 69,600.
 */
static void put_ratio(char *buf, size_t size, double v, int decimals, const char *text)
{
	char digits[32], number[64];

	if (decimals < 0) {
		snprintf(digits, sizeof(digits), "%.2e", v);
		v = strtod(digits, NULL);
	}
	if (decimals >= 0 || v >= 1000)
		vcpc_grouped(number, sizeof(number), v, decimals < 0 ? 0 : decimals);
	else
		snprintf(number, sizeof(number), "%.3g", v);
	snprintf(buf, size, "%s%s", number, text);
}

void vcpc_ratio(char *buf, size_t size, const struct vcpc_counts *counts, const double *means,
		unsigned int i)
{
	const char *modes;
	double elapsed = 0;

	*buf = '\0';
	if (!isfinite(means[i]))
		return;
	if (vcpc_is_clock(counts->names[i])) {
		for (size_t run = 0; run < counts->runs; run++)
			elapsed += counts->elapsed[run] / counts->runs;
		if (elapsed > 0)
			put_ratio(buf, size, means[i] / 1e9 / elapsed, 3, " CPUs utilized");
		return;
	}
	for (size_t r = 0; r < sizeof(ratios) / sizeof(ratios[0]); r++) {
		double of;

		if (!is_event(counts->names[i], ratios[r].event, &modes))
			continue;
		of = mean_of(counts, means, ratios[r].of, modes);
		if (of > 0)
			put_ratio(buf, size, means[i] / of * ratios[r].factor,
				  ratios[r].decimals, ratios[r].text);
		return;
	}
}
