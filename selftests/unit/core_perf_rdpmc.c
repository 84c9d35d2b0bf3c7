// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real rdpmc instructions fault, and a signal handler emulates them.  The library reads the right
 * counter, interprets its bits correctly, and does not read counters that are invalid or not
 * permitted.
 *
 * The signal is SIGILL on a CPU without a PMU, and SIGSEGV if the kernel does not permit the
 * instruction.
 */
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "core/perf_set.h"
#include "kselftest_harness.h"

#if defined(__x86_64__)

#define N		3
#define FIXED		(1U << 30)
#define METRICS		(1U << 29)
#define MASK(width)	((1ULL << (width)) - 1)

/* State of the emulated CPU, and the recorded reads */
static struct {
	__u64 programmable[32], fixed[4], metrics;
	__u32 last;
	unsigned int reads, unknown;
	void (*meanwhile)(void);
} cpu;

static struct perf_event_mmap_page page[N];
static const volatile struct perf_event_mmap_page *pages[N + 1];
static union {
	struct shim_page_plan plan;
	char room[sizeof(struct shim_page_plan) + (N + 1) * sizeof(struct shim_page_slot)];
} of;
static __u64 from[N], values[N], tick;

static __u64 counter(__u32 number)
{
	if (number < 32)
		return cpu.programmable[number];
	if (number - FIXED < 4)
		return cpu.fixed[number - FIXED];
	cpu.unknown += number != METRICS;
	return cpu.metrics;
}

/*
 * Return a value as the CPU does: in two halves in EAX and EDX, with zeros in the upper halves of
 * the registers.
 */
static void answer(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const unsigned char *code = (const unsigned char *)registers[REG_RIP];
	void (*meanwhile)(void) = cpu.meanwhile;
	__u64 value;

	(void)info;
	if (code[0] != 0x0f || code[1] != 0x33) {
		/* The fault was not caused by rdpmc, so fault again. */
		struct sigaction none = { .sa_handler = SIG_DFL };

		sigaction(signal, &none, NULL);
		return;
	}
	cpu.meanwhile = NULL;
	if (meanwhile)
		meanwhile();
	cpu.last = registers[REG_RCX];
	cpu.reads++;
	value = counter(cpu.last);
	registers[REG_RAX] = (__u32)value;
	registers[REG_RDX] = value >> 32;
	registers[REG_RIP] += 2;
}

static void set_page(unsigned int i, __u32 index, unsigned int width, __s64 offset)
{
	page[i] = (struct perf_event_mmap_page) {
		.index = index, .pmc_width = width, .offset = offset,
		.cap_user_rdpmc = 1, .cap_user_time = 1, .time_mult = 1,
		.lock = page[i].lock + 2,
	};
}

static void plan(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		pages[i] = &page[i];
	pages[n] = &page[0];
	memset(&of, 0, sizeof(of));
	shim_page__init(&of.plan, pages, n, &shim_cpu__this);
}

static int read_all(void)
{
	return shim_page__read(&of.plan, &shim_cpu__this, from, values, &tick);
}

/* Return the value of an event, or -1 if it is not read; no test uses -1 as a value. */
static __u64 value_of(__u32 index, unsigned int width, __s64 offset)
{
	set_page(0, index, width, offset);
	plan(1);
	return read_all() ? ~0ULL : values[0];
}

FIXTURE(rdpmc) {
	bool is_real;
};

/* If the CPU executes the instruction without a fault, there is nothing to emulate. */
FIXTURE_SETUP(rdpmc)
{
	struct sigaction action = { .sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER };

	memset(&cpu, 0, sizeof(cpu));
	ASSERT_EQ(0, sigaction(SIGILL, &action, NULL));
	ASSERT_EQ(0, sigaction(SIGSEGV, &action, NULL));
	__builtin_ia32_rdpmc(0);
	self->is_real = !cpu.reads;
	cpu.reads = 0;
}

