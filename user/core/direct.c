// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trace statistics that a program writes itself, into a BPF map that it has mapped.
 *
 * Locking: none, because each thread has its own slots (direct_slots.c).
 */
#include <math.h>
#include <string.h>

#include "counters.h"
#include "direct.h"
#include "direct_slots.h"
#include "traced.h"

static inline uint64_t monotonic(const struct shim_direct *d, uint64_t ticks)
{
	return d->ns_anchor + shim_tick__to_ns(d->tick, ticks - d->tick_anchor);
}

/* shim_traced__read(), but without a function call if the counters can be read in user mode */
static inline bool read_counters(__u64 *values)
{
	const struct shim_counters *counters = shim_traced__own.counters;
	__u64 tick;

	if (counters && counters->nr <= VC_MAX_COUNTERS &&
	    shim_counters__read_own(counters, 0, values, VC_MAX_COUNTERS, &tick))
		return true;
	return shim_traced__read(values);
}

/* Identifies the bind of the thread's set, and changes when the set is changed; never 0 */
static inline __u64 bind_of(const struct shim_counters *counters)
{
	return (__u64)shim_traced__own.serial << 32 |
	       atomic_load_explicit(&counters->changes, memory_order_relaxed);
}

/* The calling thread's slot for the counts of a tag, or NULL; @slot: its current slot, or NULL */
static inline struct vc_direct *counted_slot(struct shim_direct *d, struct shim_direct_tag tag,
					     struct vc_direct *slot,
					     const struct shim_counters *counters)
{
	__u64 bind = bind_of(counters);

	if (slot && slot->bound == bind)
		return slot;
	return slot ? shim_direct__find_counted(d, tag, counters->events, bind) : NULL;
}

/**
 * shim_direct__begin_counted() - note the thread's counts when a transaction is about to begin
 * @d: the mapping
 * @tag: its tag
 *
 * If a signal handler begins and ends a transaction of the same tag in the meantime, the counts of
 * this one are unknown.
 *
 * Context: the thread has a set, see shim_traced__any().
 * Return: the start time by shim_tick__now().
 */
uint64_t shim_direct__begin_counted(struct shim_direct *d, struct shim_direct_tag tag)
{
	__u64 begin, expected = VC_NOT_BEGUN;
	const struct shim_counters *counters;
	struct vc_direct *slot = NULL;

	shim_traced__enter();
	counters = shim_traced__own.counters;
	if (counters)
		slot = counted_slot(d, tag, shim_direct__peek(d, tag), counters);
	if (slot) {
		slot->begun = VC_NOT_BEGUN;
		atomic_signal_fence(memory_order_seq_cst);
		if (!read_counters(slot->from))
			slot->begun = 0;
	}
	begin = shim_tick__now(d->tick);
	if (slot)
		__atomic_compare_exchange_n(&slot->begun, &expected, begin, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	shim_traced__leave();
	return begin;
}

/*
 * Add the thread's counts since the transaction began.  Nothing is added if a counter went
 * backwards, or if the begin noted in the slot is not @begin: then another thread began the
 * transaction, it began with another set, or a signal handler has just begun and ended a
 * transaction of the same tag.
 */
static inline void add_counts(struct vc_direct *slot, __u64 *values, uint32_t nr, __u64 begin)
{
	__u64 any = 0;

	/* Do not use the number of events in the slot, because other processes can write to it. */
	for (uint32_t i = 0; i < nr; i++) {
		values[i] -= slot->from[i];
		any |= values[i];
	}
	if (!__atomic_compare_exchange_n(&slot->begun, &begin, 0, 0, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED) || any >> 63)
		return;
	for (uint32_t i = 0; i < nr; i++)
		slot->count.sum[i] += values[i];
	/* Release order: a reader that sees the count also sees the events. */
	__atomic_store_n(&slot->count.count, slot->count.count + 1, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void
add_end(const struct shim_direct *d, struct vc_direct *slot, uint64_t begin, uint64_t now)
{
	/* The counters of two CPUs may differ slightly. */
	uint64_t spent = now > begin ? shim_tick__to_ns(d->tick, now - begin) : 0;
	struct vc_stat *stat = &slot->stat;

	stat->count++;
	stat->sum_ns += spent;
	if (stat->count == 1 || spent < stat->min_ns)
		stat->min_ns = spent;
	if (spent > stat->max_ns)
		stat->max_ns = spent;
	stat->last_ns = monotonic(d, now);
	stat->last_took_ns = spent;
	stat->hist[vc_hist_slot(spent, 63 - __builtin_clzll(spent | 1))]++;
}

/* The end of a transaction in a thread that has a set */
static __attribute__((noinline)) void end_counted(struct shim_direct *d, struct shim_direct_tag tag,
						  uint64_t begin, uint64_t now)
{
	struct vc_direct *slot = shim_direct__slot(d, tag, VC_TRANSACT), *counted;
	const struct shim_counters *counters;
	__u64 values[VC_MAX_COUNTERS];

	if (!slot)
		return;
	shim_traced__enter();
	counters = shim_traced__own.counters;
	if (counters && read_counters(values)) {
		counted = counted_slot(d, tag, slot, counters);
		if (!counted)
			__atomic_fetch_add(&d->tick->not_counted, 1, __ATOMIC_RELAXED);
		else
			add_counts(counted, values, counters->events->nr, begin);
	}
	shim_traced__leave();
	add_end(d, slot, begin, now);
}

/**
 * shim_direct__end() - add a transaction that has ended
 * @d: the mapping
 * @tag: its tag
 * @begin: its start time by shim_tick__now()
 */
void shim_direct__end(struct shim_direct *d, struct shim_direct_tag tag, uint64_t begin)
{
	uint64_t now = shim_tick__now(d->tick);
	struct vc_direct *slot;

	if (shim_traced__any()) {
		end_counted(d, tag, begin, now);
		return;
	}
	slot = shim_direct__slot(d, tag, VC_TRANSACT);
	if (slot)
		add_end(d, slot, begin, now);
}

/**
 * shim_direct__abort() - count an aborted transaction
 * @d: the mapping
 * @tag: its tag
 */
void shim_direct__abort(struct shim_direct *d, struct shim_direct_tag tag)
{
	struct vc_direct *slot = shim_direct__slot(d, tag, VC_TRANSACT);

	if (slot)
		slot->stat.aborted++;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/**
 * shim_direct__value() - add a point, or an observed value
 * @d: the mapping
 * @tag: its tag
 * @kind: VC_POINT, VC_OBSERVE or VC_COUNTER
 * @value: 0 for a point
 */
void shim_direct__value(struct shim_direct *d, struct shim_direct_tag tag, uint32_t kind,
			double value)
{
	struct vc_direct *slot = shim_direct__slot(d, tag, kind);
	struct vc_stat *stat;
	uint64_t bits;

	if (!slot)
		return;
	stat = &slot->stat;
	memcpy(&bits, &value, sizeof(bits));
	stat->last_ns = monotonic(d, shim_tick__now(d->tick));
	stat->value = bits;
	if (!stat->count || isnan(double_of(stat->value_min)) || value < double_of(stat->value_min))
		stat->value_min = bits;
	if (!stat->count || isnan(double_of(stat->value_max)) || value > double_of(stat->value_max))
		stat->value_max = bits;
	stat->count++;
}
