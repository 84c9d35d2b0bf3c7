// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals do not shorten the waits that are limited by their number of naps. */
#include <signal.h>
#include <sys/time.h>
#include <time.h>

#include "base/nap.h"
#include "core/direct.h"
#include "kselftest_harness.h"

static volatile sig_atomic_t alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

FIXTURE(nap) {
};

FIXTURE_SETUP(nap)
{
	const struct itimerval at = { .it_interval = { .tv_usec = 500 }, .it_value = { .tv_usec = 500 } };
	const struct sigaction action = { .sa_handler = on_alarm };	/* without SA_RESTART */

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

FIXTURE_TEARDOWN(nap)
{
	setitimer(ITIMER_REAL, &(const struct itimerval){ .it_value = { 0 } }, NULL);
}

TEST_F(nap, is_not_shortened)
{
	int64_t begin = now();

	shim_nap(20000000);
	EXPECT_LE(20000000, now() - begin);
	EXPECT_LT(1, alarms);
}

/* A shorter measurement has the same resolution of the clock, so a larger error. */
TEST_F(nap, length_of_a_tick_is_measured_for_long)
{
	struct vc_tick tick = { 0 };
	int64_t begin = now();

	shim_tick__calibrate(&tick);
	if (!tick.usable)
		SKIP(return, "the CPU's counter is not steady");
	EXPECT_LE(50000000, now() - begin);
}

TEST_HARNESS_MAIN
