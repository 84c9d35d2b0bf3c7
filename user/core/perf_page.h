/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading counters in user mode by the pages that perf maps for their events: pure, but for
 * the reading of the counter and of the clock, which the caller supplies.
 *
 * The kernel updates an event's page whenever the event comes onto the PMU or goes off it, with
 * the page's lock odd meanwhile.  If no lock has changed between the first page's and the last
 * one's, all values belong to one stretch in which the thread was not switched.
 *
 * Only the thread that the events count may read: a page's index is a counter of the CPU on
 * which that thread runs.
 */
#ifndef SHIM_CORE_PERF_PAGE_H
#define SHIM_CORE_PERF_PAGE_H

#include <errno.h>
#include <linux/perf_event.h>

/* After so many tries in vain the caller asks the kernel. */
#define SHIM_PAGE_TRIES	64

/**
 * struct shim_page_cpu - how the CPU is read
 * @counter: a counter's value, of which the lowest pmc_width bits are taken; index from 0
 * @clock: the clock that time_mult and time_shift are of
 */
struct shim_page_cpu {
	__u64 (*counter)(__u32 index);
	__u64 (*clock)(void);
};

static inline __u64 shim_page__extend(__u64 raw, unsigned int width)
{
	unsigned int shift = (64 - width) & 63;

	return (__u64)((__s64)(raw << shift) >> shift);
}

/* CPU time of the thread while the event was enabled */
static inline __u64 shim_page__time(const volatile struct perf_event_mmap_page *page, __u64 cycles)
{
	unsigned int shift = page->time_shift;
	__u64 mult = page->time_mult, rest;

	if (page->cap_user_time_short)
		cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
	rest = cycles & ((1ULL << shift) - 1);
	return page->time_enabled + page->time_offset + (cycles >> shift) * mult +
	       (rest * mult >> shift);
}

/* One try: 0, -EAGAIN if a page has changed, -EOPNOTSUPP if an event is not on the PMU */
static inline __attribute__((always_inline)) int
shim_page__try(const volatile struct perf_event_mmap_page *const *pages, unsigned int n,
	       const struct shim_page_cpu *cpu, const __u64 *from, __u64 *values, __u64 *tick)
{
	/* Locks only ever grow: their sum is the same if and only if each of them is. */
	__u32 sum = 0, odd = 0;

	for (unsigned int i = 0; i < n; i++) {
		const volatile struct perf_event_mmap_page *page = pages[i];
		__u32 lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		__u32 index = page->index;

		sum += lock;
		odd |= lock;
		if (!index || !page->cap_user_rdpmc)
			return lock & 1 ? -EAGAIN : -EOPNOTSUPP;
		values[i] = from[i] + page->offset +
			    shim_page__extend(cpu->counter(index - 1), page->pmc_width);
	}
	if (!pages[0]->cap_user_time)
		return -EOPNOTSUPP;
	*tick = shim_page__time(pages[0], cpu->clock());
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (unsigned int i = 0; i < n; i++)
		sum -= pages[i]->lock;
	return sum || odd & 1 ? -EAGAIN : 0;
}

/**
 * shim_page__read() - the values of events that count the calling thread, of one stretch
 * @pages: of the events
 * @n: how many
 * @cpu: how the CPU is read
 * @from: for each event what is added to its count
 * @values: filled, also on failure
 * @tick: CPU time while the events were enabled, ns
 *
 * Context: no system call; also a signal handler of the thread.
 * Return: 0, or -EOPNOTSUPP if the kernel has to be asked: an event is not on the PMU, may not
 * be read in user mode, or the pages never stayed the same for long enough.
 * Source: <linux/perf_event.h>, struct perf_event_mmap_page.
 */
static inline __attribute__((always_inline)) int
shim_page__read(const volatile struct perf_event_mmap_page *const *pages, unsigned int n,
		const struct shim_page_cpu *cpu, const __u64 *from, __u64 *values, __u64 *tick)
{
	for (int tries = 0; tries < SHIM_PAGE_TRIES; tries++) {
		int ret = shim_page__try(pages, n, cpu, from, values, tick);

		if (ret != -EAGAIN)
			return ret;
	}
	return -EOPNOTSUPP;
}

#endif /* SHIM_CORE_PERF_PAGE_H */
