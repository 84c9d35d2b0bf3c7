// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read counters through perf's mmap pages: every width, wraps, pages that change during a read, and
 * signal handlers that read in the middle.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/perf_page.h"
#include "kselftest_harness.h"

#define N	4
#define SWITCHES	300	/* expected number of context switches */

/* The simulated CPU: its counters and its clock, and an action that happens during a read */
static struct {
	_Atomic __u64 counter[N];
	__u64 clock;
	unsigned int reads;		/* number of reads before @meanwhile is called */
	void (*meanwhile)(void);
	unsigned int places;		/* number of places found before @while_making is called */
	void (*while_making)(void);
	unsigned int counters_read, places_found;
} cpu;

static struct perf_event_mmap_page page[N];
static const volatile struct perf_event_mmap_page *pages[N + 1];

static union {
	struct shim_page_plan plan;
	char room[sizeof(struct shim_page_plan) + (N + 1) * sizeof(struct shim_page_slot)];
} of;

static void happen(void (**what)(void), unsigned int *until)
{
	void (*now)(void) = *what;

	if (now && !(*until)--) {
		*what = NULL;
		now();
	}
}

static __u64 counter(__u32 index)
{
	happen(&cpu.meanwhile, &cpu.reads);
	cpu.counters_read++;
	return atomic_load_explicit(&cpu.counter[index], memory_order_acquire);
}

#define WIDTH_AT	32

static __u64 place(__u32 index, unsigned int width)
{
	if (!index || !width)
		return 0;
	happen(&cpu.while_making, &cpu.places);
	cpu.places_found++;
	return (__u64)width << WIDTH_AT | index;
}

static void counters(const struct shim_page_slot *slot, __u64 *values)
{
	for (__u64 how; (how = slot->how) != 0; slot++) {
		unsigned int shift = 64 - (how >> WIDTH_AT);
		__u64 raw = counter((__u32)how - 1);

		*values++ = slot->base + (__u64)((__s64)(raw << shift) >> shift);
	}
}

static __u64 clock_of(void)
{
	return cpu.clock;
}

static const struct shim_page_cpu how = { .place = place, .counters = counters, .clock = clock_of };
static __u64 from[N], values[N], tick;

/* Prepare a plan for the first @n pages. */
static void plan_for(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		pages[i] = &page[i];
	pages[n] = &page[0];
	memset(&of, 0, sizeof(of));
	shim_page__init(&of.plan, pages, n, &how);
}

static int read_again(void)
{
	return shim_page__read(&of.plan, &how, from, values, &tick);
}

static int read_pages(unsigned int n)
{
	plan_for(n);
	return read_again();
}

static __u64 mask_of(unsigned int width)
{
	return width == 64 ? ~0ULL : (1ULL << width) - 1;
}

static void reset(void)
{
	memset(&cpu, 0, sizeof(cpu));
	memset(page, 0, sizeof(page));
	memset(from, 0, sizeof(from));
	for (unsigned int i = 0; i < N; i++) {
		page[i].index = i + 1;
		page[i].pmc_width = 48;
		page[i].cap_user_rdpmc = 1;
		page[i].cap_user_time = 1;
	}
	plan_for(N);
}

/*
 * Program a counter as the kernel does: it wraps after @left events, and the sum of the page's
 * offset and the counter is @count.
 */
static void program(unsigned int i, unsigned int width, __u64 count, __u64 left)
{
	page[i].pmc_width = width;
	page[i].offset = count - -left;
	cpu.counter[i] = -left & mask_of(width);
}

static void count(unsigned int i, unsigned int width, __u64 events)
{
	cpu.counter[i] = (cpu.counter[i] + events) & mask_of(width);
}

FIXTURE(perf_page) { };

FIXTURE_SETUP(perf_page)
{
	reset();
}

FIXTURE_TEARDOWN(perf_page)
{
}

