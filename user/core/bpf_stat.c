// SPDX-License-Identifier: LGPL-2.1-or-later
/* Add up the statistics of a tag over CPUs and over threads that write theirs themselves. */
#include <string.h>

#include "bpf_stat.h"

/* The maximum or minimum of two doubles; NaN only if both are */
static uint64_t extreme(uint64_t a_bits, uint64_t b_bits, int greatest)
{
	double a, b;

	memcpy(&a, &a_bits, sizeof(a));
	memcpy(&b, &b_bits, sizeof(b));
	if (a != a)
		return b_bits;
	return (greatest ? b > a : b < a) ? b_bits : a_bits;
}

static void add_values(struct vc_stat *total, const struct vc_stat *cpu)
{
	if (!total->count) {
		total->value_min = cpu->value_min;
		total->value_max = cpu->value_max;
	}
	total->value_min = extreme(total->value_min, cpu->value_min, 0);
	total->value_max = extreme(total->value_max, cpu->value_max, 1);
	if (cpu->last_ns >= total->last_ns) {
		total->last_ns = cpu->last_ns;
		total->last_took_ns = cpu->last_took_ns;
		total->value = cpu->value;
	}
}

static void add_head(struct vc_stat *restrict total, const struct vc_stat *restrict more)
{
	if (!total->count || more->min_ns < total->min_ns)
		total->min_ns = more->min_ns;
	if (more->max_ns > total->max_ns)
		total->max_ns = more->max_ns;
	add_values(total, more);
	total->count += more->count;
	total->sum_ns += more->sum_ns;
}

/* Add another thread's statistics, which are all zero if it had no event. */
void shim_bpf_stat__add(struct vc_stat *restrict total, const struct vc_stat *restrict more)
{
	total->aborted += more->aborted;
	if (!more->count)
		return;
	add_head(total, more);
	for (uint32_t i = 0; i < VC_HIST_SLOTS; i++)
		total->hist[i] += more->hist[i];
}

static uint32_t slot_of(uint64_t ns)
{
	return vc_hist_slot(ns, 63 - __builtin_clzll(ns | 1));
}

/*
 * Find the buckets of one CPU that can be in use according to its extremes.  Return false unless
 * they are all between @first and before @end, and at least one is.
 */
static bool bounds(const struct vc_stat *cpu, uint32_t first, uint32_t end, uint32_t *from,
		   uint32_t *to)
{
	*from = slot_of(cpu->min_ns);
	*to = slot_of(cpu->max_ns) + 1;
	return first <= *from && *from < *to && *to <= end;
}

/* Add up the buckets from @first to before @end. */
static uint64_t in_slots(const __u64 *slots, uint32_t first, uint32_t end)
{
	uint64_t n = 0;

	for (uint32_t i = first; i < end; i++)
		n += slots[i - first];
	return n;
}

/* Add a histogram's buckets from @first to before @end. */
static void add_range(struct shim_bpf_stat *row, const __u64 *slots, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		row->total.hist[i] += slots[i - first];
	if (!row->slots.end || first < row->slots.first)
		row->slots.first = first;
	if (end > row->slots.end)
		row->slots.end = end;
}

/*
 * Add one CPU's histogram, of which @slots has the buckets from @first to before @end.  The program
 * updates the extremes before the bucket, so all used buckets are between the extremes, and the
 * others, which are most, need not be read.  If those do not contain all transactions, concurrent
 * programs have overwritten each other's extremes, and all available buckets are added.
 *
 * Return: true if only the buckets between the extremes were added.
 */
static bool add_hist(struct shim_bpf_stat *row, const struct vc_stat *cpu, const __u64 *slots,
		     uint32_t first, uint32_t end)
{
	uint32_t from, to;

	if (bounds(cpu, first, end, &from, &to) &&
	    in_slots(slots + (from - first), from, to) == cpu->count) {
		add_range(row, slots + from - first, from, to);
		return true;
	}
	add_range(row, slots, first, end);
	return false;
}

/**
 * shim_bpf_stat__add_part() - add one CPU's part of a row
 * @row: its key is set
 * @cpu: the part, whose histogram begins with bucket @first
 * @first: the first bucket
 * @end: the bucket after the last one
 *
 * Return: false if buckets outside this range may be in use.
 */
bool shim_bpf_stat__add_part(struct shim_bpf_stat *row, const struct vc_stat *cpu, uint32_t first,
			     uint32_t end)
{
	row->total.aborted += cpu->aborted;
	if (!cpu->count)
		return true;
	add_head(&row->total, cpu);
	return row->key.kind != VC_TRANSACT || add_hist(row, cpu, cpu->hist, first, end);
}

/* Reset a row's total to zero. */
void shim_bpf_stat__clear(struct shim_bpf_stat *row)
{
	memset(&row->total, 0, offsetof(struct vc_stat, hist));
	memset(&row->total.hist[row->slots.first], 0,
	       (row->slots.end - row->slots.first) * sizeof(row->total.hist[0]));
	row->slots.first = row->slots.end = 0;
}

/* Add up one row over all CPUs. */
void shim_bpf_stat__add_up(struct shim_bpf_stat *row, const struct vc_stat *cpus, size_t n)
{
	shim_bpf_stat__clear(row);
	for (size_t i = 0; i < n; i++)
		shim_bpf_stat__add_part(row, &cpus[i], 0, VC_HIST_SLOTS);
}

/* Whether a row is unchanged since it was added up */
bool shim_bpf_stat__rests(const struct vc_stat *total, const struct vc_stat *cpus, size_t n)
{
	const struct vc_stat *newest = &cpus[0];
	uint64_t count = 0, aborted = 0, sum_ns = 0;

	for (size_t i = 0; i < n; i++) {
		count += cpus[i].count;
		aborted += cpus[i].aborted;
		sum_ns += cpus[i].sum_ns;
		if (cpus[i].last_ns >= newest->last_ns)
			newest = &cpus[i];
	}
	return count == total->count && aborted == total->aborted && sum_ns == total->sum_ns &&
	       newest->last_ns == total->last_ns && newest->value == total->value;
}

/*
 * Whether a row is consistent.  If an event was being added during the read, the count includes it
 * but the histogram does not.
 */
bool shim_bpf_stat__is_whole(const struct shim_bpf_stat *row)
{
	return row->key.kind != VC_TRANSACT ||
	       in_slots(&row->total.hist[row->slots.first], row->slots.first, row->slots.end) == row->total.count;
}
