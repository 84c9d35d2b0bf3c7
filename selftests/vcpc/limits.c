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

static int tag(int device, const char *name)
{
	struct vcpc_trace_tag_args args = {
		.size = sizeof(args), .name = pointer(name), .name_len = strlen(name),
	};
	int ret = call(device, VCPC_IOC_TRACE_TAG, &args);

	return ret ?: (int)args.tag;
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

static int too_many_user_tags(void *arg)
{
	int device;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	if (tag(device, "vcpc-limit-1") < 0 || tag(device, "vcpc-limit-2") < 0)
		return 2;
	if (tag(device, "vcpc-limit-3") != -EUSERS)
		return 3;
	/* What it holds it gets. */
	if (tag(device, "vcpc-limit-1") < 0)
		return 4;
	close(device);
	device = device_open();
	return tag(device, "vcpc-limit-3") < 0 ? 5 : 0;
}

TEST(tags_of_a_user)
{
	unsigned int before = parameter("max_user_tags");

	set_parameter("max_user_tags", 2);
	EXPECT_EQ(0, in_child(too_many_user_tags, NULL));
	set_parameter("max_user_tags", before);
}

TEST(tags_in_all)
{
	unsigned int before = parameter("max_tags");
	int holder = device_open(), other = device_open();
	int kept, idle;

	kept = tag(holder, "vcpc-kept");
	idle = tag(other, "vcpc-idle");
	ASSERT_GT(kept, 0);
	ASSERT_GT(idle, 0);
	close(other);

	/* Idle tags make room, and come back as others; held ones stay. */
	set_parameter("max_tags", 2);
	other = device_open();
	EXPECT_GT(tag(other, "vcpc-new"), idle);
	EXPECT_EQ(-ENOSPC, tag(other, "vcpc-newer"));
	EXPECT_EQ(-ENOSPC, tag(other, "vcpc-idle"));
	EXPECT_EQ(kept, tag(other, "vcpc-kept"));
	set_parameter("max_tags", before);
	EXPECT_GT(tag(other, "vcpc-idle"), idle);
	EXPECT_EQ(kept, tag(holder, "vcpc-kept"));
}

TEST_HARNESS_MAIN