TEST_F(perf_page, every_width_before_and_after_its_end)
{
	const __u64 before = 0xfedcba9876543210ULL;

	for (unsigned int width = 8; width <= 64; width++) {
		__u64 half = 1ULL << (width - 1);
		__u64 steps[] = { 0, 1, half - 2, 1, 1, 1, half / 2, half / 2 - 3 };
		__u64 events = 0;

		/* Count from half of the range before the wrap to nearly half after it. */
		program(0, width, before, half);
		for (unsigned int s = 0; s < sizeof(steps) / sizeof(steps[0]); s++) {
			count(0, width, steps[s]);
			events += steps[s];
			ASSERT_EQ(0, read_pages(1));
			ASSERT_EQ(before + events, values[0])
				TH_LOG("width %u, %llu events", width, (unsigned long long)events);
		}
	}
}

TEST_F(perf_page, bits_above_the_width_do_not_matter)
{
	for (unsigned int width = 8; width < 64; width++) {
		program(0, width, 1000, 100);
		count(0, width, 42);
		cpu.counter[0] |= ~mask_of(width);
		ASSERT_EQ(0, read_pages(1));
		ASSERT_EQ(1042, values[0]);
	}
}

TEST_F(perf_page, a_base_is_added_to_each)
{
	const __u64 bases[N] = { -5ULL, 0, 100, 1ULL << 63 };

	memcpy(from, bases, sizeof(from));
	for (unsigned int i = 0; i < N; i++)
		program(i, 32, i, 1 << 20);
	ASSERT_EQ(0, read_again());
	for (unsigned int i = 0; i < N; i++)
		EXPECT_EQ(from[i] + i, values[i]);
}

TEST_F(perf_page, an_event_off_the_pmu_is_the_kernels)
{
	page[2].index = 0;
	EXPECT_EQ(-EOPNOTSUPP, read_pages(N));
	EXPECT_EQ(0, read_pages(2));
	page[1].cap_user_rdpmc = 0;
	EXPECT_EQ(-EOPNOTSUPP, read_pages(2));
	EXPECT_EQ(0, read_pages(1));
	page[0].cap_user_time = 0;
	EXPECT_EQ(-EOPNOTSUPP, read_pages(1));
}

TEST_F(perf_page, a_page_that_stays_locked_is_the_kernels)
{
	page[3].lock = 7;
	EXPECT_EQ(-EOPNOTSUPP, read_pages(N));
	EXPECT_EQ(0, read_pages(3));
}

/* Simulate a context switch: other counters are used, which start from other values. */
static void switched(void)
{
	for (unsigned int i = 0; i < N; i++) {
		page[i].lock += 2;
		page[i].index = N - i;
		page[i].offset = 1000 * (i + 1);
		cpu.counter[N - 1 - i] = 5;
	}
}

TEST_F(perf_page, a_switch_between_two_counters)
{
	for (unsigned int at = 0; at < N; at++) {
		reset();
		cpu.meanwhile = switched;
		cpu.reads = at;
		ASSERT_EQ(0, read_pages(N));
		for (unsigned int i = 0; i < N; i++)
			EXPECT_EQ(1000 * (i + 1) + 5, values[i]);
	}
}

/* Change only the last page, after it has been read. */
static void last_changes(void)
{
	page[0].lock += 2;
	page[0].offset = 77;
}

TEST_F(perf_page, a_change_of_one_page_is_enough)
{
	cpu.meanwhile = last_changes;
	ASSERT_EQ(0, read_pages(1));
	EXPECT_EQ(77, values[0]);
}

static void off_the_pmu(void)
{
	for (unsigned int i = 0; i < N; i++) {
		page[i].lock += 2;
		page[i].index = 0;
	}
}

TEST_F(perf_page, stolen_between_two_counters)
{
	cpu.meanwhile = off_the_pmu;
	EXPECT_EQ(-EOPNOTSUPP, read_pages(N));
}

