// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read a list of this CPU's counters.
 *
 * On arm64 the instruction that reads a counter contains the number of its register.  So there is
 * code for each counter and width.  A slot's @how is the address of that code, which continues with
 * the code of the next slot.
 */
#include <stddef.h>

#include "perf_cpu.h"

#if defined(__aarch64__)

#define EACH_EVENT(DO)								\
	DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10)	\
	DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20)	\
	DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30)
#define CYCLES		31
#define COUNTERS	32

/* Indexes of places: counters read as 32 bits, as 64 bits, and the end */
#define WIDE		COUNTERS
#define END		(2 * COUNTERS)

#define GO_ON						\
	do {						\
		how = (const void *)slot->how;		\
		base = slot->base;			\
		slot++;					\
		goto *how;				\
	} while (0)
#define READ(label, name, type)						\
	label:								\
		__asm__ volatile("mrs %0, " name : "=r"(raw));		\
		*values++ = base + (__u64)(type)raw;			\
		GO_ON;
#define READ_EVENT(n)							\
	READ(event_##n, "pmevcntr" #n "_el0", __s32)			\
	READ(wide_event_##n, "pmevcntr" #n "_el0", __s64)
#define PLACES(n)	[n] = &&event_##n, [WIDE + n] = &&wide_event_##n,

/* Read the counters of a list.  Without a list, return the address of a place. */
static __attribute__((noinline)) const void *
read_or_find(const struct shim_page_slot *slot, __u64 *values, unsigned int place)
{
	static const void *const places[] = {
		EACH_EVENT(PLACES)
		[CYCLES] = &&cycles,
		[WIDE + CYCLES] = &&wide_cycles,
		[END] = &&end,
	};
	const void *how;
	__u64 base, raw;

	if (!slot)
		return places[place];
	GO_ON;
	EACH_EVENT(READ_EVENT)
	READ(cycles, "pmccntr_el0", __s32)
	READ(wide_cycles, "pmccntr_el0", __s64)
end:
	return NULL;
}

__u64 shim_cpu__place(__u32 index, unsigned int width)
{
	unsigned int place = END;

	if (index && index <= COUNTERS && (width == 32 || width == 64))
		place = index - 1 + (width == 64 ? WIDE : 0);
	return (__u64)read_or_find(NULL, NULL, place);
}

void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values)
{
	read_or_find(slot, values, 0);
}

#elif defined(__x86_64__)

/* @how: the index, counted from 1, and above it the shift that moves the sign bit to bit 63 */
#define SHIFT_AT	32

/* Intel's register of the topdown metrics also has a number, but it does not count anything. */
#define FIXED_COUNTERS	(1U << 30)
#define COUNTERS	32

static int is_counter(__u32 number)
{
	return (number & ~FIXED_COUNTERS) < COUNTERS;
}

__u64 shim_cpu__place(__u32 index, unsigned int width)
{
	if (!index || !is_counter(index - 1) || !width || width > 64)
		return 0;
	return (__u64)(64 - width) << SHIFT_AT | index;
}

void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values)
{
	for (__u64 how; (how = slot->how) != 0; slot++) {
		unsigned int shift = how >> SHIFT_AT;
		__u64 raw = __builtin_ia32_rdpmc((__u32)how - 1);

		*values++ = slot->base + (__u64)((__s64)(raw << shift) >> shift);
	}
}

#else

__u64 shim_cpu__place(__u32 index, unsigned int width)
{
	(void)index;
	(void)width;
	return 0;
}

void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values)
{
	(void)slot;
	(void)values;
}

#endif
