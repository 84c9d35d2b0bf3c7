// SPDX-License-Identifier: GPL-2.0-or-later
/* At an overflow, the set stops and the thread receives a signal.  RESTART continues the set. */
#include <pthread.h>
#include <ucontext.h>

#include "checking.h"
#include "overflow.h"
#include "vcpc_test.h"

#define SIGNAL		SIGUSR1
#define MANY		1000000
#define FEW		20000	/* on kernels with expensive checks */

/* All mappings are populated, so only a test's accesses cause page faults. */
FIXTURE(overflow) {
	int unused;
};

FIXTURE_SETUP(overflow)
{
	(void)self;
	ASSERT_EQ(0, mlockall(MCL_CURRENT));
}

FIXTURE_TEARDOWN(overflow)
{
	(void)self;
}

static int many(void)
{
	return number("MANY", kernel_checks() ? FEW : MANY);
}

/* What the handler records.  It is async-signal-safe, because it only stores words. */
static struct seen {
	volatile sig_atomic_t times;
	siginfo_t info;
	pid_t tid;
	struct room at;
	int ret;
} seen;
static int handled_set;

static void handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	seen.times++;
	seen.info = *info;
	seen.tid = own_tid();
	seen.ret = set_sample(handled_set, 0, &seen.at);
	set_own(handled_set, VCPC_IOC_RESTART);
}

static void catch(int set)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };

	memset(&seen, 0, sizeof(seen));
	handled_set = set;
	sigaction(SIGNAL, &sa, NULL);
}

TEST_F(overflow, freezes_with_the_values_of_the_moment)
{
	const struct vcpc_request reqs[] = { overflowing(&page_faults, 10), page_faults };
	int set = overflow_set(reqs, 2, 0, 0);
	struct room room;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(9);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(-1ULL, room.sample.values[0]);
	EXPECT_EQ(9, room.sample.values[1]);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	touch(5);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(0, room.sample.values[0]);
	EXPECT_EQ(10, room.sample.values[1]);
	EXPECT_EQ(VCPC_STATE_FROZEN, room.sample.state);
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_DISABLE));
	close(set);
}

TEST_F(overflow, restart_begins_from_the_presets)
{
	const struct vcpc_request reqs[] = { overflowing(&page_faults, 10), page_faults };
	int set = overflow_set(reqs, 2, 0, 0);
	struct room room;
	int i;

	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 1; i <= 20; i++) {
		touch(12);
		ASSERT_TRUE(is_frozen(set, 0));
		ASSERT_EQ(0, set_own(set, VCPC_IOC_RESTART));
		ASSERT_EQ(0, set_sample(set, 0, &room));
		ASSERT_EQ(-10ULL, room.sample.values[0]);
		ASSERT_EQ(0, room.sample.values[1]);
		ASSERT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	}
	/* RESTART also resets a set that is counting. */
	touch(4);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_RESTART));
	touch(9);
	EXPECT_FALSE(is_frozen(set, 0));
	touch(1);
	EXPECT_TRUE(is_frozen(set, 0));
	close(set);
}

TEST_F(overflow, enable_goes_on_from_the_values)
{
	const struct vcpc_request req = overflowing(&page_faults, 3);
	int set = overflow_set(&req, 1, 0, 0);

	ASSERT_EQ(0, set_bind(set, 0));
	touch(5);
	EXPECT_EQ(0, first_value(set, 0));
	ASSERT_EQ(0, set_own(set, VCPC_IOC_ENABLE));
	touch(50);
	EXPECT_EQ(50, first_value(set, 0));
	EXPECT_FALSE(is_frozen(set, 0));
	close(set);
}

TEST_F(overflow, a_stop_does_not_move_the_overflow)
{
	const struct vcpc_request req = overflowing(&page_faults, 10);
	int set = overflow_set(&req, 1, 0, 0);

	ASSERT_EQ(0, set_bind(set, 0));
	touch(6);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_DISABLE));
	touch(100);
	EXPECT_FALSE(is_frozen(set, 0));
	ASSERT_EQ(0, set_own(set, VCPC_IOC_ENABLE));
	touch(3);
	EXPECT_FALSE(is_frozen(set, 0));
	touch(1);
	EXPECT_TRUE(is_frozen(set, 0));
	close(set);
}

