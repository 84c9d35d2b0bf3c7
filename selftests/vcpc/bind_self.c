// SPDX-License-Identifier: GPL-2.0-or-later
/* Test VCPC_IOC_BIND on the calling thread. */
#include "vcpc_test.h"

TEST(counts_from_the_preset)
{
	struct vcpc_request requests[2] = { page_faults, page_faults };
	struct room room;
	int device, set;

	requests[0].preset = 1000;
	requests[1].preset = ~0ULL - 9;
	device = device_open();
	set = set_create(device, requests, 2, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(100);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_GE(room.sample.values[0], 1100);
	EXPECT_LT(room.sample.values[0], 1200);
	/* Both requests count the same events at the same time; the second one wrapped. */
	EXPECT_EQ(room.sample.values[0] - 1000, room.sample.values[1] + 10);
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
}

TEST(sampled_by_own_tid)
{
	int set = set_of(&page_faults, 0);
	struct room room;

	ASSERT_GE(set, 0);
	EXPECT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, set_sample(set, own_tid(), &room));
	EXPECT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(-EINVAL, set_sample(set, getppid(), &room));
}

TEST(twice)
{
	int set = set_of(&page_faults, 0);
	int other = set_of(&page_faults, 0);

	ASSERT_GE(set, 0);
	ASSERT_GE(other, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(-EBUSY, set_bind(set, 0));
	/* The thread can bind another set at the same time. */
	EXPECT_EQ(0, set_bind(other, 0));
}

TEST(wrong_arguments)
{
	int set = set_of(&page_faults, 0);
	struct {
		struct vcpc_bind_args args;
		__u64 more;
	} longer = { .args.size = sizeof(longer) };
	struct vcpc_bind_args args = { .size = sizeof(args), .bad_request = 77 };

	ASSERT_GE(set, 0);
	args.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_BIND, &args));
	EXPECT_EQ(-1, args.bad_request);
	/* In ABI version 1, these flags bound a process or a CPU. */
	for (args.flags = 1U << 3; args.flags <= 1U << 5; args.flags <<= 1)
		EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_BIND, &args));
	args.flags = 0;
	/* A reserved field must be 0. */
	args.reserved = own_tid();
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_BIND, &args));
	args.reserved = 0;
	args.size = sizeof(args) - 1;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_BIND, &args));
	EXPECT_EQ(-EFAULT, call(set, VCPC_IOC_BIND, NULL));
	longer.more = 1;
	EXPECT_EQ(-E2BIG, call(set, VCPC_IOC_BIND, &longer));
	longer.more = 0;
	EXPECT_EQ(0, call(set, VCPC_IOC_BIND, &longer));
}

TEST(more_than_the_cpu_can_hold)
{
	unsigned int slots = hw_slots(), i;
	struct vcpc_request requests[MAX_VALUES];
	struct vcpc_bind_args args = { .size = sizeof(args), .bad_request = 77 };
	int device, set, fits;

	if (!slots)
		SKIP(return, "no hardware counters");
	if (slots >= 32)
		SKIP(return, "more hardware counters than a set can have");
	for (i = 0; i <= slots; i++)
		requests[i] = cycles;
	device = device_open();
	set = set_create(device, requests, slots + 1, 0);
	ASSERT_GE(set, 0);
	EXPECT_EQ(-ENOSPC, call(set, VCPC_IOC_BIND, &args));
	EXPECT_EQ(slots, args.bad_request);
	/* The failed calls have not leaked descriptors or counters. */
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_UNBIND));
	fits = set_create(device, requests, slots, 0);
	ASSERT_GE(fits, 0);
	EXPECT_EQ(0, set_bind(fits, 0));
}

TEST(full_pmu_leaves_no_room_for_a_second_set)
{
	unsigned int slots = hw_slots(), i;
	struct vcpc_request requests[MAX_VALUES];
	int device, first, second;
	struct room room;

	if (!slots || slots >= 32)
		SKIP(return, "no hardware counters, or too many");
	for (i = 0; i < slots; i++)
		requests[i] = cycles;
	device = device_open();
	first = set_create(device, requests, slots, 0);
	second = set_create(device, requests, 1, 0);
	ASSERT_GE(first, 0);
	ASSERT_GE(second, 0);
	ASSERT_EQ(0, set_bind(first, 0));
	EXPECT_EQ(-ENOSPC, set_bind(second, 0));
	/* The first instance is unaffected. */
	EXPECT_EQ(0, set_sample(first, 0, &room));
	ASSERT_EQ(0, set_own(first, VCPC_IOC_UNBIND));
	EXPECT_EQ(0, set_bind(second, 0));
}

TEST(disabled)
{
	int set = set_of(&page_faults, VCPC_SET_F_DISABLED);
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(10);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(0, room.sample.values[0]);
	EXPECT_EQ(0, room.sample.state);
	EXPECT_EQ(0, room.sample.tick);
	EXPECT_NE(0, room.sample.time);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_ENABLE));
	touch(10);
	EXPECT_GE(first_value(set, 0), 10);
	EXPECT_LT(first_value(set, 0), 20);
}

static int nobody_binds(void *arg)
{
	int set = *(int *)arg;

	if (become_nobody())
		return 1;
	return set_bind(set, 0) == -EACCES ? 0 : 2;
}

/*
 * Calls on an instance apply only to the caller's own instance, even if other threads have
 * instances.
 */
static int acts_on_nothing(void *arg)
{
	static const unsigned long calls[] = {
		VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_RESTART, VCPC_IOC_UNBIND,
	};
	int set = *(int *)arg;
	struct room room;
	unsigned int i;

	for (i = 0; i < 4; i++)
		if (set_own(set, calls[i]) != -EINVAL)
			return 1 + i;
	if (set_preset(set, 0, 1) != -EINVAL)
		return 5;
	/* Without a thread ID, the set's only instance, which is the parent's, is sampled. */
	return set_sample(set, 0, &room) ? 6 : 0;
}

TEST(another_threads_instance_is_out_of_reach)
{
	int set = set_of(&page_faults, 0);
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, in_child(acts_on_nothing, &set));
	ASSERT_EQ(0, set_sample(set, 0, &room));
	EXPECT_EQ(VCPC_STATE_COUNTING, room.sample.state);
}

static int unbinds_all(void *arg)
{
	return -set_unbind_all(*(int *)arg);
}

/* A process that has the set's descriptor can unbind all instances. */
TEST(all_instances_are_unbound_by_who_has_the_set)
{
	int set = set_of(&page_faults, 0);
	struct room room;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, in_child(unbinds_all, &set));
	EXPECT_EQ(-EINVAL, set_sample(set, 0, &room));
	EXPECT_EQ(0, set_bind(set, 0));
}

TEST(a_set_does_not_lend_privileges)
{
	struct vcpc_request kernel = page_faults;
	int set;

	kernel.flags |= VCPC_REQ_F_KERNEL;
	set = set_of(&kernel, 0);
	ASSERT_GE(set, 0);
	EXPECT_EQ(0, in_child(nobody_binds, &set));
	EXPECT_EQ(0, set_bind(set, 0));
}

TEST_HARNESS_MAIN
