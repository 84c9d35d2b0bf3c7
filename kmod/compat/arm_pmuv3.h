/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vcpc_arm_pmuv3_read(): a counter of PMUv3 by the number that perf knows it by.
 * Linux 6.12 gave the counters their architectural numbers, the cycle counter 31;
 * before, that was 0, and each other one more than its own.
 */
#ifndef VCPC_COMPAT_ARM_PMUV3_H
#define VCPC_COMPAT_ARM_PMUV3_H

#include <linux/perf/arm_pmu.h>
#include <linux/types.h>
#include <linux/version.h>

#ifdef CONFIG_ARM64
#include <asm/sysreg.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define VCPC_PMUV3_CYCLES	31
#define VCPC_PMUV3_FIRST	0
#else
#define VCPC_PMUV3_CYCLES	0
#define VCPC_PMUV3_FIRST	1
#endif

static inline bool vcpc_arm_pmuv3_is(const struct arm_pmu *pmu)
{
	return pmu->pmuver > 0;
}

/* Most have six; the driver reads what is beyond. */
static __always_inline bool vcpc_arm_pmuv3_read(int idx, u64 *raw)
{
	switch (idx) {
	case VCPC_PMUV3_CYCLES:
		*raw = read_sysreg(pmccntr_el0);
		return true;
	case VCPC_PMUV3_FIRST:
		*raw = read_sysreg(pmevcntr0_el0);
		return true;
	case VCPC_PMUV3_FIRST + 1:
		*raw = read_sysreg(pmevcntr1_el0);
		return true;
	case VCPC_PMUV3_FIRST + 2:
		*raw = read_sysreg(pmevcntr2_el0);
		return true;
	case VCPC_PMUV3_FIRST + 3:
		*raw = read_sysreg(pmevcntr3_el0);
		return true;
	case VCPC_PMUV3_FIRST + 4:
		*raw = read_sysreg(pmevcntr4_el0);
		return true;
	case VCPC_PMUV3_FIRST + 5:
		*raw = read_sysreg(pmevcntr5_el0);
		return true;
	default:
		return false;
	}
}

#else /* a 32-bit Arm has other registers */

static inline bool vcpc_arm_pmuv3_is(const struct arm_pmu *pmu)
{
	return false;
}

static inline bool vcpc_arm_pmuv3_read(int idx, u64 *raw)
{
	return false;
}

#endif
#endif
