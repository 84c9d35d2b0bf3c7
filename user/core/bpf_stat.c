// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Add up the statistics and counts of tags over CPUs, and over threads that write their own
 * statistics.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/vec.h"
#include "bpf_pins.h"
#include "bpf_stat.h"

/*
 * Read the statistics that programs write themselves.
 *
 * A program can write anything into its slots at any time, so copy a slot before checking it.
 */

/**
 * shim_bpf_slots__open() - map the slots and their clock
 * @slots: filled in; call shim_bpf_slots__close() even after an error
 *
 * A map with a single slot means that direct tracing is off.  Then nothing is mapped, because
 * mapping requires write permission.
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO, or another errno.
 */
int shim_bpf_slots__open(struct shim_bpf_slots *slots)
{
	void *at, *tick;
	size_t one;
	int err = shim_bpf_array__length(VC_PIN_DIR "/vc_direct", sizeof(struct vc_direct), &one);

	if (err || one < 2)
		return err;
	err = shim_bpf_array__map(VC_PIN_DIR "/vc_direct", sizeof(struct vc_direct), PROT_READ, &at,
				  &slots->n);
	if (err)
		return err;
	slots->at = at;
	err = shim_bpf_array__map(VC_PIN_DIR "/vc_tick", sizeof(struct vc_tick), PROT_READ, &tick,
				  &one);
	if (!err)
		slots->tick = tick;
	return err;
}

/*
 * Clear fields that have no meaning, so that equal events compare equal.  If the slot had no counts
 * before it was copied, ignore its counts, because its events may have been written later.
 */
static void clean_counts(struct vc_direct *slot, bool counted)
{
	struct vc_events *events = &slot->events;

	if (!counted)
		slot->count.count = 0;
	if (events->nr > VC_MAX_COUNTERS)
		events->nr = VC_MAX_COUNTERS;
	events->reserved = 0;
	memset(events->event + events->nr, 0,
	       (VC_MAX_COUNTERS - events->nr) * sizeof(events->event[0]));
}

/* Copy a slot.  Return 1, or 0 if its kind is invalid, or if it has no name or no events. */
int shim_bpf_slots__read(const struct shim_bpf_slots *slots, size_t i, struct vc_direct *slot)
{
	uint32_t kind = __atomic_load_n(&slots->at[i].kind, __ATOMIC_ACQUIRE);
	bool counted;

	if (kind < VC_TRANSACT || kind > VC_COUNTER)
		return 0;
	counted = shim_bpf_slots__counts(slots, i);
	memcpy(slot, &slots->at[i], sizeof(*slot));
	slot->kind = kind;
	slot->name[sizeof(slot->name) - 1] = '\0';
	clean_counts(slot, counted);
	return slot->name[0] && (slot->stat.count || slot->stat.aborted);
}

/* Return the number of events that were lost because all slots were in use. */
uint64_t shim_bpf_slots__lost(const struct shim_bpf_slots *slots)
{
	return slots->tick ? slots->tick->lost : 0;
}

/* Return the number of transactions whose counts were lost because all slots were in use. */
uint64_t shim_bpf_slots__not_counted(const struct shim_bpf_slots *slots)
{
	return slots->tick ? slots->tick->not_counted : 0;
}

void shim_bpf_slots__close(struct shim_bpf_slots *slots)
{
	if (slots->at)
		munmap((void *)slots->at, slots->n * sizeof(*slots->at));
	if (slots->tick)
		munmap((void *)slots->tick, sizeof(*slots->tick));
}

/* Return the maximum or minimum of two doubles; NaN only if both are NaN. */
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
#define COPY(name)	total->name = cpu->name;
		VC_STAT_LASTS(COPY)
#undef COPY
	}
}

static void add_times(struct vc_stat *restrict total, const struct vc_stat *restrict more)
{
	if (!total->count || more->min_ns < total->min_ns)
		total->min_ns = more->min_ns;
	if (more->max_ns > total->max_ns)
		total->max_ns = more->max_ns;
}

/* Add everything except the histogram. */
static void add_head(struct vc_stat *restrict total, const struct vc_stat *restrict more)
{
	if (more->count) {
		add_times(total, more);
		add_values(total, more);
	}
#define ADD(name)	total->name += more->name;
	VC_STAT_SUMS(ADD)
#undef ADD
}

/* Add another thread's statistics, which are all zero if it had no event. */
void shim_bpf_stat__add(struct vc_stat *restrict total, const struct vc_stat *restrict more)
{
	add_head(total, more);
	if (!more->count)
		return;
	for (uint32_t i = 0; i < VC_HIST_SLOTS; i++)
		total->hist[i] += more->hist[i];
}

static uint32_t slot_of(uint64_t ns)
{
	return vc_hist_slot(ns, 63 - __builtin_clzll(ns | 1));
}

/*
 * Find the buckets of one CPU that can be in use according to its extremes.  Return true if there
 * is at least one, and all of them are at or after @first and before @end.
 */
