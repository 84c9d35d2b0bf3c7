// SPDX-License-Identifier: GPL-2.0-or-later
/* Take a processor offline and online before and while it is counted. */
#include <fcntl.h>

#include "work.h"

#define CPU	1

INITIALIZE_ONCE()

static int set_online(int on)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);
	int ok = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;

	close(fd);
	return ok ? 0 : -1;
}

/* Without the module, the test may run on any machine, whose CPUs must stay online. */
#define NEED_TWO()	do {						\
	if (access("/dev/vcpc", F_OK))					\
		SKIP(return, "needs the vcpc module");			\
	if (sysconf(_SC_NPROCESSORS_CONF) < 2)				\
		SKIP(return, "there is only one CPU");			\
} while (0)

FIXTURE(processors) {
	pm_prog_t prog;
};

FIXTURE_SETUP(processors)
{
	ASSERT_EQ(0, initialize());
	self->prog = program("PM_CPU_CLOCK");
	self->prog.mode.w |= PM_COUNT;
}

FIXTURE_TEARDOWN(processors)
{
	if (sysconf(_SC_NPROCESSORS_CONF) > 1 && !access("/dev/vcpc", F_OK))
		set_online(1);
	pm_delete_program();
}

/*
 * Wait until the processor counts again: the module reopens its counters shortly after it comes
 * online.
 */
static long long grown(long long from)
{
	pm_data_t data = { .accu = { from } };

	for (int i = 0; i < 500 && data.accu[0] == from; i++) {
		usleep(10000);
		if (pm_get_data_lcpu(CPU, &data))
			return -1;
	}
	return data.accu[0];
}

TEST_F(processors, values_stay_and_go_on)
{
	pm_data_t before, off, later;

	NEED_TWO();
	ASSERT_EQ(0, pm_set_program(&self->prog));
	usleep(20000);
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &before));
	EXPECT_LT(0, before.accu[0]);
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &off));
	EXPECT_LE(before.accu[0], off.accu[0]);
	/*
	 * With one processor offline, the highest index among the online processors is one lower.
	 */
	EXPECT_EQ(Pmapi_BadCpu, pm_get_data_cpu(sysconf(_SC_NPROCESSORS_CONF) - 1, &later));
	usleep(50000);
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &later));
	EXPECT_EQ(off.accu[0], later.accu[0]);
	ASSERT_EQ(0, set_online(1));
	EXPECT_LT(off.accu[0], grown(off.accu[0]));
}

TEST_F(processors, offline_when_it_was_set)
{
	pm_data_t data, later;

	NEED_TWO();
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, pm_set_program(&self->prog));
	EXPECT_EQ(Pmapi_BadCpu, pm_get_data_lcpu(CPU, &data));
	EXPECT_EQ(0, pm_get_data_lcpu(0, &data));
	EXPECT_EQ(0, pm_get_data(&data));
	EXPECT_EQ(0, pm_reset_data());
	/* A processor that comes online later is counted from the next call on. */
	ASSERT_EQ(0, set_online(1));
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &data));
	EXPECT_LT(data.accu[0], grown(data.accu[0]));
	EXPECT_EQ(0, pm_stop());
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &data));
	usleep(20000);
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &later));
	EXPECT_EQ(data.accu[0], later.accu[0]);
}

/* If a processor comes online while counting is stopped, it counts only after the next start. */
TEST_F(processors, online_while_stopped)
{
	pm_data_t data;

	NEED_TWO();
	self->prog.mode.w &= ~PM_COUNT;
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, pm_set_program(&self->prog));
	ASSERT_EQ(0, set_online(1));
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &data));
	usleep(20000);
	ASSERT_EQ(0, pm_get_data_lcpu(CPU, &data));
	EXPECT_EQ(0, data.accu[0]);
	ASSERT_EQ(0, pm_start());
	EXPECT_LT(0, grown(0));
}

TEST_F(processors, sets_in_turn)
{
	pm_prog_mx_t prog = program_mx("PM_CPU_CLOCK", 3, 10);
	pm_data_mx_t before, after;

	NEED_TWO();
	prog.mode.w |= PM_COUNT;
	ASSERT_EQ(0, pm_set_program_mx(&prog));
	usleep(100000);
	ASSERT_EQ(0, pm_get_data_lcpu_mx(CPU, &before));
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, set_online(1));
	usleep(300000);
	ASSERT_EQ(0, pm_get_data_lcpu_mx(CPU, &after));
	EXPECT_LE(before.nb_mx_round, after.nb_mx_round);
	for (int k = 0; k < 3; k++) {
		EXPECT_LE(before.accu_set[k].accu_data[0], after.accu_set[k].accu_data[0]);
		EXPECT_LE(raw(before.accu_set[k].accu_time), raw(after.accu_set[k].accu_time));
	}
	free(before.accu_set);
	free(after.accu_set);
}

TEST_HARNESS_MAIN
