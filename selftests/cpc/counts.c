// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count work with known results: software events on any machine, cycles and instructions with a
 * PMU.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cpc.h"
#include "kselftest_harness.h"

/* A bound set with one request */
struct counter {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *before;
	cpc_buf_t *after;
};

/* Open the counter.  Return whether the event can be counted here. */
static bool open_counter(struct counter *c, const char *event, uint64_t preset, uint_t flags)
{
	c->cpc = cpc_open(CPC_VER_CURRENT);
	if (!c->cpc)
		return false;
	cpc_seterrhndlr(c->cpc, silent);
	c->set = cpc_set_create(c->cpc);
	if (cpc_set_add_request(c->cpc, c->set, event, preset, flags, 0, NULL))
		goto err;
	c->before = cpc_buf_create(c->cpc, c->set);
	c->after = cpc_buf_create(c->cpc, c->set);
	if (!cpc_bind_curlwp(c->cpc, c->set, 0))
		return true;
err:
	cpc_close(c->cpc);
	return false;
}

static uint64_t difference(struct counter *c)
{
	uint64_t before = 0, after = 0;

	cpc_buf_get(c->cpc, c->before, 0, &before);
	cpc_buf_get(c->cpc, c->after, 0, &after);
	return after - before;
}

static void touch_all(char *p, int n)
{
	long page = sysconf(_SC_PAGESIZE);

	for (int i = 0; i < n; i++)
		((volatile char *)p)[i * page] = 1;
}

