// SPDX-License-Identifier: GPL-2.0-or-later
/* Count work whose result is known. */
#include <sys/resource.h>

#include "vcpc_test.h"

TEST(pages_touched)
{
	int set = set_of(&page_faults, 0);
	struct room before, after;
	int pages;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	touch(1);
	set_sample(set, 0, &before);
	set_sample(set, 0, &after);
	for (pages = 1; pages <= 4096; pages *= 4) {
		ASSERT_EQ(0, set_sample(set, 0, &before));
		touch(pages);
		ASSERT_EQ(0, set_sample(set, 0, &after));
		EXPECT_EQ(pages, after.sample.values[0] - before.sample.values[0]);
	}
}

TEST(context_switches)
{
	struct vcpc_request switches = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL,
	};
	int set = set_of(&switches, 0);
	struct rusage usage[2];
	__u64 counted, value;
	long truth = 0;
	int i, try;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	/*
	 * Retry, because a context switch can happen between reading the counter and the kernel's
	 * own number, or because no switch happened while the thread tried to sleep.
	 */
	for (try = 0; try < 5; try++) {
		getrusage(RUSAGE_THREAD, &usage[0]);
		value = first_value(set, 0);
		for (i = 0; i < 50; i++)
			usleep(1000);
		counted = first_value(set, 0) - value;
		getrusage(RUSAGE_THREAD, &usage[1]);
		truth = usage[1].ru_nvcsw + usage[1].ru_nivcsw -
			usage[0].ru_nvcsw - usage[0].ru_nivcsw;
		if ((__u64)truth == counted)
			break;
	}
	EXPECT_EQ(truth, counted);
	EXPECT_GE(counted, 25);
}

/* Instructions that the system calls around the loop add in user mode */
#define AROUND	400

TEST(instructions_of_a_loop)
{
	unsigned long rounds;
	__u64 counted, value;
	int set;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = set_of(&instructions, 0);
	if (set == -ENOENT || set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions");
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	first_value(set, 0);
	for (rounds = 1000; rounds <= 10000000; rounds *= 10) {
		value = first_value(set, 0);
		spin(rounds);
		counted = first_value(set, 0) - value;
		EXPECT_GE(counted, 2 * rounds);
		EXPECT_LE(counted, 2 * rounds + AROUND);
	}
}

TEST(values_of_one_sample_belong_together)
{
	struct vcpc_request requests[4] = { instructions, cycles, instructions, instructions };
	struct room room;
	int device, set, i;

	if (hw_slots() < 4)
		SKIP(return, "fewer than four hardware counters");
	device = device_open();
	set = set_create(device, requests, 4, 0);
	if (set == -ENOENT || set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions and cycles");
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 0; i < 1000; i++) {
		spin(100);
		ASSERT_EQ(0, set_sample(set, 0, &room));
		/* Nothing runs in user mode between reading these counters. */
		ASSERT_EQ(room.sample.values[0], room.sample.values[2]);
		ASSERT_EQ(room.sample.values[0], room.sample.values[3]);
	}
	EXPECT_GT(room.sample.values[0], 200000);
	EXPECT_GT(room.sample.values[1], 0);
}

TEST(kernel_mode)
{
	struct vcpc_request requests[2] = { instructions, instructions };
	struct room room;
	int device, set, i;

	if (hw_slots() < 2)
		SKIP(return, "fewer than two hardware counters");
	requests[1].flags = VCPC_REQ_F_KERNEL;
	device = device_open();
	set = set_create(device, requests, 2, 0);
	if (set == -ENOENT || set == -EOPNOTSUPP)
		SKIP(return, "the PMU does not count instructions");
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	for (i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	ASSERT_EQ(0, set_sample(set, 0, &room));
	/* A system call executes more instructions in the kernel than in the caller. */
	EXPECT_GT(room.sample.values[1], 1000 * 100);
	EXPECT_LT(room.sample.values[0], room.sample.values[1]);
}

TEST_HARNESS_MAIN