TEST_F(overflow, preset_counts_from_the_next_restart)
{
	const struct vcpc_request req = overflowing(&page_faults, 1000);
	int set = overflow_set(&req, 1, 0, 0);

	ASSERT_EQ(-EINVAL, set_preset(set, 0, -5ULL));
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(-EINVAL, set_preset(set, 1, -5ULL));
	ASSERT_EQ(0, set_preset(set, 0, -5ULL));
	touch(1);
	EXPECT_EQ(-999ULL, first_value(set, 0));
	ASSERT_EQ(0, set_own(set, VCPC_IOC_RESTART));
	EXPECT_EQ(-5ULL, first_value(set, 0));
	touch(5);
	EXPECT_TRUE(is_frozen(set, 0));
	close(set);
}

TEST_F(overflow, far_from_the_end_is_never)
{
	const __u64 presets[] = { 0, 1, 1ULL << 62, 1ULL << 63 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		const struct vcpc_request req = overflowing(&page_faults, -presets[i]);
		int set = overflow_set(&req, 1, 0, 0);

		ASSERT_EQ(0, set_bind(set, 0));
		touch(100);
		EXPECT_EQ(presets[i] + 100, first_value(set, 0));
		EXPECT_FALSE(is_frozen(set, 0));
		close(set);
	}
}

TEST_F(overflow, the_signal_tells_set_and_request)
{
	const struct vcpc_request reqs[] = { page_faults, overflowing(&page_faults, 7) };
	int set = overflow_set(reqs, 2, 0, SIGNAL);

	ASSERT_LE(0, set);
	catch(set);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(6);
	EXPECT_EQ(0, seen.times);
	touch(1);
	ASSERT_EQ(1, seen.times);
	EXPECT_EQ(VCPC_SI_OVERFLOW, seen.info.si_code);
	EXPECT_EQ(1, seen.info.si_errno);
	EXPECT_EQ(set, seen.info.si_fd);
	EXPECT_NE(NULL, seen.info.si_addr);
	EXPECT_EQ(own_tid(), seen.tid);
	EXPECT_EQ(0, seen.ret);
	/* The first counter can have counted the page fault at which the second overflowed. */
	EXPECT_LE(6, seen.at.sample.values[0]);
	EXPECT_GE(7, seen.at.sample.values[0]);
	EXPECT_EQ(0, seen.at.sample.values[1]);
	touch(13);
	EXPECT_EQ(2, seen.times);
	close(set);
}

static void *overflow_here(void *arg)
{
	pid_t *tid = arg;

	*tid = own_tid();
	set_bind(handled_set, 0);
	touch(20);
	return NULL;
}

TEST_F(overflow, the_signal_goes_to_the_bound_thread)
{
	const struct vcpc_request req = overflowing(&page_faults, 15);
	int set = overflow_set(&req, 1, 0, SIGNAL);
	pthread_t thread;
	pid_t tid = 0;

	catch(set);
	ASSERT_EQ(0, pthread_create(&thread, NULL, overflow_here, &tid));
	pthread_join(thread, NULL);
	EXPECT_EQ(1, seen.times);
	EXPECT_EQ(tid, seen.tid);
	close(set);
}

TEST_F(overflow, blocked_is_pending_and_ignored_stays_frozen)
{
	const struct vcpc_request req = overflowing(&page_faults, 5);
	int set = overflow_set(&req, 1, 0, SIGNAL);
	sigset_t block;

	catch(set);
	sigemptyset(&block);
	sigaddset(&block, SIGNAL);
	sigprocmask(SIG_BLOCK, &block, NULL);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(20);
	EXPECT_EQ(0, seen.times);
	EXPECT_TRUE(is_frozen(set, 0));
	sigprocmask(SIG_UNBLOCK, &block, NULL);
	EXPECT_EQ(1, seen.times);
	signal(SIGNAL, SIG_IGN);
	touch(20);
	EXPECT_TRUE(is_frozen(set, 0));
	EXPECT_EQ(0, first_value(set, 0));
	close(set);
}

/* Each page fault is an overflow, and none is lost or reported twice. */
TEST_F(overflow, each_of_many_exactly_once)
{
	const struct vcpc_request req = overflowing(&page_faults, 1);
	int set = overflow_set(&req, 1, 0, 0);
	int i, n = many() / 10;

	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 0; i < n; i++) {
		touch(1);
		ASSERT_TRUE(is_frozen(set, 0));
		ASSERT_EQ(0, set_own(set, VCPC_IOC_RESTART));
		ASSERT_FALSE(is_frozen(set, 0));
	}
	close(set);
}

TEST_F(overflow, ten_thousand_signals)
{
	const struct vcpc_request req = overflowing(&page_faults, 1);
	int set = overflow_set(&req, 1, 0, SIGNAL);
	int i, n = many() / 100;

	catch(set);
	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 1; i <= n; i++) {
		touch(1);
		ASSERT_EQ(i, seen.times);
	}
	close(set);
}

