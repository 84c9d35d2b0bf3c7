/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Write a program's trace statistics into a BPF map that the program itself has mapped. */
#ifndef SHIM_CORE_DIRECT_H
#define SHIM_CORE_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process.h"
#include "bpf/trace.h"
#include "clock.h"

/* Use the CPU's counter as a clock: read it in user mode, and convert its ticks to nanoseconds. */

static inline uint64_t shim_tick__now(const struct vc_tick *tick)
{
	if (!tick->usable)
		return shim_clock__ns();
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return shim_clock__ns();
#endif
}

static inline uint64_t shim_tick__to_ns(const struct vc_tick *tick, uint64_t ticks)
{
	if (!tick->usable)
		return ticks;
	return (unsigned __int128)ticks * tick->mult >> 32;
}

void shim_tick__calibrate(struct vc_tick *tick);

/**
 * struct shim_direct - this process's mapping of vc_direct
 * @size: size of this struct including @words, in bytes
 * @slots: all slots, including other programs' slots
 * @n: number of slots
 * @lock: held while searching for a slot
 * @heads: hash table by name and kind: index of the first slot of a chain + 1, or 0 (@lock)
 * @nheads: number of @heads, a power of two
 * @next: for each slot, index of the next one in its chain + 1, or 0 (@lock)
 * @noted: index of the first slot that was free at the last search; all slots below it are in
 *	their chains (@lock)
 * @tick: the clock
 * @epoch: identifies this mapping; differs between all processes and mappings
 * @pidns: inode of this process's PID namespace
 * @user: this process's user ID
 * @tick_anchor: a time in ticks of the clock
 * @ns_anchor: the same time by the host's CLOCK_MONOTONIC
 * @words: memory of @heads and @next
 */
struct shim_direct {
	size_t size;
	struct vc_direct *slots;
	size_t n;
	struct shim_siglock lock;
	uint32_t *heads;
	size_t nheads;
	uint32_t *next;
	size_t noted;
	struct vc_tick *tick;
	uint64_t epoch;
	uint64_t pidns;
	uint32_t user;
	uint64_t tick_anchor;
	uint64_t ns_anchor;
	uint32_t words[];
};

/* A tag of the process.  @index counts from 0 and is unique during the process's life. */
struct shim_direct_tag {
	uint32_t index;
	const char *name;
};

int shim_direct__open(struct shim_direct **out);

static inline int shim_direct__active(const struct shim_direct *d)
{
	return *(volatile uint32_t *)&d->tick->active;
}

uint64_t shim_direct__begin_counted(struct shim_direct *d, struct shim_direct_tag tag);
void shim_direct__end(struct shim_direct *d, struct shim_direct_tag tag, uint64_t begin);
void shim_direct__abort(struct shim_direct *d, struct shim_direct_tag tag);
void shim_direct__value(struct shim_direct *d, struct shim_direct_tag tag, uint32_t kind,
			double value);

/*
 * Count the events that the tracing session wants, in threads that write their statistics
 * themselves.
 */

/**
 * struct shim_direct_wanted - the state of a thread
 * @last: start time of the thread's last transaction, by shim_tick__now()
 * @until: time of the next check whether other events are wanted
 * @session: shim_wanted__id() of the set that the thread has bound or could not bind; 0: none
 * @bound: the set; NULL: none
 */
struct shim_direct_wanted {
	uint64_t last;
	uint64_t until;
	uint64_t session;
	struct shim_counters *bound;
};

extern __thread struct shim_direct_wanted shim_direct_wanted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

void shim_direct_wanted__look(struct shim_direct *d);

/* Called when the calling thread is about to begin a transaction */
static inline void shim_direct_wanted__begin(struct shim_direct *d)
{
	const struct shim_direct_wanted *own = &shim_direct_wanted__own;

	if (__builtin_expect(own->last >= own->until, 0))
		shim_direct_wanted__look(d);
}

/* Find slots for the program's own statistics, in a BPF map that the program has mapped. */

/*
 * A thread's slots of one kind, indexed by the tag's number.  An even entry is the slot's address.
 * An odd entry belongs to a tag without a slot: it is twice the number of lost events, plus 1.
 *
 * A list that has become too short is kept, linked by @shorter, until the thread ends: if a signal
 * handler allocates the longer list, the interrupted code may still be reading the short one.
 */
struct shim_slot_list {
	struct shim_slot_list *shorter;
	uint32_t n;
	uintptr_t at[];
};

/**
 * struct shim_own_slots - a thread's slots
 * @epoch: identifies the mapping that has the slots
 * @generation: shim_fork__generation() when they were found
 * @of_kind: the lists by kind
 */
struct shim_own_slots {
	uint64_t epoch;
	unsigned int generation;
	struct shim_slot_list *of_kind[VC_COUNTER];
};

extern __thread struct shim_own_slots shim_own_slots
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

struct vc_direct *shim_direct__find_slot(struct shim_direct *d, struct shim_direct_tag tag,
					 uint32_t kind, bool is_event);
struct vc_direct *shim_direct__find_counted(struct shim_direct *d, struct shim_direct_tag tag,
					    const struct vc_events *events, uint64_t bind);

/* Return the entry in the calling thread's list, or 0 if the slot must be searched for. */
static inline uintptr_t shim_direct__place(const struct shim_direct *d, struct shim_direct_tag tag,
					   uint32_t kind)
{
	const struct shim_slot_list *list = shim_own_slots.of_kind[kind - 1];

	return shim_own_slots.epoch == d->epoch && list && tag.index < list->n ? list->at[tag.index] :
	       0;
}

/*
 * Return the calling thread's slot of a tag and kind for an event.  If the result is NULL, the
 * event is counted as lost.
 */
static inline struct vc_direct *shim_direct__slot(struct shim_direct *d, struct shim_direct_tag tag,
						  uint32_t kind)
{
	uintptr_t place = shim_direct__place(d, tag, kind);
	struct vc_direct *slot;

	if (place && !(place & 1))
		return (struct vc_direct *)place;
	slot = shim_direct__find_slot(d, tag, kind, true);
	if (!slot)
		__atomic_fetch_add(&d->tick->lost, 1, __ATOMIC_RELAXED);
	return slot;
}

/*
 * Like shim_direct__slot(), for a transaction that has not ended yet, so no event is counted as
 * lost.
 */
static inline struct vc_direct *shim_direct__peek(struct shim_direct *d, struct shim_direct_tag tag)
{
	uintptr_t place = shim_direct__place(d, tag, VC_TRANSACT);

	if (place)
		return place & 1 ? NULL : (struct vc_direct *)place;
	return shim_direct__find_slot(d, tag, VC_TRANSACT, false);
}

#endif /* SHIM_CORE_DIRECT_H */
