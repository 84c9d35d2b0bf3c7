/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading counters in user mode by the pages that perf maps for their events: pure, but for
 * the reading of the counters and of the clock, which the caller supplies.
 *
 * The kernel updates an event's page whenever the event comes onto the PMU or goes off it, or its
 * counter overflows, with the page's lock odd meanwhile.  Locks only ever grow: while their sum is
 * the same, so is all else in the pages.  What the pages say is kept as a plan, with that sum.  A
 * sample reads the counters by the plan, then all locks.  If their sum is the plan's, all values
 * belong to one stretch in which the thread was not switched; otherwise the plan is made anew.
 *
 * Only the thread that the events count may read: a page's index is a counter of the CPU on
 * which that thread runs.  The counters of a plan may be another CPU's by now, which may even lack
 * them: so the first page's lock is compared before, too.  A switch changes all pages.
 *
 * A signal handler of the thread may read by the same plan at any point of a sample that it
 * interrupts.  See shim_page__plan().
 */
#ifndef SHIM_CORE_PERF_PAGE_H
#define SHIM_CORE_PERF_PAGE_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>

/* After so many tries in vain the caller asks the kernel. */
#define SHIM_PAGE_TRIES	64

/*
 * A plan is made anew when so many ticks of the clock have passed, as a power of 2: within these
 * 0.3 s (4 GHz) to 45 s (24 MHz) locks of 32 bits do not come round to the same sum.
 */
#define SHIM_PAGE_TICKS	30

/**
 * struct shim_page_slot - one event's counter
 * @how: of struct shim_page_cpu's @place
 * @base: added to the counter, which is taken as a signed number of its width
 */
struct shim_page_slot {
	__u64 how;
	__u64 base;
};

/**
 * struct shim_page_cpu - how the CPU is read
 * @place: how to read the counter of an index, from 1 as in the pages, and a width; if it cannot be
 *	read, as for the width 0, what ends a list of slots
 * @counters: read the counters of a list of slots
 * @clock: the clock that time_mult and time_shift are of
 */
struct shim_page_cpu {
	__u64 (*place)(__u32 index, unsigned int width);
	void (*counters)(const struct shim_page_slot *slots, __u64 *values);
	__u64 (*clock)(void);
};

/**
 * struct shim_page_plan - what the pages of a thread's events said
 * @pages: of the events
 * @end: behind them; behind an odd number of pages, the first is there once more
 * @changing: of shim_page__begin_change()
 * @making: a plan is being made
 * @first: the first page's lock; at first odd, as no lock is that was read
 * @sum: of all @pages' locks and @changing
 * @page: the first one
 * @shift: its time_shift
 * @mult: its time_mult
 * @clock: when the plan was made
 * @time: CPU time of the thread while the event was enabled until then, ns
 * @rest: what @time lacks, in 2^-@shift ns
 * @slots: one for each event, and the end
 *
 * Any thread may change @changing; everything else is the reading thread's.
 */
struct shim_page_plan {
	const volatile struct perf_event_mmap_page *const *pages;
	const volatile struct perf_event_mmap_page *const *end;
	const volatile struct perf_event_mmap_page *page;
	volatile __u32 changing;
	bool making;
	__u32 first;
	__u32 sum;
	__u32 shift;
	__u32 mult;
	__u64 clock;
	__u64 time;
	__u64 rest;
	struct shim_page_slot slots[];
};

static inline void shim_page__init(struct shim_page_plan *plan,
				   const volatile struct perf_event_mmap_page *const *pages,
				   unsigned int n, const struct shim_page_cpu *cpu)
{
	plan->pages = pages;
	plan->end = pages + n;
	plan->page = pages[0];
	plan->first = 1;
	for (unsigned int i = 0; i <= n; i++)
		plan->slots[i].how = cpu->place(0, 0);
}

/*
 * What is added to the counts changes from now until shim_page__end_change(), or all ends, if that
 * is never called.  The number is like a page's lock: odd meanwhile, and it only ever grows.
 *
 * Context: any thread, one at a time.
 */
static inline void shim_page__begin_change(struct shim_page_plan *plan)
{
	__atomic_fetch_add(&plan->changing, 1, __ATOMIC_SEQ_CST);
	atomic_thread_fence(memory_order_seq_cst);
}

static inline void shim_page__end_change(struct shim_page_plan *plan)
{
	atomic_thread_fence(memory_order_seq_cst);
	__atomic_fetch_add(&plan->changing, 1, __ATOMIC_SEQ_CST);
}

static inline __attribute__((always_inline)) __u32 shim_page__sum(const struct shim_page_plan *plan)
{
	const volatile struct perf_event_mmap_page *const *page = plan->pages;
	const volatile struct perf_event_mmap_page *const *end = plan->end;
	__u32 sum = plan->changing;

	/* Two at a time: half as many branches */
	do {
		sum += page[0]->lock + page[1]->lock;
		page += 2;
	} while (page < end);
	return sum;
}

