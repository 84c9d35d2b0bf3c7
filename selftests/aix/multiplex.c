// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For any number of multiplexed sets on the real clock, the estimates for a constant loop agree
 * with a run without multiplexing.
 */
#include <fcntl.h>
#include <linux/vcpc.h>
#include <sys/ioctl.h>

#include "checking.h"
#include "work.h"

/*
 * Number of calls, small enough for emulated machines; selftests/unit/aix_gets.c makes more calls.
 */
#define GETS	20000

/* Multiplex slots per set */
#define PASSES	6

INITIALIZE_ONCE()

static bool has_pmu(void)
{
	return event_on(0, "PM_INST_CMPL") >= 0;
}

/* Return the event to count: without a PMU, one that counts CPU time. */
static const char *event(void)
{
	return has_pmu() ? "PM_INST_CMPL" : "PM_TASK_CLOCK";
}

static void work(int sets, int passes)
{
	unsigned long long end = cpu_time() + (unsigned long long)sets * passes * 10 * MS;

	while (cpu_time() < end)
		spin(100000);
}

/* Return the number of events per nanosecond of CPU time without multiplexing. */
static double whole_rate(void)
{
	pm_prog_t prog = program(event());
	pm_accu_time_t times;
	pm_data_t data;

	prog.mode.b.count = 1;
	if (pm_set_program_mythread(&prog))
		abort();
	work(1, 20);
	if (pm_get_Tdata_mythread(&data, &times) || pm_delete_program_mythread())
		abort();
	return (double)data.accu[0] / raw(times.accu_timebase);
}

/*
 * Check that each set's estimate agrees with the rate without multiplexing, and that the times of
 * all sets add up to the total time minus gaps.
 */
static double try_sets(struct __test_metadata *_metadata, int sets, double whole)
{
	/*
	 * Without a PMU the event counts time instead of instructions, and the measurement is less
	 * exact.
	 */
	double tolerance = has_pmu() ? 0.005 : 0.25, worst = 0;
	pm_prog_mx_t prog = program_mx(event(), sets, 10);
	unsigned long long sum = 0, before;
	pm_data_mx_t data;

	prog.mode.b.count = 1;
	before = cpu_time();
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	work(sets, PASSES + 1);
	ASSERT_EQ(0, pm_stop_mythread());
	before = cpu_time() - before;
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	if (has_pmu())
		EXPECT_LE(PASSES, data.nb_mx_round);
	for (int k = 0; k < sets; k++) {
		const pm_accu_mx_t *set = &data.accu_set[k];
		double rate = (double)set->accu_data[0] / raw(set->accu_time);
		double error = rate > whole ? rate / whole - 1 : whole / rate - 1;

		sum += raw(set->accu_time);
		worst = error > worst ? error : worst;
		EXPECT_GE(tolerance, error) {
			TH_LOG("set %d of %d: %f instead of %f", k, sets, rate, whole);
		}
	}
	/*
	 * Gaps between slots, and setting and stopping the program, are part of the total time, but
	 * not of any set's time.  The two times come from different clocks.
	 */
	EXPECT_LE(sum, before * (has_pmu() ? 101 : 110) / 100);
	EXPECT_GE(sum, before * (has_pmu() ? 90 : 30) / 100);
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
	return worst;
}

/*
 * Test every fifth number of sets, or every number if ALL_SETS is set in the environment.  Testing
 * all numbers takes a long time in a VM with -icount.
 */
static void agree(struct __test_metadata *_metadata, int from, int to)
{
	int step = getenv("ALL_SETS") ? 1 : 5;
	double whole, worst = 0;

	ASSERT_EQ(0, initialize());
	whole = whole_rate();
	for (int sets = from; sets <= to; sets += step) {
		double error = try_sets(_metadata, sets, whole);

		worst = error > worst ? error : worst;
	}
	TH_LOG("%s, %d to %d sets: at most %.4f %% from the rate of one set", event(), from, to,
	       worst * 100);
}

/* Multiplex 2 to 16 sets, divided among several tests because each test has a time limit. */
TEST(homogeneous_loop)
{
	if (kernel_checks())
		SKIP(return, KEEPS_NO_TIME);
	agree(_metadata, 2, has_pmu() ? 9 : 3);
}

TEST(homogeneous_loop_of_many_sets)
{
	if (!initialize() && !has_pmu())
		SKIP(return, "no hardware counters");
	agree(_metadata, 10, 15);
}

TEST(homogeneous_loop_of_sixteen_sets)
{
	if (!initialize() && !has_pmu())
		SKIP(return, "no hardware counters");
	agree(_metadata, 16, 16);
}

