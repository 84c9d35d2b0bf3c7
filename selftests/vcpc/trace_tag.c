// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_TRACE_TAG returns handles and IDs for names, or the documented errors. */
#include <sys/socket.h>

#include "vcpc_test.h"
#include "trace_calls.h"

FIXTURE(tag) {
	int device;
};

FIXTURE_SETUP(tag)
{
	self->device = device_open();
	ASSERT_GE(self->device, 0);
}

FIXTURE_TEARDOWN(tag)
{
	close(self->device);
}

TEST_F(tag, one_name_one_id)
{
	struct vcpc_trace_tag_args a, b, again, elsewhere, longer;
	int other = device_open();

	ASSERT_EQ(0, tag_args(other, "vcpc-test-0", 11, &b));
	ASSERT_EQ(0, tag_args(self->device, "vcpc-test-a", 11, &a));
	ASSERT_EQ(0, tag_args(self->device, "vcpc-test-b", 11, &b));
	ASSERT_EQ(0, tag_args(self->device, "vcpc-test-a", 11, &again));
	ASSERT_EQ(0, tag_args(other, "vcpc-test-a", 11, &elsewhere));
	/* The name ends at its length, not at a NUL. */
	ASSERT_EQ(0, tag_args(self->device, "vcpc-test-ab", 12, &longer));
	EXPECT_NE(0, a.tag);
	EXPECT_NE(0, b.tag);
	EXPECT_NE(a.tag, b.tag);
	EXPECT_EQ(a.tag, again.tag);
	EXPECT_EQ(a.tag, elsewhere.tag);
	EXPECT_NE(a.tag, longer.tag);
	/* Handles are specific to the descriptor and are never 0. */
	EXPECT_NE(0, a.handle);
	EXPECT_NE(0, b.handle);
	EXPECT_NE(a.handle, b.handle);
	EXPECT_EQ(a.handle, again.handle);
	EXPECT_NE(a.handle, elsewhere.handle);
	close(other);
}

TEST_F(tag, idle_names_are_remembered)
{
	int other = device_open();
	__u64 first = tag_id(other, "vcpc-test-idle");

	ASSERT_NE(0, first);
	close(other);
	EXPECT_EQ(first, tag_id(self->device, "vcpc-test-idle"));
}

TEST_F(tag, many_on_one_descriptor)
{
	__u32 handle[300];
	char name[32];
	int i;

	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "vcpc-many-%d", i);
		handle[i] = tag_handle(self->device, name);
		ASSERT_GT((int)handle[i], 0);
	}
	for (i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "vcpc-many-%d", i);
		EXPECT_EQ(handle[i], tag_handle(self->device, name));
		EXPECT_EQ(0, fire(self->device, VCPC_TRACE_POINT, handle[i], 0));
	}
}

#define MANY	1800	/* fewer than max_user_tags */
#define SOME	50

