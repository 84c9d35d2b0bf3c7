/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read counters in user mode through perf's mmap pages.  The caller supplies the functions that
 * read the counters and the clock; everything else is pure.
 *
 * The kernel updates an event's page when the event is scheduled in or out or its counter
 * overflows.  The page's lock is odd during the update.  Locks only increase, so if their sum has
 * not changed, nothing in the pages has changed.  The contents of the pages are cached as a plan,
 * together with that sum.  A sample reads the counters according to the plan, then all locks.  If
 * their sum equals the plan's, the thread was not switched while the values were read; otherwise a
 * new plan is made.
 *
 * Only the thread that the events count may read them, because a page's index is a counter of the
 * CPU on which that thread runs.  The plan may have been made on another CPU, and the current CPU
 * may lack its counters.  Therefore the first page's lock is compared before the counters are read;
 * a switch changes all pages.
 *
 * A signal handler may read through the same plan at any point of a sample that it interrupts; see
 * shim_page__plan().
 */
#ifndef SHIM_CORE_PERF_PAGE_H
#define SHIM_CORE_PERF_PAGE_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>

/* After this many failed tries the caller reads through the kernel. */
#define SHIM_PAGE_TRIES	64

/*
 * A new plan is made after 2^30 ticks of the clock.  That is 0.3 s (4 GHz) to 45 s (24 MHz), too
 * short for the sum of 32-bit locks to wrap around to the same value.
 */
#define SHIM_PAGE_TICKS	30

/**
 * struct shim_page_slot - one event's counter
 * @how: the result of @place in struct shim_page_cpu
 * @base: added to the counter, which is sign-extended from its width
 */
struct shim_page_slot {
	__u64 how;
	__u64 base;
};

/**
 * struct shim_page_cpu - functions that read the CPU
 * @place: translate a counter's index (from 1, as in the pages) and width to a slot's @how; if it
 *	cannot be read, for example because the width is 0, the result ends a list of slots
 * @counters: read the counters in a list of slots
 * @clock: read the clock to which time_mult and time_shift apply
 */
struct shim_page_cpu {
	__u64 (*place)(__u32 index, unsigned int width);
	void (*counters)(const struct shim_page_slot *slots, __u64 *values);
	__u64 (*clock)(void);
};

/**
 * struct shim_page_plan - the cached contents of a thread's event pages
 * @pages: the pages of the events
 * @end: the end of @pages; if the number of pages is odd, the first page follows again
 * @changing: counter, incremented by shim_page__begin_change() and _end_change()
 * @making: a plan is being made
 * @first: the first page's lock; initially odd, unlike any lock in a valid plan
 * @sum: sum of all @pages' locks and @changing
 * @page: the first page
 * @shift: its time_shift
 * @mult: its time_mult
 * @clock: when the plan was made
 * @time: CPU time of the thread while the event was enabled until @clock, ns
 * @rest: fraction of @time, in units of 2^-@shift ns
 * @slots: one slot per event, and the end
 *
 * Any thread may change @changing; only the reading thread uses the other members.
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
 * Announce that the values added to the counts will change until shim_page__end_change().  Until
 * that function is called, the plan is not usable.  Like a page's lock, @changing is odd during the
 * change and only increases.
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

	/* Read two pages at a time to halve the number of branches. */
	do {
		sum += page[0]->lock + page[1]->lock;
		page += 2;
	} while (page < end);
	return sum;
}

/*
 * Fill in the slots from the pages.  Return 0, or -EAGAIN or -EOPNOTSUPP as for shim_page__plan().
 */
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

/* Store the current times of the first page. */
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
	/* A sample that this handler interrupted may have read half of the old plan. */
	__u32 changing = __atomic_fetch_add(&plan->changing, 2, __ATOMIC_SEQ_CST), sum, first;
	int ret;

	sum = shim_page__sum(plan);
	first = plan->page->lock;
	/* The sum was computed before this check, so any later change invalidates the plan. */
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
 * shim_page__plan() - make a new plan for reading the counters
 * @plan: the plan
 * @cpu: functions that read the CPU
 * @from: the value that is added to each event's count; shim_page__begin_change() announces changes
 *
 * A signal handler that interrupts this function reads through the kernel: if it made a plan, the
 * interrupted call would continue and mix both plans.  A handler that interrupts a sample may make
 * a plan: that changes @changing, so the sample finds a different sum.
 *
 * Return: 0, even if the pages have changed since they were read, which the next sample detects;
 * -EAGAIN if the pages are being changed; -EOPNOTSUPP if an event is not on the PMU or cannot be
 * read in user mode, if @from is being changed, or if the plan is being made.
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

/* Take one sample with the plan.  Return 0, or -EAGAIN if the plan is no longer valid. */
static inline __attribute__((always_inline)) int
shim_page__try(const struct shim_page_plan *plan, const struct shim_page_cpu *cpu, __u64 *values,
	       __u64 *tick)
{
	/* Read the sum first, because a handler may make another plan before the other reads. */
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
 * shim_page__read() - read all counts of the calling thread in user mode,
 *	with no context switch between the reads
 * @plan: the plan of the events
 * @cpu: functions that read the CPU
 * @from: the value that is added to each event's count
 * @values: written, even on failure
 * @tick: CPU time while the events were enabled, ns
 *
 * Context: the counted thread, or a signal handler in it.  This makes no system call.
 * Return: 0, or -EOPNOTSUPP if the counts must be read through the kernel: an event is not on
 * the PMU or cannot be read in user mode, or the pages changed during each try.
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