TEST(a_short_region_many_times)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	prog = program_mx(event(), 4, 0);
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	for (int i = 0; i < 50; i++) {
		ASSERT_EQ(0, pm_start_mythread());
		burn(20 * MS);
		ASSERT_EQ(0, pm_stop_mythread());
	}
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	for (int k = 0; k < 4; k++)
		EXPECT_LE((has_pmu() ? 150 : 50) * MS, raw(data.accu_set[k].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST(shorter_than_the_sets_need)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	prog = program_mx(event(), 4, 100);
	prog.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	burn(50 * MS);
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	EXPECT_EQ(0, data.nb_mx_round);
	EXPECT_LT(0, data.accu_set[0].accu_data[0]);
	for (int k = 1; k < 4; k++) {
		EXPECT_EQ(0, raw(data.accu_set[k].accu_time));
		EXPECT_EQ(0, data.accu_set[k].accu_data[0]);
	}
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

/*
 * In a slot of 30 s, the count exceeds 32 bits.  The kernel starts a 32-bit counter at half its
 * range and notices each wrap, so counts must not be affected.
 */
TEST(past_the_counter_s_width)
{
	const unsigned long rounds = 1500000000;
	pm_prog_mx_t prog;
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	if (!has_pmu())
		SKIP(return, "no hardware counters");
	if (!getenv("ALL_SETS"))
		SKIP(return, "vcpc/past_the_width counts as far, and it takes minutes of emulation");
	prog = program_mx(event(), 2, 30000);
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	ASSERT_EQ(0, pm_start_mythread());
	spin(rounds);
	ASSERT_EQ(0, pm_stop_mythread());
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	EXPECT_EQ(0, data.nb_mx_round);
	EXPECT_LE(2 * rounds, data.accu_set[0].accu_data[0]);
	EXPECT_GE(2 * rounds + 100000, data.accu_set[0].accu_data[0]);
	EXPECT_EQ(0, raw(data.accu_set[1].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

/*
 * Set AIX's maximum number of sets with all counters in use.  If the machine does not have enough
 * descriptors and requests for them, expect an error.
 */
TEST(full_sets)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	for (int sets = 256; sets; sets /= 4) {
		int ret;

		prog = program_mx("PM_PAGE_FAULTS", sets, 1000);
		for (int k = 0; k < sets; k++)
			for (int c = 0; c < info.maxpmcs; c++)
				prog.events_set[k][c] = event_on(c, "PM_PAGE_FAULTS") >= 0 ?
					event_on(c, "PM_PAGE_FAULTS") : event_on(c, "PM_CYC");
		prog.mode.b.count = 1;
		ret = pm_set_program_mythread_mx(&prog);
		if (ret) {
			ASSERT_EQ(sets * info.maxpmcs <= 2048 ? EMFILE : Pmapi_InvalidSetCount, ret) {
				TH_LOG("%d sets of %d", sets, info.maxpmcs);
			}
			continue;
		}
		touch(100);
		ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
		ASSERT_EQ(sets, data.nb_accu_mx);
		for (int c = 0; c < info.maxpmcs; c++)
			EXPECT_LE(100, data.accu_set[0].accu_data[c]);
		EXPECT_EQ(0, data.accu_set[sets - 1].accu_data[0] * (sets > 1));
		free(data.accu_set);
		ASSERT_EQ(0, pm_delete_program_mythread());
		TH_LOG("%d sets of %d", sets, info.maxpmcs);
		EXPECT_LE(16, sets);
		return;
	}
	EXPECT_TRUE(false) TH_LOG("not even one full set is possible");
}

/* Slots are measured in CPU time, so all sets of a mostly sleeping thread count. */
TEST(a_sleepy_thread)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	prog = program_mx(event(), 4, 10);
	prog.mode.b.count = 1;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	for (int i = 0; i < 100; i++) {
		burn(MS);
		usleep(19000);
	}
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	for (int k = 0; k < 4; k++)
		EXPECT_LT(0, raw(data.accu_set[k].accu_time));
	EXPECT_GE(1000 * MS, raw(data.accu_set[0].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST(system_wide)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;
	timebasestruct_t start, stop;
	unsigned long long sum = 0;

	ASSERT_EQ(0, initialize());
	prog = program_mx(event(), 3, 10);
	ASSERT_EQ(0, pm_set_program_mx(&prog));
	ASSERT_EQ(0, pm_tstart(&start));
	burn(400 * MS);
	ASSERT_EQ(0, pm_tstop(&stop));
	ASSERT_EQ(0, pm_get_data_mx(&data));
	EXPECT_LE(1, data.nb_mx_round);
	for (int k = 0; k < 3; k++) {
		/* perf counts several sets at the same time if they fit. */
		EXPECT_GE((raw(stop) - raw(start)) * sysconf(_SC_NPROCESSORS_ONLN),
			  raw(data.accu_set[k].accu_time));
		sum += raw(data.accu_set[k].accu_time);
	}
	EXPECT_LE(raw(stop) - raw(start), sum * 12 / 10);
	free(data.accu_set);
	ASSERT_EQ(0, pm_get_data_lcpu_mx(0, &data));
	EXPECT_LT(0, raw(data.accu_set[2].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program());
}

TEST(getting_does_not_grow)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;
	long before = 0;

	ASSERT_EQ(0, initialize());
	prog = program_mx("PM_PAGE_FAULTS", 4, 10);
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	for (int i = 0; i < GETS; i++) {
		if (pm_get_data_mythread_mx(&data))
			break;
		free(data.accu_set);
		if (i == 1000)
			before = resident();
	}
	EXPECT_NE(NULL, data.accu_set);
	EXPECT_LT(0, before);
	EXPECT_GE(before + 32, resident());
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_HARNESS_MAIN
