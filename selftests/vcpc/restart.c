// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test which instance VCPC_IOC_PRESET and _RESTART affect, when presets take effect, and which
 * instances continue to count.
 */
#include <pthread.h>

#include "vcpc_test.h"

/* Create a set of two requests for the same event, which start from 0 and from 2^64 - 10. */
static int two_alike(void)
{
	struct vcpc_request requests[2] = { page_faults, page_faults };
	int device = device_open(), set;

	requests[1].preset = -10ULL;
	set = set_create(device, requests, 2, 0);
	close(device);
	return set;
}

static int restart(int set)
{
	return set_own(set, VCPC_IOC_RESTART);
}

TEST(from_the_presets_through_the_end)
{
	int set = two_alike();
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(3);
	ASSERT_EQ(0, set_preset(set, 0, 500));
	/* The preset does not take effect until the next RESTART. */
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_GT(500, room.sample.values[0]);
	ASSERT_EQ(0, restart(set));
	touch(30);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_LE(530, room.sample.values[0]);
	EXPECT_GT(560, room.sample.values[0]);
	/* The second counter started from -10 and passed 2^64. */
	EXPECT_EQ(room.sample.values[0] - 510, room.sample.values[1]);
	/* RESTART sets the counter to -10 again. */
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
	ASSERT_EQ(0, set_bind(set, 0));
	ASSERT_EQ(0, set_preset(set, 0, 1ULL << 40));
	ASSERT_EQ(0, restart(set));
	EXPECT_LE(1ULL << 40, first_value(set, 0));
	ASSERT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
	ASSERT_EQ(0, set_bind(set, 0));
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
	/* Use a longer time on a busy host, which can pause the CPU between two calls. */
	const __u64 off = getenv("VM_ICOUNT") ? 200 * MS : 3000 * MS;
	int set = two_alike();
	struct room before, after;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	burn(20 * MS);
	ASSERT_EQ(0, set_sample(set, 0, &before));
	EXPECT_LE(20 * MS, before.sample.tick);
	ASSERT_EQ(0, restart(set));
	ASSERT_EQ(0, set_sample(set, 0, &after));
	EXPECT_LE(before.sample.tick, after.sample.tick);
	EXPECT_LE(before.sample.time, after.sample.time);
	/* The set's time stops while the set is stopped, and continues from the same value. */
	ASSERT_EQ(0, set_own(set, VCPC_IOC_DISABLE));
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
	__u64 before, after;
};

static void *restarts_too(void *arg)
{
	struct other *o = arg;

	o->tid = own_tid();
	o->ret = set_bind(o->set, 0) ?: set_preset(o->set, 0, 1000000);
	pthread_barrier_wait(&o->barrier);
	pthread_barrier_wait(&o->barrier);
	o->before = first_value(o->set, 0);
	o->ret = o->ret ?: restart(o->set);
	o->after = first_value(o->set, 0);
	return NULL;
}

/* The instance of each thread has separate presets, and only that thread can restart it. */
TEST(each_instance_has_its_own)
{
	struct other o = { .set = two_alike() };
	pthread_t thread;

	ASSERT_GE(o.set, 0);
	pthread_barrier_init(&o.barrier, NULL, 2);
	ASSERT_EQ(0, set_bind(o.set, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, restarts_too, &o));
	pthread_barrier_wait(&o.barrier);
	ASSERT_EQ(0, restart(o.set));
	EXPECT_GT(1000000, first_value(o.set, 0));
	pthread_barrier_wait(&o.barrier);
	pthread_join(thread, NULL);
	EXPECT_EQ(0, o.ret);
	EXPECT_GT(1000000, o.before);
	EXPECT_LE(1000000, o.after);
	EXPECT_GT(1000000, first_value(o.set, 0));
	close(o.set);
}

TEST(of_hardware_counters)
{
	struct vcpc_request request = cycles;
	__u64 value = 0;
	int set, tries;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	/* Start far from 2^64, because many cycles can pass between two calls on a busy host. */
	request.preset = -100000000ULL;
	set = set_of(&request, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_LT(1ULL << 63, first_value(set, 0));
	/* The counter passes 2^64 without a signal, because none was requested. */
	for (tries = 0; tries < 1000; tries++) {
		spin(1000000);
		value = first_value(set, 0);
		if (value < 1ULL << 63)
			break;
	}
	EXPECT_GT(1ULL << 63, value);
	ASSERT_EQ(0, restart(set));
	EXPECT_LT(1ULL << 63, first_value(set, 0));
	ASSERT_EQ(0, set_preset(set, 0, 1ULL << 62));
	ASSERT_EQ(0, restart(set));
	spin(1000);
	value = first_value(set, 0);
	EXPECT_LT(1ULL << 62, value);
	EXPECT_GT(1ULL << 63, value);
	close(set);
}

TEST(refused)
{
	struct {
		struct vcpc_preset_args args;
		__u64 more;
	} longer = { .args = { .size = sizeof(longer) } };
	int set = two_alike();

	EXPECT_EQ(-EINVAL, restart(set));
	EXPECT_EQ(-EINVAL, set_preset(set, 0, 1));

	/* Before the execve for which an instance waits, presets can be changed, but not used. */
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC));
	EXPECT_EQ(-EINVAL, set_preset(set, 2, 1));
	EXPECT_EQ(0, set_preset(set, 1, 1));
	EXPECT_EQ(-EINVAL, restart(set));
	EXPECT_EQ(0, call(set, VCPC_IOC_PRESET, &longer));
	longer.more = 1;
	EXPECT_EQ(-E2BIG, call(set, VCPC_IOC_PRESET, &longer));
	longer.args.size = 8;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_PRESET, &longer));
	ASSERT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
	EXPECT_EQ(-EINVAL, set_preset(set, 1, 1));
	close(set);
}

TEST_HARNESS_MAIN