static char *map_pages(int n)
{
	return mmap(NULL, n * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* Each page of a new mapping causes exactly one fault; huge pages are disabled. */
TEST(page_faults)
{
	struct counter c;
	char *p;

	ASSERT_TRUE(open_counter(&c, "page-faults", 0, CPC_COUNT_USER));
	p = map_pages(300);
	ASSERT_NE(MAP_FAILED, p);
	madvise(p, 300 * sysconf(_SC_PAGESIZE), MADV_NOHUGEPAGE);
	cpc_set_sample(c.cpc, c.set, c.before);
	cpc_set_sample(c.cpc, c.set, c.after);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	touch_all(p, 300);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	EXPECT_LE(300, difference(&c));
	EXPECT_GE(303, difference(&c));
	cpc_close(c.cpc);
}

/* The virtual counter wraps past 2^64 during these faults. */
TEST(page_faults_across_the_wrap)
{
	struct counter c;
	uint64_t value;
	char *p = map_pages(300);

	madvise(p, 300 * sysconf(_SC_PAGESIZE), MADV_NOHUGEPAGE);
	ASSERT_TRUE(open_counter(&c, "page-faults", -100ULL, CPC_COUNT_USER));
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	touch_all(p, 300);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	ASSERT_EQ(0, cpc_buf_get(c.cpc, c.after, 0, &value));
	EXPECT_LE(200, value);
	EXPECT_GT(1000, value);
	EXPECT_LE(300, difference(&c));
	cpc_close(c.cpc);
}

/* Cause page faults in another thread, which are not counted. */
static void *touch_elsewhere(void *p)
{
	touch_all(p, 3000);
	return NULL;
}

TEST(other_threads_are_not_counted)
{
	char *p = map_pages(3000);
	pthread_t thread;
	struct counter c;

	madvise(p, 3000 * sysconf(_SC_PAGESIZE), MADV_NOHUGEPAGE);
	ASSERT_TRUE(open_counter(&c, "page-faults", 0, CPC_COUNT_USER));
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	ASSERT_EQ(0, pthread_create(&thread, NULL, touch_elsewhere, p));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	EXPECT_GT(1000, difference(&c));
	cpc_close(c.cpc);
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * The kernel's own count around both samples is the upper limit, and its count between the samples
 * is the lower limit.
 */
TEST(context_switches)
{
	long outside, inside;
	struct counter c;

	if (!open_counter(&c, "context-switches", 0, CPC_COUNT_USER | CPC_COUNT_SYSTEM))
		SKIP(return, "the kernel may not be counted");
	outside = switches();
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	inside = switches();
	while (switches() < inside + 20)
		usleep(2000);
	inside = switches() - inside;
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	outside = switches() - outside;
	EXPECT_LE(inside, difference(&c));
	EXPECT_GE(outside, difference(&c));
	cpc_close(c.cpc);
}

/*
 * The tick counter of a sleeping thread does not advance.  The tick counter of a working thread
 * advances by at most the elapsed time.
 */
TEST(ticks_are_cpu_time)
{
	hrtime_t slept, worked;
	struct counter c;

	ASSERT_TRUE(open_counter(&c, "page-faults", 0, CPC_COUNT_USER));
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	usleep(200000);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	cpc_buf_sub(c.cpc, c.after, c.after, c.before);
	slept = cpc_buf_tick(c.cpc, c.after);
	EXPECT_GT(100000000, slept);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	for (hrtime_t end = gethrtime() + 100000000; gethrtime() < end;)
		;
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	worked = cpc_buf_hrtime(c.cpc, c.after) - cpc_buf_hrtime(c.cpc, c.before);
	cpc_buf_sub(c.cpc, c.after, c.after, c.before);
	EXPECT_LT(slept, (hrtime_t)cpc_buf_tick(c.cpc, c.after));
	/* The host can pause the machine, except in a VM with -icount, where the time is exact. */
	EXPECT_LE(0, worked - (hrtime_t)cpc_buf_tick(c.cpc, c.after) +
		  (getenv("VM_ICOUNT") ? 1000000 : 20000000));
	cpc_close(c.cpc);
}

TEST(hrtime_is_between_calls_of_gethrtime_and_never_goes_back)
{
	hrtime_t last = 0;
	struct counter c;

	ASSERT_TRUE(open_counter(&c, "page-faults", 0, CPC_COUNT_USER));
	for (int i = 0; i < 1000; i++) {
		hrtime_t before = gethrtime();

		ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
		ASSERT_LE(before, cpc_buf_hrtime(c.cpc, c.after));
		ASSERT_GE(gethrtime(), cpc_buf_hrtime(c.cpc, c.after));
		ASSERT_LE(last, cpc_buf_hrtime(c.cpc, c.after));
		last = cpc_buf_hrtime(c.cpc, c.after);
	}
	cpc_close(c.cpc);
}

#define LOOPS	1000000UL

TEST(instructions)
{
	struct counter c;

	if (!open_counter(&c, "instructions", 0, CPC_COUNT_USER))
		SKIP(return, "no PMU counts instructions");
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	spin(LOOPS);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	EXPECT_LE(2 * LOOPS, difference(&c));
	EXPECT_GE(2 * LOOPS + 5000, difference(&c)) TH_LOG("%llu", (unsigned long long)difference(&c));
	cpc_close(c.cpc);
}

TEST(cycles)
{
	struct counter c;

	if (!open_counter(&c, "cycles", -1000ULL, CPC_COUNT_USER))
		SKIP(return, "no PMU counts cycles");
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	spin(LOOPS);
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	EXPECT_LE(LOOPS / 2, difference(&c));
	cpc_close(c.cpc);
}

/* While the thread sleeps, other threads run on its CPU and are not counted. */
TEST(instructions_across_switches)
{
	struct counter c;

	if (!open_counter(&c, "instructions", 0, CPC_COUNT_USER))
		SKIP(return, "no PMU counts instructions");
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.before));
	for (int i = 0; i < 50; i++) {
		spin(LOOPS / 50);
		usleep(1000);
	}
	ASSERT_EQ(0, cpc_set_sample(c.cpc, c.set, c.after));
	EXPECT_LE(2 * LOOPS, difference(&c));
	EXPECT_GE(2 * LOOPS + 100000, difference(&c));
	cpc_close(c.cpc);
}

/*
 * Some PMUs have a counter that counts only cycles.  If a set needs this counter for another event,
 * the whole set is rejected with an error.
 */
static int reported;

static void remember(const char *fn, int subcode, const char *fmt, va_list ap)
{
	silent(fn, subcode, fmt, ap);
	reported = subcode;
}

TEST(more_than_the_cpu_holds)
{
	struct counter c;
	cpc_set_t *set;
	int n = 0;

	if (!open_counter(&c, "instructions", 0, CPC_COUNT_USER))
		SKIP(return, "no PMU counts instructions");
	set = cpc_set_create(c.cpc);
	while (n < (int)cpc_npic(c.cpc))
		ASSERT_EQ(n++, cpc_set_add_request(c.cpc, set, "instructions", 0, CPC_COUNT_USER, 0,
						   NULL));
	cpc_seterrhndlr(c.cpc, remember);
	EXPECT_EQ(-1, cpc_bind_curlwp(c.cpc, set, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(CPC_RESOURCE_UNAVAIL, reported);
	EXPECT_EQ(0, cpc_bind_curlwp(c.cpc, c.set, 0));
	cpc_close(c.cpc);
}

TEST_HARNESS_MAIN
