// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_PRESET and _RESTART: whose presets, from when on, and what goes on all the same. */
#include <pthread.h>

#include "cpu.h"
#include "exec_child.h"
#include "groups.h"

/* Two requests that count the same, from 0 and from 10 before the end */
static int two_alike(void)
{
	struct vcpc_request requests[2] = { page_faults, page_faults };
	int device = device_open(), set;

	requests[1].preset = -10ULL;
	set = set_create(device, requests, 2, 0);
	close(device);
	return set;
}

static int preset_on(int set, __u32 flags, pid_t tid, __u32 request, __u64 value)
{
	struct vcpc_preset_args args = {
		.size = sizeof(args), .flags = flags, .tid = tid, .request = request,
		.preset = value,
	};

	return call(set, VCPC_IOC_PRESET, &args);
}

static int preset(int set, __u32 request, __u64 value)
{
	return preset_on(set, 0, 0, request, value);
}

static int restart(int set)
{
	return set_target(set, VCPC_IOC_RESTART, 0);
}

TEST(from_the_presets_through_the_end)
{
	int set = two_alike();
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(3);
	ASSERT_EQ(0, preset(set, 0, 500));
	/* Nothing yet: a preset is for the next RESTART. */
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_GT(500, room.sample.values[0]);
	ASSERT_EQ(0, restart(set));
	touch(30);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_LE(530, room.sample.values[0]);
	EXPECT_GT(560, room.sample.values[0]);
	/* From -10, past 2^64 */
	EXPECT_EQ(room.sample.values[0] - 510, room.sample.values[1]);
	/* And again from there */
	ASSERT_EQ(0, restart(set));
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_LE(500, room.sample.values[0]);
	EXPECT_GT(530, room.sample.values[0]);
	close(set);
}

TEST(a_new_bind_begins_from_the_requests_presets)
{
	int set = two_alike();
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, preset(set, 0, 1ULL << 40));
	ASSERT_EQ(0, restart(set));
	EXPECT_LE(1ULL << 40, first_value(set, 0));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_UNBIND, 0));
	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(5);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_LE(5, room.sample.values[0]);
	EXPECT_GT(100, room.sample.values[0]);
	EXPECT_EQ(room.sample.values[0] - 10, room.sample.values[1]);
	ASSERT_EQ(0, restart(set));
	EXPECT_GT(100, first_value(set, 0));
	close(set);
}

TEST(time_goes_on)
{
	/* A host that has other things to do may take the CPU away between two calls. */
	const __u64 off = getenv("VM_ICOUNT") ? 200 * MS : 3000 * MS;
	int set = two_alike();
	struct room before, after;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	burn(20 * MS);
	ASSERT_EQ(0, set_sample(set, 0, &before));
	EXPECT_LE(20 * MS, before.sample.tick);
	ASSERT_EQ(0, restart(set));
	ASSERT_EQ(0, set_sample(set, 0, &after));
	EXPECT_LE(before.sample.tick, after.sample.tick);
	EXPECT_LE(before.sample.time, after.sample.time);
	/* Not while it is stopped, from which it goes on. */
	ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, 0));
	ASSERT_EQ(0, set_sample(set, 0, &before));
	burn(off);
	ASSERT_EQ(0, restart(set));
	ASSERT_EQ(0, set_sample(set, 0, &after));
	EXPECT_LE(before.sample.tick, after.sample.tick);
	EXPECT_GT(before.sample.tick + off / 4 * 3, after.sample.tick);
	EXPECT_EQ(VCPC_STATE_COUNTING, after.sample.state);
	close(set);
}

struct other {
	pthread_barrier_t barrier;
	pid_t tid;
	int set, ret;
	__u64 value;
};

static void *restarts_too(void *arg)
{
	struct other *o = arg;

	o->tid = own_tid();
	o->ret = set_bind(o->set, 0, 0);
	pthread_barrier_wait(&o->barrier);
	pthread_barrier_wait(&o->barrier);
	o->value = first_value(o->set, 0);
	o->ret = o->ret ?: restart(o->set);
	pthread_barrier_wait(&o->barrier);
	pthread_barrier_wait(&o->barrier);
	return NULL;
}