FIXTURE_TEARDOWN(rdpmc)
{
	signal(SIGILL, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
}

#define UNLESS_REAL() \
	do { if (self->is_real) SKIP(return, "user mode can read real counters"); } while (0)

/* A 48-bit counter starts at minus its period; the interrupt can be late. */
TEST_F(rdpmc, period_of_48_bits)
{
	const __u64 left = MASK(47);

	UNLESS_REAL();
	cpu.programmable[0] = -left & MASK(48);
	EXPECT_EQ(5, value_of(1, 48, 5 + left));
	cpu.programmable[0] += 123456789;
	EXPECT_EQ(5 + 123456789, value_of(1, 48, 5 + left));
	cpu.programmable[0] = MASK(48);
	EXPECT_EQ(5 + left - 1, value_of(1, 48, 5 + left));
	cpu.programmable[0] = 3;
	EXPECT_EQ(5 + left + 3, value_of(1, 48, 5 + left));
	cpu.programmable[1] = 0x80000373f8caULL;
	EXPECT_EQ(0x373f8c9ULL, value_of(2, 48, MASK(47)));
}

TEST_F(rdpmc, widths_and_rubbish_above)
{
	UNLESS_REAL();
	cpu.programmable[0] = MASK(32);
	EXPECT_EQ(99, value_of(1, 32, 100));
	cpu.programmable[0] = 0xff00000000000000ULL | (MASK(40) - 1);
	EXPECT_EQ(98, value_of(1, 40, 100));
	cpu.programmable[0] = 0xffff000000000007ULL;
	EXPECT_EQ(7, value_of(1, 48, 0));
	cpu.programmable[0] = 0xfffffffffffffff0ULL;
	EXPECT_EQ(0xfffffffffffffff1ULL, value_of(1, 64, 1));
	cpu.programmable[0] = 1ULL << 63;
	EXPECT_EQ(1ULL << 63, value_of(1, 64, 0));
}

TEST_F(rdpmc, which_counter)
{
	UNLESS_REAL();
	for (unsigned int i = 0; i < 32; i++) {
		cpu.programmable[i] = 0x123400000000ULL + i;
		EXPECT_EQ(0x123400000000ULL + i, value_of(i + 1, 48, 0));
		EXPECT_EQ(i, cpu.last);
	}
	for (unsigned int i = 0; i < 4; i++) {
		cpu.fixed[i] = 77 + i;
		EXPECT_EQ(77 + i, value_of(FIXED + i + 1, 48, 0));
		EXPECT_EQ(FIXED + i, cpu.last);
	}
	EXPECT_EQ(36 * 1, cpu.reads);
	EXPECT_EQ(0, cpu.unknown);
}

/* Counters that are invalid or not permitted are not read. */
TEST_F(rdpmc, not_read)
{
	UNLESS_REAL();
	cpu.metrics = 0x4040404040404040ULL;
	EXPECT_EQ(~0ULL, value_of(METRICS + 1, 48, 0));
	EXPECT_EQ(~0ULL, value_of(METRICS + 1, 64, 0));
	EXPECT_EQ(~0ULL, value_of(FIXED + 33, 48, 0));
	EXPECT_EQ(~0ULL, value_of(33, 48, 0));
	EXPECT_EQ(~0ULL, value_of(1U << 31, 48, 0));
	EXPECT_EQ(~0ULL, value_of(0, 48, 0));
	EXPECT_EQ(~0ULL, value_of(1, 0, 0));
	EXPECT_EQ(~0ULL, value_of(1, 65, 0));
	set_page(0, 1, 48, 0);
	page[0].cap_user_rdpmc = 0;
	plan(1);
	EXPECT_EQ(-EOPNOTSUPP, read_all());
	EXPECT_EQ(0, cpu.reads);
	set_page(0, 1, 48, 0);
	page[0].cap_user_time = 0;
	plan(1);
	EXPECT_EQ(-EOPNOTSUPP, read_all());
}

static void move(void)
{
	for (unsigned int i = 0; i < N; i++)
		set_page(i, 6 - i, 48, 1000 * i);
	cpu.programmable[5] = 7;
	cpu.programmable[4] = 8;
	cpu.programmable[3] = 9;
}

static void leave(void)
{
	for (unsigned int i = 0; i < N; i++)
		set_page(i, 0, 48, 0);
}

static void make_three(void)
{
	for (unsigned int i = 0; i < N; i++) {
		set_page(i, i + 1, 48, 10 * i);
		cpu.programmable[i] = i;
	}
	plan(N);
}

/* If the thread migrates during a read, the values are those after the migration. */
TEST_F(rdpmc, moved)
{
	UNLESS_REAL();
	make_three();
	ASSERT_EQ(0, read_all());
	EXPECT_EQ(22, values[2]);
	cpu.meanwhile = move;
	ASSERT_EQ(0, read_all());
	EXPECT_EQ(7, values[0]);
	EXPECT_EQ(1008, values[1]);
	EXPECT_EQ(2009, values[2]);
	cpu.meanwhile = leave;
	EXPECT_EQ(-EOPNOTSUPP, read_all());
	/* If the thread migrates between two samples, the old plan's counters are not read. */
	make_three();
	ASSERT_EQ(0, read_all());
	cpu.reads = 0;
	leave();
	EXPECT_EQ(-EOPNOTSUPP, read_all());
	EXPECT_EQ(0, cpu.reads);
}

/* The thread's time is calculated from the clock with the page's factors. */
TEST_F(rdpmc, time)
{
	__u64 clock, want;

	UNLESS_REAL();
	set_page(0, 1, 48, 0);
	page[0].time_shift = 10;
	page[0].time_mult = 341;
	page[0].time_enabled = 1000;
	plan(1);
	ASSERT_EQ(0, read_all());
	clock = shim_cpu__clock();
	want = 1000 + (__u64)(((__uint128_t)clock * 341) >> 10);
	ASSERT_EQ(0, read_all());
	EXPECT_LE(want, tick);
	EXPECT_GT(100000000, tick - want);
}

#else

TEST(rdpmc)
{
	SKIP(return, "x86-64 only");
}

#endif

TEST_HARNESS_MAIN
