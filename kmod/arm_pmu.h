/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read a counter of an Arm core's PMU without writing to its perf event.
 *
 * perf's own reading brings the event up to date: it stores what the counter
 * was read as, and adds the difference to two sums, atomically.  A sample needs
 * the sum but not the storing, which costs more than the reading itself.
 */
#ifndef VCPC_ARM_PMU_H
#define VCPC_ARM_PMU_H

#include <linux/bits.h>
#include <linux/perf_event.h>

#if IS_ENABLED(CONFIG_ARM_PMU)
#include <linux/perf/arm_pmu.h>

/**
 * vcpc_arm_pmu_mask() - can this event be read so, and how wide is it?
 * @event: the event, of some core's PMU
 *
 * Return: the mask of the counter's bits; 0 if the event is not of an Arm PMU,
 * or of one whose counters have a width of their own.
 */
static inline u64 vcpc_arm_pmu_mask(const struct perf_event *event)
{
	/* An Arm PMU gives perf its own name, and this is the same string. */
	if (event->pmu->name != to_arm_pmu(event->pmu)->name)
		return 0;
	if (event->hw.flags & ARMPMU_EVT_64BIT)
		return U64_MAX;
	return event->hw.flags & ARMPMU_EVT_47BIT ? 0 : U32_MAX;
}

/**
 * vcpc_arm_pmu_count() - what an event has counted
 * @event: the event, on the PMU of this CPU
 * @mask: as vcpc_arm_pmu_mask() said
 *
 * Context: interrupts off.
 * Return: the count.
 */
static __always_inline u64 vcpc_arm_pmu_count(struct perf_event *event, u64 mask)
{
	u64 raw = to_arm_pmu(event->pmu)->read_counter(event);

	raw -= local64_read(&event->hw.prev_count);
	return local64_read(&event->count) + (raw & mask);
}

#else /* no Arm PMU */

static inline u64 vcpc_arm_pmu_mask(const struct perf_event *event)
{
	return 0;
}

static inline u64 vcpc_arm_pmu_count(struct perf_event *event, u64 mask)
{
	return 0;
}

#endif
#endif
