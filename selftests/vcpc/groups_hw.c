// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of hardware events: rates agree with a set that need not take turns. */
#include "groups.h"

#define EACH	3

static const struct vcpc_request events[EACH] = {
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS,
	  .flags = VCPC_REQ_F_USER },
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES,
	  .flags = VCPC_REQ_F_USER },
	{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	  .flags = VCPC_REQ_F_USER },
};

/* @groups groups, each of all events. */
static int make(unsigned int groups, __u64 slot)
{
	struct vcpc_request requests[MAX_GROUPS * EACH];
	struct vcpc_set_create_args args = create_args(requests, groups * EACH);
	int device = device_open(), set;
	unsigned int i;

	for (i = 0; i < groups * EACH; i++) {
		requests[i] = events[i % EACH];
		requests[i].group = i / EACH;
	}
	args.flags = VCPC_SET_F_GROUPS;
	args.slot = slot;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	close(device);
	return set;
}

/* Work that is the same all the time, for as long as that takes @rounds turns each. */
static void work(unsigned int groups, unsigned int rounds)
{
	__u64 end = cpu_time() + (__u64)groups * rounds * 10 * MS;

	while (cpu_time() < end)
		spin(100000);
}

static double rate(const struct grouped *g, unsigned int group, unsigned int event)
{
	return (double)g->room.sample.values[group * EACH + event] / g->group[group].tick;
}

static int near(double a, double b, double tolerance)
{
	return a <= b * (1 + tolerance) && b <= a * (1 + tolerance);
}

/* One group has all the time to itself. */
static double whole_rate(unsigned int event)
{
	struct grouped g = { 0 };
	int set = make(1, 10 * MS);

	if (set < 0 || set_bind(set, 0, 0))
		abort();
	work(1, 5);
	if (groups_sample(set, 0, 0, 1, &g))
		abort();
	close(set);
	return rate(&g, 0, event);
}

TEST(rates_agree_for_any_number_of_groups)
{
	double instructions_whole, cycles_whole;
	struct grouped g;
	unsigned int k, i;
	int set;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = set_of(&instructions, 0);
	if (set == -ENOENT)
		SKIP(return, "this PMU counts no instructions");
	close(set);
	instructions_whole = whole_rate(0);
	cycles_whole = whole_rate(1);
	for (k = 2; k <= 8; k++) {
		set = make(k, 10 * MS);
		ASSERT_GE(set, 0);
		ASSERT_EQ(0, set_bind(set, 0, 0));
		work(k, 4);
		ASSERT_EQ(0, groups_sample(set, 0, 0, k, &g));
		EXPECT_GE(g.group[0].rounds, 3);
		EXPECT_TRUE(rounds_take_time(&g, k, 10 * MS));
		for (i = 0; i < k; i++) {
			EXPECT_EQ(0, g.group[i].voids);
			EXPECT_TRUE(near(rate(&g, i, 0), instructions_whole, 0.02)) {
				TH_LOG("group %u of %u: %f and not %f instructions a ns", i, k,
				       rate(&g, i, 0), instructions_whole);
			}
			EXPECT_TRUE(near(rate(&g, i, 1), cycles_whole, 0.02));
		}
		close(set);
	}
}

/* What is left is not enough for one of two groups: its turns are void. */
TEST(a_group_without_room)
{
	unsigned int slots = hw_slots(), i;
	struct vcpc_request all[64], requests[4];
	struct vcpc_set_create_args args = create_args(requests, 4);
	int big, device, set;
	struct grouped g;

	if (slots < 3 || slots > 60)
		SKIP(return, "no hardware counters");
	for (i = 0; i < slots - 1; i++)
		all[i] = cycles;
	for (i = 0; i < 4; i++) {
		requests[i] = cycles;
		requests[i].group = i > 0;
	}
	args.flags = VCPC_SET_F_GROUPS;
	args.slot = 10 * MS;
	device = device_open();
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	big = set_create(device, all, slots - 1, 0);
	close(device);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(big, 0, 0));
	/* By itself it has room. */
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, burn_rounds(set, 0, 2, 3, &g));
	EXPECT_GE(g.group[1].voids, 3);
	EXPECT_EQ(0, g.group[1].tick);
	EXPECT_EQ(0, g.group[1].time);
	EXPECT_EQ(0, g.room.sample.values[1]);
	EXPECT_EQ(0, g.group[0].voids);
	EXPECT_TRUE(rounds_take_time(&g, 1, 10 * MS));
	EXPECT_GT(g.room.sample.values[0], 0);

	/* It needs no new bind when there is room again. */
	close(big);
	ASSERT_EQ(0, burn_rounds(set, 0, 2, g.group[0].rounds + 2, &g));
	EXPECT_GE(g.group[1].tick, 9 * MS);
	EXPECT_GT(g.room.sample.values[3], 0);
	close(set);
}

TEST(a_group_that_never_fits)
{
	unsigned int slots = hw_slots(), i;
	struct vcpc_request many[64];
	struct vcpc_set_create_args args;
	struct vcpc_bind_args bind = { .size = sizeof(bind), .bad_request = -7 };
	int device, set;

	if (!slots || slots > 30)
		SKIP(return, "no hardware counters");
	for (i = 0; i < slots + 2; i++) {
		many[i] = cycles;
		many[i].group = i > 0;
	}
	args = create_args(many, slots + 2);
	args.flags = VCPC_SET_F_GROUPS;
	device = device_open();
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	close(device);
	ASSERT_GE(set, 0);
	EXPECT_EQ(-ENOSPC, call(set, VCPC_IOC_BIND, &bind));
	EXPECT_GE(bind.bad_request, 1);
	close(set);
}

TEST_HARNESS_MAIN
