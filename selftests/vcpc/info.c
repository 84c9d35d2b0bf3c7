// SPDX-License-Identifier: GPL-2.0-or-later
/* Test VCPC_IOC_INFO, and the errors of each ioctl for wrong sizes and pointers. */
#include <sys/stat.h>

#include "vcpc_test.h"

FIXTURE(info) {
	int device;
};

FIXTURE_SETUP(info)
{
	self->device = device_open();
	ASSERT_GE(self->device, 0);
}

FIXTURE_TEARDOWN(info)
{
	close(self->device);
}

TEST_F(info, says_what_it_offers)
{
	struct vcpc_info_args args = { .size = sizeof(args) };

	ASSERT_EQ(0, call(self->device, VCPC_IOC_INFO, &args));
	EXPECT_EQ(sizeof(args), args.size);
	EXPECT_EQ(VCPC_ABI_VERSION, args.abi);
	EXPECT_EQ(VCPC_FEAT_SETS | VCPC_FEAT_TRACE | VCPC_FEAT_INHERIT, args.features & 7);
	EXPECT_EQ(0, args.features & ~(VCPC_FEAT_SETS | VCPC_FEAT_TRACE | VCPC_FEAT_INHERIT |
				       VCPC_FEAT_OVERFLOW | VCPC_FEAT_TRACE_COUNTS));
	EXPECT_GE(args.max_requests, 8);
	EXPECT_EQ(sizeof(struct vcpc_sample), args.sample_size);
	EXPECT_EQ(0, args.counted);
	EXPECT_GE(args.max_sets, 1);
	EXPECT_GE(args.max_tags, 1);
	EXPECT_LE(args.hw_slots, 64);
}

TEST_F(info, anybody_may_open_it)
{
	struct stat st;

	ASSERT_EQ(0, stat("/dev/vcpc", &st));
	EXPECT_TRUE(S_ISCHR(st.st_mode));
	EXPECT_EQ(0666, st.st_mode & 0777);
}

TEST_F(info, wrong_sizes)
{
	struct {
		struct vcpc_info_args args;
		__u64 more[2];
	} longer = { 0 };
	const size_t len = sysconf(_SC_PAGESIZE);
	unsigned char *page;

	longer.args.size = sizeof(longer.args) - 1;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_INFO, &longer));
	longer.args.size = 0;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_INFO, &longer));
	longer.args.size = sizeof(longer);
	EXPECT_EQ(0, call(self->device, VCPC_IOC_INFO, &longer));
	EXPECT_EQ(VCPC_ABI_VERSION, longer.args.abi);
	EXPECT_EQ(sizeof(longer), longer.args.size);
	longer.more[1] = 1;
	EXPECT_EQ(-E2BIG, call(self->device, VCPC_IOC_INFO, &longer));
	longer.args.size = ~0U;
	EXPECT_EQ(-E2BIG, call(self->device, VCPC_IOC_INFO, &longer));

	/* A short struct at the end of mapped memory causes EINVAL, not EFAULT. */
	page = mmap(NULL, 2 * len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, page);
	ASSERT_EQ(0, mprotect(page + len, len, PROT_NONE));
	*(__u32 *)(page + len - 4) = 4;
	EXPECT_EQ(-EINVAL, call(self->device, VCPC_IOC_INFO, page + len - 4));
	*(__u32 *)(page + len - 4) = sizeof(struct vcpc_info_args);
	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_INFO, page + len - 4));
}

TEST_F(info, bad_pointers)
{
	const struct vcpc_info_args constant = { .size = sizeof(constant) };
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_INFO, NULL));
	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_INFO, (void *)-4096L));
	ASSERT_NE(MAP_FAILED, map);
	memcpy(map, &constant, sizeof(constant));
	ASSERT_EQ(0, mprotect(map, 4096, PROT_READ));
	EXPECT_EQ(-EFAULT, call(self->device, VCPC_IOC_INFO, map));
}

TEST_F(info, unknown_commands)
{
	struct vcpc_info_args args = { .size = sizeof(args) };

	EXPECT_EQ(-ENOTTY, call(self->device, _IO(VCPC_IOC_TYPE, 0xff), &args));
	EXPECT_EQ(-ENOTTY, call(self->device, _IO(0xF9, 0x00), &args));
	/* The device rejects the commands of sets. */
	EXPECT_EQ(-ENOTTY, call(self->device, VCPC_IOC_BIND, &args));
	EXPECT_EQ(-ENOTTY, call(self->device, VCPC_IOC_SAMPLE, &args));
	EXPECT_EQ(-1, read(self->device, &args, sizeof(args)));
	EXPECT_EQ(EINVAL, errno);
}

TEST_HARNESS_MAIN
