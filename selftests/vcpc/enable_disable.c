// SPDX-License-Identifier: GPL-2.0-or-later
/* Test VCPC_IOC_ENABLE and VCPC_IOC_DISABLE. */
#include "vcpc_test.h"

/* Size of a sample of two requests */
#define SIZE	(sizeof(struct vcpc_sample) + 2 * sizeof(__u64))

FIXTURE(enable) {
	int set;
	struct room room, later;
};

FIXTURE_SETUP(enable)
{
	struct vcpc_request requests[2] = { page_faults, page_faults };
	int device = device_open();

	requests[1].preset = 5000;
	self->set = set_create(device, requests, 2, 0);
	close(device);
	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, 0));
	/* Sample once, so that all pages of the buffers are mapped. */
	set_sample(self->set, 0, &self->room);
	set_sample(self->set, 0, &self->later);
	touch(1);
}

FIXTURE_TEARDOWN(enable)
{
	close(self->set);
}

TEST_F(enable, stands_still_while_disabled)
{
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_DISABLE));
	ASSERT_EQ(0, set_sample(self->set, 0, &self->room));
	EXPECT_EQ(0, self->room.sample.state);
	touch(30);
	ASSERT_EQ(0, set_sample(self->set, 0, &self->later));
	EXPECT_EQ(0, memcmp(&self->room, &self->later, SIZE));
	EXPECT_EQ(SIZE, read(self->set, &self->later, sizeof(self->later)));
	EXPECT_EQ(0, memcmp(&self->room, &self->later, SIZE));
}

TEST_F(enable, goes_on_from_there)
{
	int i;

	ASSERT_EQ(0, set_sample(self->set, 0, &self->room));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, set_own(self->set, VCPC_IOC_DISABLE));
		touch(30);
		ASSERT_EQ(0, set_own(self->set, VCPC_IOC_ENABLE));
		touch(7);
	}
	ASSERT_EQ(0, set_sample(self->set, 0, &self->later));
	EXPECT_EQ(VCPC_STATE_COUNTING, self->later.sample.state);
	EXPECT_EQ(70, self->later.sample.values[0] - self->room.sample.values[0]);
	EXPECT_EQ(70, self->later.sample.values[1] - self->room.sample.values[1]);
	EXPECT_EQ(self->later.sample.values[0] + 5000, self->later.sample.values[1]);
	EXPECT_GT(self->later.sample.tick, self->room.sample.tick);
}

TEST_F(enable, twice)
{
	EXPECT_EQ(-EINVAL, set_own(self->set, VCPC_IOC_ENABLE));
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_DISABLE));
	EXPECT_EQ(-EINVAL, set_own(self->set, VCPC_IOC_DISABLE));
	ASSERT_EQ(0, set_own(self->set, VCPC_IOC_ENABLE));
	EXPECT_EQ(-EINVAL, set_own(self->set, VCPC_IOC_ENABLE));
}

TEST_F(enable, wrong_arguments)
{
	static const unsigned long cmds[] = {
		VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_UNBIND, VCPC_IOC_RESTART,
	};
	struct {
		struct vcpc_own_args args;
		__u64 more;
	} longer = { 0 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		longer.args = (struct vcpc_own_args) { .size = sizeof(longer.args), .flags = 1U << 31 };
		EXPECT_EQ(-EINVAL, call(self->set, cmds[i], &longer));
		longer.args.flags = 0;
		/* The flag is valid only for UNBIND, which is not called here. */
		longer.args.flags = i == 2 ? 0 : VCPC_OWN_F_ALL;
		longer.args.size = i == 2 ? 0 : sizeof(longer.args);
		EXPECT_EQ(-EINVAL, call(self->set, cmds[i], &longer));
		longer.args.flags = 0;
		longer.args.size = 0;
		EXPECT_EQ(-EINVAL, call(self->set, cmds[i], &longer));
		longer.args.size = sizeof(longer);
		longer.more = 1;
		EXPECT_EQ(-E2BIG, call(self->set, cmds[i], &longer));
		longer.more = 0;
		EXPECT_EQ(-EFAULT, call(self->set, cmds[i], NULL));
	}
	/* None of these calls changed anything. */
	EXPECT_EQ(0, set_sample(self->set, 0, &self->room));
	EXPECT_EQ(VCPC_STATE_COUNTING, self->room.sample.state);
}

TEST_F(enable, hardware)
{
	struct vcpc_request requests[2] = { instructions, cycles };
	int device, set;

	if (hw_slots() < 2)
		SKIP(return, "fewer than two hardware counters");
	device = device_open();
	set = set_create(device, requests, 2, VCPC_SET_F_DISABLED);
	if (set == -ENOENT || set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions and cycles");
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	spin(100000);
	ASSERT_EQ(0, set_sample(set, 0, &self->room));
	EXPECT_EQ(0, self->room.sample.values[0]);
	EXPECT_EQ(0, self->room.sample.values[1]);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_ENABLE));
	spin(100000);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_DISABLE));
	spin(100000);
	ASSERT_EQ(0, set_sample(set, 0, &self->room));
	EXPECT_GE(self->room.sample.values[0], 200000);
	EXPECT_LE(self->room.sample.values[0], 200000 + 400);
	EXPECT_GT(self->room.sample.values[1], 0);
}

TEST_HARNESS_MAIN
