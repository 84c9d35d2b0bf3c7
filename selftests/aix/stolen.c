// SPDX-License-Identifier: GPL-2.0-or-later
/* If another user takes all counters through perf, sets lose slots, but their rates are correct. */
#include <linux/perf_event.h>
#include <sys/syscall.h>

#include "aix/pmapi.h"
#include "work.h"

#define MANY	32

/* Take all counters.  Events pinned to the CPU have priority over events of threads. */
static void take_all(int fds[MANY])
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES, .pinned = 1,
	};

	for (int i = 0; i < MANY; i++)
		fds[i] = syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
}

static void give_back(int fds[MANY])
{
	for (int i = 0; i < MANY; i++)
		close(fds[i]);
}

static bool has_pmu(void)
{
	return event_on(0, "PM_INST_CMPL") >= 0;
}

TEST(sets_in_turn)
{
	unsigned long long counted = 0;
	double rate = 0, low = 1e9;
	pm_prog_mx_t prog;
	pm_data_mx_t data;
	int fds[MANY];

	ASSERT_EQ(0, initialize());
	if (!has_pmu())
		SKIP(return, "no hardware counters");
	prog = program_mx("PM_INST_CMPL", 3, 10);
	prog.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	burn(100 * MS);
	take_all(fds);
	burn(100 * MS);
	give_back(fds);
	burn(100 * MS);
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	for (int k = 0; k < 3; k++) {
		double r = (double)data.accu_set[k].accu_data[0] / raw(data.accu_set[k].accu_time);

		counted += raw(data.accu_set[k].accu_time);
		rate = r > rate ? r : rate;
		low = r < low ? r : low;
	}
	/* No set's time includes the time without counters. */
	EXPECT_LE(130 * MS, counted);
	EXPECT_GE(220 * MS, counted);
	EXPECT_LE(rate * 0.98, low);
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST(one_set)
{
	pm_data_t data = { .reserved = 77 };
	pm_prog_t prog;
	int fds[MANY];

	ASSERT_EQ(0, initialize());
	if (!has_pmu())
		SKIP(return, "no hardware counters");
	prog = program("PM_INST_CMPL");
	prog.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	burn(10 * MS);
	ASSERT_EQ(0, pm_get_data_mythread(&data));
	take_all(fds);
	burn(10 * MS);
	data.reserved = 77;
	EXPECT_EQ(Pmapi_NoCounters, pm_get_data_mythread(&data));
	EXPECT_EQ(77, data.reserved);
	give_back(fds);
	/* The set that lost its counters stays invalid, but a new program counts. */
	EXPECT_EQ(Pmapi_NoCounters, pm_get_data_mythread(&data));
	ASSERT_EQ(0, pm_delete_program_mythread());
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	EXPECT_EQ(0, pm_get_data_mythread(&data));
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_HARNESS_MAIN
