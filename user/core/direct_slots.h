/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The slots of a BPF map that a program has mapped, for the statistics that it writes itself. */
#ifndef SHIM_CORE_DIRECT_SLOTS_H
#define SHIM_CORE_DIRECT_SLOTS_H

#include <stdbool.h>

#include "direct.h"

/*
 * A thread's slots of one kind, indexed by the tag's number.  An even entry is the slot's address.
 * An odd entry is a tag without a slot: twice the number of lost events, plus 1.
 *
 * A list that has become too short stays, linked by @shorter, until the thread ends: a signal
 * handler that interrupts a reader of the short list may make the longer one.
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

/* The entry in the calling thread's list; 0: search for the slot */
static inline uintptr_t shim_direct__place(const struct shim_direct *d, struct shim_direct_tag tag,
					   uint32_t kind)
{
	const struct shim_slot_list *list = shim_own_slots.of_kind[kind - 1];

	return shim_own_slots.epoch == d->epoch && list && tag.index < list->n ? list->at[tag.index] :
	       0;
}

/* The calling thread's slot of a tag and kind for an event.  If it is NULL, the event is lost. */
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

/* The same for a transaction that has not ended yet: nothing is lost without a slot. */
static inline struct vc_direct *shim_direct__peek(struct shim_direct *d, struct shim_direct_tag tag)
{
	uintptr_t place = shim_direct__place(d, tag, VC_TRANSACT);

	if (place)
		return place & 1 ? NULL : (struct vc_direct *)place;
	return shim_direct__find_slot(d, tag, VC_TRANSACT, false);
}

#endif /* SHIM_CORE_DIRECT_SLOTS_H */
