// SPDX-License-Identifier: GPL-2.0-or-later
/* Random order and an anchor on the real clock: estimates, and what they are said to be off by. */
#include "aix/pmx.h"
#include "checking.h"
#include "work.h"

#define SETS	4

TEST(estimates_of_a_loop)
{
	const char *event = "PM_INST_CMPL", *anchor = "PM_CYC";
	unsigned long long end;
	pmx_options_t options = { .shuffle = 1, .seed = 7 };
	pm_prog_t plain;
	pm_accu_time_t times;
	pmx_stats_t *stats;
	pmx_whole_t whole;
	pm_prog_mx_t prog;
	pm_data_t data;
	double rate, part = 0.03;
	int most = 80;

	if (kernel_checks())
		SKIP(return, KEEPS_NO_TIME);
	ASSERT_EQ(0, initialize());
	/* Without a PMU there is no clock of instructions either: the host stops us at any time. */
	if (event_on(0, event) < 0) {
		event = anchor = "PM_TASK_CLOCK";
		part = 0.25;
		most = 30;
	}
	plain = program(event);
	plain.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mythread(&plain));
	burn(100 * MS);
	ASSERT_EQ(0, pm_get_Tdata_mythread(&data, &times));
	ASSERT_EQ(0, pm_delete_program_mythread());
	rate = (double)data.accu[0] / raw(times.accu_timebase);

	prog = program_mx(event, SETS, 10);
	prog.mode.b.count = 1;
	options.anchor = event_on(0, anchor);
	ASSERT_EQ(0, pmx_set_program_mx(PMX_MYTHREAD, &prog, &options));
	ASSERT_EQ(0, pmx_stats_open(PMX_MYTHREAD, &stats));
	for (end = cpu_time() + 1000 * MS; cpu_time() < end;) {
		burn(4 * MS);
		ASSERT_EQ(0, pmx_stats_mark(stats));
	}
	ASSERT_EQ(0, pmx_stats_whole(stats, &whole));
	EXPECT_LE(most * 10 * MS, whole.counted);
	EXPECT_GE((100 - most) * 10 * MS, whole.gap);
	EXPECT_LT(0, whole.anchor);
	EXPECT_LE(3 * SETS, whole.turns);
	for (int k = 0; k < SETS; k++) {
		double truth = rate * whole.counted;
		pmx_estimate_t e;

		ASSERT_EQ(0, pmx_stats_estimate(stats, k, 0, &e));
		EXPECT_LE(3, e.turns);
		EXPECT_LE(truth * (1 - part), e.value);
		EXPECT_GE(truth * (1 + part), e.value);
		EXPECT_LE(e.low, e.value);
		EXPECT_GE(e.high, e.value);
		EXPECT_LE(0, e.plain_error);
	}
	pmx_stats_close(stats);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST(whole_process_and_system)
{
	static const int scopes[] = { PMX_MYGROUP, PMX_SYSTEM };
	pmx_options_t options = { .shuffle = 1 };
	pmx_stats_t *stats;
	pmx_whole_t whole;
	pm_prog_mx_t prog;

	ASSERT_EQ(0, initialize());
	prog = program_mx("PM_PAGE_FAULTS", SETS, 10);
	prog.mode.b.count = 1;
	options.anchor = event_on(0, "PM_TASK_CLOCK");
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pmx_set_program_mx(scopes[i], &prog, &options));
		ASSERT_EQ(0, pmx_stats_open(scopes[i], &stats));
		burn(100 * MS);
		ASSERT_EQ(0, pmx_stats_mark(stats));
		ASSERT_EQ(0, pmx_stats_whole(stats, &whole));
		EXPECT_LE(20 * MS, whole.counted);
		EXPECT_LE(20 * MS, whole.anchor);
		pmx_stats_close(stats);
		ASSERT_EQ(0, scopes[i] == PMX_SYSTEM ? pm_delete_program() :
						       pm_delete_program_mygroup());
	}
}

TEST_HARNESS_MAIN
