// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the statistics that programs write themselves.
 *
 * Such a program may write anything at any time, so a slot is copied before it is checked.
 */
#include <string.h>
#include <sys/mman.h>

#include "bpf_array.h"
#include "bpf_slots.h"

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

/* Clear fields without a meaning.  Events may have been written after they were copied. */
static void clean_counts(struct vc_direct *slot, bool counted)
{
	struct vc_events *events = &slot->events;

	if (!counted)
		slot->count.count = 0;
	if (events->nr > VC_MAX_COUNTERS)
		events->nr = VC_MAX_COUNTERS;
	events->reserved = 0;
	memset(events->event + events->nr, 0, (VC_MAX_COUNTERS - events->nr) * sizeof(events->event[0]));
}

/* Copy a slot.  Return 1, or 0 if it has no valid kind, no name or no events. */
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

/* Number of events that were lost because all slots were in use */
uint64_t shim_bpf_slots__lost(const struct shim_bpf_slots *slots)
{
	return slots->tick ? slots->tick->lost : 0;
}

/* Number of transactions that their thread counted, but that found no slot for the counts */
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