TEST_F(perf_page, times)
{
	page[0].time_shift = 4;
	page[0].time_mult = 24;		/* 1.5 ns each */
	page[0].time_enabled = 1000000;
	page[0].time_offset = -300ULL;
	cpu.clock = 1001;
	ASSERT_EQ(0, read_pages(1));
	EXPECT_EQ(1000000 - 300 + 1501, tick);
	/* Use a clock of few bits that has wrapped. */
	page[0].cap_user_time_short = 1;
	page[0].time_mask = 0xffff;
	page[0].time_cycles = 0x3fff0;
	cpu.clock = 0x10;
	ASSERT_EQ(0, read_pages(1));
	EXPECT_EQ(1000000 - 300 + (0x40010 * 24 >> 4), tick);
}

/* Calculate the time as in <linux/perf_event.h>. */
static __u64 time_of(const struct perf_event_mmap_page *p, __u64 cycles)
{
	__u64 quot, rem;

	if (p->cap_user_time_short)
		cycles = p->time_cycles + ((cycles - p->time_cycles) & p->time_mask);
	quot = cycles >> p->time_shift;
	rem = cycles & ((1ULL << p->time_shift) - 1);
	return p->time_enabled + p->time_offset + quot * p->time_mult +
	       ((rem * p->time_mult) >> p->time_shift);
}

TEST_F(perf_page, times_by_one_plan_are_those_of_the_page)
{
	static const __u32 mults[] = { 1, 3, 16 << 20, 0x7fffffff, 0xffffffff };

	for (unsigned int shift = 0; shift < 32; shift++)
		for (unsigned int m = 0; m < ARRAY_SIZE(mults); m++) {
			reset();
			page[0].time_shift = shift;
			page[0].time_mult = mults[m];
			page[0].time_enabled = 12345;
			page[0].time_offset = -678ULL;
			page[0].cap_user_time_short = m & 1;
			page[0].time_cycles = 0xfedcba9876ULL;
			page[0].time_mask = (1ULL << 56) - 1;
			cpu.clock = 0xfedcba9876ULL + 0x123456789;
			ASSERT_EQ(0, read_again());
			/* After the last steps, the clock is too far ahead for the plan. */
			for (__u64 step = 1; step < 1ULL << 33; step = 3 * step + 1) {
				cpu.clock += step;
				ASSERT_EQ(0, read_again());
				ASSERT_EQ(time_of(&page[0], cpu.clock), tick)
					TH_LOG("shift %u, mult %u, step %llu", shift, mults[m],
					       (unsigned long long)step);
			}
		}
}

TEST_F(perf_page, a_plan_is_kept)
{
	ASSERT_EQ(0, read_again());
	EXPECT_EQ(N, cpu.places_found);
	for (unsigned int i = 0; i < 100; i++) {
		count(i % N, 48, 7);
		cpu.clock += 1000;
		ASSERT_EQ(0, read_again());
	}
	EXPECT_EQ(N, cpu.places_found);
}

/* A change of any page invalidates the plan, for odd and even numbers of pages. */
TEST_F(perf_page, a_plan_is_dropped_when_a_page_changes)
{
	for (unsigned int n = 1; n <= N; n++)
		for (unsigned int i = 0; i < n; i++) {
			reset();
			ASSERT_EQ(0, read_pages(n));
			page[i].lock += 2;
			page[i].offset = 1000;
			ASSERT_EQ(0, read_again());
			EXPECT_EQ(1000, values[i]) TH_LOG("page %u of %u", i, n);
			page[i].lock += 2;
			page[i].index = 0;
			EXPECT_EQ(-EOPNOTSUPP, read_again());
			page[i].lock += 2;
			page[i].index = N;
			atomic_store(&cpu.counter[N - 1], 5);
			ASSERT_EQ(0, read_again());
			EXPECT_EQ(1005, values[i]) TH_LOG("page %u of %u", i, n);
		}
}

/*
 * The counters of an old plan can belong to another CPU that has fewer counters, or that does not
 * permit reading them.
 */
