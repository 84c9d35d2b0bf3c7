// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters read by perf's pages: every width, wrapping, and pages that change meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "core/perf_page.h"
#include "kselftest_harness.h"

#define N	4
#define SWITCHES	300	/* to be seen */

/* The CPU's counters, and what happens when some have been read */
static struct {
	_Atomic __u64 counter[N];
	__u64 clock;
	unsigned int reads;		/* until then */
	void (*meanwhile)(void);
} cpu;

static struct perf_event_mmap_page page[N];
static const volatile struct perf_event_mmap_page *const pages[N] = {
	&page[0], &page[1], &page[2], &page[3],
};

static __u64 counter(__u32 index)
{
	void (*meanwhile)(void) = cpu.meanwhile;

	if (meanwhile && !cpu.reads--) {
		cpu.meanwhile = NULL;
		meanwhile();
	}
	return atomic_load_explicit(&cpu.counter[index], memory_order_acquire);
}

static __u64 clock_of(void)
{
	return cpu.clock;
}

static const struct shim_page_cpu how = { .counter = counter, .clock = clock_of };
static const __u64 zeros[N];
static __u64 values[N], tick;

static int read_pages(unsigned int n)
{
	return shim_page__read(pages, n, &how, zeros, values, &tick);
}

static __u64 mask_of(unsigned int width)
{
	return width == 64 ? ~0ULL : (1ULL << width) - 1;
}

static void reset(void)
{
	memset(&cpu, 0, sizeof(cpu));
	memset(page, 0, sizeof(page));
	for (unsigned int i = 0; i < N; i++) {
		page[i].index = i + 1;
		page[i].pmc_width = 48;
		page[i].cap_user_rdpmc = 1;
		page[i].cap_user_time = 1;
	}
}

/* As the kernel does: the counter begins @left before its end, and the page says what that is. */
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

		/* Half of its range before the end, and nearly half beyond it */
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
	const __u64 from[N] = { -5ULL, 0, 100, 1ULL << 63 };

	for (unsigned int i = 0; i < N; i++)
		program(i, 32, i, 1 << 20);
	ASSERT_EQ(0, shim_page__read(pages, N, &how, from, values, &tick));
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

/* The thread was switched: other counters, from other values on */
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

/* Only the last page changes, after it was read. */
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
	/* A clock of few bits that has wrapped since */
	page[0].cap_user_time_short = 1;
	page[0].time_mask = 0xffff;
	page[0].time_cycles = 0x3fff0;
	cpu.clock = 0x10;
	ASSERT_EQ(0, read_pages(1));
	EXPECT_EQ(1000000 - 300 + (0x40010 * 24 >> 4), tick);
}

/* A thread that plays the kernel: all counters change at a time, the values stay in step. */
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
		/* Nobody is switched all the time. */
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
		if (read_pages(N))
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

TEST_HARNESS_MAIN
