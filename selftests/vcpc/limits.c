// SPDX-License-Identifier: GPL-2.0-or-later
/* What one user may have, as the module's parameters say. */
#include "vcpc_test.h"

#define PARAMETERS "/sys/module/vcpc/parameters/"

static unsigned int parameter(const char *name)
{
	unsigned int value = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &value) != 1)
		abort();
	fclose(f);
	return value;
}

static void set_parameter(const char *name, unsigned int value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%u", value) < 0 || fclose(f))
		abort();
}

static int too_many_sets(void *arg)
{
	int i, device, last = -1;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	for (i = 0; i < 5; i++) {
		last = set_create(device, &page_faults, 1, 0);
		if (last < 0)
			return 2;
	}
	if (set_create(device, &page_faults, 1, 0) != -EUSERS)
		return 3;
	/* Another file of the same user does not help; closing one does. */
	if (set_of(&page_faults, 0) != -EUSERS)
		return 4;
	close(last);
	return set_create(device, &page_faults, 1, 0) < 0 ? 5 : 0;
}

TEST(sets)
{
	unsigned int before = parameter("max_user_sets");
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device = device_open();

	set_parameter("max_user_sets", 5);
	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(5, info.max_sets);
	EXPECT_EQ(0, in_child(too_many_sets, NULL));
	/* They died with the child. */
	EXPECT_EQ(0, in_child(too_many_sets, NULL));
	set_parameter("max_user_sets", before);
}

static int too_many_counters(void *arg)
{
	struct vcpc_request requests[3] = { page_faults, page_faults, page_faults };
	int device, first, second;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	first = set_create(device, requests, 3, 0);
	second = set_create(device, requests, 3, 0);
	/* The clock of each set is a counter too. */
	if (set_bind(first, 0, 0))
		return 2;
	if (set_bind(second, 0, 0) != -EUSERS)
		return 3;
	if (set_target(first, VCPC_IOC_UNBIND, 0))
		return 4;
	return set_bind(second, 0, 0) ? 5 : 0;
}

TEST(counters)
{
	unsigned int before = parameter("max_user_counters");

	set_parameter("max_user_counters", 7);
	EXPECT_EQ(0, in_child(too_many_counters, NULL));
	set_parameter("max_user_counters", before);
}

TEST(requests)
{
	unsigned int before = parameter("max_requests");
	struct vcpc_info_args info = { .size = sizeof(info) };
	struct vcpc_request requests[3] = { page_faults, page_faults, page_faults };
	int device = device_open();

	set_parameter("max_requests", 2);
	EXPECT_EQ(-EINVAL, set_create(device, requests, 3, 0));
	EXPECT_GE(set_create(device, requests, 2, 0), 0);
	/* There is an end that no parameter moves. */
	set_parameter("max_requests", 1000000);
	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(2048, info.max_requests);
	set_parameter("max_requests", before);
}

TEST_HARNESS_MAIN