TEST_F(perf_page, no_counter_of_an_old_plan_is_read)
{
	ASSERT_EQ(0, read_again());
	cpu.counters_read = 0;
	for (unsigned int i = 0; i < N; i++) {
		page[i].lock += 2;
		page[i].index = 0;
	}
	EXPECT_EQ(-EOPNOTSUPP, read_again());
	EXPECT_EQ(0, cpu.counters_read);
}

TEST_F(perf_page, locks_that_have_come_round)
{
	ASSERT_EQ(0, read_again());
	/* Simulate 2^31 changes of each page, after which its lock has the same value. */
	for (unsigned int i = 0; i < N; i++)
		page[i].offset = 1000;
	cpu.clock += 1ULL << SHIM_PAGE_TICKS;
	ASSERT_EQ(0, read_again());
	for (unsigned int i = 0; i < N; i++)
		EXPECT_EQ(1000, values[i]);
}

/* If the clock goes back, it belongs to another CPU. */
TEST_F(perf_page, a_clock_that_goes_back)
{
	page[0].time_mult = 1;
	cpu.clock = 1000;
	ASSERT_EQ(0, read_again());
	cpu.clock = 900;
	ASSERT_EQ(0, read_again());
	EXPECT_EQ(900, tick);
}

static void restart(void)
{
	shim_page__begin_change(&of.plan);
	for (unsigned int i = 0; i < N; i++)
		from[i] += 500;
	shim_page__end_change(&of.plan);
}

TEST_F(perf_page, what_is_added_changes)
{
	ASSERT_EQ(0, read_again());
	restart();
	ASSERT_EQ(0, read_again());
	for (unsigned int i = 0; i < N; i++)
		EXPECT_EQ(500, values[i]);
	shim_page__begin_change(&of.plan);
	EXPECT_EQ(-EOPNOTSUPP, read_again());
	shim_page__end_change(&of.plan);
	EXPECT_EQ(0, read_again());
	/* This change never ends. */
	shim_page__begin_change(&of.plan);
	EXPECT_EQ(-EOPNOTSUPP, read_again());
	EXPECT_EQ(-EOPNOTSUPP, read_again());
}

/*
 * Actions of a signal handler in the middle of a sample.  The handler then samples with the same
 * plan, and the interrupted sample must return the same values as the handler's last sample.
 */
static void nothing(void)
{
}

static void wait_long(void)
{
	cpu.clock += 1ULL << SHIM_PAGE_TICKS;
}

static void (*const done_by_handler[])(void) = { nothing, switched, restart, wait_long };
static void (*handled)(void);
static int handlers_answer;

static void handler(void)
{
	__u64 own_values[N], own_tick;

	handled();
	handlers_answer = shim_page__read(&of.plan, &how, from, own_values, &own_tick);
}

/* Return whether the result equals the kernel's. */
static bool is_right(void)
{
	bool right = tick == time_of(&page[0], cpu.clock);

	for (unsigned int i = 0; i < N; i++)
		right &= values[i] == from[i] + page[i].offset + cpu.counter[page[i].index - 1];
	return right;
}

static void with_handler(unsigned int what)
{
	reset();
	page[0].time_shift = 3;
	page[0].time_mult = 21;
	for (unsigned int i = 0; i < N; i++)
		atomic_store(&cpu.counter[i], 10 * i);
	handled = done_by_handler[what];
	handlers_answer = -1;
}

TEST_F(perf_page, a_handler_in_the_middle_of_a_sample)
{
	for (unsigned int what = 0; what < ARRAY_SIZE(done_by_handler); what++)
		for (unsigned int at = 0; at < N; at++) {
			with_handler(what);
			ASSERT_EQ(0, read_again());
			cpu.clock += 333;
			cpu.meanwhile = handler;
			cpu.reads = at;
			ASSERT_EQ(0, read_again());
			EXPECT_EQ(0, handlers_answer);
			EXPECT_TRUE(is_right()) TH_LOG("handler %u at counter %u", what, at);
		}
}

/*
 * A handler must not create its own plan while one is being created; it samples through the kernel.
 */
