// SPDX-License-Identifier: GPL-2.0-or-later
/* Hardware events: on threads or on CPUs, and by one set a CPU. */
#include <pthread.h>

#include "cpu.h"
#include "heirs.h"

#define PARAMETER	"/sys/module/vcpc/parameters/exclusive"

#define NEED_HW()	do {						\
	if (!hw_slots())						\
		SKIP(return, "no hardware counters");			\
} while (0)

FIXTURE(exclusive) {
	int thread, cpu;
};

FIXTURE_SETUP(exclusive)
{
	self->thread = set_of(&cycles, 0);
	self->cpu = set_of(&cycles, 0);
	ASSERT_EQ(!hw_slots(), self->cpu < 0);
}

FIXTURE_TEARDOWN(exclusive)
{
	close(self->thread);
	close(self->cpu);
}

TEST_F(exclusive, a_cpu_takes_it_from_threads)
{
	struct room room;

	NEED_HW();
	ASSERT_EQ(0, set_bind(self->thread, 0, 0));
	ASSERT_EQ(0, set_sample(self->thread, 0, &room));
	ASSERT_EQ(0, cpu_bind(self->cpu, 0, 0));
	EXPECT_EQ(-EAGAIN, set_sample(self->thread, 0, &room));
	EXPECT_EQ(-EAGAIN, set_target(self->thread, VCPC_IOC_DISABLE, 0));
	EXPECT_EQ(0, cpu_sample(self->cpu, 0, &room));

	/* It stays invalid when the other has gone, until it is bound again. */
	ASSERT_EQ(0, cpu_target(self->cpu, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(-EAGAIN, set_sample(self->thread, 0, &room));
	ASSERT_EQ(0, set_target(self->thread, VCPC_IOC_UNBIND, 0));
	ASSERT_EQ(0, set_bind(self->thread, 0, 0));
	EXPECT_EQ(0, set_sample(self->thread, 0, &room));
}

struct heir {
	pthread_barrier_t barrier;
	pid_t tid;
};

static void *waits(void *arg)
{
	struct heir *h = arg;

	h->tid = own_tid();
	pthread_barrier_wait(&h->barrier);
	pthread_barrier_wait(&h->barrier);
	return NULL;
}

/* Heirs lose them, too; a set that counts no hardware does not. */
TEST_F(exclusive, from_all_threads)
{
	int software = set_of(&page_faults, 0);
	pthread_t thread;
	struct heir h;
	struct room room;

	NEED_HW();
	pthread_barrier_init(&h.barrier, NULL, 2);
	ASSERT_EQ(0, set_bind(self->thread, VCPC_BIND_F_INHERIT, 0));
	ASSERT_EQ(0, set_bind(software, VCPC_BIND_F_INHERIT, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, waits, &h));
	pthread_barrier_wait(&h.barrier);
	ASSERT_EQ(0, set_sample(self->thread, h.tid, &room));
	ASSERT_EQ(0, cpu_bind(self->cpu, 0, 0));
	EXPECT_EQ(-EAGAIN, set_sample(self->thread, h.tid, &room));
	EXPECT_EQ(-EAGAIN, set_total(self->thread, 0, &room));
	EXPECT_EQ(0, set_sample(software, h.tid, &room));
	EXPECT_EQ(0, set_total(software, 0, &room));
	pthread_barrier_wait(&h.barrier);
	pthread_join(thread, NULL);
	EXPECT_EQ(-EAGAIN, set_total(self->thread, 0, &room));
	close(software);
}

TEST_F(exclusive, no_thread_beside_a_cpu)
{
	NEED_HW();
	ASSERT_EQ(0, cpu_bind(self->cpu, 0, 0));
	EXPECT_EQ(-EAGAIN, set_bind(self->thread, 0, 0));
	close(self->cpu);
	EXPECT_EQ(0, set_bind(self->thread, 0, 0));
}

TEST_F(exclusive, one_who_yields)
{
	struct room room;

	NEED_HW();
	ASSERT_EQ(0, set_bind(self->thread, 0, 0));
	EXPECT_EQ(-EAGAIN, cpu_bind(self->cpu, VCPC_BIND_F_YIELD, 0));
	EXPECT_EQ(0, set_sample(self->thread, 0, &room));
	ASSERT_EQ(0, set_target(self->thread, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(0, cpu_bind(self->cpu, VCPC_BIND_F_YIELD, 0));
}

TEST_F(exclusive, one_set_a_cpu)
{
	int second = set_of(&cycles, 0);

	NEED_HW();
	ASSERT_GE(second, 0);
	ASSERT_EQ(0, cpu_bind(self->cpu, 0, 0));
	EXPECT_EQ(-EAGAIN, cpu_bind(second, 0, 0));
	ASSERT_EQ(0, cpu_target(self->cpu, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(0, cpu_bind(second, 0, 0));
	close(second);
}

TEST_F(exclusive, a_bind_that_fails_takes_nothing)
{
	struct vcpc_request many[MAX_VALUES];
	struct room room;
	int i, set, device;

	NEED_HW();
	/* More than there is room for. */
	for (i = 0; i < 32; i++)
		many[i] = cycles;
	device = device_open();
	set = set_create(device, many, 32, 0);
	close(device);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(self->thread, 0, 0));
	EXPECT_EQ(-ENOSPC, cpu_bind(set, 0, 0));
	EXPECT_EQ(-ENODEV, cpu_bind(set, 0, 100000));
	EXPECT_EQ(0, set_sample(self->thread, 0, &room));
	close(set);
}

static int write_parameter(const char *value)
{
	int fd = open(PARAMETER, O_WRONLY);
	int ok = fd >= 0 && write(fd, value, 1) == 1;

	close(fd);
	return ok;
}

TEST_F(exclusive, unless_the_administrator_says_so)
{
	struct room room;

	NEED_HW();
	ASSERT_TRUE(write_parameter("N"));
	EXPECT_EQ(0, set_bind(self->thread, 0, 0));
	EXPECT_EQ(0, cpu_bind(self->cpu, 0, 0));
	EXPECT_EQ(0, set_sample(self->thread, 0, &room));
	EXPECT_EQ(0, cpu_sample(self->cpu, 0, &room));
	ASSERT_TRUE(write_parameter("Y"));
}

TEST_F(exclusive, instructions_of_the_cpu)
{
	int set = set_of(&instructions, 0);
	struct room before, after;

	NEED_HW();
	if (set == -ENOENT)
		SKIP(return, "this PMU counts no instructions");
	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, cpu_sample(set, 0, &before));
	spin(1000000);
	ASSERT_EQ(0, cpu_sample(set, 0, &after));
	EXPECT_GE(after.sample.values[0] - before.sample.values[0], 2000000);
	/* Others may run too, but not for long. */
	EXPECT_LT(after.sample.values[0] - before.sample.values[0], 4000000);
	close(set);
}

TEST_HARNESS_MAIN
