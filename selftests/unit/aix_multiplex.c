// SPDX-License-Identifier: GPL-2.0-or-later
/* Test multiplexing on the synthetic clock, on which every count and time is known. */
#include "selftests/synthetic/backend_clock.h"
#include "../aix/aix_test.h"

#define MS	1000000ULL

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

static void run(unsigned long long ms)
{
	shim_clock__run(syscall(SYS_gettid), ms * MS);
}

/*
 * Expect @rounds rounds, and @a, @b and @c ms for the three sets.  The synthetic clock counts two
 * instructions per microsecond.
 */
static void expect(struct __test_metadata *_metadata, int (*get)(pm_data_mx_t *data), int rounds,
		   int a, int b, int c)
{
	int ms[] = { a, b, c };
	pm_data_mx_t data;

	ASSERT_EQ(0, get(&data));
	ASSERT_EQ(3, data.nb_accu_mx);
	EXPECT_EQ(rounds, data.nb_mx_round);
	for (int k = 0; k < 3; k++) {
		EXPECT_EQ(ms[k] * MS, raw(data.accu_set[k].accu_time));
		EXPECT_EQ(ms[k] * 2000, data.accu_set[k].accu_data[0]);
		EXPECT_EQ(0, data.accu_set[k].accu_data[1]);
		EXPECT_EQ(0, raw(data.accu_set[k].accu_purr));
	}
	free(data.accu_set);
}

FIXTURE(mx) {
	pm_prog_mx_t prog;
};

FIXTURE_SETUP(mx)
{
	shim_clock__begin(NULL, 0);
	ASSERT_EQ(0, initialize());
	self->prog = program_mx("PM_INST_CMPL", 3, 0);
	self->prog.mode.w |= PM_COUNT;
}

FIXTURE_TEARDOWN(mx)
{
}

TEST_F(mx, worked_vector)
{
	int (*get)(pm_data_mx_t *data) = pm_get_data_mythread_mx;

	ASSERT_EQ(0, pm_set_program_mythread_mx(&self->prog));
	run(1050);
	expect(_metadata, get, 3, 400, 350, 300);
	ASSERT_EQ(0, pm_stop_mythread());
	run(500);
	ASSERT_EQ(0, pm_start_mythread());
	run(30);
	expect(_metadata, get, 3, 400, 380, 300);
	run(20);
	expect(_metadata, get, 3, 400, 400, 300);
	run(100);
	expect(_metadata, get, 4, 400, 400, 400);
	ASSERT_EQ(0, pm_reset_data_mythread());
	run(80);
	expect(_metadata, get, 0, 80, 0, 0);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

/*
 * A group of one member returns the same values as a thread, except that a reset does not start a
 * new slot.
 */
TEST_F(mx, worked_vector_of_a_group)
{
	int (*get)(pm_data_mx_t *data) = pm_get_data_mygroup_mx;
	pm_data_mx_t data;

	ASSERT_EQ(0, pm_set_program_mygroup_mx(&self->prog));
	run(1050);
	expect(_metadata, get, 3, 400, 350, 300);
	ASSERT_EQ(0, pm_stop_mygroup());
	run(500);
	ASSERT_EQ(0, pm_start_mygroup());
	run(30);
	expect(_metadata, get, 3, 400, 380, 300);
	ASSERT_EQ(0, pm_reset_data_mygroup());
	run(80);
	expect(_metadata, get, 0, 0, 20, 60);
	ASSERT_EQ(0, get(&data));
	EXPECT_EQ(1, data.ginfo.members);
	EXPECT_TRUE(!!data.ginfo.flags.b.consistent);
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mygroup());
}