TEST_F(perf_page, a_handler_while_a_plan_is_made)
{
	for (unsigned int what = 0; what < ARRAY_SIZE(done_by_handler); what++)
		for (unsigned int at = 0; at < N; at++)
			for (unsigned int again = 0; again < 2; again++) {
				with_handler(what);
				/* Test with and without an older plan. */
				if (again) {
					ASSERT_EQ(0, read_again());
					page[1].lock += 2;
					page[1].offset = 70;
				}
				cpu.while_making = handler;
				cpu.places = at;
				ASSERT_EQ(0, read_again());
				EXPECT_EQ(-EOPNOTSUPP, handlers_answer);
				EXPECT_TRUE(is_right()) TH_LOG("handler %u at page %u", what, at);
				ASSERT_EQ(0, read_again());
				EXPECT_TRUE(is_right()) TH_LOG("after handler %u at page %u", what, at);
			}
}

/*
 * A thread that simulates the kernel: it changes all counters at the same time, so their values
 * stay equal.
 */
static atomic_bool stop;

static void *kernel(void *arg)
{
	__u64 base = 0;

	(void)arg;
	for (unsigned int n = 0; !atomic_load(&stop); n++) {
		for (unsigned int i = 0; i < N; i++)
			__atomic_store_n(&page[i].lock, page[i].lock + 1, __ATOMIC_SEQ_CST);
		base += 1000;
		for (unsigned int i = 0; i < N; i++) {
			volatile struct perf_event_mmap_page *p = &page[i];
			unsigned int index = (i + n) % N;

			p->index = index + 1;
			p->pmc_width = 8 + (n + i) % 57;
			p->offset = base * (i + 1) - 3;
			atomic_store(&cpu.counter[index], 3);
		}
		for (unsigned int i = 0; i < N; i++)
			__atomic_store_n(&page[i].lock, page[i].lock + 1, __ATOMIC_SEQ_CST);
		/* Wait, because a real thread is not switched continuously. */
		for (volatile int i = 0; i < 300; i++)
			;
	}
	return NULL;
}

TEST_F(perf_page, a_thread_that_changes_them_all_the_time)
{
	unsigned int moved = 0;
	__u64 last = 0;
	pthread_t thread;

	for (unsigned int i = 0; i < N; i++)
		program(i, 48, 0, 3);
	atomic_store(&stop, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, kernel, NULL));
	while (moved < SWITCHES) {
		if (read_again())
			continue;
		moved += values[0] != last;
		if (values[0] < last || values[1] != 2 * values[0] || values[2] != 3 * values[0] ||
		    values[3] != 4 * values[0])
			break;
		last = values[0];
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	EXPECT_EQ(2 * values[0], values[1]);
	EXPECT_EQ(3 * values[0], values[2]);
	EXPECT_EQ(4 * values[0], values[3]);
	EXPECT_EQ(SWITCHES, moved);
}

/* Repeatedly restart another thread's set, which changes all bases at the same time. */
static void *restarter(void *arg)
{
	(void)arg;
	while (!atomic_load(&stop)) {
		shim_page__begin_change(&of.plan);
		for (unsigned int i = 0; i < N; i++)
			((volatile __u64 *)from)[i] += 1000 * (i + 1);
		shim_page__end_change(&of.plan);
		for (volatile int i = 0; i < 300; i++)
			;
	}
	return NULL;
}

TEST_F(perf_page, a_thread_that_restarts_all_the_time)
{
	unsigned int moved = 0;
	bool torn = false;
	__u64 last = 0;
	pthread_t thread;

	atomic_store(&stop, false);
	ASSERT_EQ(0, pthread_create(&thread, NULL, restarter, NULL));
	while (moved < SWITCHES && !torn) {
		if (read_again())
			continue;
		moved += values[0] != last;
		torn = values[0] < last;
		for (unsigned int i = 1; i < N; i++)
			torn |= values[i] != (i + 1) * values[0];
		last = values[0];
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	EXPECT_FALSE(torn);
	EXPECT_EQ(SWITCHES, moved);
}

TEST_HARNESS_MAIN