static bool bounds(const struct vc_stat *cpu, uint32_t first, uint32_t end, uint32_t *from,
		   uint32_t *to)
{
	*from = slot_of(cpu->min_ns);
	*to = slot_of(cpu->max_ns) + 1;
	return first <= *from && *from < *to && *to <= end;
}

/* Add up the buckets from @first up to, but not including, @end. */
static uint64_t in_slots(const __u64 *slots, uint32_t first, uint32_t end)
{
	uint64_t n = 0;

	for (uint32_t i = first; i < end; i++)
		n += slots[i - first];
	return n;
}

/* Add a histogram's buckets from @first up to, but not including, @end. */
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
 * Add one CPU's histogram.  @slots has its buckets from @first up to, but not including, @end.  The
 * program updates the extremes before the bucket, so all used buckets are between the extremes, and
 * the others, which are the majority, need not be read.  If the buckets between the extremes do not
 * contain all transactions, concurrent programs have overwritten each other's extremes, and all
 * available buckets are added.
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
	add_head(&row->total, cpu);
	return !cpu->count || row->key.kind != VC_TRANSACT || add_hist(row, cpu, cpu->hist, first, end);
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

/* Return whether a row has not changed since it was added up. */
bool shim_bpf_stat__rests(const struct vc_stat *total, const struct vc_stat *cpus, size_t n)
{
	const struct vc_stat *newest = &cpus[0];
	struct { VC_STAT_SUMS(VC_STAT_MEMBER) } sum = {};

	for (size_t i = 0; i < n; i++) {
#define ADD(name)	sum.name += cpus[i].name;
		VC_STAT_SUMS(ADD)
#undef ADD
		if (cpus[i].last_ns >= newest->last_ns)
			newest = &cpus[i];
	}
#define AND_SAME(name)	&& sum.name == total->name
	return newest->last_ns == total->last_ns && newest->value == total->value
	       VC_STAT_SUMS(AND_SAME);
#undef AND_SAME
}

/*
 * Return whether a row is consistent.  If an event was being added during the read, the count
 * includes the event but the histogram does not.
 */
bool shim_bpf_stat__is_whole(const struct shim_bpf_stat *row)
{
	return row->key.kind != VC_TRANSACT ||
	       in_slots(&row->total.hist[row->slots.first], row->slots.first, row->slots.end) ==
		       row->total.count;
}

/* Add up the lost events of all CPUs by reason.  @fd is vc_drop.  Return 0, -ENOMEM or an errno. */
int shim_bpf_stat__add_drops(int fd, size_t cpus, uint64_t sums[VC_DROP_NR])
{
	uint64_t *values = calloc(cpus, sizeof(*values));
	int err = values ? 0 : -ENOMEM;

	for (uint32_t why = 0; !err && why < VC_DROP_NR; why++) {
		if (bpf_map_lookup_elem(fd, &why, values))
			err = -errno;
		for (size_t i = 0; !err && i < cpus; i++)
			sums[why] += values[i];
	}
	free(values);
	return err;
}

/*
 * Read the event counts of transactions: sums over CPUs, and over threads that write their own
 * counts.
 */

/*
 * A program that keeps writing new events into its rows must not fill the reader's memory.  Above
 * this number of rows the reader forgets all of them, which costs only time.
 */
#define MANY_OWN	16384

/*
 * The counts that programs wrote themselves for a tag and its events.  In read number @read, they
 * are in row @at.
 */
struct own_count {
	struct shim_hnode node;
	uint64_t id;
	struct vc_events events;
	uint64_t read;
	size_t at;
};

/**
 * shim_bpf_counts__open() - prepare to read
 * @c: zero, except descriptors, which are -1; call shim_bpf_counts__close() even after an error
 *
 * Return: 0, -ENOENT, -EPERM, -EPROTO, -ENOMEM, or another errno.
 */
int shim_bpf_counts__open(struct shim_bpf_counts *c)
{
	int err = shim_bpf_table__open(&c->map, VC_PIN_DIR "/vc_count", BPF_MAP_TYPE_PERCPU_HASH,
				       sizeof(struct vc_count_key), sizeof(struct vc_count));

	shim_hash__init(&c->own);
	if (!err)
		err = shim_bpf_pins__map(VC_PIN_DIR "/vc_events", BPF_MAP_TYPE_HASH,
					 sizeof(uint64_t), sizeof(struct vc_events), &c->events_fd);
	return err;
}

/* Look up the events with a key in vc_events.  Return 0, -ENOENT, or an errno from bpf(2). */
int shim_bpf_counts__events(const struct shim_bpf_counts *c, uint64_t key, struct vc_events *events)
{
	if (bpf_map_lookup_elem(c->events_fd, &key, events))
		return -errno;
	if (events->nr > VC_MAX_COUNTERS)
		events->nr = VC_MAX_COUNTERS;
	return 0;
}

static void count_add(struct vc_count *total, const struct vc_count *more)
{
	total->count += more->count;
	for (size_t i = 0; i < VC_MAX_COUNTERS; i++)
		total->sum[i] += more->sum[i];
}

struct reading {
	struct shim_bpf_counts *c;
	size_t cpus;
};