TEST_F(overflow, cycles_overflow)
{
	const struct vcpc_request reqs[] = { overflowing(&cycles, 1000000), instructions };
	int set = overflow_set(reqs, 2, 0, SIGNAL);
	unsigned long i;

	if (hw_slots() < 2)
		SKIP(return, "fewer than two hardware counters");
	if (set == -ENOENT)
		SKIP(return, "this PMU does not count instructions");
	ASSERT_LE(0, set);
	catch(set);
	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 1; i <= 50; i++) {
		spin(600000);
		ASSERT_EQ((int)i, seen.times);
		/* The interrupt arrives shortly after the overflow. */
		ASSERT_GT(20000, seen.at.sample.values[0]);
		ASSERT_LT(900000, seen.at.sample.values[1]);
		ASSERT_EQ(0, set_own(set, VCPC_IOC_RESTART));
	}
	close(set);
}

/* Use CPU time in the kernel until the handler is called, at most for two seconds. */
static void stay_in_the_kernel(void)
{
	static char buffer[1 << 20];
	clock_t end = clock() + 2 * CLOCKS_PER_SEC;
	int fd = open("/dev/zero", O_RDONLY);

	while (!seen.times && clock() < end)
		if (read(fd, buffer, sizeof(buffer)) != sizeof(buffer))
			break;
	close(fd);
}

/*
 * If CPU time reaches its limit during a system call, the set stops immediately, not at the return
 * to user mode.
 */
TEST_F(overflow, time_ends_in_the_kernel)
{
	const __u64 end = 10000000;
	const struct vcpc_request req = overflowing(&task_clock, end);
	int set = overflow_set(&req, 1, 0, SIGNAL), in_time = 0, i;

	ASSERT_LE(0, set);
	catch(set);
	ASSERT_EQ(0, set_bind(set, 0));
	/* The machine can be paused for longer than this, but not every time. */
	for (i = 0; i < 10; i++) {
		seen.times = 0;
		stay_in_the_kernel();
		in_time += seen.times == 1 && seen.at.sample.values[0] < end;
	}
	EXPECT_LE(5, in_time);
	close(set);
}

static unsigned long interrupts(void)
{
	unsigned long sum = 0, n;
	char line[1024], *at, *next;
	FILE *f = fopen("/proc/interrupts", "r");

	while (f && fgets(line, sizeof(line), f)) {
		at = strchr(line, ':');
		if (!at)
			continue;
		for (at++; n = strtoul(at, &next, 10), next != at; at = next)
			sum += n;
	}
	if (f)
		fclose(f);
	return sum;
}

/* When an overflow has stopped a set, its counter's timer, which expires every 10 us, stops. */
TEST_F(overflow, no_timer_when_frozen)
{
	const struct vcpc_request req = overflowing(&task_clock, 1);
	int set = overflow_set(&req, 1, 0, 0);
	clock_t end;
	unsigned long before;

	ASSERT_LE(0, set);
	ASSERT_EQ(0, set_bind(set, 0));
	while (!is_frozen(set, 0))
		;
	before = interrupts();
	end = clock() + CLOCKS_PER_SEC / 2;
	while (clock() < end)
		;
	EXPECT_GE(3000, interrupts() - before);
	close(set);
}

TEST_F(overflow, closed_while_it_overflows)
{
	const struct vcpc_request req = overflowing(&page_faults, 1);
	int i;

	signal(SIGNAL, SIG_IGN);
	for (i = 0; i < 1000; i++) {
		int set = overflow_set(&req, 1, 0, i & 1 ? 0 : SIGNAL);

		ASSERT_LE(0, set);
		ASSERT_EQ(0, set_bind(set, 0));
		touch(1 + i % 4);
		close(set);
	}
}

TEST_F(overflow, refused)
{
	const struct vcpc_request plain = page_faults, req = overflowing(&page_faults, 5);
	int set;

	EXPECT_EQ(-EINVAL, overflow_set(&plain, 1, 0, SIGNAL));
	EXPECT_EQ(-EINVAL, overflow_set(&req, 1, 0, 65));
	set = overflow_set(&req, 1, 0, SIGNAL);
	EXPECT_EQ(-EINVAL, set_bind(set, VCPC_BIND_F_TREE));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_RESTART));
	close(set);
	set = overflow_set(&plain, 1, 0, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, set_own(set, VCPC_IOC_RESTART));
	close(set);
}

TEST_HARNESS_MAIN