/* Each thread's instance has its own; others may set them, and restart it. */
TEST(each_instance_has_its_own)
{
	struct other o = { .set = two_alike() };
	pthread_t thread;

	ASSERT_GE(o.set, 0);
	pthread_barrier_init(&o.barrier, NULL, 2);
	ASSERT_EQ(0, set_bind(o.set, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, restarts_too, &o));
	pthread_barrier_wait(&o.barrier);
	ASSERT_EQ(0, preset_on(o.set, 0, o.tid, 0, 1000000));
	ASSERT_EQ(0, restart(o.set));
	EXPECT_GT(1000000, first_value(o.set, 0));
	pthread_barrier_wait(&o.barrier);
	/* It was not restarted by another's RESTART; now it is, by itself. */
	pthread_barrier_wait(&o.barrier);
	EXPECT_EQ(0, o.ret);
	EXPECT_GT(1000000, o.value);
	EXPECT_LE(1000000, first_value(o.set, o.tid));
	ASSERT_EQ(0, preset_on(o.set, 0, o.tid, 0, 2000000));
	ASSERT_EQ(0, set_target(o.set, VCPC_IOC_RESTART, o.tid));
	EXPECT_LE(2000000, first_value(o.set, o.tid));
	EXPECT_GT(1000000, first_value(o.set, 0));
	pthread_barrier_wait(&o.barrier);
	pthread_join(thread, NULL);
	close(o.set);
}

TEST(of_a_cpu)
{
	struct vcpc_request request = cpu_clock;
	struct room before, after;
	int set;

	request.preset = 5;
	set = set_of(&request, 0);
	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	EXPECT_EQ(-EINVAL, preset_on(set, VCPC_TARGET_F_CPU, 1000000, 0, 1));
	ASSERT_EQ(0, preset_on(set, VCPC_TARGET_F_CPU, 0, 0, 1ULL << 60));
	ASSERT_EQ(0, cpu_sample(set, 0, &before));
	EXPECT_GT(1ULL << 60, before.sample.values[0]);
	ASSERT_EQ(0, cpu_target(set, VCPC_IOC_RESTART, 0));
	ASSERT_EQ(0, cpu_sample(set, 0, &after));
	EXPECT_LE(1ULL << 60, after.sample.values[0]);
	EXPECT_LE(before.sample.tick, after.sample.tick);
	close(set);
}

TEST(of_hardware_counters)
{
	struct vcpc_request request = cycles;
	__u64 value = 0;
	int set, tries;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	/* Where cycles are time, far enough away for a host that has other things to do. */
	request.preset = -100000000ULL;
	set = set_of(&request, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_LT(1ULL << 63, first_value(set, 0));
	/* Past 2^64, without a word, as nobody has asked for one. */
	for (tries = 0; tries < 1000; tries++) {
		spin(1000000);
		value = first_value(set, 0);
		if (value < 1ULL << 63)
			break;
	}
	EXPECT_GT(1ULL << 63, value);
	ASSERT_EQ(0, restart(set));
	EXPECT_LT(1ULL << 63, first_value(set, 0));
	ASSERT_EQ(0, preset(set, 0, 1ULL << 62));
	ASSERT_EQ(0, restart(set));
	spin(1000);
	value = first_value(set, 0);
	EXPECT_LT(1ULL << 62, value);
	EXPECT_GT(1ULL << 63, value);
	close(set);
}

TEST(refused)
{
	struct vcpc_preset_args args = { .size = sizeof(args), .flags = 1U << 31 };
	int set = two_alike(), grouped = groups_set(&page_faults, 2, 1, 10 * MS, 0);
	struct child c;
	char byte;

	EXPECT_EQ(-EINVAL, restart(set));
	EXPECT_EQ(-EINVAL, preset(set, 0, 1));
	ASSERT_EQ(0, set_bind(grouped, 0, 0));
	EXPECT_EQ(-EINVAL, restart(grouped));
	close(grouped);

	/* Before the execve that is waited for, and after the end */
	if (child_fork(&c))
		_exit(read(0, &byte, 1) < 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC, c.pid));
	EXPECT_EQ(-EINVAL, preset(set, 2, 1));
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_PRESET, &args));
	EXPECT_EQ(0, preset(set, 1, 1));
	EXPECT_EQ(-EINVAL, restart(set));
	child_end(&c);
	EXPECT_EQ(-EINVAL, restart(set));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(-EINVAL, preset(set, 1, 1));
	close(set);
}

TEST_HARNESS_MAIN
