// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracing is turned on, read and turned off while handlers of signals interrupt each system call. */
#include <signal.h>
#include <sys/time.h>

#include "bpf_test.h"

static void on_alarm(int sig)
{
	(void)sig;
}

FIXTURE(signals) {
};

FIXTURE_SETUP(signals)
{
	const struct itimerval at = { .it_interval = { .tv_usec = 200 }, .it_value = { .tv_usec = 200 } };
	const struct sigaction action = { .sa_handler = on_alarm };	/* without SA_RESTART */

	shim_trace_off();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &at, NULL);
}

FIXTURE_TEARDOWN(signals)
{
	setitimer(ITIMER_REAL, &(const struct itimerval){ .it_value = { 0 } }, NULL);
	shim_trace_off();
}

/* While a signal is pending, the kernel does not verify programs. */
TEST_F(signals, tracing_is_turned_on)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	for (int i = 0; i < 100; i++) {
		EXPECT_EQ(0, pmtracebegin("interrupted"));
		EXPECT_EQ(0, pmtraceend("interrupted"));
	}
	EXPECT_EQ(100, count_of("interrupted", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, shim_trace_off());
}

TEST_HARNESS_MAIN
