// SPDX-License-Identifier: GPL-2.0-or-later
/* Test VCPC_IOC_UNBIND and the closing of a set. */
#include "vcpc_test.h"

TEST(and_bind_again)
{
	struct vcpc_request request = page_faults;
	struct room room;
	int set;

	request.preset = 100;
	set = set_of(&request, 0);
	ASSERT_GE(set, 0);
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_UNBIND));
	ASSERT_EQ(0, set_bind(set, 0));
	touch(500);
	EXPECT_GE(first_value(set, 0), 600);
	ASSERT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
	EXPECT_EQ(-EINVAL, set_sample(set, 0, &room));
	EXPECT_EQ(-1, read(set, &room, sizeof(room)));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_UNBIND));
	/* A new instance starts from the preset. */
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_LT(first_value(set, 0), 200);
}

TEST(gives_the_counters_back)
{
	unsigned int slots = hw_slots(), i;
	struct vcpc_request requests[MAX_VALUES];
	int device, set, round;

	if (!slots || slots >= 32)
		SKIP(return, "no hardware counters, or too many");
	for (i = 0; i < slots; i++)
		requests[i] = cycles;
	device = device_open();
	for (round = 0; round < 100; round++) {
		set = set_create(device, requests, slots, 0);
		ASSERT_GE(set, 0);
		ASSERT_EQ(0, set_bind(set, 0));
		if (round % 2)
			ASSERT_EQ(0, set_own(set, VCPC_IOC_UNBIND));
		ASSERT_EQ(0, close(set));
	}
}

/* Set a longer timeout than the usual 30 s, because debug kernels and emulation are slow. */
#define SLOW	300

FIXTURE(unbind) {
};

FIXTURE_SETUP(unbind)
{
}

FIXTURE_TEARDOWN(unbind)
{
}

static long mem_available(void)
{
	long kb = -1;
	char line[128];
	FILE *f = fopen("/proc/meminfo", "r");

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "MemAvailable: %ld kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* If sets were not freed, 1000 sets of 16 counters would take more than 20 MB. */
TEST_F_TIMEOUT(unbind, closing_frees, SLOW)
{
	struct vcpc_request requests[16];
	int device = device_open(), set, i;
	long before = 0;

	for (i = 0; i < 16; i++)
		requests[i] = page_faults;
	for (i = 0; i < 1200; i++) {
		if (i == 200) {
			/* Wait until caches have grown and deferred memory has been freed. */
			sleep(1);
			before = mem_available();
		}
		set = set_create(device, requests, 16, 0);
		ASSERT_GE(set, 0);
		ASSERT_EQ(0, set_bind(set, 0));
		ASSERT_EQ(0, close(set));
	}
	/* Wait, because the kernel frees memory asynchronously. */
	for (int second = 0; second < 30 && mem_available() <= before - 10000; second++)
		sleep(1);
	EXPECT_GT(mem_available(), before - 10000);
	/* More sets were created than a user can have, so each of them was freed. */
	EXPECT_GE(i, 1024);
}

static int dies_with_sets(void *arg)
{
	int i;

	(void)arg;
	for (i = 0; i < 20; i++)
		if (set_bind(set_of(&page_faults, 0), 0))
			return 1;
	return 0;
}

TEST_F_TIMEOUT(unbind, death_closes, SLOW)
{
	int i;

	for (i = 0; i < 60; i++)
		ASSERT_EQ(0, in_child(dies_with_sets, NULL));
}

/* A set exists until the last copy of its descriptor is closed. */
TEST(the_last_copy_counts)
{
	int set = set_of(&page_faults, 0);
	int copy = dup(set);

	ASSERT_GE(copy, 0);
	ASSERT_EQ(0, set_bind(set, 0));
	close(set);
	touch(5);
	EXPECT_GE(first_value(copy, 0), 5);
	EXPECT_NE(~0ULL, first_value(copy, 0));
}

TEST_HARNESS_MAIN
