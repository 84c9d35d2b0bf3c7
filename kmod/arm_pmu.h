/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read a counter of an Arm core's PMU without writing to its perf event.
 *
 * perf's own reading brings the event up to date: it stores what the counter
 * was read as, and adds the difference to two sums, atomically.  A sample needs
 * the sum but not the storing, which costs more than the reading itself.
 *
 * Where the PMU is Arm's own architecture's (PMUv3), the counter is read by its number,
 * as perf lets user space do: 10 instructions instead of the driver's 46.
 * Nothing is ever written to a register.
 */
#ifndef VCPC_ARM_PMU_H
#define VCPC_ARM_PMU_H

#include <linux/bits.h>
#include <linux/perf_event.h>

#if IS_ENABLED(CONFIG_ARM_PMU)
#include <linux/perf/arm_pmu.h>
#ifdef CONFIG_ARM64
#include <asm/cpufeature.h>
#endif

#include "compat/arm_pmuv3.h"
#include "virt.h"

/* Can its interrupt not be masked?  On arm64, with CONFIG_ARM64_PSEUDO_NMI and if asked for. */
static inline bool vcpc_arm_pmu_unmasked(void)
{
#ifdef CONFIG_ARM64
	return system_uses_irq_prio_masking();
#else
	return false;
#endif
}

/**
 * vcpc_arm_pmu_mask() - can this event be read so, and how wide is it?
 * @event: the event, of some core's PMU
 *
 * Not if the PMU's interrupt cannot be masked: it would change counter and sums between
 * two readings.
 *
 * Return: the mask of the counter's bits; 0 if the event is not of an Arm PMU,
 * or of one whose counters have a width of their own.
 */
static inline u64 vcpc_arm_pmu_mask(const struct perf_event *event)
{
	if (vcpc_arm_pmu_unmasked())
		return 0;
	/* An Arm PMU gives perf its own name, and this is the same string. */
	if (event->pmu->name != to_arm_pmu(event->pmu)->name)
		return 0;
	if (event->hw.flags & ARMPMU_EVT_64BIT)
		return U64_MAX;
	return event->hw.flags & ARMPMU_EVT_47BIT ? 0 : U32_MAX;
}

/**
 * vcpc_arm_pmu_direct() - can this event's counter be read without its driver?
 * @event: the event, on the PMU of this CPU
 * @mask: as vcpc_arm_pmu_mask() said
 *
 * Events of 64 bits may be two counters in one; and what cannot be seen to give
 * what the driver gives is not trusted.
 *
 * Context: interrupts off.
 * Return: true or false.
 */
static inline bool vcpc_arm_pmu_direct(struct perf_event *event, u64 mask)
{
	struct arm_pmu *pmu = to_arm_pmu(event->pmu);
	u64 before, by_driver, after;

	if (mask != U32_MAX || !vcpc_arm_pmuv3_is(pmu) ||
	    !vcpc_arm_pmuv3_read(event->hw.idx, &before))
		return false;
	by_driver = pmu->read_counter(event);
	return vcpc_arm_pmuv3_read(event->hw.idx, &after) &&
	       vcpc_virt_since(before, by_driver, mask) <= vcpc_virt_since(before, after, mask);
}

/**
 * vcpc_arm_pmu_count() - what an event has counted, by its driver
 * @event: the event, on the PMU of this CPU
 * @mask: as vcpc_arm_pmu_mask() said
 *
 * Context: interrupts off.
 * Return: the count.
 */
static inline u64 vcpc_arm_pmu_count(struct perf_event *event, u64 mask)
{
	u64 raw = to_arm_pmu(event->pmu)->read_counter(event);

	return local64_read(&event->count) +
	       vcpc_virt_since(local64_read(&event->hw.prev_count), raw, mask);
}

/**
 * vcpc_arm_pmu_count_direct() - what an event has counted, without its driver
 * @event: the event, on the PMU of this CPU; vcpc_arm_pmu_direct() was true of it
 * @count: written on success
 *
 * Context: interrupts off.
 * Return: true; false if it is now on a counter that has to be asked for otherwise.
 */
static __always_inline bool vcpc_arm_pmu_count_direct(struct perf_event *event, u64 *count)
{
	u64 raw;

	if (!vcpc_arm_pmuv3_read(event->hw.idx, &raw))
		return false;
	*count = local64_read(&event->count) +
		 vcpc_virt_since(local64_read(&event->hw.prev_count), raw, U32_MAX);
	return true;
}

#else /* no Arm PMU */

static inline u64 vcpc_arm_pmu_mask(const struct perf_event *event)
{
	return 0;
}

static inline bool vcpc_arm_pmu_direct(struct perf_event *event, u64 mask)
{
	return false;
}

static inline u64 vcpc_arm_pmu_count(struct perf_event *event, u64 mask)
{
	return 0;
}

static inline bool vcpc_arm_pmu_count_direct(struct perf_event *event, u64 *count)
{
	return false;
}

#endif
#endif