static int add_row(void *arg, const void *key, const void *values)
{
	const struct reading *reading = arg;
	struct shim_bpf_counts *c = reading->c;
	int err = shim_vec__room(c->rows, &c->room, c->n);
	const struct vc_count *cpus = values;
	struct vc_count total = { 0 };
	struct shim_bpf_count *row;
	struct vc_count_key k;

	if (err)
		return err;
	memcpy(&k, key, sizeof(k));
	for (size_t i = 0; i < reading->cpus; i++)
		count_add(&total, &cpus[i]);
	row = &c->rows[c->n];
	/*
	 * The map usually returns rows in the same order, so this place probably has the same row
	 * as in the last read, and its events are known.
	 */
	if (c->n < c->before && row->id == k.tag && row->events_key == k.events &&
	    !memcmp(&row->total, &total, sizeof(total))) {
		c->n++;
		return 0;
	}
	row->id = k.tag;
	row->events_key = 0;
	row->version = ++c->version;
	row->total = total;
	err = shim_bpf_counts__events(c, k.events, &row->events);
	if (err)
		return err == -ENOENT ? 0 : err;
	row->events_key = k.events;
	c->n += total.count != 0;
	return 0;
}

/* Forget all rows, but keep the seed, so that keys do not change. */
static void forget_own(struct shim_bpf_counts *c)
{
	uint64_t seed = c->own.seed;

	shim_hash__free(&c->own);
	shim_arena__free(&c->arena);
	c->own = (struct shim_hash) { .seed = seed };
	c->arena = (struct shim_arena) { 0 };
	c->nown = 0;
}

/**
 * shim_bpf_counts__read() - read the rows of the kernel's map
 * @c: receives the rows
 * @cpus: number of values per row
 *
 * Return: 0, -ENOMEM, or an errno from bpf(2).
 */
int shim_bpf_counts__read(struct shim_bpf_counts *c, size_t cpus)
{
	struct reading reading = { c, cpus };

	if (c->nown > MANY_OWN)
		forget_own(c);
	c->before = c->n;
	c->n = 0;
	c->reads++;
	return shim_bpf_table__read(&c->map, add_row, &reading);
}

static uint64_t hash_of(const struct shim_bpf_counts *c, uint64_t id,
			const struct vc_events *events)
{
	return shim_hash__bytes(&c->own, events, sizeof(*events)) ^
	       shim_hash__bytes(&c->own, &id, sizeof(id));
}

/*
 * Find or create the entry for a tag and the events that programs counted themselves.  Return NULL
 * if out of memory.
 */
static struct own_count *own_of(struct shim_bpf_counts *c, uint64_t id,
				const struct vc_events *events)
{
	uint64_t hash = hash_of(c, id, events);
	struct own_count *own;

	for (struct shim_hnode *node = shim_hash__first(&c->own, hash); node;
	     node = shim_hash__next(node)) {
		own = shim_hnode__entry(node, struct own_count, node);
		if (own->id == id && !memcmp(&own->events, events, sizeof(*events)))
			return own;
	}
	own = shim_arena__alloc(&c->arena, sizeof(*own));
	if (!own)
		return NULL;
	c->nown++;
	own->id = id;
	own->events = *events;
	own->read = 0;
	return shim_hash__add(&c->own, &own->node, hash) ? NULL : own;
}

/* Create a row for the entry in this read. */
static int make_row(struct shim_bpf_counts *c, struct own_count *own)
{
	struct shim_bpf_count *row;

	if (shim_vec__room(c->rows, &c->room, c->n))
		return -ENOMEM;
	row = &c->rows[c->n];
	*row = (struct shim_bpf_count){
		.id = own->id,
		/*
		 * This differs from all keys of the kernel's table, which are unpredictable hashes.
		 */
		.events_key = shim_hash__bytes(&c->own, &own->events, sizeof(own->events)) |
			      SHIM_DIRECT_ID,
		.version = ++c->version,
		.events = own->events,
	};
	own->read = c->reads;
	own->at = c->n++;
	return 0;
}

/**
 * shim_bpf_counts__add_slot() - add the counts of a thread's transactions
 * @c: the counts, which shim_bpf_counts__read() has read
 * @id: the tag's ID
 * @slot: as returned by shim_bpf_slots__read()
 *
 * Return: 0 or -ENOMEM.
 */
int shim_bpf_counts__add_slot(struct shim_bpf_counts *c, uint64_t id, const struct vc_direct *slot)
{
	struct own_count *own;

	if (slot->kind != VC_TRANSACT || !slot->count.count)
		return 0;
	own = own_of(c, id, &slot->events);
	if (!own || (own->read != c->reads && make_row(c, own)))
		return -ENOMEM;
	count_add(&c->rows[own->at].total, &slot->count);
	return 0;
}

void shim_bpf_counts__close(struct shim_bpf_counts *c)
{
	shim_bpf_table__close(&c->map);
	if (c->events_fd >= 0)
		close(c->events_fd);
	free(c->rows);
	shim_hash__free(&c->own);
	shim_arena__free(&c->arena);
}
