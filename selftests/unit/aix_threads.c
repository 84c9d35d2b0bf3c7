// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run hundreds of concurrent threads on the synthetic clock, for sanitizers: first with a program
 * each, then as one group.  Every count is known.
 */
#include "selftests/synthetic/backend_clock.h"
#include "../aix/work.h"

#define THREADS	300
#define ROUNDS	5

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

static pid_t my_tid(void)
{
	return syscall(SYS_gettid);
}

/*
 * Start and stop counting repeatedly.  The synthetic clock counts two instructions per microsecond.
 */
static int count_alone(void)
{
	pm_prog_t prog = program("PM_INST_CMPL");
	pm_data_t data;
	int ret = pm_set_program_mythread(&prog);

	for (int ms = 1; ms <= ROUNDS && !ret; ms++) {
		ret = pm_start_mythread();
		shim_clock__run(my_tid(), MS);
		if (!ret)
			ret = pm_stop_mythread();
		shim_clock__run(my_tid(), MS);
		if (!ret)
			ret = pm_get_data_mythread(&data);
		if (!ret && data.accu[0] != ms * 2000)
			ret = -1;
	}
	return ret;
}

/* Count in a thread with its own program; every second thread exits without deleting it. */
static void *alone(void *arg)
{
	int ret = count_alone();

	if (!ret && (long)arg & 1)
		ret = pm_delete_program_mythread();
	return (void *)(long)ret;
}

static void all_of(struct __test_metadata *_metadata, void *(*fn)(void *arg))
{
	static pthread_t thread[THREADS];
	void *ret;

	for (long i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, fn, (void *)i));
	for (int i = 0; i < THREADS; i++) {
		ASSERT_EQ(0, pthread_join(thread[i], &ret));
		EXPECT_EQ(NULL, ret);
	}
}

TEST(each_by_itself)
{
	pm_prog_t prog;

	ASSERT_EQ(0, initialize());
	all_of(_metadata, alone);
	/* No resources of the threads remain. */
	prog = program("PM_INST_CMPL");
	EXPECT_EQ(0, pm_set_program(&prog));
	EXPECT_EQ(0, pm_delete_program());
}

/* Set a group's program in a thread that exits without deleting it. */
static void *leads(void *arg)
{
	pm_prog_t prog = program("PM_INST_CMPL");

	(void)arg;
	return (void *)(long)pm_set_program_mygroup(&prog);
}

TEST(groups_end_with_the_thread_that_set_them)
{
	pm_prog_t prog;

	ASSERT_EQ(0, initialize());
	all_of(_metadata, leads);
	prog = program("PM_INST_CMPL");
	EXPECT_EQ(0, pm_set_program(&prog));
	EXPECT_EQ(0, pm_delete_program());
}

static pid_t leader;

/*
 * Register this thread with the synthetic clock, as the kernel registers a new thread, and count as
 * a member of the leader's group.
 */
static void *member(void *arg)
{
	pm_data_mx_t data;
	int ret;

	(void)arg;
	shim_clock__born(leader, my_tid(), true);
	shim_clock__run(my_tid(), 30 * MS);
	ret = pm_get_data_mythread_mx(&data);
	if (ret)
		return (void *)(long)ret;
	for (int k = 0; k < 3; k++)
		if (data.accu_set[k].accu_data[0] != 20000)
			ret = -1 - k;
	if (data.nb_mx_round != 1)
		ret = -9;
	free(data.accu_set);
	if (!ret)
		ret = pm_get_data_mygroup_mx(&data);
	if (!ret)
		free(data.accu_set);
	shim_clock__exits(my_tid());
	return (void *)(long)ret;
}

TEST(all_in_one_group)
{
	pm_prog_mx_t prog;
	pm_data_mx_t data;

	ASSERT_EQ(0, initialize());
	leader = my_tid();
	prog = program_mx("PM_INST_CMPL", 3, 10);
	prog.mode.w |= PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mygroup_mx(&prog));
	all_of(_metadata, member);
	ASSERT_EQ(0, pm_get_data_mygroup_mx(&data));
	EXPECT_EQ(THREADS + 1, data.ginfo.members);
	EXPECT_EQ(THREADS, data.nb_mx_round);
	for (int k = 0; k < 3; k++) {
		EXPECT_EQ(THREADS * 20000, data.accu_set[k].accu_data[0]);
		EXPECT_EQ(THREADS * 10 * MS, raw(data.accu_set[k].accu_time));
	}
	free(data.accu_set);
	EXPECT_EQ(0, pm_delete_program_mygroup());
}

TEST_HARNESS_MAIN