/* Register the tags from @first to @end.  Return how long this took in nanoseconds, or 0. */
static __u64 time_of(int device, int first, int end)
{
	struct timespec before, after;
	char name[32];

	clock_gettime(CLOCK_MONOTONIC, &before);
	for (int i = first; i < end; i++) {
		snprintf(name, sizeof(name), "vcpc-timed-%d", i);
		if (tag_handle(device, name) <= 0)
			return 0;
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	return (after.tv_sec - before.tv_sec) * 1000000000ull + after.tv_nsec - before.tv_nsec;
}

/* A new tag costs the same on a descriptor that holds many tags. */
TEST_F(tag, the_number_of_tags_costs_nothing)
{
	__u64 early, late;

	ASSERT_NE(0, time_of(self->device, 0, SOME));
	early = time_of(self->device, SOME, 2 * SOME);
	ASSERT_NE(0, time_of(self->device, 2 * SOME, MANY - SOME));
	late = time_of(self->device, MANY - SOME, MANY);
	ASSERT_NE(0, early);
	ASSERT_NE(0, late);
	EXPECT_LT(late, share(early, 200, 100000));
}

TEST_F(tag, any_bytes_but_nul)
{
	struct vcpc_trace_tag_args args;
	char name[VCPC_TAG_LEN];
	int i;

	for (i = 0; i < VCPC_TAG_LEN - 1; i++)
		name[i] = i + 1;
	EXPECT_EQ(0, tag_args(self->device, name, VCPC_TAG_LEN - 1, &args));
	EXPECT_NE(0, args.tag);
	EXPECT_EQ(0, tag_args(self->device, "x", 1, &args));
}

TEST_F(tag, lengths)
{
	struct vcpc_trace_tag_args args;
	char name[VCPC_TAG_LEN + 1];

	memset(name, 'n', sizeof(name));
	EXPECT_EQ(-EINVAL, tag_args(self->device, name, 0, &args));
	EXPECT_EQ(-ENAMETOOLONG, tag_args(self->device, name, VCPC_TAG_LEN, &args));
	EXPECT_EQ(-ENAMETOOLONG, tag_args(self->device, name, ~0U, &args));
	EXPECT_EQ(-EINVAL, tag_args(self->device, "a\0b", 3, &args));
	EXPECT_EQ(-EINVAL, tag_args(self->device, "a", 2, &args));
	EXPECT_EQ(0, args.tag);
	EXPECT_EQ(0, args.handle);
}

TEST_F(tag, wrong_arguments)
{
	struct {
		struct vcpc_trace_tag_args args;
		__u64 more;
	} longer = { .args = { .size = sizeof(longer), .name = pointer("x"), .name_len = 1 } };
	/* This is the command's number if the header of a later version has a longer struct. */
	const unsigned long later = _IOC(_IOC_READ | _IOC_WRITE, VCPC_IOC_TYPE,
					 _IOC_NR(VCPC_IOC_TRACE_TAG), sizeof(longer));
	struct vcpc_trace_tag_args args;

	EXPECT_EQ(0, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	EXPECT_EQ(0, call(self->device, later, &longer));
	longer.more = 1;
	EXPECT_EQ(-E2BIG, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	EXPECT_EQ(-E2BIG, call(self->device, later, &longer));
	longer.args.size = sizeof(longer.args);
	longer.args.flags = 1;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	longer.args.flags = 0;
	longer.args.size = 24;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_TRACE_TAG, NULL));
	EXPECT_EQ(-EFAULT, tag_args(self->device, NULL, 5, &args));
	EXPECT_EQ(-EFAULT, tag_args(self->device, (char *)-1L, 5, &args));
	EXPECT_EQ(-ENOTTY, call(self->device, _IO(VCPC_IOC_TYPE, _IOC_NR(VCPC_IOC_TRACE_TAG)), &args));
}

/* If another user registers the same name, this is a different tag. */
static int another_user(void *arg)
{
	const __u64 *own = arg;
	__u64 id;

	if (become_nobody())
		return 1;
	id = tag_id(device_open(), "vcpc-test-shared");
	return !id ? 2 : id == *own ? 3 : 0;
}

TEST_F(tag, a_name_is_its_user_s)
{
	__u64 own = tag_id(self->device, "vcpc-test-shared");

	EXPECT_EQ(0, in_child(another_user, &own));
	EXPECT_EQ(0, in_child(another_user, &own));
	EXPECT_EQ(own, tag_id(self->device, "vcpc-test-shared"));
}

/* A descriptor's tags belong to the user that opened it, not to the current holder. */
static int with_passed_descriptor(void *arg)
{
	const int *device = arg;
	int handle;

	if (become_nobody())
		return 1;
	handle = tag_handle(*device, "vcpc-test-passed");
	if (handle < 0)
		return 2;
	if (fire(*device, VCPC_TRACE_POINT, handle, 0))
		return 3;
	return tag_id(*device, "vcpc-test-passed") == tag_id(device_open(), "vcpc-test-passed") ? 4 : 0;
}

TEST_F(tag, passed_to_another_user)
{
	int other = device_open();

	EXPECT_EQ(0, in_child(with_passed_descriptor, &other));
	EXPECT_EQ(tag_id(self->device, "vcpc-test-passed"), tag_id(other, "vcpc-test-passed"));
	close(other);
}

TEST_HARNESS_MAIN
