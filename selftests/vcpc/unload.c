// SPDX-License-Identifier: GPL-2.0-or-later
/* The module does not go while a descriptor is open. */
#include "vcpc_test.h"

static int unload(void)
{
	return syscall(SYS_delete_module, "vcpc", O_NONBLOCK) ? -errno : 0;
}

static bool is_module(void)
{
	return access("/sys/module/vcpc/initstate", F_OK) == 0;
}

TEST(refused_while_the_device_is_open)
{
	int device = device_open();

	if (!is_module())
		SKIP(return, "vcpc is built into the kernel");
	ASSERT_GE(device, 0);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	EXPECT_EQ(0, access("/dev/vcpc", R_OK | W_OK));
	close(device);
}

TEST(refused_while_a_set_is_open)
{
	int set = set_of(&page_faults, 0);

	if (!is_module())
		SKIP(return, "vcpc is built into the kernel");
	ASSERT_GE(set, 0);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(-EWOULDBLOCK, unload());
	EXPECT_NE(~0ULL, first_value(set, 0));
	close(set);
}

TEST_HARNESS_MAIN
