// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_BIND_F_CPU: who may, what is counted, how it is named. */
#include "cpu.h"

#define MS	1000000ULL

static int as_nobody(void *arg UNUSED)
{
	int set;

	if (become_nobody())
		return 254;
	set = set_of(&page_faults, 0);
	return set < 0 ? 253 : -cpu_bind(set, 0, 0);
}

TEST(needs_cap_perfmon)
{
	EXPECT_EQ(EACCES, in_child(as_nobody, NULL));
}

static int with_set_of_root(void *arg)
{
	return become_nobody() ? 254 : -cpu_bind(*(int *)arg, 0, 0);
}

TEST(a_set_that_was_handed_down_does_not_help)
{
	int set = set_of(&page_faults, 0);

	ASSERT_GE(set, 0);
	EXPECT_EQ(EACCES, in_child(with_set_of_root, &set));
	EXPECT_EQ(0, cpu_bind(set, 0, 0));
	close(set);
}

TEST(wrong_targets)
{
	int set = set_of(&page_faults, 0);

	ASSERT_GE(set, 0);
	EXPECT_EQ(-ENODEV, cpu_bind(set, 0, 100000));
	EXPECT_EQ(-ENODEV, cpu_bind(set, 0, sysconf(_SC_NPROCESSORS_CONF)));
	EXPECT_EQ(-ENODEV, cpu_bind(set, 0, -1));
	EXPECT_EQ(-ENODEV, cpu_bind(set, 0, 0x7fffffff));
	EXPECT_EQ(-EINVAL, cpu_bind(set, VCPC_BIND_F_INHERIT, 0));
	EXPECT_EQ(-EINVAL, cpu_bind(set, VCPC_BIND_F_TREE, 0));
	EXPECT_EQ(-EINVAL, cpu_bind(set, VCPC_BIND_F_PROCESS, 0));
	EXPECT_EQ(-EINVAL, cpu_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC, 0));
	EXPECT_EQ(-EINVAL, set_bind(set, VCPC_BIND_F_YIELD, 0));
	EXPECT_EQ(-ESRCH, set_bind(set, 0, -1));
	EXPECT_EQ(-EINVAL, cpu_target(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(-EINVAL, cpu_target(set, VCPC_IOC_UNBIND, -1));
	close(set);
}

TEST(counts_whoever_runs_there)
{
	int set = set_of(&page_faults, 0);
	struct room room;
	pid_t pid;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	pid = fork();
	if (!pid) {
		if (run_on(0))
			_exit(1);
		touch(1000);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ(0, cpu_sample(set, 0, &room));
	EXPECT_GE(room.sample.values[0], 1000);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
	EXPECT_EQ(1, room.sample.nr);
	close(set);
}

TEST(time_is_wall_time)
{
	int set = set_of(&cpu_clock, 0);
	struct room first, last;
	__u64 wall, tick;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	ASSERT_EQ(0, cpu_sample(set, 0, &first));
	/* Nobody need run there. */
	usleep(100000);
	ASSERT_EQ(0, cpu_sample(set, 0, &last));
	wall = last.sample.time - first.sample.time;
	tick = last.sample.tick - first.sample.tick;
	EXPECT_GE(wall, 100 * MS);
	EXPECT_LT(tick > wall ? tick - wall : wall - tick, share(100 * MS, 5, 25));
	EXPECT_GE(last.sample.values[0] - first.sample.values[0], 95 * MS);
	close(set);
}

TEST(stopped_and_started)
{
	int set = set_of(&cpu_clock, VCPC_SET_F_DISABLED);
	struct room room;
	__u64 value;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	ASSERT_EQ(0, cpu_sample(set, 0, &room));
	EXPECT_EQ(0, room.sample.values[0]);
	EXPECT_EQ(0, room.sample.state);
	ASSERT_EQ(0, cpu_target(set, VCPC_IOC_ENABLE, 0));
	EXPECT_EQ(-EINVAL, cpu_target(set, VCPC_IOC_ENABLE, 0));
	usleep(10000);
	ASSERT_EQ(0, cpu_target(set, VCPC_IOC_DISABLE, 0));
	ASSERT_EQ(0, cpu_sample(set, 0, &room));
	value = room.sample.values[0];
	EXPECT_GE(value, 9 * MS);
	usleep(10000);
	ASSERT_EQ(0, cpu_sample(set, 0, &room));
	EXPECT_EQ(value, room.sample.values[0]);
	close(set);
}

TEST(names)
{
	struct vcpc_instance_info info;
	struct vcpc_instances_args list = {
		.size = sizeof(list), .info = pointer(&info), .info_size = sizeof(info), .room = 1,
	};
	int set = set_of(&page_faults, 0);
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	EXPECT_EQ(-EBUSY, cpu_bind(set, 0, 0));
	/* Threads and CPUs do not go together. */
	EXPECT_EQ(-EBUSY, set_bind(set, 0, 0));
	/* It is the only one, so read() and 0 mean it. */
	EXPECT_EQ(sizeof(room.sample) + 8, read(set, &room, sizeof(room)));
	EXPECT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(-EINVAL, set_sample(set, own_tid(), &room));
	EXPECT_EQ(-EINVAL, cpu_sample(set, 1, &room));
	EXPECT_EQ(-EINVAL, cpu_sample(set, -1, &room));

	ASSERT_EQ(0, call(set, VCPC_IOC_INSTANCES, &list));
	EXPECT_EQ(1, list.nr);
	EXPECT_EQ(0, info.tid);
	EXPECT_EQ(0, info.tgid);
	EXPECT_TRUE(info.bind_flags & VCPC_BIND_F_CPU);
	EXPECT_EQ(VCPC_STATE_COUNTING, info.state);

	EXPECT_EQ(0, cpu_target(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(-EINVAL, cpu_sample(set, 0, &room));
	EXPECT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(-EBUSY, cpu_bind(set, 0, 0));
	close(set);
}

TEST(software_events_exclude_nobody)
{
	int first = set_of(&page_faults, 0), second = set_of(&page_faults, 0);
	int thread = set_of(&page_faults, 0);

	ASSERT_GE(thread, 0);
	EXPECT_EQ(0, set_bind(thread, 0, 0));
	EXPECT_EQ(0, cpu_bind(first, 0, 0));
	EXPECT_EQ(0, cpu_bind(second, VCPC_BIND_F_YIELD, 0));
	touch(10);
	EXPECT_GE(first_value(thread, 0), 10);
	close(first);
	close(second);
	close(thread);
}

TEST(every_cpu_and_the_total)
{
	int set = set_of(&cpu_clock, 0), cpus = sysconf(_SC_NPROCESSORS_ONLN), i;
	__u64 sum = 0, total;
	struct room room;

	if (cpus < 2)
		SKIP(return, "there is only one CPU");
	ASSERT_GE(set, 0);
	for (i = 0; i < cpus; i++)
		ASSERT_EQ(0, cpu_bind(set, 0, i));
	EXPECT_EQ(-EINVAL, set_sample(set, 0, &room));
	usleep(20000);
	for (i = 0; i < cpus; i++) {
		ASSERT_EQ(0, cpu_sample(set, i, &room));
		EXPECT_GE(room.sample.values[0], 15 * MS);
		sum += room.sample.values[0];
	}
	total = first_total(set, 0);
	EXPECT_GE(total, sum);
	EXPECT_LT(total, 100 * sum);
	close(set);
}

TEST_HARNESS_MAIN
