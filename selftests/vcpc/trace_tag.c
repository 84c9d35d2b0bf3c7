// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_TRACE_TAG: names to ids, and each way to be refused. */
#include "vcpc_test.h"

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

static int tag_of(int device, const char *name, unsigned int len, __u32 *tag)
{
	struct vcpc_trace_tag_args args = {
		.size = sizeof(args),
		.name = pointer(name),
		.name_len = len,
	};
	int ret = call(device, VCPC_IOC_TRACE_TAG, &args);

	if (!ret)
		*tag = args.tag;
	return ret;
}

TEST_F(tag, one_name_one_id)
{
	__u32 a = 0, b = 0, again = 0, elsewhere = 0, longer = 0;
	int other = device_open();

	ASSERT_EQ(0, tag_of(self->device, "vcpc-test-a", 11, &a));
	ASSERT_EQ(0, tag_of(self->device, "vcpc-test-b", 11, &b));
	ASSERT_EQ(0, tag_of(self->device, "vcpc-test-a", 11, &again));
	ASSERT_EQ(0, tag_of(other, "vcpc-test-a", 11, &elsewhere));
	/* The length counts, not a NUL that may follow. */
	ASSERT_EQ(0, tag_of(self->device, "vcpc-test-ab", 12, &longer));
	EXPECT_NE(0, a);
	EXPECT_NE(0, b);
	EXPECT_NE(a, b);
	EXPECT_EQ(a, again);
	EXPECT_EQ(a, elsewhere);
	EXPECT_NE(a, longer);
	close(other);
}

TEST_F(tag, idle_names_are_remembered)
{
	__u32 first = 0, second = 0;
	int other = device_open();

	ASSERT_EQ(0, tag_of(other, "vcpc-test-idle", 14, &first));
	close(other);
	ASSERT_EQ(0, tag_of(self->device, "vcpc-test-idle", 14, &second));
	EXPECT_EQ(first, second);
}

TEST_F(tag, any_bytes_but_nul)
{
	char name[VCPC_TAG_LEN];
	__u32 tag = 0;
	int i;

	for (i = 0; i < VCPC_TAG_LEN - 1; i++)
		name[i] = i + 1;
	EXPECT_EQ(0, tag_of(self->device, name, VCPC_TAG_LEN - 1, &tag));
	EXPECT_NE(0, tag);
	EXPECT_EQ(0, tag_of(self->device, "x", 1, &tag));
}

TEST_F(tag, lengths)
{
	char name[VCPC_TAG_LEN + 1];
	__u32 tag = 77;

	memset(name, 'n', sizeof(name));
	EXPECT_EQ(-EINVAL, tag_of(self->device, name, 0, &tag));
	EXPECT_EQ(-ENAMETOOLONG, tag_of(self->device, name, VCPC_TAG_LEN, &tag));
	EXPECT_EQ(-ENAMETOOLONG, tag_of(self->device, name, ~0U, &tag));
	EXPECT_EQ(-EINVAL, tag_of(self->device, "a\0b", 3, &tag));
	EXPECT_EQ(-EINVAL, tag_of(self->device, "a", 2, &tag));
	EXPECT_EQ(77, tag);
}

TEST_F(tag, wrong_arguments)
{
	struct {
		struct vcpc_trace_tag_args args;
		__u64 more;
	} longer = { .args = { .size = sizeof(longer), .name = pointer("x"), .name_len = 1 } };
	__u32 tag;

	EXPECT_EQ(0, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	longer.more = 1;
	EXPECT_EQ(-E2BIG, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	longer.args.size = sizeof(longer.args);
	longer.args.flags = 1;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	longer.args.flags = 0;
	longer.args.size = 8;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_TRACE_TAG, &longer));
	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_TRACE_TAG, NULL));
	EXPECT_EQ(-EFAULT, tag_of(self->device, NULL, 5, &tag));
	EXPECT_EQ(-EFAULT, tag_of(self->device, (char *)-1L, 5, &tag));
}

TEST_HARNESS_MAIN