/* Fill in the slots by the pages: 0, -EAGAIN or -EOPNOTSUPP as shim_page__plan() */
static inline int shim_page__fill(struct shim_page_plan *plan, const struct shim_page_cpu *cpu,
				  const __u64 *from)
{
	const volatile struct perf_event_mmap_page *const *at = plan->pages;
	struct shim_page_slot *slot = plan->slots;
	const __u64 none = cpu->place(0, 0);
	__u32 odd = 0;

	for (; at < plan->end; at++, slot++, from++) {
		const volatile struct perf_event_mmap_page *page = *at;
		__u32 lock = __atomic_load_n(&page->lock, __ATOMIC_ACQUIRE);
		__u32 index = page->index;
		__u64 how = page->cap_user_rdpmc ? cpu->place(index, page->pmc_width) : none;

		odd |= lock;
		slot->how = how;
		slot->base = *from + page->offset;
		if (how == none)
			return lock & 1 ? -EAGAIN : -EOPNOTSUPP;
	}
	return odd & 1 ? -EAGAIN : 0;
}

/* The first page's times at this instant */
static inline void shim_page__set_time(struct shim_page_plan *plan, const struct shim_page_cpu *cpu)
{
	const volatile struct perf_event_mmap_page *page = plan->page;
	__u32 shift = page->time_shift, mult = page->time_mult;
	__u64 below = (1ULL << shift) - 1, cycles, rest;

	plan->clock = cycles = cpu->clock();
	if (page->cap_user_time_short)
		cycles = page->time_cycles + ((cycles - page->time_cycles) & page->time_mask);
	rest = (cycles & below) * mult;
	plan->time = page->time_enabled + page->time_offset + (cycles >> shift) * mult + (rest >> shift);
	plan->rest = rest & below;
	plan->shift = shift;
	plan->mult = mult;
}

static inline int shim_page__make(struct shim_page_plan *plan, const struct shim_page_cpu *cpu,
				  const __u64 *from)
{
	/* A sample that this handler has interrupted may have read half of the old plan. */
	__u32 changing = __atomic_fetch_add(&plan->changing, 2, __ATOMIC_SEQ_CST), sum, first;
	int ret;

	sum = shim_page__sum(plan);
	first = plan->page->lock;
	/* Without a change in the sum, any that comes later makes the plan useless. */
	if (changing & 1 || plan->changing != changing + 2)
		return -EOPNOTSUPP;
	atomic_thread_fence(memory_order_acquire);
	ret = shim_page__fill(plan, cpu, from);
	if (ret)
		return ret;
	if (!plan->page->cap_user_time)
		return -EOPNOTSUPP;
	shim_page__set_time(plan, cpu);
	plan->first = first;
	plan->sum = sum;
	return 0;
}

/**
 * shim_page__plan() - find out how the counters are to be read from now on
 * @plan: the plan
 * @cpu: how the CPU is read
 * @from: for each event what is added to its count; shim_page__begin_change() tells of changes
 *
 * A signal handler that interrupts this asks the kernel: if it made the plan, too, the interrupted
 * call would go on to mix the two.  One that interrupts a sample may make the plan: it changes
 * @changing, so that the sample's sum is another.
 *
 * Return: 0, also if the pages have changed meanwhile, which the next sample notices; -EAGAIN if
 * they are being changed; -EOPNOTSUPP if an event is not on the PMU or may not be read in user mode,
 * if @from is being changed, or if the plan is being made.
 */
static __attribute__((noinline, unused)) int
shim_page__plan(struct shim_page_plan *plan, const struct shim_page_cpu *cpu, const __u64 *from)
{
	int ret;

	if (plan->making)
		return -EOPNOTSUPP;
	plan->making = true;
	atomic_signal_fence(memory_order_seq_cst);
	ret = shim_page__make(plan, cpu, from);
	atomic_signal_fence(memory_order_seq_cst);
	plan->making = false;
	return ret;
}

/* One sample by the plan: 0, or -EAGAIN if it does not hold any more */
static inline __attribute__((always_inline)) int
shim_page__try(const struct shim_page_plan *plan, const struct shim_page_cpu *cpu, __u64 *values,
	       __u64 *tick)
{
	/* The sum first: a handler may make another plan before the next is read. */
	__u32 sum = *(const volatile __u32 *)&plan->sum;
	__u64 ticks;

	atomic_signal_fence(memory_order_seq_cst);
	if (plan->page->lock != plan->first)
		return -EAGAIN;
	cpu->counters(plan->slots, values);
	ticks = cpu->clock() - plan->clock;
	if (ticks >> SHIM_PAGE_TICKS)
		return -EAGAIN;
	*tick = plan->time + ((plan->rest + ticks * plan->mult) >> plan->shift);
	atomic_thread_fence(memory_order_acquire);
	return shim_page__sum(plan) != sum ? -EAGAIN : 0;
}

/**
 * shim_page__read() - the values of events that count the calling thread, of one stretch
 * @plan: of the events
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
shim_page__read(struct shim_page_plan *plan, const struct shim_page_cpu *cpu, const __u64 *from,
		__u64 *values, __u64 *tick)
{
	for (int tries = 0; shim_page__try(plan, cpu, values, tick); tries++) {
		int ret = shim_page__plan(plan, cpu, from);

		if ((ret && ret != -EAGAIN) || tries == SHIM_PAGE_TRIES)
			return -EOPNOTSUPP;
	}
	return 0;
}

#endif /* SHIM_CORE_PERF_PAGE_H */