/* The time of a set is 0 until its first slot. */
TEST_F(mx, short_runs)
{
	ASSERT_EQ(0, pm_set_program_mythread_mx(&self->prog));
	run(50);
	expect(_metadata, pm_get_data_mythread_mx, 0, 50, 0, 0);
	run(150);
	expect(_metadata, pm_get_data_mythread_mx, 0, 100, 100, 0);
	run(50);
	expect(_metadata, pm_get_data_mythread_mx, 0, 100, 100, 50);
	run(50);
	expect(_metadata, pm_get_data_mythread_mx, 1, 100, 100, 100);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

/* The counting time is the sum of the sets' times and the gaps between them. */
TEST_F(mx, times_and_gaps)
{
	unsigned long long sum = 0;
	pm_data_mx_t data;

	shim_clock__begin(NULL, 2 * MS);
	ASSERT_EQ(0, pm_set_program_mythread_mx(&self->prog));
	run(1020);
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	for (int k = 0; k < 3; k++)
		sum += raw(data.accu_set[k].accu_time);
	EXPECT_EQ(10 * 100 * MS, sum);
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_F(mx, system)
{
	int cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pm_data_mx_t data;

	ASSERT_EQ(0, pm_set_program_mx(&self->prog));
	shim_clock__run(0, 650 * MS);
	ASSERT_EQ(0, pm_get_data_mx(&data));
	EXPECT_EQ(2, data.nb_mx_round);
	EXPECT_EQ(250 * MS * cpus, raw(data.accu_set[0].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_get_data_lcpu_mx(0, &data));
	EXPECT_EQ(2, data.nb_mx_round);
	EXPECT_EQ(200 * MS, raw(data.accu_set[2].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_reset_data());
	shim_clock__run(0, 50 * MS);
	ASSERT_EQ(0, pm_get_data_mx(&data));
	EXPECT_EQ(0, data.nb_mx_round);
	EXPECT_EQ(50 * MS * cpus, raw(data.accu_set[0].accu_time));
	EXPECT_EQ(0, raw(data.accu_set[1].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program());
}

/* Every set counts parts of a region that runs repeatedly and is shorter than a slot. */
TEST_F(mx, bracketed_region)
{
	pm_data_mx_t data;

	self->prog.mode.w &= ~PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&self->prog));
	for (int i = 0; i < 500; i++) {
		ASSERT_EQ(0, pm_start_mythread());
		run(20);
		ASSERT_EQ(0, pm_stop_mythread());
		run(3);
	}
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	EXPECT_EQ(33, data.nb_mx_round);
	for (int k = 0; k < 3; k++)
		EXPECT_LE(3300 * MS, raw(data.accu_set[k].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_F(mx, stamps_of_start_read_and_stop)
{
	timebasestruct_t start, stop, when;
	pm_data_mx_t data;

	self->prog.mode.w &= ~PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&self->prog));
	ASSERT_EQ(0, pm_tstart_mythread(&start));
	run(70);
	ASSERT_EQ(0, pm_get_tdata_mythread_mx(&data, &when));
	EXPECT_EQ(70 * MS, raw(when) - raw(start));
	free(data.accu_set);
	run(70);
	ASSERT_EQ(0, pm_tstop_mythread(&stop));
	EXPECT_EQ(140 * MS, raw(stop) - raw(start));
	run(70);
	ASSERT_EQ(0, pm_get_tdata_mythread_mx(&data, &when));
	EXPECT_EQ(raw(stop), raw(when));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

/* Each set has its own mode; the mode of the first one determines whether to count. */
TEST_F(mx, modes_of_sets)
{
	pm_prog_t sets[2] = { program("PM_INST_CMPL"), program("PM_INST_CMPL") };
	pm_prog_mm_t prog = { .slice_duration = 10, .nb_set_prog = 2, .prog_set = sets }, got;
	pm_data_mx_t data;

	sets[0].mode.w = PM_USER;
	sets[1].mode.w = PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mythread_mm(&prog));
	ASSERT_EQ(0, pm_get_program_mythread_mm(&got));
	EXPECT_EQ(2, got.nb_set_prog);
	EXPECT_EQ(10, got.slice_duration);
	EXPECT_EQ(PM_USER, got.prog_set[0].mode.w);
	EXPECT_EQ(0, got.prog_set[1].mode.w);
	free(got.prog_set);
	ASSERT_EQ(0, pm_start_mythread());
	run(20);
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	EXPECT_EQ(20000, data.accu_set[0].accu_data[0]);
	EXPECT_EQ(0, data.accu_set[1].accu_data[0]);
	EXPECT_EQ(10 * MS, raw(data.accu_set[1].accu_time));
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_F(mx, stolen_counters)
{
	pm_data_mx_t data;

	ASSERT_EQ(0, pm_set_program_mythread_mx(&self->prog));
	run(150);
	shim_clock__steal(true);
	run(50);
	shim_clock__steal(false);
	run(100);
	expect(_metadata, pm_get_data_mythread_mx, 1, 100, 50, 100);
	ASSERT_EQ(0, pm_delete_program_mythread());
	(void)data;
}

TEST_F(mx, stolen_counters_of_one_set)
{
	pm_prog_t prog = program("PM_INST_CMPL");
	pm_data_t data = { .reserved = 77 };

	prog.mode.w |= PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	shim_clock__steal(true);
	run(1);
	shim_clock__steal(false);
	EXPECT_EQ(Pmapi_NoCounters, pm_get_data_mythread(&data));
	EXPECT_EQ(77, data.reserved);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_F(mx, as_many_sets_as_there_may_be)
{
	pm_prog_mx_t prog = program_mx("PM_INST_CMPL", 256, 10);
	pm_data_mx_t data;

	prog.mode.w |= PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mythread_mx(&prog));
	run(2565);
	ASSERT_EQ(0, pm_get_data_mythread_mx(&data));
	EXPECT_EQ(256, data.nb_accu_mx);
	EXPECT_EQ(1, data.nb_mx_round);
	EXPECT_EQ(15 * MS, raw(data.accu_set[0].accu_time));
	EXPECT_EQ(20000, data.accu_set[255].accu_data[0]);
	free(data.accu_set);
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_HARNESS_MAIN
